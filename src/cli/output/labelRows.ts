import { sourceFiles } from "../../core/internal.ts";
import { copiedRows, type AppendedColumn, type TextColumn } from "../../data/index.ts";
import { readingOf, type TableOptions } from "../options/tableInput.ts";
import { appendedColumns } from "./append.ts";
import { csvOptions, writeCsv } from "./csvOutput.ts";

/** The clusters of some rows of a stream, in its order. */
export interface LabelledBatch {
  readonly labels: Int32Array;
  readonly ids?: TextColumn;
}

/** For --append: the rows of the stream as they are written, and the names of the clusters. */
export interface Copy {
  readonly source: string;
  readonly options: TableOptions;
  readonly names: readonly string[];
}

/** The labels of all rows as CSV, as they arrive; counts the rows of each cluster. */
export async function* labelRows(
  batches: AsyncIterable<LabelledBatch>,
  sizes: Float64Array,
  copy?: Copy,
): AsyncGenerator<string> {
  async function* counted(): AsyncGenerator<LabelledBatch> {
    for await (const batch of batches) {
      for (const label of batch.labels) if (label >= 0) sizes[label]++;
      yield batch;
    }
  }
  if (copy !== undefined) {
    const { source, options, names } = copy;
    async function* found(): AsyncGenerator<AppendedColumn[]> {
      for await (const { labels } of counted()) yield appendedColumns(labels, names);
    }
    const { writtenRows } = await import("../../data/columns/writtenRows.ts");
    const files = await sourceFiles(source);
    const rows = writtenRows(files, undefined, readingOf(options));
    yield* copiedRows(source, rows, found(), undefined, csvOptions());
    return;
  }
  let header = true;
  for await (const { labels, ids } of counted()) {
    yield* writeCsv({ ids, columns: [{ name: "cluster", values: labels }] }, { header });
    header = false;
  }
}
