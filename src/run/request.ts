import { rule } from "../core/internal.ts";
import type { Hints, Pair, Table } from "../data/index.ts";

/**
 * A request: which rows, how they are read, what is known of them, and what is asked. The command line parses its
 * words into one, a program or a page writes one, and `run` answers it. Every option is declared here once: its
 * type, its check, and what the command line says about it.
 */

/** How an option is written in words. */
export interface Word {
  readonly kind: "text" | "names" | "kinds" | "choice" | "integer" | "switch" | "yes or no";
  /** What the value is: "column", "file". */
  readonly value?: string;
  readonly says: string;
  readonly choices?: readonly string[];
  readonly min?: number;
  /** What the opposite of a "yes or no" says. */
  readonly saysNo?: string;
}

/** An option of a request: the check of its value, and its word. */
export type WordRule<T> = rule.Rule<T> & { readonly word: Word };

const isText = (value: unknown): boolean => typeof value === "string";
function text(value: string, says: string): WordRule<string> {
  return { ...rule.text("a text"), word: { kind: "text", value, says } };
}

function names(value: string, says: string): WordRule<readonly string[]> {
  return {
    ...rule.texts("a list of texts"),
    word: { kind: "names", value, says },
  };
}

function choice<const T extends string>(choices: readonly T[], value: string, says: string): WordRule<T> {
  return { ...rule.oneOf(choices), word: { kind: "choice", value, says, choices } };
}

function turnedOn(says: string): WordRule<boolean> {
  return {
    ...rule.given<boolean>("true or false", (value) => typeof value === "boolean"),
    word: { kind: "switch", says },
  };
}

function count(min: number, says: string, value: string = "n"): WordRule<number> {
  return { ...rule.integer({ min }), word: { kind: "integer", value, says, min } };
}

/** Columns: their role and their kind. */
export const columnWords = {
  label: text("column", "column of known classes"),
  id: text("column", "column that names the rows"),
  use: names("columns", "use these columns and no others, separated by commas"),
  ignore: names("columns", "columns to leave out, separated by commas"),
  as: {
    ...rule.given<Readonly<Record<string, string>>>(
      "an object of column names and kinds",
      (value) => typeof value === "object" && value !== null && Object.values(value).every(isText),
    ),
    word: {
      kind: "kinds",
      value: "column=kind,...",
      says: "read a column as number, category, ordered:low|mid|high, date, text, id or vector",
    },
  } as WordRule<Readonly<Record<string, string>>>,
  na: names("marks", "additional marks for a missing cell, separated by commas"),
  missing: choice(
    ["fill", "drop", "refuse"],
    "how",
    "missing cells: fill from the other cells, drop the row, refuse (default: fill)",
  ),
  strict: turnedOn("refuse columns that are not numbers, and missing cells"),
  categorical: names("columns", "the same as --as COLUMN=category for each of these"),
};

/** Rows that count more than others. */
export const weightWords = {
  weight: text(
    "column",
    "column with the weight of each row, for methods that take weights; never a feature",
  ),
};

/** How columns become numbers. */
export const featureWords = {
  weights: choice(
    ["auto", "equal"],
    "how",
    "column weights: auto (by their relation to other columns) or equal",
  ),
  scale: choice(
    ["auto", "zscore", "minmax", "robust", "unit", "none"],
    "kind",
    "common scale of the columns: auto, zscore, minmax, robust, unit (rows by angle), none (default: auto)",
  ),
  text: names(
    "columns",
    "columns of free text to use, or: none (default: those whose words relate to other columns)",
  ),
  adjust: names("columns", "remove the influence of these columns on the others, separated by commas"),
  batch: text("column", "scale the rows of each value of this column separately"),
};

/** How files are read. */
export const fileWords = {
  format: text("format", "format of the file (default: by content, then by extension)"),
  header: {
    ...rule.given<boolean>("true or false", (value) => typeof value === "boolean"),
    word: {
      kind: "yes or no",
      says: "CSV: the first row names the columns (default: decided by its cells)",
      saysNo: "CSV: the first row is a row of data",
    },
  } as WordRule<boolean>,
  delimiter: text("character", "CSV: the separator of the cells, or: tab (default: detected)"),
  decimal: choice([".", ","], "mark", "CSV: the decimal mark (default: detected)"),
  encoding: text("name", "CSV: utf-8, utf-16le, windows-1252, ... (default: detected)"),
  sheet: text(
    "name",
    "spreadsheet: name or position of the sheet, from 1 (default: the first visible one with cells)",
  ),
  vector: text(
    "column",
    "column of vectors, or the prefix of columns that form one; none: keep them separate",
  ),
  with: text(
    "file",
    "a file with the same rows, such as the titles of vectors: it describes clusters (--use: also features)",
  ),
  data: text("folder", "folder of further named data sets (default: KINDRED_DATA)"),
};

/** Texts by their meaning. */
export const embedWords = {
  embed: text(
    "model",
    "compare texts by meaning: a folder with a model (ONNX), a file with a vector for each row, or with --embed-url the name of a model",
  ),
  embedUrl: text(
    "url",
    "send the texts to this address, which answers like OpenAI's embeddings (its key: KINDRED_EMBED_KEY)",
  ),
  embedColumn: text("column", "the column of texts to embed (default: the only one)"),
  embedCache: text(
    "folder",
    "where vectors are kept for later runs (default: KINDRED_CACHE, or ~/.cache/kindred)",
  ),
};

/** Rows of a database or an engine. */
export const engineWords = {
  engine: choice(["duckdb", "spark"], "name", "where the rows are: duckdb or spark works on its tables"),
  query: text("sql", "with --engine: the rows of this query, such as: select * from 'a.parquet'"),
  table: text("name", "with --engine: the rows of this table"),
  database: text("file", "database file of DuckDB, for --table"),
  memory: text("amount", 'memory limit of DuckDB, such as "512MB" (default: 80 % of all)'),
  setup: text("sql", "with --engine: SQL statements to run first: install, load, attach, use, set"),
  setupFile: text("file", "with --engine: the same from a file, for statements with passwords"),
  remote: text("url", "Spark server: sc://host:15002 (its token: KINDRED_SPARK_TOKEN, or ;token= in it)"),
};

/** What is known of some rows. */
export const knownWords = {
  hints: text(
    "file",
    "hints about some rows: lines of a,b,same or a,b,different or row,label (rows by number or id)",
  ),
  known: text(
    "column",
    "column with the known groups of some rows, empty for the others; the method learns from it",
  ),
  mustLink: text("file", "pairs of rows that belong together: two columns of row numbers or ids"),
  cannotLink: text("file", "pairs of rows that do not belong together"),
  labels: text("file", "known labels of some rows: one per row (empty or -1: unknown), or row,label"),
  metric: text("file", "cluster under a metric from: kindred metric --model"),
};

/** Tables that are larger than the memory, and the machine. */
export const sizeWords = {
  stream: turnedOn("read in batches, for data larger than memory"),
  sample: count(
    2,
    "fit this many rows and place all others (default: as many as the method can take; with --engine or --stream 20000, fewer for slow methods)",
    "rows",
  ),
};

export const machineWords = {
  threads: count(1, "at most this many threads"),
  arithmetic: choice(
    ["simd", "relaxed"],
    "name",
    "arithmetic of this process: simd or relaxed (kindred doctor lists them)",
  ),
};

/** What is written about the rows on an engine, or beside them. */
export const labelWords = {
  out: text(
    "file",
    "write the cluster of each row as CSV; - is standard output. With --engine duckdb: a file .parquet or .csv, or a folder/",
  ),
  append: turnedOn("with --out: the original rows, with cluster and name appended"),
  writeTable: text("name", "with --engine: write the rows with their labels as a table"),
  replace: turnedOn("with --write-table: replace a table of that name"),
};

export type ColumnWords = rule.OptionsOf<typeof columnWords & typeof featureWords>;
export type EmbedRequest = rule.OptionsOf<typeof embedWords>;
export type FileWords = rule.OptionsOf<typeof fileWords>;
export type EngineWords = rule.OptionsOf<typeof engineWords>;

/** The options with which every command reads a table and converts it to numbers. */
export type TableRequest = ColumnWords & FileWords;

/** Rows in files, in a stream or on an engine. */
export type RowsRequest = TableRequest &
  EngineWords &
  rule.OptionsOf<typeof machineWords> & {
    /** Read in batches. */
    readonly stream?: boolean;
    readonly seed?: number;
  };

/** A request for a clustering. Options of the method itself are given beside these. */
export type Request = RowsRequest &
  EmbedRequest &
  rule.OptionsOf<Omit<typeof labelWords, never> & typeof sizeWords & typeof weightWords> & {
    /** Files, "-" for standard input, or the name of a data set; a table; absent: the rows of an engine. */
    readonly rows?: readonly string[] | Table;
    readonly method?: string;
    readonly clusters?: number;
    /** Names of the clusters, in their order. */
    readonly names?: readonly string[];
    /** What is known of some rows, or its file. */
    readonly hints?: string | Partial<Hints>;
    readonly known?: string;
    readonly mustLink?: string | readonly Pair[];
    readonly cannotLink?: string | readonly Pair[];
    readonly labels?: string | readonly string[];
    readonly metric?: string;
    /** Columns of the rows to show for each cluster. */
    readonly show?: readonly string[];
    /** A page about the rows is wanted. */
    readonly report?: string;
    readonly [own: string]: unknown;
  };

/** Options for columns of any kind: plain numbers have no use for them. */
export const OF_ANY_KIND: readonly string[] = [
  "as",
  "na",
  "weights",
  "text",
  "adjust",
  "encoding",
  "sheet",
  "vector",
];

/** Options for files: a table of an engine, or a data set by name, has none. */
export const OF_FILES: readonly string[] = [...Object.keys(fileWords), "batch", "categorical"];

/** Options for the tables of an engine. */
export const OF_ENGINES: readonly string[] = Object.keys(engineWords).filter((name) => name !== "engine");

/** Options for the reading of columns, which a model holds. */
export const OF_MODELS: readonly string[] = ["as", "categorical", "strict", "missing"];

/** All options that decide what the rows are, in the order of their help. */
export const OF_READING: readonly string[] = [columnWords, featureWords, fileWords].flatMap(Object.keys);
