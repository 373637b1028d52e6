import type { Note } from "../../core/index.ts";
import {
  absentColumn,
  inputError,
  note,
  option,
  optionError,
  rule,
  listed,
  clipped,
} from "../../core/internal.ts";
import { type RawColumn, type RawTable } from "../cells/rawColumn.ts";
import { quoted } from "../files/budget.ts";
import type { Column, Table } from "./column.ts";
import type { Typed, TypingContext } from "../kinds/columnFacts.ts";
import { typeColumn, typeColumnAs } from "../kinds/typeColumn.ts";
import { plainNumber } from "../kinds/amount.ts";
import { isMissingWord, isNoneWord } from "../kinds/scales.ts";

const isText = (value: unknown): boolean => typeof value === "string";

export const TYPING_RULES = {
  /**
   * Kinds of columns: "number", "category", "ordered:low|mid|high", "date", "date:dmy", "text", "id",
   * "vector" or "ignore". Cells decide the others.
   */
  as: rule.given<Readonly<Record<string, string>>>(
    "an object of column names and kinds",
    (value) => typeof value === "object" && value !== null && Object.values(value).every(isText),
  ),
  /** Additional marks for missing values. */
  na: rule.texts("an array of strings"),
  decimal: rule.oneOf([".", ","]),
  /** A column of vectors, or the prefix of columns that form one; "none" keeps all columns separate. */
  vector: rule.text("a column name or a prefix"),
  /** Refuses columns with cells that do not fit their kind. */
  strict: rule.flag(false),
};

/** What the caller knows of the columns; their cells decide the rest. */
export type TypingOptions = rule.OptionsOf<typeof TYPING_RULES>;

/** Decides the kinds of the columns of a raw table. */
export function typeTable(raw: RawTable, options: TypingOptions): Table {
  const { source, rows } = raw;
  const notes: Note[] = [...raw.notes];
  const asked = new Map(Object.entries(options.as ?? {}));
  const names = raw.columns.map(({ name }) => name);
  const absent = [...asked.keys()].filter((name) => !names.includes(name) && asked.get(name) !== "ignore");
  const groups = vectorGroups(raw, options, notes);
  const grouped = new Map(groups.flatMap((group) => group.columns.map((name) => [name, group] as const)));
  for (const name of absent) {
    if (groups.some((group) => group.name === name)) continue;
    throw absentColumn("as", name, source, names);
  }
  const columns: RawColumn[] = [];
  const records = new Map<string, VectorGroup>();
  for (const column of raw.columns) {
    if (asked.get(column.name) === "ignore") continue;
    const group = grouped.get(column.name);
    if (group === undefined) columns.push(column);
    else if (group.columns[0] === column.name) {
      columns.push(groupColumn(raw, group, source));
      records.set(group.name, group);
    }
  }
  if (columns.length === 0) throw inputError(`${source}: no column is left`);
  const context: TypingContext = {
    rows,
    source,
    na: options.na ?? [],
    strict: options.strict ?? false,
    ...(options.decimal && { decimal: options.decimal }),
    ...(raw.decimal && { tableDecimal: raw.decimal }),
  };
  const decide = (column: RawColumn, within: TypingContext): Typed => {
    const kind = asked.get(column.name) ?? (options.vector === column.name ? "vector" : undefined);
    return kind === undefined ? typeColumn(column, within) : typeColumnAs(column, kind, within);
  };
  let typed = columns.map((column) => decide(column, context));
  // Columns without evidence for the decimal mark or the order of dates follow the others.
  const decimal = majority(typed.map(({ shows }) => shows?.decimal));
  const order = majority(typed.map(({ shows }) => shows?.order));
  const fileMarks = marksOfNumbers(columns, typed);
  typed = typed.map((column, j) => {
    const again =
      (column.open === "decimal" && decimal !== undefined && decimal !== context.tableDecimal) ||
      (column.open === "order" && order !== undefined) ||
      column.column.levels?.some((level) => fileMarks.has(level.toLowerCase()));
    if (!again) return column;
    return decide(columns[j], {
      ...context,
      fileMarks,
      ...(decimal && { tableDecimal: decimal }),
      ...(order && { tableOrder: order }),
    });
  });
  if (context.strict) refuseUnclean(source, typed);
  // What the other columns show is not open.
  const settled = new Set([
    ...((decimal ?? raw.decimal) === undefined ? [] : ["ambiguous-decimal"]),
    ...(order === undefined ? [] : ["ambiguous-dates"]),
  ]);
  for (const { notes: own } of typed) notes.push(...own.filter(({ code }) => !settled.has(code)));
  const finished = typed.map(({ column }): Column => {
    const group = records.get(column.name);
    if (group === undefined) return column;
    return {
      ...column,
      why: `${group.columns.length} columns with one prefix`,
      reading: { ...column.reading, columns: group.columns },
    };
  });
  return { source, rows, columns: finished, notes, ...(raw.files && { files: raw.files }) };
}

/** Words such as "none" that stand among numbers and dates, in lower case: there the file means a missing value. */
function marksOfNumbers(columns: readonly RawColumn[], typed: readonly Typed[]): ReadonlySet<string> {
  const ofNumbers = columns.filter((_, j) => NUMBERS.has(typed[j].column.kind));
  return new Set(
    ofNumbers.flatMap(({ texts = [] }) => texts.filter(isNoneWord).map((text) => text.toLowerCase())),
  );
}

const NUMBERS: ReadonlySet<string> = new Set(["number", "date", "vector"]);

function majority<T>(values: readonly (T | undefined)[]): T | undefined {
  const counts = new Map<T, number>();
  for (const value of values) if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}

function vectorGroups(raw: RawTable, options: TypingOptions, notes: Note[]): VectorGroup[] {
  const names = raw.columns.map(({ name }) => name);
  const { vector } = options;
  if (vector === "none") return [];
  const taken = new Set(Object.keys(options.as ?? {}));
  if (vector !== undefined && !names.includes(vector)) {
    const group = prefixGroup(
      names.filter((name) => !taken.has(name)),
      vector,
    );
    if (group === undefined) {
      throw optionError(
        `${raw.source}: ${option("vector")} names "${vector}", which is neither a column nor the prefix of columns with ` +
          `running numbers; the columns are ${listed(names, 20)}`,
      );
    }
    return [group];
  }
  const groups = findVectorGroups(raw, taken);
  for (const { name, columns } of groups) {
    const message =
      `${columns.length} columns, ${columns[0]} to ${columns[columns.length - 1]}, are read as one vector "${name}"; ` +
      `${option("vector")} none keeps them apart`;
    notes.push(note("vector-columns", message, { column: name, option: "vector" }));
  }
  return groups;
}

/** Every problem at once. */
function refuseUnclean(source: string, typed: readonly Typed[]): void {
  const problems = typed
    .filter(({ unread }) => unread.count > 0)
    .map(({ column, unread }) => {
      const kind = column.kind === "category" || column.kind === "text" ? "a number" : `a ${column.kind}`;
      return `column "${column.name}" row ${unread.row}: "${clipped(unread.text, 40)}" is not ${kind}`;
    });
  if (problems.length === 0) return;
  const names = typed
    .filter(({ unread }) => unread.count > 0)
    .map(({ column }) => `${quoted(column.name)}=category`);
  throw inputError(
    `${source}: ${problems.join("; ")}; ${option("as")} ${names.join(",")} reads them as levels`,
  );
}

/** Columns that are one vector: a common prefix and running numbers. */
export interface VectorGroup {
  readonly name: string;
  readonly columns: readonly string[];
}

/**
 * From this many columns on a group is a vector by default; fewer suffice if its rows have unit length, or if
 * its name indicates it. Readings of many sensors also have a prefix and numbers, but are separate columns.
 */
const MANY = 100;
const UNIT = 16;
const NAMED = 8;
const VECTOR_NAME =
  /^(?:emb|embed|embedding|embeddings|vec|vector|dim|latent|feat|feature|pc|pca|component|hidden|z)$/i;
/**
 * The scales of the columns of a vector are similar: their 10 % and 90 % quantiles differ at most by this
 * factor.
 */
const ALIKE = 30;

/** The columns with one prefix and running numbers, in order; undefined if there are fewer than two. */
function prefixGroup(names: readonly string[], prefix: string): VectorGroup | undefined {
  const found: { name: string; at: number }[] = [];
  for (const name of names) {
    if (!name.startsWith(prefix)) continue;
    const digits = /^[\s_.\-[(]*(\d+)[\])]?$/.exec(name.slice(prefix.length))?.[1];
    if (digits !== undefined) found.push({ name, at: Number(digits) });
  }
  if (found.length < 2) return undefined;
  found.sort((a, b) => a.at - b.at);
  const running = found.every(({ at }, k) => at === found[0].at + k) && found[0].at <= 1;
  return running ? { name: prefix, columns: found.map(({ name }) => name) } : undefined;
}

/** Groups of columns that are vectors, by names and numbers. */
function findVectorGroups(raw: RawTable, taken: ReadonlySet<string>): VectorGroup[] {
  const prefixes = new Map<string, number>();
  for (const { name } of raw.columns) {
    const prefix = /^(.*?)[\s_.\-[(]*\d+[\])]?$/.exec(name)?.[1];
    if (prefix !== undefined && !taken.has(name)) prefixes.set(prefix, (prefixes.get(prefix) ?? 0) + 1);
  }
  const byName = new Map(raw.columns.map((column) => [column.name, column]));
  const names = raw.columns.map(({ name }) => name).filter((name) => !taken.has(name));
  const groups: VectorGroup[] = [];
  for (const [prefix, count] of prefixes) {
    const says = VECTOR_NAME.test(prefix.replace(/^.*[\s_.-](?=\w+$)/, ""));
    if (count < (says ? NAMED : UNIT)) continue;
    const group = prefixGroup(names, prefix);
    if (group === undefined) continue;
    const parts = group.columns.map((name) => numbersOf(byName.get(name)!, raw.rows, raw.decimal));
    if (!parts.every((part) => part !== undefined) || !alike(parts, raw.rows)) continue;
    const enough = parts.length >= MANY || says ? parts.length >= NAMED : isUnitLength(parts, raw.rows);
    if (enough) groups.push({ name: prefix === "" ? "vector" : prefix, columns: group.columns });
  }
  return groups;
}

/** Numbers only, of one scale, and not answers on a short scale. */
function alike(columns: readonly Float64Array[], rows: number): boolean {
  const scales: number[] = [];
  const values = new Set<number>();
  let whole = true;
  const step = Math.max(1, Math.floor(rows / 500));
  for (const numbers of columns) {
    let sum = 0;
    let squares = 0;
    let count = 0;
    let empty = 0;
    for (let i = 0; i < rows; i += step) {
      const value = numbers[i];
      if (value !== value) {
        empty++;
        continue;
      }
      sum += value;
      squares += value * value;
      count++;
      if (value % 1 !== 0) whole = false;
      if (values.size <= 32) values.add(value);
    }
    if (empty > 0.05 * (count + empty)) return false;
    const variance = count === 0 ? 0 : squares / count - (sum / count) ** 2;
    if (variance > 1e-12 * Math.max(1, squares / count)) scales.push(Math.sqrt(variance));
  }
  if (scales.length < columns.length / 2) return false;
  if (whole && values.size <= 12) return false;
  scales.sort((a, b) => a - b);
  return (
    scales[Math.floor(0.9 * (scales.length - 1))] <= ALIKE * scales[Math.floor(0.1 * (scales.length - 1))]
  );
}

/** Whether the rows of a sample have length 1 up to rounding. */
function isUnitLength(columns: readonly Float64Array[], rows: number): boolean {
  const step = Math.max(1, Math.floor(rows / 100));
  for (let i = 0; i < rows; i += step) {
    let squares = 0;
    for (const numbers of columns) squares += numbers[i] * numbers[i];
    if (!(Math.abs(Math.sqrt(squares) - 1) <= 0.02)) return false; // also where a number is missing
  }
  return rows > 1;
}

/** The group as one column of vectors. */
export function groupColumn(raw: RawTable, { name, columns }: VectorGroup, source: string): RawColumn {
  const { rows } = raw;
  const dimensions = columns.length;
  const vectors = new Float64Array(rows * dimensions);
  const byName = new Map(raw.columns.map((column) => [column.name, column]));
  const parts = columns.map((column) => {
    const values = numbersOf(byName.get(column)!, rows, raw.decimal);
    if (values !== undefined) return values;
    throw optionError(
      `${source}: column "${column}" holds no numbers, so it cannot be part of the vector "${name}"`,
    );
  });
  // Some rows at a time, so that the output stays in the cache.
  for (let from = 0; from < rows; from += BLOCK) {
    const to = Math.min(rows, from + BLOCK);
    for (let j = 0; j < dimensions; j++) {
      const values = parts[j];
      for (let i = from; i < to; i++) vectors[i * dimensions + j] = values[i];
    }
  }
  return { name, vectors, dimensions };
}

const BLOCK = 64;

/**
 * The numbers of a column, including cells kept as text because of their marks; undefined if it has words.
 */
function numbersOf(
  column: RawColumn,
  rows: number,
  decimal: "." | "," | undefined,
): Float64Array | undefined {
  const { numbers, texts, codes } = column;
  if (codes === undefined || texts === undefined) return numbers;
  const values = numbers === undefined ? new Float64Array(rows).fill(Number.NaN) : numbers.slice();
  const ofText = new Float64Array(texts.length);
  for (let code = 0; code < texts.length; code++) {
    const value = plainNumber(texts[code], decimal);
    if (value === undefined && !isMissingWord(texts[code])) return undefined;
    ofText[code] = value ?? Number.NaN;
  }
  for (let i = 0; i < rows; i++) if (codes[i] >= 0) values[i] = ofText[codes[i]];
  return values;
}
