/**
 * Texts by their meaning: a column of texts becomes a column of vectors beside it, from a file, a model on disk, or an
 * address that the user names. The vectors decide the clusters; the words of the texts describe them. Nothing is sent anywhere
 * without `embedUrl`.
 */
import type { OnProgress } from "../../core/index.ts";
import { absentColumn, inputError, note, option, optionError, pathExists } from "../../core/internal.ts";
import { cellText, type Column, type Table } from "../../data/index.ts";
import { BY_MEANING } from "../../data/internal.ts";
import { readInput } from "../input/readTable.ts";
import { isSparse, matrix, toDense, type Matrix } from "../../matrix/index.ts";
import type { EmbedRequest, TableRequest } from "../request.ts";
import { localModel } from "./localModel.ts";
import { modelAtAddress } from "./modelAtAddress.ts";
import { vectorCache } from "./vectorCache.ts";

/** Gives one vector for each text, all of one length. */
export interface Embedder {
  readonly name: string;
  /** What the vectors depend on besides the text: the address and the model. */
  readonly key: string;
  /** Texts that are embedded together. */
  readonly batch: number;
  embed(texts: readonly string[]): Promise<readonly ArrayLike<number>[]>;
}

export type EmbedOptions = EmbedRequest &
  Pick<TableRequest, "label" | "id" | "ignore"> & {
    readonly onProgress?: OnProgress;
    /** Makes the model of a folder; by default the package @huggingface/transformers does. */
    readonly open?: (folder: string) => Promise<Embedder>;
  };

/** The name of the vectors of a column. */
export const meaningOf = (column: string): string => `${column} (meaning)`;

/**
 * The table with the vectors of its texts.
 *
 *     const table = await embedTexts(await readTable("articles.csv"), { embed: "./models/all-MiniLM-L6-v2" });
 *     const found = await cluster(table);
 */
export async function embedTexts(table: Table, options: EmbedOptions): Promise<Table> {
  const { embed, embedUrl, onProgress = () => {} } = options;
  if (embed === undefined) {
    if (embedUrl === undefined) return table;
    throw optionError(`${option("embedUrl")}: give ${option("embed")} the name of the model there`);
  }
  const column = textColumn(table, options);
  const {
    X,
    said,
    known = "",
  } = embedUrl === undefined && pathExists(embed) && !isFolder(embed)
    ? await fromFile(embed, table, onProgress)
    : await fromModel(await embedderOf(embed, options), column, table, options);
  if (table.columns.some(({ name }) => name === meaningOf(column.name))) {
    throw inputError(`${table.source} already has a column "${meaningOf(column.name)}"; rename it`);
  }
  let missing = 0;
  for (let i = 0; i < X.rows; i++) missing += Number(Number.isNaN(X.data[i * X.cols]));
  const vectors: Column = {
    name: meaningOf(column.name),
    kind: "vector",
    why: `the meaning of ${column.name}`,
    isAsked: true,
    reading: { form: BY_MEANING, unit: said, dimensions: X.cols },
    missing,
    vectors: X,
  };
  const columns = table.columns.map((one) =>
    one === column ? { ...one, reading: { ...one.reading, form: BY_MEANING } } : one,
  );
  const about = note("embedded", `"${column.name}" is compared by ${X.cols} numbers of ${said}${known}`);
  return { ...table, columns: [...columns, vectors], notes: [...table.notes, about] };
}

function isFolder(path: string): boolean {
  return pathExists(`${path}/.`);
}

function textColumn(table: Table, { embedColumn, label, id, ignore = [] }: EmbedOptions): Column {
  if (embedColumn !== undefined) {
    const found = table.columns.find(({ name }) => name === embedColumn);
    if (found !== undefined) return found;
    throw absentColumn(
      "embedColumn",
      embedColumn,
      table.source,
      table.columns.map(({ name }) => name),
    );
  }
  const aside = new Set([label, id, ...ignore]);
  const texts = table.columns.filter(({ kind, name }) => kind === "text" && !aside.has(name));
  if (texts.length === 1) return texts[0];
  const found = texts.length === 0 ? "no column of texts" : `${texts.length} columns of texts`;
  throw inputError(`${table.source} has ${found}; ${option("embedColumn")} names the one to embed`);
}

function embedderOf(embed: string, { embedUrl, open = localModel }: EmbedOptions): Promise<Embedder> {
  if (embedUrl !== undefined) return Promise.resolve(modelAtAddress(embedUrl, embed));
  if (!isFolder(embed)) {
    throw optionError(
      `${option("embed")}: there is no file or folder ${embed}; models are not downloaded, and ${option("embedUrl")} names ` +
        "an address with models",
    );
  }
  return open(embed);
}

/** One for each row, what gave them, and how many were known. */
interface Vectors {
  readonly X: Matrix;
  readonly said: string;
  readonly known?: string;
}

/** One vector for each row, in the order of the rows. */
async function fromFile(path: string, table: Table, onProgress: OnProgress): Promise<Vectors> {
  const { table: read } = await readInput([path], {}, onProgress);
  const whole = read.columns.find(({ kind }) => kind === "vector")?.vectors;
  const X = whole ?? (await plainRows(path, onProgress));
  if (X.rows !== table.rows) {
    throw inputError(`${path} has ${X.rows} vectors, and ${table.source} has ${table.rows} rows`);
  }
  return { X, said: path };
}

/** A file without a column of vectors: each row is one. */
async function plainRows(path: string, onProgress: OnProgress): Promise<Matrix> {
  const { numbers } = await readInput([path], { strict: true }, onProgress);
  return isSparse(numbers!.X) ? toDense(numbers!.X) : numbers!.X;
}

/** Every distinct text once, those of earlier runs from the cache. */
async function fromModel(
  embedder: Embedder,
  column: Column,
  table: Table,
  { embedCache, onProgress = () => {} }: EmbedOptions,
): Promise<Vectors> {
  const texts = Array.from({ length: table.rows }, (_, i) => cellText(column, i).trim());
  const distinct = [...new Set(texts)].filter((text) => text !== "");
  if (distinct.length === 0) throw inputError(`${table.source}: every cell of "${column.name}" is empty`);
  const cache = vectorCache(embedder.key, embedCache);
  const unknown = distinct.filter((text) => cache.get(text) === undefined);
  for (let first = 0; first < unknown.length; first += embedder.batch) {
    onProgress({ label: "embedding", fraction: first / unknown.length });
    const some = unknown.slice(first, first + embedder.batch);
    cache.add(some, await embedder.embed(some));
  }
  const cols = cache.get(distinct[0])!.length;
  const X = matrix(table.rows, cols);
  texts.forEach((text, i) => {
    const vector = text === "" ? undefined : cache.get(text)!;
    if (vector !== undefined && vector.length !== cols) {
      throw inputError(`${embedder.name} gave vectors of ${cols} and of ${vector.length} numbers`);
    }
    if (vector === undefined) X.data.fill(Number.NaN, i * cols, (i + 1) * cols);
    else X.data.set(vector, i * cols);
  });
  const found = distinct.length - unknown.length;
  const known = found === 0 ? "" : ` (${found} of ${distinct.length} texts known from earlier runs)`;
  return { X, said: embedder.name, known };
}
