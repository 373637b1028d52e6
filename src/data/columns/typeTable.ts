import type { Note } from "../../core/index.ts";
import { absentColumn, inputError, note, option, optionError, rule } from "../../core/internal.ts";
import { listed } from "../cells/columnNames.ts";
import { quoted } from "../cells/memoryLimit.ts";
import type { RawColumn, RawTable } from "../cells/rawColumn.ts";
import type { Column, Table } from "./column.ts";
import { shortened, type Typed, type TypingContext } from "../kinds/columnFacts.ts";
import { typeColumn, typeColumnAs } from "../kinds/typeColumn.ts";
import { findVectorGroups, groupColumn, prefixGroup, type VectorGroup } from "../kinds/vectorColumns.ts";

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
  na: rule.given<readonly string[]>(
    "an array of strings",
    (value) => Array.isArray(value) && value.every(isText),
  ),
  decimal: rule.oneOf([".", ","]),
  /** A column of vectors, or the prefix of columns that form one; "none" keeps all columns separate. */
  vector: rule.given<string>("a column name or a prefix", isText),
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
  typed = typed.map((column, j) => {
    const again =
      (column.open === "decimal" && decimal !== undefined && decimal !== context.tableDecimal) ||
      (column.open === "order" && order !== undefined);
    if (!again) return column;
    return decide(columns[j], {
      ...context,
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
      return `column "${column.name}" row ${unread.row}: "${shortened(unread.text)}" is not ${kind}`;
    });
  if (problems.length === 0) return;
  const names = typed
    .filter(({ unread }) => unread.count > 0)
    .map(({ column }) => `${quoted(column.name)}=category`);
  throw inputError(
    `${source}: ${problems.join("; ")}; ${option("as")} ${names.join(",")} reads them as levels`,
  );
}
