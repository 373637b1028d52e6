/**
 * k-means over rows that do not fit into memory: Lloyd's steps by grouped sums, one pass over the source
 * each, from centres of drawn rows (kmeansByPasses.ts).
 */
import { extended } from "../../core/internal.ts";
import { groupedSumsAccumulator } from "./groupedSums.ts";
import {
  checkPassOptions,
  kmeansByPassesOptions,
  kmeansByPasses,
  requireWidth,
  type KmeansByPasses,
  type KmeansPassOptions,
} from "./kmeansByPasses.ts";
import { resolvePassOptions } from "./rowPasses.ts";
import { streamPasses, type LabelledBatch } from "./streamPasses.ts";
import type { BatchOptions, BatchSource } from "../rowBatches.ts";

export interface KmeansStreamOptions extends BatchOptions, KmeansPassOptions {}

export interface KmeansStream extends KmeansByPasses {
  readonly names: readonly string[];
  /** Number of passes over the source. */
  readonly passes: number;
  /** One more pass, which gives every row its nearest centre, in the order of the source. */
  labels(): AsyncGenerator<LabelledBatch, void, undefined>;
}

/**
 * k-means over a source of any size that can be read repeatedly; see the options for the start and the end
 * of the run.
 */
export async function kmeansStream(source: BatchSource, options: KmeansStreamOptions): Promise<KmeansStream> {
  const { own, reading } = resolvePassOptions(NAME, options, kmeansByPassesOptions);
  const rows = streamPasses(NAME, source, reading, own);
  checkPassOptions(NAME, own);
  const run = await kmeansByPasses(
    rows,
    (centers, shift) => {
      const sums = groupedSumsAccumulator(centers, shift);
      return rows.summed({
        ...sums,
        add(X) {
          requireWidth(NAME, own, X.cols);
          sums.add(X);
        },
      });
    },
    own,
  );
  return extended(run, {
    names: rows.names(),
    passes: rows.count(),
    labels: () => rows.labels(run.predict),
  });
}

const NAME = "kmeansStream";
