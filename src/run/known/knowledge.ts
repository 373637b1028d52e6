import type { Note } from "../../core/index.ts";
import { inputError, note, option, optionError, plural } from "../../core/internal.ts";
import {
  type Constraints,
  type HintedRows,
  type Hints,
  type Pair,
  type Table,
  type Triplet,
  fillHints,
} from "../../data/index.ts";
import {
  delimitedLines,
  hintCount,
  noSuchRow,
  parseNumber,
  rowFinder,
  wholeText,
} from "../../data/internal.ts";
import { textsOf } from "../../model/index.ts";
import { requireColumn } from "../input/prepare.ts";
import { namedRowFiles } from "../plan.ts";
import type { Request } from "../request.ts";
import type { NamedRows } from "../../rows/index.ts";
import { idsNote, namedHints } from "./readHints.ts";
import type { ClusterOptions } from "../cluster.ts";

/** What is known of some rows of a table. */
export interface RowKnowledge {
  readonly hints?: Partial<Hints>;
  readonly mustLink?: readonly Pair[];
  readonly cannotLink?: readonly Pair[];
  /** One per row, "" where it is not known. */
  readonly labels?: readonly string[];
  readonly notes: readonly Note[];
}

/** What a request knows of the rows of a table, from its files, from a column, or as it is given. */
export async function knowledgeOf(request: Request, table: Table): Promise<RowKnowledge> {
  const { hints, mustLink, cannotLink, labels, known, id } = request;
  const rows = rowNames(table, id);
  const fileOf = (given: unknown): string | undefined => (typeof given === "string" ? given : undefined);
  const files = { mustLink: fileOf(mustLink), cannotLink: fileOf(cannotLink) };
  const read =
    (files.mustLink ?? files.cannotLink) === undefined ? undefined : await readPairFiles(files, rows);
  const pairs = {
    mustLink: typeof mustLink === "string" ? read!.mustLink : mustLink,
    cannotLink: typeof cannotLink === "string" ? read!.cannotLink : cannotLink,
  };
  const notes: Note[] = [];
  const given = typeof hints === "string" ? await hintsOf(hints, table, id) : undefined;
  const meant = given === undefined || id !== undefined ? undefined : idsNote(table, given.by);
  if (meant !== undefined) notes.push(meant);
  const column = known === undefined ? [] : textsOf(requireColumn(table, "known", known));
  const minus = column.filter((label) => label === "-1").length;
  if (minus > 0) {
    const message = `-1 in "${known}" (${plural(minus, "row")}) counts as unknown`;
    notes.push(note("unknown-label", message, { option: "known", column: known }));
  }
  return {
    hints: typeof hints === "string" ? given!.hints : hints,
    ...pairs,
    labels:
      typeof labels === "string"
        ? await readSeeds(labels, rows)
        : (labels ?? (known === undefined ? undefined : requireGroup(column, known, table))),
    notes,
  };
}

/** The rows that the files of a request call by their ids: every cell of these files may be one. */
export async function namedRows(request: Request, size: number): Promise<NamedRows | undefined> {
  const files = namedRowFiles(request);
  if (files.length === 0) return undefined;
  const names = new Set<string>();
  for (const file of files) {
    const { bytes, name } = await wholeText(request[file] as string);
    for (const { cells } of delimitedLines(bytes, name)) for (const cell of cells) names.add(cell.trim());
  }
  names.delete("");
  if (names.size > size / 2) {
    throw optionError(
      `the hints concern up to ${names.size} rows, more than half of the ${size} rows that are fitted; ` +
        `give ${option("sample")} ${4 * names.size} or fewer hints`,
      { option: "sample" },
    );
  }
  return { id: request.id!, names };
}

async function hintsOf(path: string, table: Table, id: string | undefined): ReturnType<typeof namedHints> {
  const named = await namedHints(path, table, { id });
  if (hintCount(named.hints) > 0) return named;
  throw inputError(`${path} holds no hints; lines are a,b,same or a,b,different or row,label`);
}

/** The column of known groups, "" where a group is not known. */
function requireGroup(labels: readonly string[], known: string, { source }: Table): readonly string[] {
  if (labels.every((label) => label.trim() === "" || label === "-1")) {
    throw inputError(`${option("known")}: the column "${known}" of ${source} names no group in any row`);
  }
  return labels;
}

/**
 * Pairs of rows from a file: a header and two columns with either row numbers counted from 0 or, if the table
 * has ids (`--id`), ids. The header counts as a pair if its cells are row numbers or ids.
 */
export async function readPairs(
  path: string,
  table: HintedRows,
  { distinct = false }: { readonly distinct?: boolean } = {},
): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for await (const { name, line, rows } of rowLists(path, table, "a pair has two cells", 2)) {
    if (distinct && rows[0] === rows[1]) {
      throw inputError(`${name} line ${line}: the pair joins a row with itself`);
    }
    pairs.push([rows[0], rows[1]]);
  }
  return pairs;
}

/** The same for triplets: a row, one that is nearer to it, and one that is farther from it. */
export async function readTriplets(path: string, table: HintedRows): Promise<Triplet[]> {
  const triplets: Triplet[] = [];
  for await (const { name, line, rows } of rowLists(path, table, "a triplet has three cells", 3)) {
    if (new Set(rows).size < 3) throw inputError(`${name} line ${line}: the triplet names a row twice`);
    triplets.push([rows[0], rows[1], rows[2]]);
  }
  if (triplets.length === 0) throw inputError(`${path} holds no triplets`);
  return triplets;
}

/** Lines with the same number of rows. */
async function* rowLists(
  path: string,
  table: HintedRows,
  wants: string,
  count: number,
): AsyncGenerator<{ name: string; line: number; rows: number[] }> {
  const { bytes, name } = await wholeText(path);
  const rowOf = rowFinder(table);
  let first = true;
  for (const { line, cells } of delimitedLines(bytes, name)) {
    if (cells.length !== count) {
      throw inputError(`${name} line ${line}: ${wants}, this line has ${cells.length}`);
    }
    const rows = cells.map((cell) => rowOf(cell.trim()));
    // Numbers out of range are an error, not a header.
    const numbers = table.ids === undefined && cells.some((cell) => parseNumber(cell) !== undefined);
    const isHeader = first && !numbers && rows.every((row) => row === undefined);
    first = false;
    if (isHeader) continue;
    const wrong = rows.indexOf(undefined);
    if (wrong >= 0) throw inputError(`${name} line ${line}: ${noSuchRow(cells[wrong], table)}`);
    yield { name, line, rows: rows as number[] };
  }
}

/** Both kinds of pairs; given files without any pair are an error. */
async function readPairFiles(
  files: { readonly mustLink?: string; readonly cannotLink?: string },
  table: HintedRows,
): Promise<Constraints> {
  const read = async (file: string | undefined): Promise<Pair[]> =>
    file === undefined ? [] : readPairs(file, table, { distinct: true });
  const mustLink = await read(files.mustLink);
  const cannotLink = await read(files.cannotLink);
  const given = [files.mustLink, files.cannotLink].filter((file) => file !== undefined);
  if (given.length > 0 && mustLink.length + cannotLink.length === 0) {
    throw inputError(`${given.join(" and ")} ${given.length === 1 ? "holds" : "hold"} no pairs`);
  }
  return { mustLink, cannotLink };
}

/** @param id the column that names the rows, if there is one */
export function rowNames(table: Table, id?: string): HintedRows {
  const column = table.columns.find(({ name, role }) => (id === undefined ? role === "names" : name === id));
  return {
    source: table.source,
    X: { rows: table.rows },
    ...(column !== undefined && { ids: { name: column.name, values: textsOf(column) } }),
  };
}

/**
 * Known labels of some rows: either one line per row of the table (an empty line or -1 is unknown), or two columns, a row
 * (its number counted from 0, or its id with `--id`) and its label. A header is recognised in both.
 */
export async function readSeeds(path: string, table: HintedRows): Promise<string[]> {
  const { bytes, name } = await wholeText(path);
  const records = [...delimitedLines(bytes, name)];
  if (records.length === 0) throw inputError(`${name} is empty`);
  const width = records[0].cells.length;
  if (width > 2) {
    throw inputError(
      `${name}: labels are one column, or a row and a label; the first line has ${width} cells`,
    );
  }
  return width === 1 ? onePerRow(bytes, name, table) : byRow(records, name, table);
}

/** Read by lines, because an empty line represents a row. */
function onePerRow(bytes: Uint8Array, name: string, { X: { rows }, source }: HintedRows): string[] {
  const lines = new TextDecoder().decode(bytes).split(/\r\n|\r|\n/);
  if (lines[lines.length - 1] === "") lines.pop();
  const values = lines.map((line) => line.trim().replace(/^"(.*)"$/, "$1"));
  if (values.length === rows + 1) return values.slice(1);
  if (values.length === rows) return values;
  throw inputError(
    `${name} has ${values.length} lines, but ${source} has ${rows} rows (one label per row, or lines of: row,label)`,
  );
}

function byRow(
  records: readonly { readonly line: number; readonly cells: readonly string[] }[],
  name: string,
  table: HintedRows,
): string[] {
  const rowOf = rowFinder(table);
  const values = Array<string>(table.X.rows).fill("");
  for (const [at, { line, cells }] of records.entries()) {
    if (cells.length !== 2)
      throw inputError(`${name} line ${line}: ${cells.length} cells instead of row,label`);
    const row = rowOf(cells[0].trim());
    if (row === undefined) {
      const header = at === 0 && !/^-?\d+$/.test(cells[0].trim());
      if (header) continue;
      throw inputError(`${name} line ${line}: ${noSuchRow(cells[0], table)}`);
    }
    const label = cells[1].trim();
    if (values[row] !== "" && values[row] !== label) {
      throw inputError(
        `${name} line ${line}: row ${cells[0]} is "${label}" here and "${values[row]}" before`,
      );
    }
    values[row] = label;
  }
  return values;
}

/** The options about rows, restricted to the kept rows of a table; notes report the others. */
export function onKeptRows(
  options: ClusterOptions,
  kept: Int32Array,
): { readonly options: ClusterOptions; readonly notes: readonly Note[] } {
  const { hints, mustLink, cannotLink, labels } = options;
  const place = placesOf(kept);
  const known = hints === undefined ? undefined : keptHints(hints, kept);
  const given = [mustLink, cannotLink].filter((pairs) => pairs !== undefined);
  const lost =
    (known?.lost ?? 0) +
    given.reduce((sum, pairs) => sum + pairs.length - keptLists(pairs, kept).length, 0) +
    (labels?.filter((label, row) => label !== "" && label !== "-1" && !place.has(row)).length ?? 0);
  const message = `${lost} ${lost === 1 ? "hint speaks" : "hints speak"} of rows that were left out, and ${lost === 1 ? "is" : "are"} not used`;
  return {
    options: {
      ...options,
      ...(known !== undefined && { hints: known.hints }),
      ...(mustLink !== undefined && { mustLink: keptLists(mustLink, kept) }),
      ...(cannotLink !== undefined && { cannotLink: keptLists(cannotLink, kept) }),
      ...(labels !== undefined && { labels: Array.from(kept, (row) => labels[row]) }),
    },
    notes: lost === 0 ? [] : [note("hints-left-out", message, { option: "missing" })],
  };
}

/** Hints on the kept rows, and the number of hints about other rows. */
export function keptHints(given: Partial<Hints>, kept: Int32Array): { hints: Hints; lost: number } {
  const { pairs, groups, labels, not, skipped = [] } = fillHints(given);
  const place = placesOf(kept);
  const inside = (rows: readonly number[]): number[] =>
    rows.flatMap((row) => (place.has(row) ? [place.get(row)!] : []));
  const hints: Hints = {
    pairs: pairs.flatMap(({ a, b, ...said }) =>
      place.has(a) && place.has(b) ? [{ ...said, a: place.get(a)!, b: place.get(b)! }] : [],
    ),
    groups: groups.map(inside).filter((group) => group.length > 1),
    labels: labels.flatMap(({ row, label }) => (place.has(row) ? [{ row: place.get(row)!, label }] : [])),
    not: [],
    skipped: keptLists(skipped, kept),
  };
  const named = new Set(hints.labels.map(({ label }) => label.trim()));
  const left = not.flatMap(({ row, label, rows = [] }) => {
    const others = inside(rows);
    const usable = label !== undefined && named.has(label.trim());
    if (!place.has(row) || (!usable && others.length === 0)) return [];
    return [{ row: place.get(row)!, ...(usable && { label }), rows: others }];
  });
  const all = { ...hints, not: left };
  return { hints: all, lost: hintCount({ pairs, groups, labels, not }) - hintCount(all) };
}

/** Pairs or triplets of rows by their places among the kept ones; those with another row are left out. */
export function keptLists<L extends Pair | Triplet>(lists: readonly L[], kept: Int32Array): L[] {
  const place = placesOf(kept);
  return lists
    .filter((rows) => rows.every((row) => place.has(row)))
    .map((rows) => rows.map((row) => place.get(row)!) as unknown as L);
}

function placesOf(kept: Int32Array): Map<number, number> {
  return new Map(Array.from(kept, (row, i) => [row, i]));
}
