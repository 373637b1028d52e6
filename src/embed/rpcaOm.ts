import {
  asMatrix,
  gram,
  matrix,
  multiply,
  symmetricEigen,
  transpose,
  type Matrix,
  type MatrixLike,
} from "../matrix/index.ts";
import { centered, columnMeans, leadingColumns } from "../matrix/internal.ts";
import {
  inputError,
  option,
  optionError,
  plain,
  progressGate,
  rule,
  type ProgressGate,
} from "../core/internal.ts";
import { requireRows, type EmbeddedRows } from "./embedding.ts";
import { KERNEL_SPACE_RULES, kernelSpace } from "./kernelPca.ts";
import { pca } from "./pca.ts";
import { projection, type Projection } from "./projection.ts";

/**
 * Optimal mean robust PCA (F. Nie, J. Yuan and H. Huang, 2014): the plane of `dims` directions and its offset
 * that minimise the sum of distances to the rows, not of their squares, so that outliers pull less,
 *
 *     minimise over b and U'U = I:   sum_i |(I - UU')(x_i - b)|
 *
 * By iteratively reweighted least squares: w_i = 1 / (2 sqrt(r_i^2 + e^2)), b the weighted mean, U the leading
 * eigenvectors of the weighted scatter. Each step lowers the sum of sqrt(r_i^2 + e^2), which is reported; e
 * is 1e-6 of the typical distance and prevents a division by zero for rows in the plane.
 */
export const rpcaOmOptions = {
  /** Number of directions. */
  dims: rule.required(rule.integer({ min: 1, says: "directions of the plane" })),
  ...KERNEL_SPACE_RULES,
  /** Stop when an iteration lowers the objective by no more than this share. */
  tolerance: rule.real({
    min: 0,
    below: 1,
    default: 1e-8,
    says: "stops when an iteration lowers the objective by no more than this share",
  }),
  maxIterations: rule.integer({ min: 1, default: 500, says: "maximum number of iterations" }),
  onProgress: rule.progress,
};

export type RpcaOmOptions = rule.OptionsOf<typeof rpcaOmOptions>;

export interface RpcaOm extends EmbeddedRows, Omit<Projection, "centers" | "predict"> {
  readonly method: "rpca-om";
  /** b. */
  readonly mean: Float64Array;
  /** Distance of each row from the plane. */
  readonly distances: Float64Array;
  readonly objective: number;
  /**
   * First for the start (PCA or spherical PCA, whichever ends better), then after each iteration; never
   * rises.
   */
  readonly history: readonly number[];
}

const NAME = "rpcaOm";
const SMOOTHING = 1e-6;

export function rpcaOm(input: MatrixLike, options: RpcaOmOptions): RpcaOm {
  const X = asMatrix(input, "rpcaOm");
  const resolved = rule.resolveOptions(NAME, options, rpcaOmOptions);
  const { dims: asked, tolerance, maxIterations } = resolved;
  requireRows(X, NAME, 2);
  const space = kernelSpace(X, resolved, NAME);
  const most = Math.min(space.rows.rows, space.rows.cols);
  if (asked > most) {
    throw optionError(
      `${NAME}: ${option("dims")} is ${asked}, but ${space.rows.rows} x ${space.rows.cols} values have at most ${most}`,
    );
  }
  // With more columns than rows all computations run in the span of the rows, after a rotation.
  const turned = space.rows.cols > space.rows.rows ? pca(space.rows) : undefined;
  const A = turned?.embedding ?? space.rows;
  const gate = progressGate(resolved.onProgress);
  const warnings = [...space.warnings];
  const dims = Math.min(asked, A.cols);
  if (dims < asked)
    warnings.push(`the rows have rank ${dims}, so ${dims} instead of ${asked} directions were found`);
  const typical = Math.sqrt(squared(centered(A, columnMeans(A))) / A.rows);
  if (typical === 0) throw inputError(`${NAME}: all rows are equal, so there is no direction to find`);
  const limits = { e: SMOOTHING * typical, tolerance, maxIterations };
  // Outliers keep PCA at a local minimum; directions alone, without distances, follow the bulk of the rows.
  const starts = [weightedPlane(A, new Float64Array(A.rows).fill(1), dims), sphericalPlane(A, dims)];
  const runs = starts.map((start) => descend(A, start, limits, gate));
  const { plane, distances, history, converged } = runs.reduce((a, b) =>
    b.history.at(-1)! < a.history.at(-1)! ? b : a,
  );
  if (gate.stopped) warnings.push("stopped by onProgress");
  else if (!converged) warnings.push(`not converged after ${maxIterations} iterations`);
  const mean =
    turned === undefined ? plane.mean : Float64Array.from(turned.inverse(matrix(1, A.cols, plane.mean)).data);
  const map = turned === undefined ? plane.U : multiply(transpose(turned.components), plane.U);
  const { offset, kernel, transform, model } = projection({
    method: "rpca-om",
    mean,
    map,
    offset: new Float64Array(dims),
    ...(space.model !== undefined && { kernel: space.model }),
  });
  return plain({
    method: "rpca-om",
    mean,
    map,
    offset,
    ...(kernel !== undefined && { kernel }),
    transform,
    model,
    embedding: multiply(centered(space.rows, mean), map),
    distances,
    objective: history[history.length - 1],
    history,
    iterations: history.length - 1,
    converged,
    warnings,
  });
}

function descend(
  A: Matrix,
  start: Plane,
  {
    e,
    tolerance,
    maxIterations,
  }: { readonly e: number; readonly tolerance: number; readonly maxIterations: number },
  gate: ProgressGate,
) {
  const smooth = (r: number): number => Math.sqrt(r * r + e * e);
  let plane = start;
  let distances = planeDistances(A, plane);
  const history = [distances.reduce((sum, r) => sum + smooth(r), 0)];
  let converged = false;
  while (!converged && history.length <= maxIterations) {
    plane = weightedPlane(
      A,
      distances.map((r) => 1 / (2 * smooth(r))),
      plane.U.cols,
    );
    distances = planeDistances(A, plane);
    const objective = distances.reduce((sum, r) => sum + smooth(r), 0);
    converged = history[history.length - 1] - objective <= tolerance * objective;
    history.push(objective);
    const iteration = history.length - 1;
    if (!gate({ fraction: iteration / (maxIterations + 1), label: `iteration ${iteration}`, objective }))
      break;
  }
  return { plane, distances, history, converged };
}

/**
 * Principal directions of the rows relative to their median, each of length one (spherical PCA, Locantore et
 * al. 1999).
 */
function sphericalPlane(A: Matrix, dims: number): Plane {
  const { rows: n, cols: d } = A;
  const mean = Float64Array.from({ length: d }, (_, f) => {
    const column = Float64Array.from({ length: n }, (_, i) => A.data[i * d + f]).sort();
    return (column[(n - 1) >> 1] + column[n >> 1]) / 2;
  });
  const C = centered(A, mean);
  for (let i = 0; i < n; i++) {
    const row = C.data.subarray(i * d, (i + 1) * d);
    const length = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0));
    if (length > 0) for (let f = 0; f < d; f++) row[f] /= length;
  }
  return { mean, U: leading(C, dims) };
}

interface Plane {
  readonly mean: Float64Array;
  /** d x dims. */
  readonly U: Matrix;
}

function weightedPlane(A: Matrix, weights: Float64Array, dims: number): Plane {
  const { rows: n, cols: d } = A;
  const total = weights.reduce((sum, w) => sum + w, 0);
  const mean = new Float64Array(d);
  for (let i = 0, p = 0; i < n; i++) {
    for (let f = 0; f < d; f++, p++) mean[f] += (weights[i] / total) * A.data[p];
  }
  const C = centered(A, mean);
  for (let i = 0, p = 0; i < n; i++) {
    const root = Math.sqrt(weights[i]);
    for (let f = 0; f < d; f++, p++) C.data[p] *= root;
  }
  return { mean, U: leading(C, dims) };
}

/** Leading eigenvectors of C'C. */
function leading(C: Matrix, dims: number): Matrix {
  return leadingColumns(symmetricEigen(gram(C)).vectors, dims);
}

/** |(I - UU')(x - b)| of every row, by the residual itself: |x|^2 - |U'x|^2 would cancel near the plane. */
function planeDistances(A: Matrix, { mean, U }: Plane): Float64Array {
  const C = centered(A, mean);
  const inPlane = multiply(multiply(C, U), transpose(U));
  const d = A.cols;
  const distances = new Float64Array(A.rows);
  for (let i = 0, p = 0; i < A.rows; i++) {
    let sum = 0;
    for (let f = 0; f < d; f++, p++) sum += (C.data[p] - inPlane.data[p]) ** 2;
    distances[i] = Math.sqrt(sum);
  }
  return distances;
}

function squared(A: Matrix): number {
  return A.data.reduce((sum, value) => sum + value * value, 0);
}
