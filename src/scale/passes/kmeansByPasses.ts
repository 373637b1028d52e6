import { option, optionError, plain, rule, inputError } from "../../core/internal.ts";
import { predictNearest } from "../../cluster/internal.ts";
import { type Matrix, type MatrixLike, matrix } from "../../matrix/index.ts";
import { columnMeans, requireFinite, matrixRule } from "../../matrix/internal.ts";
import type { GroupedSums } from "./groupedSums.ts";
import { kmeansParallelStart } from "./kmeansParallelStart.ts";
import { checkStart, startRules, stoppedEarly, type RowPasses } from "./rowPasses.ts";

export interface KmeansByPasses {
  readonly method: "kmeans";
  readonly clusters: number;
  readonly rows: number;
  readonly centers: Matrix;
  /** Rows of each cluster in the last pass. */
  readonly sizes: Float64Array;
  /** Sum of squared distances from the rows to the centres, clusters as in the last pass. */
  readonly objective: number;
  readonly history: readonly number[];
  readonly iterations: number;
  readonly converged: boolean;
  readonly warnings: readonly string[];
  readonly placement: "nearest-center";
  /** The nearest centre of each row of Y. */
  predict(Y: MatrixLike): Int32Array;
  toJSON(): object;
}

/** For rows that are read in every iteration: fewer iterations, and a start from a sample. */
export const kmeansByPassesOptions = {
  /** K; may be left out when `initialCenters` is given. */
  clusters: rule.integer({ min: 1 }),
  seed: rule.seed,
  /** K x d; cluster k of the result grows from row k. */
  initialCenters: matrixRule,
  ...startRules("k-means on"),
  /** Limit of Lloyd's steps, each a pass over the rows. */
  maxIterations: rule.integer({
    min: 1,
    default: 100,
    says: "maximum number of iterations, each a pass over the rows",
  }),
  /** Stop when a step lowers the objective by no more than this share; 0: only when no row moves. */
  tolerance: rule.real({
    min: 0,
    below: 1,
    default: 1e-4,
    says: "stops when an iteration lowers the objective by no more than this share",
  }),
  /** Returning false ends with the result of the last complete pass. */
  onProgress: rule.progress,
};

/** The options of k-means by passes over rows in a stream or on an engine. */
export type KmeansPassOptions = rule.OptionsOf<typeof kmeansByPassesOptions>;
type Resolved = rule.ResolvedOptions<typeof kmeansByPassesOptions>;

/** Before the rows are read. */
export function checkPassOptions(name: string, options: Resolved): void {
  const { initialCenters: centers } = options;
  if (centers !== undefined) requireFinite(centers, `${name}: ${option("initialCenters")}`);
  checkStart(name, options, centers && { option: "initialCenters", clusters: centers.rows, parts: "rows" });
}

/** Refuses given centres of another width than the rows. */
export function requireWidth(name: string, { initialCenters: centers }: Resolved, columns: number): void {
  if (centers === undefined || centers.cols === columns) return;
  throw optionError(
    `${name}: ${option("initialCenters")} has ${centers.cols} columns, but the data has ${columns}`,
  );
}

/**
 * A start from drawn rows (kmeansParallelStart.ts), then Lloyd's steps by grouped sums.
 *
 * @param sumsAbout the sums of one pass, about a shift that is the same for all; undefined if it was stopped
 */
export async function kmeansByPasses(
  rows: RowPasses,
  sumsAbout: (centers: Matrix, shift: Float64Array) => Promise<GroupedSums | undefined>,
  options: Resolved,
): Promise<KmeansByPasses> {
  const { name, gate } = rows;
  const { initialCenters, clusters, seed, sample, restarts, maxIterations, tolerance } = options;
  const start =
    initialCenters === undefined
      ? await kmeansParallelStart(rows, { clusters: clusters!, seed, sample, restarts })
      : { centers: initialCenters, warnings: [] };
  if (start === undefined || gate.stopped) throw stoppedEarly(name);
  const shift = columnMeans(start.centers);
  const run = await lloydPasses(start.centers, (centers) => sumsAbout(centers, shift), {
    name,
    maxIterations,
    tolerance,
  });
  if (run === undefined) throw stoppedEarly(name);
  const { centers, history, converged } = run;
  const warnings = start.warnings.map((warning) => `on the sample: ${warning}`);
  if (gate.stopped) warnings.push(`stopped by onProgress after ${history.length} steps`);
  else if (!converged) warnings.push(`had not converged after ${maxIterations} steps`);
  return plain({
    method: "kmeans",
    clusters: centers.rows,
    ...run,
    objective: history[history.length - 1],
    iterations: history.length,
    warnings,
    placement: "nearest-center",
    predict: (Y) => predictNearest(Y, centers),
  });
}

/**
 * Lloyd's algorithm (see cluster/kmeans/lloyd.ts) by grouped sums: each step requests the sums about the
 * centres, from any source, and moves the centres to the means. From the same centres the steps equal those
 * of `kmeans`: an empty cluster takes the row with the largest cost, and the run has converged when no row
 * moves.
 */

export interface LloydPasses {
  readonly centers: Matrix;
  /** Rows of each cluster in the last pass. */
  readonly sizes: Float64Array;
  readonly rows: number;
  readonly history: readonly number[];
  readonly converged: boolean;
}

export interface LloydPassOptions {
  /** The function name in errors. */
  readonly name: string;
  readonly maxIterations: number;
  /** Stop when a step lowers the objective by no more than this share; 0: only when no row moves. */
  readonly tolerance: number;
}

/** @param sumsAbout undefined if it was stopped; the result is undefined if that was in the first pass. */
export async function lloydPasses(
  initial: Matrix,
  sumsAbout: (centers: Matrix) => Promise<GroupedSums | undefined>,
  { name, maxIterations, tolerance }: LloydPassOptions,
): Promise<LloydPasses | undefined> {
  const K = initial.rows;
  let centers = initial;
  let last: GroupedSums | undefined;
  let converged = false;
  const history: number[] = [];
  while (history.length < maxIterations && !converged) {
    const sums = await sumsAbout(centers);
    if (sums === undefined) break;
    const rows = total(sums.counts);
    if (K > rows) throw optionError(`${name}: cannot make ${K} clusters of ${rows} rows`);
    const step = lloydStep(sums, name);
    const before = history.at(-1);
    const objective = Math.min(before ?? Infinity, step.objective);
    history.push(objective);
    const unmoved = last !== undefined && sameGroups(last, sums, step.lowered);
    last = { ...sums, counts: step.counts };
    if (!unmoved) centers = step.centers;
    converged =
      unmoved || (before !== undefined && before - objective <= tolerance * before && tolerance > 0);
  }
  if (last === undefined) return undefined;
  return { centers, sizes: last.counts, rows: total(last.counts), history, converged };
}

interface Step {
  readonly centers: Matrix;
  readonly counts: Float64Array;
  /** After the centres have moved to the means. */
  readonly objective: number;
  /** By how much that lowered it. */
  readonly lowered: number;
}

/**
 * Centres to means; a cluster without rows takes the row with the largest cost among clusters with several
 * rows.
 */
function lloydStep(
  { centers, shift, counts: found, sums: about, squares, farthest }: GroupedSums,
  name: string,
): Step {
  const { rows: K, cols: d } = centers;
  const counts = found.slice();
  const sums = about.data.slice();
  const old = centers.data.slice();
  let objective = total(squares);
  const candidates = [...farthest];
  for (let k = 0; k < K; k++) {
    if (counts[k] > 0) continue;
    const at = candidates.findIndex(({ cluster, square }) => square > 0 && counts[cluster] > 1);
    if (at < 0) throw fewDistinct(name, counts); // every cluster that has rows holds one value
    const [{ row, cluster, square }] = candidates.splice(at, 1);
    counts[cluster]--;
    counts[k]++;
    row.forEach((value, f) => {
      sums[cluster * d + f] -= value - shift[f];
      sums[k * d + f] += value - shift[f];
      old[k * d + f] = value;
    });
    objective -= square;
  }
  const means = matrix(K, d);
  let lowered = 0;
  for (let k = 0; k < K; k++) {
    for (let f = 0, p = k * d; f < d; f++, p++) {
      means.data[p] = shift[f] + sums[p] / counts[k];
      lowered += counts[k] * (means.data[p] - old[p]) ** 2;
    }
  }
  return { centers: means, counts, objective: Math.max(0, objective - lowered), lowered };
}

function fewDistinct(name: string, counts: Float64Array): Error {
  const distinct = counts.filter((count) => count > 0).length;
  return inputError(
    `${name}: ${option("initialCenters")} has ${counts.length} rows, but the data has only ${distinct} distinct rows`,
  );
}

/** The same numbers of rows about means that differ only by rounding: no row changed its cluster. */
function sameGroups(before: GroupedSums, after: GroupedSums, lowered: number): boolean {
  return (
    before.counts.every((count, k) => count === after.counts[k]) && lowered <= ROUNDING * total(after.squares)
  );
}

/** Squared relative rounding of means, because each pass may sum in another order. */
const ROUNDING = 1e-20;

function total(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}
