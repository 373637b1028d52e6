import type { Table } from "kindred/data";
import { loadModel } from "kindred/model";
import type { Placed, PlaceQuestion } from "../protocol.ts";
import type { notesOf } from "./failure.ts";

/**
 * The clusters that a model file gives the rows of the table, as by `kindred apply`. The reader is passed on:
 * imported here as well, it would be split from the code that every page loads.
 */
export async function place(
  { table, file, model }: PlaceQuestion,
  read: (file: Blob, name: string) => Promise<Table>,
  words: typeof notesOf,
): Promise<Placed> {
  const parsed = await contents(model);
  if (parsed.kind !== "clustering")
    throw new Error(`it is a ${String(parsed.kind)}, not a clustering; kindred apply takes it`);
  if (table.numbers !== undefined)
    throw new Error("the rows of a LIBSVM file are placed by kindred apply only");
  const clustering = loadModel(parsed);
  const { source, rows, columns } = table;
  // The model decides how cells are read: it gets the columns as they are in the file.
  const given = file === undefined ? { source, rows, columns, notes: [] } : await read(file, source);
  const { labels, notes } = clustering.assign(given);
  const sizes = Array.from({ length: clustering.clusters }, () => 0);
  for (const label of labels) if (label >= 0) sizes[label]++;
  return { labels, sizes, names: clustering.names, notes: words(notes) };
}

async function contents(model: Blob): Promise<{ readonly kind?: unknown }> {
  try {
    return JSON.parse(await model.text()) as { kind?: unknown };
  } catch {
    throw new Error("the file is damaged or ends too early");
  }
}
