import { option, optionError, plain, rule } from "../../core/internal.ts";
import type { CenterModelData } from "../../cluster/index.ts";
import { centerModel, predictNearest } from "../../cluster/internal.ts";
import type { Matrix, MatrixLike } from "../../matrix/index.ts";
import { columnMeans, requireFinite } from "../../matrix/internal.ts";
import type { GroupedSums } from "./groupedSums.ts";
import { kmeansParallelStart } from "./kmeansParallelStart.ts";
import { lloydPasses } from "./lloydPasses.ts";
import { checkStart, startRules, stoppedEarly } from "./passOptions.ts";
import type { RowPasses } from "./rowPasses.ts";

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
  model(): CenterModelData;
  toJSON(): object;
}

/** For rows that are read in every iteration: fewer iterations, and a start from a sample. */
export const kmeansByPassesOptions = {
  /** K; may be left out when `initialCenters` is given. */
  clusters: rule.integer({ min: 1 }),
  seed: rule.seed,
  /** K x d; cluster k of the result grows from row k. */
  initialCenters: rule.given<Matrix>(
    "a matrix",
    (value) => typeof value === "object" && value !== null && "data" in value,
  ),
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
 * A start from drawn rows (kmeansParallelStart.ts), then Lloyd's steps by grouped sums (lloydPasses.ts).
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
    model: () => centerModel("kmeans", { centers }),
  });
}
