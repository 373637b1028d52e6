/**
 * Convex biclustering (Chi, Allen and Baraniuk 2017): rows and columns fuse in one objective,
 *
 *     P(U) = 1/2 ||X - U||^2 + gamma (sum_l v_l ||U_i. - U_j.||_2 + sum_l w_l ||U_.k - U_.m||_2) .
 *
 * With a dual vector z_l for each edge between rows, ||z_l|| <= gamma v_l, a y_l for each edge between columns,
 * ||y_l|| <= gamma w_l, and their outflows G (over rows) and H (over columns),
 *
 *     dual(Z, Y) = <G + H, X> - 1/2 ||G + H||^2
 *     gap = 1/2 ||U - X + G + H||^2 + sum_l (gamma v_l ||U_i. - U_j.|| - z_l'(U_i. - U_j.)) + the same over columns.
 *
 * For a fixed H the best G is that of convex clustering of the rows of X - H, and for a fixed G the best H that of the
 * columns of X - G. Alternating between them is a projected gradient step of length 1 on H, for a function whose
 * gradient has Lipschitz constant 1; so the step is accelerated, with restarts (optimize/acceleration.ts).
 */
import { optionError } from "../../core/internal.ts";
import { components, type Edges } from "../../graph/index.ts";
import { edgeSums, matrix, transpose, type Matrix } from "../../matrix/index.ts";
import { mapped } from "../../matrix/internal.ts";
import { acceleration } from "../../optimize/internal.ts";
import { labelCount } from "../path/assignment.ts";
import { edgeTerms, proofOf } from "../solve/certificate.ts";
import { solveL2 } from "../solve/l2.ts";
import type { Certificate, ConvexSolution } from "../solve/problem.ts";

export interface BiclusterProblem {
  readonly X: Matrix;
  /** Edges between rows, and between columns. */
  readonly rows: Edges;
  readonly columns: Edges;
}

export interface BiclusterSolution {
  readonly gamma: number;
  /** The certified point: constant on every block of fused rows and fused columns if that proves the same. */
  readonly U: Matrix;
  /** Duals of the edges between rows: edges x columns; and between columns: edges x rows. */
  readonly Z: Matrix;
  readonly Y: Matrix;
  readonly certificate: Certificate;
  readonly converged: boolean;
  readonly iterations: number;
  /** The group of each row, and of each column. */
  readonly rowGroups: Int32Array;
  readonly columnGroups: Int32Array;
}

export interface BiclusterSolveOptions {
  readonly gamma: number;
  /** Relative duality gap to reach; default 1e-6. */
  readonly tolerance?: number;
  readonly maxIterations?: number;
  /** The solution at a nearby gamma. */
  readonly start?: BiclusterSolution;
}

export function solveBiclusters(
  problem: BiclusterProblem,
  options: BiclusterSolveOptions,
): BiclusterSolution {
  const { X, rows, columns } = problem;
  const { gamma, tolerance = 1e-6, maxIterations = 2000, start } = options;
  if (!(gamma >= 0 && gamma < Infinity))
    throw optionError(`gamma must be a finite number of at least 0, got ${gamma}`);
  const unit = Math.min(1, completeFusion(X));
  const first =
    start === undefined ? matrix(X.rows, X.cols) : transpose(outflow(columns, stretched(start, gamma)));
  const run = acceleration(first.data);
  let inner = 1e-3;
  let best: BiclusterSolution | undefined;
  let [rowStart, columnStart] = [undefined, undefined] as [ConvexSolution?, ConvexSolution?];
  for (let iteration = 1; iteration <= maxIterations; iteration++) {
    const given = { gamma, tolerance: inner };
    const byRows = solveL2(
      { X: less(X, { ...X, data: run.ahead }), graph: rows, norm: 2 },
      { ...given, start: rowStart },
    );
    const G = outflow(rows, byRows.Z);
    const byColumns = solveL2(
      { X: transpose(less(X, G)), graph: columns, norm: 2 },
      { ...given, start: columnStart },
    );
    const next = transpose(outflow(columns, byColumns.Z));
    [rowStart, columnStart] = [byRows, byColumns];

    const raw = less(less(X, G), next);
    const rowGroups = components(rows, byRows.fused).labels;
    const columnGroups = components(columns, byColumns.fused).labels;
    const found = [blockMeans(raw, rowGroups, columnGroups), raw].map((U) => {
      const proof = certified(problem, gamma, U, byRows.Z, byColumns.Z, unit);
      const converged = proof.relativeGap <= tolerance;
      return { gamma, U, Z: byRows.Z, Y: byColumns.Z, certificate: proof, converged, iterations: iteration };
    });
    const better =
      found[0].converged || found[0].certificate.gap <= found[1].certificate.gap ? found[0] : found[1];
    const solution = { ...better, rowGroups, columnGroups };
    if (best === undefined || solution.certificate.gap <= best.certificate.gap || solution.converged)
      best = solution;
    if (solution.converged) break;

    run.advance(next.data);
    inner = Math.max(1e-15, Math.min(inner, 0.01 * solution.certificate.relativeGap));
  }
  return best!;
}

/** The column duals of another gamma, scaled to be feasible at this one. */
function stretched({ gamma: before, Y }: BiclusterSolution, gamma: number): Matrix {
  const factor = before === 0 ? 0 : gamma / before;
  return mapped(Y, (value) => factor * value);
}

/** The gap of any U and any feasible duals; all its terms are at least 0. */
function certified(
  { X, rows, columns }: BiclusterProblem,
  gamma: number,
  U: Matrix,
  Z: Matrix,
  Y: Matrix,
  unit: number,
): Certificate {
  const over = edgeTerms({ X, graph: rows, norm: 2 }, gamma, U, Z);
  // Of X only the shape counts here.
  const V = transpose(U);
  const across = edgeTerms({ X: V, graph: columns, norm: 2 }, gamma, V, Y);
  const H = transpose(matrix(X.cols, X.rows, across.outflow)).data;
  let fidelity = 0;
  let slack = 0;
  for (let e = 0; e < X.data.length; e++) {
    fidelity += 0.5 * (X.data[e] - U.data[e]) ** 2;
    slack += 0.5 * (U.data[e] - X.data[e] + over.outflow[e] + H[e]) ** 2;
  }
  const primal = fidelity + over.penalty + across.penalty;
  const gap = slack + over.slack + across.slack;
  return proofOf(primal, gap, unit);
}

/** sum over edges (i, j) of z_l, minus that over edges (h, i): one row for each node. */
function outflow({ nodes, from, to }: Edges, Z: Matrix): Matrix {
  return edgeSums(nodes, Z, from, to);
}

function less(A: Matrix, B: Matrix): Matrix {
  return mapped(A, (value, e) => value - B.data[e]);
}

/** Replaces every cell by the mean of its block. */
export function blockMeans(X: Matrix, rowGroups: Int32Array, columnGroups: Int32Array): Matrix {
  const width = labelCount(columnGroups);
  const sums = new Float64Array(labelCount(rowGroups) * width);
  const counts = new Float64Array(sums.length);
  const d = X.cols;
  for (let i = 0; i < X.rows; i++) {
    for (let k = 0; k < d; k++) {
      const block = rowGroups[i] * width + columnGroups[k];
      counts[block]++;
      sums[block] += (X.data[i * d + k] - sums[block]) / counts[block];
    }
  }
  const U = matrix(X.rows, d);
  for (let i = 0; i < X.rows; i++)
    for (let k = 0; k < d; k++) U.data[i * d + k] = sums[rowGroups[i] * width + columnGroups[k]];
  return U;
}

/** 1/2 ||X - mean||^2: the objective of complete fusion. */
export function completeFusion(X: Matrix): number {
  let mean = 0;
  X.data.forEach((value, e) => (mean += (value - mean) / (e + 1)));
  return X.data.reduce((sum, value) => sum + 0.5 * (value - mean) ** 2, 0);
}
