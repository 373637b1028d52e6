/**
 * k-means over rows that are never in memory at once: Lloyd's steps by grouped sums (lloydPasses.ts), one pass over the
 * source each, from centres found on rows that were drawn (kmeansParallelStart.ts).
 */
import { inputError, optionError } from "../core/errors.ts";
import { given, integer, real, resolveOptions } from "../core/options.ts";
import { progressGate, type OnProgress, type ProgressGate } from "../core/progress.ts";
import type { TextColumn } from "../data/index.ts";
import { withPoints } from "../cluster/withPoints.ts";
import { nearestCenters } from "../cluster/nearestCenters.ts";
import { requireFinite, type Matrix } from "../matrix/matrix.ts";
import { drawRows } from "./drawRows.ts";
import { groupedSumsAccumulator, type GroupedSums } from "./groupedSums.ts";
import { kmeansParallelStart, type DrawingSource } from "./kmeansParallelStart.ts";
import { lloydPasses } from "./lloydPasses.ts";
import {
  isReopenable,
  rowBatches,
  type BatchOptions,
  type BatchSource,
  type RowBatch,
} from "./rowBatches.ts";
import { sampleRows } from "./sampleRows.ts";

export interface KmeansStreamOptions extends BatchOptions {
  /** K; may be left out when `initialCenters` is given. */
  readonly clusters?: number;
  readonly seed?: number;
  /** K x d; cluster k of the result grows from row k. */
  readonly initialCenters?: Matrix;
  /** Rows of the uniform sample that the start begins with; default 20000. */
  readonly sample?: number;
  /** Of `kmeans` on the rows drawn for the start; default 10. */
  readonly restarts?: number;
  /** Limit of Lloyd's steps, each a pass over the source; default 100. */
  readonly maxIterations?: number;
  /** Stop when a step lowers the objective by no more than this share; default 1e-4. 0: only when no row moves. */
  readonly tolerance?: number;
}

export interface KmeansStream {
  readonly method: "kmeans";
  readonly clusters: number;
  readonly rows: number;
  readonly names: readonly string[];
  readonly centers: Matrix;
  /** Rows of each cluster in the last pass. */
  readonly sizes: Float64Array;
  /** Sum of squared distances from the rows to the centres, clusters as in the last pass. */
  readonly objective: number;
  readonly history: readonly number[];
  readonly iterations: number;
  readonly converged: boolean;
  /** How often the source was read. */
  readonly passes: number;
  readonly warnings: readonly string[];
  /** The nearest centre of each row of Y. */
  predict(Y: Matrix): Int32Array;
  /** One more pass, which gives every row its nearest centre, in the order of the source. */
  labels(): AsyncGenerator<LabelledBatch, void, undefined>;
}

export interface LabelledBatch {
  readonly labels: Int32Array;
  readonly ids?: TextColumn;
  readonly source: string;
  readonly first: number;
}

/** k-means over a source of any size that can be read again; see the options for the start and the end of the run. */
export async function kmeansStream(source: BatchSource, options: KmeansStreamOptions): Promise<KmeansStream> {
  const {
    clusters,
    seed,
    initialCenters,
    sample,
    restarts,
    maxIterations,
    tolerance,
    onProgress,
    ...reading
  } = options;
  const own = resolveOptions<OwnOptions, typeof RULES>(
    "kmeansStream",
    { clusters, seed, initialCenters, sample, restarts, maxIterations, tolerance, onProgress },
    RULES,
  );
  checkStart(source, own);
  const gate = progressGate(own.onProgress);
  const warnings: string[] = [];
  let passes = 0;
  const pass = (): AsyncGenerator<RowBatch> => rowBatches(source, watching(source, reading, passes++, gate));

  // How far a pass is, files tell themselves; of other sources only the rows are known.
  const told = ({ first, X }: RowBatch): boolean =>
    typeof source === "function"
      ? gate({ fraction: passes / (passes + USUAL_PASSES), label: `pass ${passes}, ${first + X.rows} rows` })
      : !gate.stopped;

  const initial = own.initialCenters ?? (await startingCenters(drawingFrom(pass, told, own), own, warnings));
  if (initial === undefined || gate.stopped) throw stoppedEarly();

  let names: readonly string[] = [];
  const shift = columnMeans(initial);
  const sumsAbout = async (centers: Matrix): Promise<GroupedSums | undefined> => {
    const accumulator = groupedSumsAccumulator(centers, shift);
    for await (const batch of pass()) {
      names = batch.names;
      if (centers.cols !== batch.X.cols) {
        throw optionError(
          `kmeansStream: "initialCenters" has ${centers.cols} columns, but the data has ${batch.X.cols}`,
        );
      }
      requireFinite(batch.X, batch.source);
      accumulator.add(batch.X);
      if (!told(batch)) return undefined;
    }
    return accumulator.result();
  };
  const run = await lloydPasses(initial, sumsAbout, { name: "kmeansStream", ...own });
  if (run === undefined) throw stoppedEarly();
  const { centers, history, converged } = run;
  if (gate.stopped) warnings.push(`stopped by onProgress after ${history.length} steps`);
  else if (!converged) warnings.push(`had not converged after ${own.maxIterations} steps`);
  return {
    method: "kmeans",
    clusters: centers.rows,
    names,
    ...run,
    objective: history[history.length - 1],
    iterations: history.length,
    passes,
    warnings,
    predict: (Y) => nearest(Y, centers),
    async *labels() {
      for await (const { X, ids, source: file, first } of rowBatches(source, reading)) {
        yield { labels: nearest(X, centers), ...(ids && { ids }), source: file, first };
      }
    },
  };
}

type OwnOptions = Pick<
  KmeansStreamOptions,
  | "clusters"
  | "seed"
  | "initialCenters"
  | "sample"
  | "restarts"
  | "maxIterations"
  | "tolerance"
  | "onProgress"
>;

const RULES = {
  clusters: integer({ min: 1 }),
  seed: integer({ min: 0, default: 0 }),
  initialCenters: given<Matrix>(
    "a matrix",
    (value) => typeof value === "object" && value !== null && "data" in value,
  ),
  sample: integer({ min: 1, default: 20_000 }),
  restarts: integer({ min: 1, default: 10 }),
  maxIterations: integer({ min: 1, default: 100 }),
  tolerance: real({ min: 0, below: 1, default: 1e-4 }),
  onProgress: given<OnProgress>("a function", (value) => typeof value === "function"),
};

type Own = ReturnType<typeof resolveOptions<OwnOptions, typeof RULES>>;

function checkStart(source: BatchSource, { clusters, initialCenters, sample }: Own): void {
  if (!isReopenable(source)) {
    throw inputError(
      "kmeansStream reads its source several times, which standard input and streams do not allow; give a file",
    );
  }
  if (initialCenters === undefined) {
    if (clusters === undefined)
      throw optionError('kmeansStream: option "clusters" is required (an integer at least 1)');
    if (clusters > sample) {
      throw optionError(
        `kmeansStream: "sample" (${sample}) must be at least the number of clusters (${clusters})`,
      );
    }
    return;
  }
  requireFinite(initialCenters, 'kmeansStream: "initialCenters"');
  if (clusters !== undefined && clusters !== initialCenters.rows) {
    throw optionError(
      `kmeansStream: "clusters" is ${clusters}, but "initialCenters" has ${initialCenters.rows} rows`,
    );
  }
}

async function startingCenters(
  source: DrawingSource,
  { clusters, seed, sample, restarts }: Own,
  warnings: string[],
): Promise<Matrix | undefined> {
  const options = { name: "kmeansStream", clusters: clusters!, seed, sample, restarts };
  const start = await kmeansParallelStart(source, options);
  warnings.push(...(start?.warnings ?? []).map((warning) => `on the sample: ${warning}`));
  return start?.centers;
}

function drawingFrom(
  pass: () => AsyncGenerator<RowBatch>,
  told: (batch: RowBatch) => boolean,
  { seed }: Own,
): DrawingSource {
  return {
    async sample(count) {
      let stopped = false;
      const { X, rows } = await sampleRows(pass(), count, seed, (batch) => !(stopped = !told(batch)));
      return stopped ? undefined : { X, rows, share: X.rows / rows };
    },
    draw: (centers, threshold, limit, round) =>
      drawRows(pass(), { centers, threshold, limit, seed: seed + round }, told),
  };
}

function columnMeans({ rows, cols, data }: Matrix): Float64Array {
  const means = new Float64Array(cols);
  for (let p = 0; p < data.length; p++) means[p % cols] += data[p] / rows;
  return means;
}

function nearest(Y: Matrix, centers: Matrix): Int32Array {
  if (Y.cols !== centers.cols) {
    throw inputError(`predict: the data has ${Y.cols} columns, but the clusters have ${centers.cols}`);
  }
  return withPoints(Y, (points) => nearestCenters(points, centers.data, centers.rows));
}

/** Reading tells how far it is; stopping is left to the loop over the batches, which keeps what it has. */
function watching(
  source: BatchSource,
  reading: BatchOptions,
  pass: number,
  gate: ProgressGate,
): BatchOptions {
  if (typeof source === "function") return reading;
  return {
    ...reading,
    onProgress: ({ fraction }) => {
      gate({ fraction: (pass + fraction) / (pass + 1 + USUAL_PASSES), label: `pass ${pass + 1}` });
    },
  };
}

const USUAL_PASSES = 20;

function stoppedEarly(): Error {
  return inputError("kmeansStream was stopped by onProgress before the first pass was over");
}
