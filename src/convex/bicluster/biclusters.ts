/**
 * Groups of rows and groups of columns by convex biclustering (Chi, Allen and Baraniuk 2017), along a path of
 * gammas. Among the partitions on the path the one with the smallest
 *
 *     BIC = n d log(RSS / (n d)) + R C log(n d) + 2 (n log R + d log C)
 *
 * is taken, where RSS is that of the means of the R x C blocks: the last term is the cost of encoding the
 * groups of rows and columns. Weights of the graphs are scaled to give rows and columns the same weight: they
 * sum to 1 / sqrt(d) and 1 / sqrt(n).
 */
import { extended, inputError, plain, rule, sizesOf, type Plain } from "../../core/internal.ts";
import { neighborGraph, type Edges } from "../../graph/index.ts";
import { matrix, takeRows, transpose, type Matrix } from "../../matrix/index.ts";
import { inGivenOrder, requireModerate, valueOrder, requireMatrix } from "../../matrix/internal.ts";
import { COMMON } from "../path/setting.ts";
import { assignClusters, countBig, labelCount } from "../path/assignment.ts";
import { primalObjective } from "../solve/certificate.ts";
import type { Certificate } from "../solve/problem.ts";
import { blockMeans, completeFusion, solveBiclusters, type BiclusterSolution } from "./solveBiclusters.ts";

export const biclustersOptions = {
  /** Groups of rows; default: chosen. */
  clusters: rule.integer({ min: 1 }),
  /** Groups of columns; default: chosen. */
  columnClusters: rule.integer({
    min: 1,
    says: "number of groups of columns",
    usual: "chosen along the path",
  }),
  /** One gamma instead of a path. */
  gamma: COMMON.gamma,
  /** Neighbours of each row, and of each column, in the weight graphs. */
  neighbors: rule.integer({ min: 1, default: 10, says: "neighbours of each row and column in the graphs" }),
  tolerance: COMMON.tolerance,
  onProgress: rule.progress,
};

export type BiclustersOptions = rule.OptionsOf<typeof biclustersOptions>;

export interface Biclusters extends Plain {
  readonly labels: Int32Array;
  readonly clusters: number;
  readonly sizes: Int32Array;
  /** The same for the columns. */
  readonly columnLabels: Int32Array;
  readonly columnClusters: number;
  /** Means of the blocks: groups of rows x groups of columns. */
  readonly blocks: Matrix;
  /** Groups of rows x columns: the mean of the column's block. */
  readonly centers: Matrix;
  readonly gamma: number;
  readonly objective: number;
  readonly certificate: Certificate;
  readonly converged: boolean;
  readonly iterations: number;
  readonly path: readonly { readonly gamma: number; readonly rows: number; readonly columns: number }[];
  readonly warnings: readonly string[];
}

const MOST_STEPS = 40;
/** The path is refined around the best step by these factors. */
const BETWEEN = [0.6, 0.8, 1.25, 1.6];
/** Groups below this share of the rows or columns do not count as groups if their number is not given. */
const SMALL = 0.03;

/** Doublings of gamma after which no further fusion is expected. */
const PATIENCE = 3;

interface Step {
  readonly solution: BiclusterSolution;
  readonly rows: Int32Array;
  readonly columns: Int32Array;
  readonly bic: number;
}

/** Rows are taken in the order of their values, so ties do not depend on the order of the input. */
export function biclusters(X: Matrix, options: BiclustersOptions = {}): Biclusters {
  requireMatrix(X, "biclusters");
  const order = valueOrder(X);
  const found = biclustersInOrder(takeRows(X, order), options);
  return extended(found, { labels: inGivenOrder(found.labels, order) });
}

function biclustersInOrder(X: Matrix, options: BiclustersOptions): Biclusters {
  const settings = rule.resolveOptions("biclusters", options, biclustersOptions);
  const { clusters, columnClusters, neighbors, tolerance, onProgress } = settings;
  requireModerate(X);
  if (X.rows < 2 || X.cols < 2)
    throw inputError(`biclusters: at least 2 rows and 2 columns are needed, got ${X.rows} x ${X.cols}`);
  if ((clusters ?? 1) > X.rows || (columnClusters ?? 1) > X.cols)
    throw inputError(`biclusters: more groups than rows or columns were asked for (${X.rows} x ${X.cols})`);
  const warnings: string[] = [];
  const across = transpose(X);
  const problem = {
    X,
    rows: sumTo(neighborGraph(X, { neighbors, alpha: 0.1, join: true }).graph, 1 / Math.sqrt(X.cols)),
    columns: sumTo(neighborGraph(across, { neighbors, alpha: 0.1, join: true }).graph, 1 / Math.sqrt(X.rows)),
  };
  const taken = (gamma: number, start?: BiclusterSolution, gap = Math.max(tolerance, 1e-3)): Step => {
    // A step of the path only has to show its groups; the chosen one is solved to the tolerance.
    const maxIterations = gap > tolerance ? 30 : 2000;
    const solution = solveBiclusters(problem, {
      gamma,
      tolerance: gap,
      maxIterations,
      ...(start && { start }),
    });
    const rows = mainGroups(X, solution.rowGroups, clusters);
    const columns = mainGroups(across, solution.columnGroups, columnClusters);
    return { solution, rows, columns, bic: criterion(X, rows, columns) };
  };

  let chosen: Step;
  const steps: Step[] = [];
  if (settings.gamma === undefined) {
    let stopped = false;
    const add = (step: Step): void => {
      steps.push(step);
      const { gamma, rowGroups } = step.solution;
      const label = `gamma ${gamma.toPrecision(3)}, ${labelCount(rowGroups)} groups of rows`;
      stopped ||= onProgress?.({ fraction: Math.min(0.9, steps.length / MOST_STEPS), label }) === false;
    };
    walk(problem, taken, add, () => stopped);
    const middle = best(steps, clusters, columnClusters);
    for (const factor of BETWEEN) if (!stopped) add(taken(factor * middle.solution.gamma, middle.solution));
    chosen = best(steps, clusters, columnClusters);
    const whole = { ...chosen, rows: new Int32Array(X.rows), columns: new Int32Array(X.cols) };
    const none = { ...whole, bic: criterion(X, whole.rows, whole.columns) };
    const free = clusters === undefined && columnClusters === undefined;
    const nothing = free && none.bic <= chosen.bic;
    // If there are no groups, the step with most fusions is proved.
    if (nothing) chosen = steps.reduce((a, b) => (b.solution.gamma > a.solution.gamma ? b : a));
    if (stopped) warnings.push("stopped early: the path is not complete");
    if (chosen.solution.certificate.relativeGap > tolerance)
      chosen = taken(chosen.solution.gamma, chosen.solution, tolerance);
    if (nothing) chosen = { ...none, solution: chosen.solution };
  } else chosen = taken(settings.gamma, undefined, tolerance);

  const { solution, rows, columns } = chosen;
  const [R, C] = [labelCount(rows), labelCount(columns)];
  if (clusters !== undefined && R !== clusters)
    warnings.push(`no gamma gave ${clusters} groups of rows; ${R} were found`);
  if (columnClusters !== undefined && C !== columnClusters)
    warnings.push(`no gamma gave ${columnClusters} groups of columns; ${C} were found`);
  if (!solution.converged) warnings.push(`the gap of ${tolerance} was not reached`);
  const means = blockMeans(X, rows, columns);
  return plain<Biclusters>({
    labels: rows,
    clusters: R,
    sizes: sizesOf(rows, R),
    columnLabels: columns,
    columnClusters: C,
    blocks: blocksOf(means, rows, columns, R, C),
    centers: blocksOf(means, rows, Int32Array.from(columns.keys()), R, X.cols),
    gamma: solution.gamma,
    objective: solution.certificate.primal,
    certificate: solution.certificate,
    converged: solution.converged,
    iterations: solution.iterations,
    path: steps
      .map(({ solution: { gamma, rowGroups, columnGroups } }) => ({
        gamma,
        rows: labelCount(rowGroups),
        columns: labelCount(columnGroups),
      }))
      .sort((a, b) => a.gamma - b.gamma),
    warnings,
  });
}

/** Doubles gamma until nothing more fuses, and halves it until little has fused. */
function walk(
  { X, rows, columns }: { X: Matrix; rows: Edges; columns: Edges },
  taken: (gamma: number, start?: BiclusterSolution) => Step,
  add: (step: Step) => void,
  stopped: () => boolean,
): void {
  const spread = 2 * completeFusion(X);
  const penalty = lengths(X, rows) + lengths(transpose(X), columns);
  const from = penalty > 0 && spread > 0 ? spread / penalty : 1;
  const first = taken(from);
  add(first);
  const groups = ({ solution: { rowGroups, columnGroups } }: Step): [number, number] => [
    labelCount(rowGroups),
    labelCount(columnGroups),
  ];
  for (const factor of [2, 1 / 2]) {
    let step = first;
    let same = 0;
    for (let s = 0; s < MOST_STEPS / 2 && !stopped(); s++) {
      const before = groups(step);
      const [R, C] = before;
      if (factor > 1 ? R * C === 1 || same === PATIENCE : R > X.rows / 2 && C > X.cols / 2) break;
      step = taken(factor * step.solution.gamma, step.solution);
      add(step);
      same = groups(step).every((count, side) => count === before[side]) ? same + 1 : 0;
    }
  }
}

/**
 * The smallest BIC among the steps nearest to the requested numbers of groups. If less than half of the rows
 * or columns have fused, the means of the blocks are almost the data, and BIC is meaningless.
 */
function best(steps: readonly Step[], clusters?: number, columnClusters?: number): Step {
  const lacks = ({ rows, columns }: Step): number =>
    (clusters === undefined ? 0 : Math.abs(labelCount(rows) - clusters)) +
    (columnClusters === undefined ? 0 : Math.abs(labelCount(columns) - columnClusters));
  return steps.reduce((a, b) => {
    const nearer = lacks(b) - lacks(a);
    return nearer < 0 || (nearer === 0 && b.bic < a.bic) ? b : a;
  });
}

function criterion(X: Matrix, rows: Int32Array, columns: Int32Array): number {
  const means = blockMeans(X, rows, columns);
  const cells = X.data.length;
  const rss = X.data.reduce((sum, value, e) => sum + (value - means.data[e]) ** 2, 0);
  const [R, C] = [labelCount(rows), labelCount(columns)];
  if (R > Math.max(1, X.rows / 2) || C > Math.max(1, X.cols / 2)) return Infinity;
  const floor = Number.MIN_VALUE * 2 ** 52;
  return (
    cells * Math.log(Math.max(rss / cells, floor)) +
    R * C * Math.log(cells) +
    2 * (X.rows * Math.log(R) + X.cols * Math.log(C))
  );
}

/** The largest groups, by decreasing size; the members of the others join the group with the nearest mean. */
function mainGroups(X: Matrix, groups: Int32Array, asked?: number): Int32Array {
  const sizes = sizesOf(groups, labelCount(groups));
  const least = asked === undefined ? Math.max(2, SMALL * X.rows) : 1;
  const count = Math.min(asked ?? sizes.length, countBig(sizes, least));
  // Nothing has fused: every row is a group of its own.
  if (count === 0) return groups;
  return assignClusters(X, groups, sizes, count, least, "largest")!.labels;
}

function sumTo(graph: Edges, total: number): Edges {
  const sum = graph.weights.reduce((a, b) => a + b, 0);
  return { ...graph, weights: graph.weights.map((weight) => (weight * total) / sum) };
}

/** sum_l w_l ||x_i - x_j|| */
function lengths(X: Matrix, graph: Edges): number {
  return primalObjective({ X, graph, norm: 2 }, 1, X);
}

function blocksOf(means: Matrix, rows: Int32Array, columns: Int32Array, R: number, C: number): Matrix {
  const blocks = matrix(R, C);
  for (let i = 0; i < means.rows; i++)
    for (let k = 0; k < means.cols; k++)
      blocks.data[rows[i] * C + columns[k]] = means.data[i * means.cols + k];
  return blocks;
}
