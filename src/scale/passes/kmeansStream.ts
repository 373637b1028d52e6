/**
 * k-means over rows that do not fit into memory: Lloyd's steps by grouped sums, one pass over the source
 * each, from centres of drawn rows (kmeansByPasses.ts).
 */
import {
  extended,
  inputError,
  option,
  optionError,
  progressGate,
  type ProgressGate,
} from "../../core/internal.ts";
import type { Matrix } from "../../matrix/index.ts";
import { requireFinite } from "../../matrix/internal.ts";
import { drawRows } from "./drawRows.ts";
import { groupedSumsAccumulator } from "./groupedSums.ts";
import {
  checkPassOptions,
  kmeansByPassesOptions,
  kmeansByPasses,
  type KmeansByPasses,
  type KmeansPassOptions,
} from "./kmeansByPasses.ts";
import type { DrawingSource } from "./kmeansParallelStart.ts";
import { resolvePassOptions } from "./passOptions.ts";
import { passProgress, type PassProgress } from "./passProgress.ts";
import {
  isReopenable,
  rowBatches,
  type BatchOptions,
  type BatchSource,
  type RowBatch,
} from "../rowBatches.ts";
import { sampleRows } from "../sampleRows.ts";

export interface KmeansStreamOptions extends BatchOptions, KmeansPassOptions {}

export interface KmeansStream extends KmeansByPasses {
  readonly names: readonly string[];
  /** Number of passes over the source. */
  readonly passes: number;
  /** One more pass, which gives every row its nearest centre, in the order of the source. */
  labels(): AsyncGenerator<LabelledBatch, void, undefined>;
}

export interface LabelledBatch extends Pick<RowBatch, "ids" | "source" | "first"> {
  readonly labels: Int32Array;
}

/** Batches with their labels in the place of their numbers. */
export async function* labelled(
  batches: AsyncIterable<RowBatch>,
  place: (X: Matrix) => Int32Array,
): AsyncGenerator<LabelledBatch, void, undefined> {
  for await (const { X, ids, source, first } of batches) {
    yield { labels: place(X), ...(ids && { ids }), source, first };
  }
}

/**
 * k-means over a source of any size that can be read repeatedly; see the options for the start and the end
 * of the run.
 */
export async function kmeansStream(source: BatchSource, options: KmeansStreamOptions): Promise<KmeansStream> {
  const { own, reading } = resolvePassOptions(NAME, options, kmeansByPassesOptions);
  requireReopenable(NAME, source);
  checkPassOptions(NAME, own);
  const gate = progressGate(own.onProgress);
  const { pass, told, count } = watchedPasses(source, reading, gate);
  let names: readonly string[] = [];
  const drawing: DrawingSource = {
    async sample(size) {
      let stopped = false;
      const { X, rows } = await sampleRows(pass(), size, own.seed, (batch) => !(stopped = !told(batch)));
      return stopped ? undefined : { X, rows, share: X.rows / rows };
    },
    draw: (centers, threshold, limit, round) =>
      drawRows(pass(), centers, threshold, limit, own.seed + round, told),
  };
  const run = await kmeansByPasses(
    {
      name: NAME,
      gate,
      drawing,
      async sumsAbout(centers, shift) {
        const accumulator = groupedSumsAccumulator(centers, shift);
        for await (const batch of pass()) {
          names = batch.names;
          if (centers.cols !== batch.X.cols) {
            throw optionError(
              `${NAME}: ${option("initialCenters")} has ${centers.cols} columns, but the data has ${batch.X.cols}`,
            );
          }
          requireFinite(batch.X, batch.source);
          accumulator.add(batch.X);
          if (!told(batch)) return undefined;
        }
        return accumulator.result();
      },
    },
    own,
  );
  return extended(run, {
    names,
    passes: count(),
    labels: () => labelled(rowBatches(source, reading), run.predict),
  });
}

const NAME = "kmeansStream";

/** Refuses a source that can be read only once. */
export function requireReopenable(name: string, source: BatchSource): void {
  if (isReopenable(source)) return;
  throw inputError(
    `${name} reads its source several times, which standard input and streams do not allow; give a file`,
  );
}

/** Passes over a source. */
export interface WatchedPasses extends Pick<PassProgress, "report" | "count"> {
  pass(): AsyncGenerator<RowBatch>;
  /** After each batch; false: stopped. */
  told(batch: RowBatch): boolean;
}

/**
 * Passes over a source with progress. Files report the progress of a pass; for other sources only the rows
 * are known.
 */
export function watchedPasses(source: BatchSource, reading: BatchOptions, gate: ProgressGate): WatchedPasses {
  const { report, begin, count } = passProgress(gate, USUAL_PASSES);
  return {
    report,
    pass: () => rowBatches(source, watching(source, reading, begin(), gate)),
    told: ({ first, X }) =>
      typeof source === "function" ? report(`pass ${count()}, ${first + X.rows} rows`) : !gate.stopped,
    count,
  };
}

/** Reading reports its progress; the loop over the batches handles a stop and keeps its results. */
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
