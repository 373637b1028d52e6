import { inputError, option, clipped } from "../../core/internal.ts";
import type { Pair } from "../constraints.ts";
import type { Source } from "../table.ts";
import { delimitedLines, wholeText } from "../text/records.ts";
import type { Hints, LabelHint, NotHint, PairHint } from "./hints.ts";

/** The rows for hints: by number, or by id if there are ids. A `Table` will do. */
export interface HintedRows {
  readonly X: { readonly rows: number };
  readonly ids?: { readonly name: string; readonly values: readonly string[] };
  readonly source?: string;
}

export interface ReadHintsOptions {
  /**
   * The meaning of every line of two cells, for files of pairs without a third cell; without it such a line
   * is row,label.
   */
  readonly pairs?: "same" | "different";
  /** The name of the text in errors. */
  readonly name?: string;
}

const SAME = new Set(["same", "must-link", "mustlink", "must", "together", "yes", "y", "true", "1", "="]);
const DIFFERENT = new Set("different cannot-link cannotlink cannot apart no n false 0 -1 !=".split(" "));
const SKIP = new Set(["skip", "unknown", "?", ""]);

/**
 * Hints from delimited text, one per line:
 *
 *     a,b,same          two rows belong together
 *     a,b,different     they do not
 *     a,b,c,d,same      these all belong together
 *     a,b,skip          was asked, could not be answered
 *     row,label         the row belongs to the cluster of this name
 *     row,label,not     it does not
 *
 * Rows are numbers counted from 0, or ids if the table has them. A header is recognised, and a first line "# rows by ..." of
 * `kindred ask` is passed over.
 */
export async function readHints(
  source: Source,
  table: HintedRows,
  options: ReadHintsOptions = {},
): Promise<Hints> {
  const { text, name } = await readText(source, options.name);
  return parseHints(text, table, { ...options, name });
}

/** A whole source as text, and its name in errors. */
export async function readText(source: Source, called?: string): Promise<{ text: string; name: string }> {
  const { bytes, name } = await wholeText(source, called);
  return { text: new TextDecoder().decode(bytes), name };
}

/** Reads hints from text, as `readHints` does from a file. */
export function parseHints(text: string, table: HintedRows, options: ReadHintsOptions = {}): Hints {
  const { name = "the hints", pairs: twoCells } = options;
  if (/^\s*(?:\{\s*"|\[\s*[{[])/.test(text)) {
    throw inputError(`${name} is JSON; a file of hints has lines such as a,b,same or row,label`);
  }
  const rowOf = rowFinder(table);
  const pairs: PairHint[] = [];
  const groups: number[][] = [];
  const labels: LabelHint[] = [];
  const not: NotHint[] = [];
  const skipped: Pair[] = [];
  let isFirst = true;
  for (const { cells, line } of delimitedLines(new TextEncoder().encode(text), name)) {
    const where = `${name} line ${line}`;
    if (isFirst && cells[0].startsWith("# rows by ")) continue;
    const wasFirst = isFirst;
    isFirst = false;
    // The header of writeHints is a header, even if rows are called a and b.
    if (wasFirst && (cells.join() === "a,b,hint" || isHeader(cells, rowOf, table))) continue;
    if (cells.length === 1 && cells[0] === "") continue;
    const row = (cell: string): number => {
      const found = rowOf(cell);
      if (found === undefined) throw inputError(`${where}: ${noSuchRow(cell, table)}`);
      return found;
    };
    if (cells.length < 2)
      throw inputError(`${where}: "${clipped(cells[0], 40)}" is not a hint; write a,b,same or row,label`);
    if (cells.length === 2) {
      if (twoCells !== undefined) pairs.push(pair(row(cells[0]), row(cells[1]), twoCells === "same", where));
      else if (cells[1] !== "") labels.push({ row: row(cells[0]), label: cells[1] });
      continue;
    }
    const last = cells[cells.length - 1].toLowerCase();
    const subjects = cells.slice(0, -1);
    if (last === "not" && cells.length === 3) not.push({ row: row(cells[0]), label: cells[1] });
    else if (SAME.has(last) && subjects.length > 2) groups.push(subjects.map(row));
    else if (subjects.length > 2) {
      throw inputError(
        `${where}: a line of ${cells.length} cells names rows that belong together, and ends with "same"`,
      );
    } else if (SAME.has(last) || DIFFERENT.has(last))
      pairs.push(pair(row(subjects[0]), row(subjects[1]), SAME.has(last), where));
    else if (SKIP.has(last)) skipped.push([row(subjects[0]), row(subjects[1])]);
    else
      throw inputError(`${where}: "${clipped(cells[2], 40)}" is neither "same" nor "different" (nor "skip")`);
  }
  return { pairs, groups, labels, not, ...(skipped.length > 0 && { skipped }) };
}

function pair(a: number, b: number, same: boolean, where: string): PairHint {
  if (a === b) throw inputError(`${where}: a row is compared with itself`);
  return { a, b, same };
}

/** Words over the columns; not a hint about a row whose id is misspelled, which has digits where the ids have. */
function isHeader(
  cells: readonly string[],
  rowOf: (cell: string) => number | undefined,
  { ids }: HintedRows,
): boolean {
  const [first] = cells;
  const last = cells[cells.length - 1].toLowerCase();
  if (rowOf(first) !== undefined || SAME.has(last) || DIFFERENT.has(last) || last === "not") return false;
  if (cells.some((cell) => /^-?\d+$/.test(cell))) return false;
  const form = (text: string): string => text.replaceAll(/\p{L}+/gu, "a").replaceAll(/\d+/g, "9");
  return !/\d/.test(first) || ids?.values.some((id) => form(id) === form(first)) !== true;
}

export function rowFinder({ ids, X }: HintedRows): (cell: string) => number | undefined {
  if (ids === undefined) {
    return (cell) => (/^\d+$/.test(cell) && Number(cell) < X.rows ? Number(cell) : undefined);
  }
  const known = new Map<string, number>();
  const twice = new Set<string>();
  ids.values.forEach((id, row) => {
    if (known.has(id)) twice.add(id);
    known.set(id, row);
  });
  return (cell) => {
    if (twice.has(cell)) {
      throw inputError(
        `"${clipped(cell, 40)}" is the name of several rows in column "${ids.name}": a line with it would be ambiguous; ` +
          `name a column with one value per row (${option("id")}), or leave this line out`,
      );
    }
    return known.get(cell);
  };
}

/** Why a cell names no row. */
export function noSuchRow(text: string, { ids, X, source = "the table" }: HintedRows): string {
  const cell = clipped(text, 40);
  return ids === undefined
    ? `"${cell}" is not a row of ${source}; rows are numbered 0 to ${X.rows - 1} (or name a column of ids with ${option("id")})`
    : `"${cell}" is not among the ids in column "${ids.name}" of ${source}; name all rows by these ids, or all by ` +
        `their numbers, 0 to ${X.rows - 1}`;
}
