import type { Note } from "../../core/index.ts";
import { note, listed } from "../../core/internal.ts";

/**
 * A column as in the source, before its kind is known: numbers, distinct texts, or vectors. A row with
 * neither number nor text nor vector is empty.
 */
export interface RawColumn {
  readonly name: string;
  /** NaN if the cell is not a number. */
  readonly numbers?: Float64Array;
  /** The distinct texts, trimmed and never empty, and the index of each row's text, -1 if there is none. */
  readonly texts?: readonly string[];
  readonly codes?: Int32Array;
  /** The indices in `texts` of possible words for a missing value; absent: any. */
  readonly maybeMissing?: readonly number[];
  /** Nearly all texts differ, and some may occur in `texts` twice. */
  readonly repeats?: boolean;
  /** One vector per row, `dimensions` numbers each; NaN in the first position if a row has none. */
  readonly vectors?: Float64Array;
  readonly dimensions?: number;
  /** The type declared by the source: then numbers are days since 1970-01-01. */
  readonly declared?: "date" | "boolean";
  /** The numbers are single precision in the source. */
  readonly single?: boolean;
}

/** What was read of one source, for a copy of its rows. */
export interface ReadFile {
  readonly rows: number;
  readonly names: readonly string[];
  /** Of delimited text. */
  readonly encoding?: string;
}

export interface RawTable {
  readonly source: string;
  readonly rows: number;
  readonly columns: readonly RawColumn[];
  readonly notes: readonly Note[];
  /** The decimal mark that the first rows imply. */
  readonly decimal?: "." | ",";
  /** Delimited text: its encoding (that of UTF-16 is UTF-8, into which it was converted). */
  readonly encoding?: string;
  /** The names of the columns as they are written, if the source has names. */
  readonly headings?: readonly string[];
  /** Of several sources that were read as one table. */
  readonly files?: readonly ReadFile[];
  /** Every row names its columns, so later rows may have more of them. */
  readonly open?: boolean;
  /** Rows of the whole source, where they are known. */
  readonly total?: number;
  /** The line of a row in the file, from 1. */
  readonly lineOf?: (row: number) => number;
}

/** The settings of the cell readers. */
export interface CellOptions {
  readonly decimal?: "." | ",";
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly header?: boolean;
  readonly sheet?: string | number;
  readonly strict?: boolean;
  /** Columns that are not read. */
  readonly ignore?: ReadonlySet<string>;
  /** Maximum number of bytes of a table. */
  readonly memory: number;
  /**
   * Cells are kept as they are written, for a copy of the rows: spaces, all digits, words for missing values. `encoding`:
   * as an earlier reading of all rows found it; `isWhole`: all rows stay in memory, so equal texts are stored once.
   */
  readonly asWritten?: { readonly encoding?: string; readonly isWhole?: boolean };
  /** A table of numbers is read: no line is left out, and values keep their type and their digits. */
  readonly numbers?: NumberPlan;
}

/** What the columns of a table of numbers are for. */
export interface NumberPlan {
  /** Names of columns: a first row with one of them is a header. */
  readonly named: ReadonlySet<string>;
  /** Throws an error that begins with `what` if the columns may not take so many bytes. */
  requireRoom(bytes: number, what: string): void;
  /**
   * Decides once the columns are known, before the first row is read.
   *
   * @param headings the names as they are written
   */
  plan(
    names: readonly string[],
    headings: readonly string[],
  ): {
    /** Columns that are not read. */
    readonly ignore: ReadonlySet<string>;
    /** Columns that are read as text. */
    readonly texts: ReadonlySet<string>;
  };
}

/** Numbers texts in the order of their first occurrence, after the known ones. */
interface TextCodes {
  readonly texts: readonly string[];
  codeOf(text: string): number;
}

export function textCodes(known: Iterable<string> = []): TextCodes {
  const texts = [...known];
  const places = new Map(texts.map((text, code) => [text, code]));
  return {
    texts,
    codeOf(text) {
      let code = places.get(text);
      if (code === undefined) {
        places.set(text, (code = texts.length));
        texts.push(text);
      }
      return code;
    },
  };
}

/** The different texts of a column, and the code of each row's; -1 where it is "". */
export function codedTexts(cells: readonly string[]): { texts: readonly string[]; codes: Int32Array } {
  const { texts, codeOf } = textCodes();
  return { codes: Int32Array.from(cells, (text) => (text === "" ? -1 : codeOf(text))), texts };
}

/** Unique, non-empty names: `c3` for the fourth column without a name, `x_2` for the second x. */
export function uniqueNames(cells: readonly string[], notes: Note[], source: string): string[] {
  const trimmed = cells.map((cell) => cell.replaceAll(/\s+/g, " ").trim());
  const taken = new Set(trimmed.filter((name) => name !== ""));
  const seen = new Set<string>();
  const unnamed: string[] = [];
  const renamed: string[] = [];
  const names = trimmed.map((name, column) => {
    if (name !== "" && !seen.has(name)) {
      seen.add(name);
      return name;
    }
    const base = name === "" ? `c${column}` : name;
    let free = base;
    for (let k = 2; taken.has(free) || seen.has(free); k++) free = `${base}_${k}`;
    seen.add(free);
    (name === "" ? unnamed : renamed).push(free);
    return free;
  });
  const file = source;
  if (unnamed.length > 0) {
    notes.push(
      note(
        "unnamed-columns",
        `${unnamed.length === 1 ? "the column without a name is" : "columns without a name are"} called ${listed(unnamed)}`,
        { file },
      ),
    );
  }
  if (renamed.length > 0) {
    const message = `repeated names were changed: ${listed(renamed)}`;
    notes.push(note("renamed-columns", message, { file }));
  }
  return names;
}

/** The named rows of a column. */
export function takeRawRows(column: RawColumn, rows: Int32Array): RawColumn {
  const { maybeMissing: _, ...rest } = column;
  const { numbers, codes, texts, vectors, dimensions = 0 } = rest;
  const places = new Map<number, number>();
  const own =
    codes &&
    Int32Array.from(rows, (i) => {
      const code = codes[i];
      if (code < 0) return -1;
      if (!places.has(code)) places.set(code, places.size);
      return places.get(code)!;
    });
  const taken = vectors && new Float64Array(rows.length * dimensions);
  rows.forEach((row, i) =>
    taken?.set(vectors!.subarray(row * dimensions, (row + 1) * dimensions), i * dimensions),
  );
  return {
    ...rest,
    ...(numbers && { numbers: Float64Array.from(rows, (i) => numbers[i]) }),
    ...(own && { codes: own, texts: Array.from(places.keys(), (code) => texts![code]) }),
    ...(taken && { vectors: taken }),
  };
}
