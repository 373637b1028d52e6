import type { OnProgress } from "../../core/index.ts";
import { inputError, progressGate } from "../../core/internal.ts";
import type { Matrix } from "../../matrix/index.ts";
import { requireFinite } from "../../matrix/internal.ts";
import {
  isReopenable,
  rowBatches,
  type BatchOptions,
  type BatchSource,
  type RowBatch,
  type Accumulator,
} from "../rowBatches.ts";
import { sampleRows, drawRows } from "../sampleRows.ts";
import { passCount, type RowPasses } from "./rowPasses.ts";

/** Passes over a source of batches. */
export interface StreamPasses extends RowPasses {
  names(): readonly string[];
  /** @param size may depend on the number of columns; @param each is called with every batch. */
  sample(
    size: number | ((columns: number) => number),
    each?: (batch: RowBatch) => void,
  ): ReturnType<RowPasses["sample"]>;
  /** What an accumulator finds in one pass; undefined if that was stopped. */
  summed<R>(sums: Accumulator<R>): Promise<R | undefined>;
  /** One more pass, which places every row, in the order of the source. */
  labels(place: (X: Matrix) => Int32Array): AsyncGenerator<LabelledBatch, void, undefined>;
}

export interface LabelledBatch extends Pick<RowBatch, "ids" | "source" | "first"> {
  readonly labels: Int32Array;
}

/** @param fractions what is done after each pass, where that is known */
export function streamPasses(
  name: string,
  source: BatchSource,
  reading: BatchOptions,
  { seed, onProgress }: { readonly seed: number; readonly onProgress?: OnProgress },
  fractions?: readonly number[],
): StreamPasses {
  if (!isReopenable(source)) {
    throw inputError(
      `${name} reads its source several times, which standard input and streams do not allow; give a file`,
    );
  }
  const gate = progressGate(onProgress);
  const { begin, report, count, fraction } = passCount(gate, fractions);
  let names: readonly string[] = [];
  const given = typeof source === "function";
  // Files report the progress of a pass; of other sources only the rows are known. The loop over the batches handles a stop.
  const watching = (before: number): BatchOptions => ({
    ...reading,
    onProgress: (progress) =>
      void gate({ fraction: fraction(before + progress.fraction), label: `pass ${before + 1}` }),
  });
  async function* pass(): AsyncGenerator<RowBatch> {
    const before = begin();
    for await (const batch of rowBatches(source, given ? reading : watching(before))) {
      names = batch.names;
      requireFinite(batch.X, batch.source);
      yield batch;
    }
  }
  const told = ({ first, X }: RowBatch): boolean =>
    given ? report(`pass ${count()}, ${first + X.rows} rows`) : !gate.stopped;
  return {
    name,
    gate,
    report,
    count,
    names: () => names,
    async sample(size, each) {
      let stopped = false;
      const { X, rows } = await sampleRows(pass(), size, seed, (batch) => {
        each?.(batch);
        return !(stopped = !told(batch));
      });
      return stopped ? undefined : { X, rows, share: X.rows / rows };
    },
    draw: (centers, threshold, limit, round) =>
      drawRows(pass(), centers, threshold, limit, seed + round, told),
    async summed(sums) {
      for await (const batch of pass()) {
        sums.add(batch.X);
        batch.release?.();
        if (!told(batch)) return undefined;
      }
      return sums.result();
    },
    async *labels(place) {
      for await (const { X, ids, source: file, first } of rowBatches(source, reading)) {
        yield { labels: place(X), ...(ids && { ids }), source: file, first };
      }
    },
  };
}
