import { inputError, option, plural, absentColumn, optionError, rule } from "../../core/internal.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import type { NumberPlan, RawColumn, RawTable } from "../cells/rawColumn.ts";
import { dateText } from "../columns/column.ts";
import { isMissingWord, isSoftMissingWord } from "../kinds/scales.ts";
import type { NumberTable, TextColumn } from "../table.ts";
import { parseNumber } from "../text/cellScanner.ts";
import type { Budget } from "./budget.ts";
import type { ReadOptions } from "./readNumbers.ts";

/** Rows taken before the end of the source. */
export type Part = Omit<NumberTable, "X" | "notes"> & { readonly X: Matrix };

/** A part with the reader's remarks. */
type Told = Part & Pick<NumberTable, "notes">;

/** Makes tables of numbers of the cells of one source, which come at once or in parts. */
export interface NumberRows {
  /** For the readers of cells. */
  readonly plan: NumberPlan;
  /** The next rows; those with missing cells wait for `requireWhole`. */
  read(raw: RawTable): Told;
  /** Refuses the missing cells that were read; `remedy` says what can be done about them. */
  requireWhole(remedy: string): void;
}

/** Maximum number of positions in an error. */
const SHOWN = 5;
const TEXTS = ["label", "id", "batch"] as const;
const INFINITE = /^[+-]?inf(?:inity)?$/i;
/** Stands for a cell that is no value of its column. */
const WRONG = Infinity;

/** The cells of a column with a role; a field that only other rows have has none here. */
interface Cells {
  readonly name: string;
  readonly role: Role;
  readonly column: RawColumn | undefined;
}

/** The values of a feature, NaN where they are missing. */
interface Feature extends Cells {
  readonly values: Float64Array;
}

/** @param isJoined whether `joinedParts` joins the parts */
export function numberRows(
  source: string,
  options: ReadOptions,
  memory: Budget,
  isJoined: boolean,
): NumberRows {
  const { missing: policy = "refuse", decimal = "." } = options;
  let own: Roles | undefined;
  let before = 0;
  let missing = 0;
  const positions: string[] = [];
  /** The numbers of all rows, where their number is known before. */
  let all: Float64Array | undefined;
  let filled = 0;

  const plan: NumberPlan["plan"] = (names, headings) => {
    requireDifferent(source, headings);
    own = assignRoles(source, names, options);
    const { roles, features } = own;
    memory.require(8 * features.length, `${source} has ${features.length} columns`);
    const having = (isWanted: (role: Role) => boolean): Set<string> =>
      new Set(names.filter((_, j) => isWanted(roles[j])));
    return {
      ignore: having((role) => role === "ignored"),
      texts: having((role) => role !== "number" && role !== "ignored"),
    };
  };

  /** The columns that have a role, by the names of the first rows. */
  const cellsOf = ({ columns }: RawTable, { names, roles }: Roles): Cells[] => {
    const byName = new Map(columns.map((column) => [column.name, column]));
    const known = new Set(names);
    const extra = columns.find(({ name }) => !known.has(name));
    if (extra !== undefined)
      throw inputError(`${source}: the field "${extra.name}" is not in the first rows`);
    return names.map((name, j) => ({ name, role: roles[j], column: byName.get(name) }));
  };

  const room = (count: number, cols: number, total: number = 0): Matrix => {
    memory.require(8 * count * cols, `${source}: a matrix of ${count} x ${cols} numbers`);
    if (isJoined && filled === 0 && total > count && 8 * total * cols <= memory.limit())
      all = new Float64Array(total * cols);
    const from = filled;
    filled += count * cols;
    return matrix(count, cols, all?.subarray(from, filled));
  };

  const read: NumberRows["read"] = (raw) => {
    if (own === undefined) {
      plan(
        raw.columns.map(({ name }) => name),
        raw.headings ?? [],
      );
    }
    const { rows } = raw;
    const start = before;
    before += rows;
    const place = (row: number): string =>
      raw.lineOf ? `line ${raw.lineOf(row)}` : `row ${start + row + 1}`;
    const where = (row: number, name: string): string => `${source} ${place(row)}, column "${name}"`;
    const cells = cellsOf(raw, own!);
    const features = own!.features.map((j) => featureOf(cells[j], rows, decimal));
    const gaps = gapsOf(features, rows);
    if (gaps.wrong !== undefined) throw refused(gaps.wrong, where);
    const notes = [...new Set(raw.notes.map(({ message }) => message))];
    if (policy === "refuse") {
      missing += gaps.count;
      positions.push(...gaps.first.map(({ row, name }) => `${place(row)}, column "${name}"`));
    }
    const kept = policy === "drop" && gaps.count > 0 ? gaps.whole : undefined;
    const count = kept?.length ?? rows;
    if (count < rows) notes.push(`${plural(rows - count, "row")} with missing values dropped`);
    const complete = policy === "mean" ? filledFeatures(features, source, notes) : features;
    const texts = TEXTS.map((role): TextColumn | undefined => {
      const one = cells.find((cell) => cell.role === role);
      return one && { name: one.name, values: textsOf(one, rows, kept, where) };
    });
    const [label, ids, batch] = texts;
    return {
      names: complete.map(({ name }) => name),
      X: asMatrix(complete, kept, room(count, complete.length, raw.total)),
      ...(label && { label }),
      ...(ids && { ids }),
      ...(batch && { batch }),
      source,
      notes,
    };
  };

  const { label, id, batch, ignore = [] } = options;
  const named = [label, id, batch, ...ignore].filter((name) => name !== undefined);
  return {
    plan: { named: new Set(named), requireRoom: memory.require, plan },
    read,
    requireWhole(remedy) {
      if (missing === 0) return;
      const more = missing > SHOWN ? ` and ${missing - SHOWN} more` : "";
      const shown = positions.slice(0, SHOWN).join("; ");
      throw inputError(`${source}: ${plural(missing, "missing value")}: ${shown}${more}; ${remedy}`);
    },
  };
}

function requireDifferent(source: string, headings: readonly string[]): void {
  const seen = new Map<string, number>();
  headings.forEach((heading, column) => {
    const before = seen.get(heading.trim());
    if (before !== undefined && heading.trim() !== "") {
      throw inputError(
        `${source}: columns ${before + 1} and ${column + 1} are both named "${heading.trim()}"; rename one of them`,
      );
    }
    seen.set(heading.trim(), column);
  });
}

function featureOf(cells: Cells, rows: number, decimal: string): Feature {
  const { numbers, codes, texts, vectors, dimensions = 1, declared } = cells.column ?? {};
  const isPlain = codes === undefined && vectors === undefined && declared === undefined;
  if (numbers !== undefined && isPlain) return { ...cells, values: numbers.subarray(0, rows) };
  const ofText = (text: string): number => {
    if (declared === "boolean" && (text === "true" || text === "false")) return Number(text === "true");
    const value = parseNumber(text.trim().replace(decimal, "."));
    if (value !== undefined) return value;
    return !INFINITE.test(text) && isMissing(text.trim()) ? Number.NaN : WRONG;
  };
  const values = numbers?.slice(0, rows) ?? new Float64Array(rows).fill(Number.NaN);
  const ofCode = texts?.map(ofText) ?? [];
  for (let i = 0; i < rows; i++) {
    const isVector = vectors !== undefined && !Number.isNaN(vectors[i * dimensions]);
    if (isVector || (declared === "date" && !Number.isNaN(values[i]))) values[i] = WRONG;
    if (codes !== undefined && codes[i] >= 0) values[i] = ofCode[codes[i]];
  }
  return { ...cells, values };
}

const isMissing = (text: string): boolean => isMissingWord(text) || isSoftMissingWord(text);

/** The error about a cell that is no value of its column. */
function refused(
  { feature: { name, column }, row }: Wrong,
  where: (row: number, name: string) => string,
): Error {
  const { codes, texts, vectors, numbers, declared } = column!;
  const place = where(row, name);
  const code = codes?.[row] ?? -1;
  if (code >= 0) return notNumber(place, texts![code]);
  if (vectors !== undefined) return nested(place);
  return notNumber(place, declared === "date" ? dateText(numbers![row]) : String(numbers![row]));
}

function nested(where: string): Error {
  return inputError(`${where}: a nested value; ${option("ignore")} would leave it out`);
}

function notNumber(where: string, text: string): Error {
  if (/^[[{]/.test(text)) return nested(where);
  if (INFINITE.test(text) || parseNumber(text) !== undefined) {
    return inputError(`${where}: ${text} is not a finite number`);
  }
  return inputError(
    `${where}: ${quote(text)} is not a number; ` +
      `give the column to ${option("label")} or ${option("ignore")} if it is meant to be text`,
  );
}

/** Text in an error: quoted and short. */
function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text);
}

interface Wrong {
  readonly feature: Feature;
  readonly row: number;
}

interface Gaps {
  /** The first cell that is no value of its column, in the order of reading. */
  readonly wrong: Wrong | undefined;
  /** Missing cells. */
  readonly count: number;
  readonly first: readonly { readonly row: number; readonly name: string }[];
  /** The rows without any. */
  readonly whole: Int32Array;
}

function gapsOf(features: readonly Feature[], rows: number): Gaps {
  const missing = new Int32Array(rows);
  let count = 0;
  let wrong: Wrong | undefined;
  for (const feature of features) {
    const { values } = feature;
    for (let i = 0; i < rows; i++) {
      const value = values[i];
      if (value - value === 0) continue;
      if (value !== value) {
        missing[i]++;
        count++;
      } else if (i < (wrong?.row ?? rows)) wrong = { feature, row: i };
    }
  }
  const first: { row: number; name: string }[] = [];
  for (let row = 0; row < rows && first.length < Math.min(SHOWN, count); row++) {
    if (missing[row] === 0) continue;
    for (const { name, values } of features) if (Number.isNaN(values[row])) first.push({ row, name });
  }
  const all = Int32Array.from({ length: count > 0 ? rows : 0 }, (_, i) => i);
  return { wrong, count, first: first.slice(0, SHOWN), whole: all.filter((i) => missing[i] === 0) };
}

/** Missing numbers become the mean of their column. */
function filledFeatures(features: readonly Feature[], source: string, notes: string[]): readonly Feature[] {
  return features.map((feature) => {
    const { name, values } = feature;
    const present = values.filter((value) => value === value);
    const count = values.length - present.length;
    if (count === 0) return feature;
    if (present.length === 0) {
      throw inputError(
        `${source}: column "${name}" has no value at all; ${option("ignore")} would leave it out`,
      );
    }
    const fill = mean(present);
    notes.push(`${plural(count, "missing value")} in column "${name}" set to its mean, ${fill}`);
    return { ...feature, values: values.map((value) => (value === value ? value : fill)) };
  });
}

function mean(values: Float64Array): number {
  const sum = values.reduce((total, value) => total + value, 0);
  if (Number.isFinite(sum)) return sum / values.length;
  // The running form cannot overflow where the mean itself does not.
  return values.reduce((m, value, i) => m + (value / (i + 1) - m / (i + 1)), 0);
}

function textsOf(
  { name, column }: Cells,
  rows: number,
  kept: Int32Array | undefined,
  where: (row: number, name: string) => string,
): string[] {
  const { codes, texts, numbers, vectors, declared } = column ?? {};
  if (vectors !== undefined) throw nested(where(0, name));
  return Array.from({ length: kept?.length ?? rows }, (_, k) => {
    const i = kept?.[k] ?? k;
    if (codes !== undefined && codes[i] >= 0) return texts![codes[i]];
    const value = numbers?.[i] ?? Number.NaN;
    return value !== value ? "" : declared === "date" ? dateText(value) : String(value);
  });
}

/** Rows at a time: they and their part of the columns fit into the cache. */
const TILE = 128;

/** The features as the columns of X. */
function asMatrix(features: readonly Feature[], kept: Int32Array | undefined, X: Matrix): Matrix {
  const { rows, cols } = X;
  for (let from = 0; from < rows; from += TILE) {
    const to = Math.min(rows, from + TILE);
    features.forEach(({ values }, f) => {
      const own =
        kept === undefined
          ? values.subarray(from, to)
          : Float64Array.from(kept.subarray(from, to), (i) => values[i]);
      for (let r = 0, p = from * cols + f; r < own.length; r++, p += cols) X.data[p] = own[r];
    });
  }
  return X;
}

/** The rows of all parts; their numbers follow each other if `numberRows` knew how many there would be. */
export function joinedParts(parts: readonly Told[]): NumberTable {
  const [first] = parts;
  const rows = parts.reduce((sum, { X }) => sum + X.rows, 0);
  const { cols, data } = first.X;
  const isOne = parts.every(({ X }) => X.data.buffer === data.buffer);
  const X = matrix(rows, cols, isOne ? new Float64Array(data.buffer, 0, rows * cols) : undefined);
  let at = 0;
  for (const part of isOne ? [] : parts) {
    X.data.set(part.X.data, at);
    at += part.X.data.length;
  }
  const joined = (key: "label" | "ids" | "batch"): Partial<NumberTable> => {
    const name = first[key]?.name;
    return name === undefined ? {} : { [key]: { name, values: parts.flatMap((part) => part[key]!.values) } };
  };
  const notes = [...new Set(parts.flatMap((part) => part.notes))];
  return { ...first, ...joined("label"), ...joined("ids"), ...joined("batch"), X, notes };
}

/** The roles of columns; those not named are features. */
export const roleRules = {
  /** The column of known classes; read as text, never part of X. */
  label: rule.text("a column name"),
  /** The column that names the rows; read as text, never part of X. */
  id: rule.text("a column name"),
  /** The column with the measurement group of a row; read as text, never part of X. */
  batch: rule.text("a column name"),
  ignore: rule.names,
};

export type ColumnRoles = rule.OptionsOf<typeof roleRules>;

/** The roles, or what decides them once the columns are known. */
export interface RoleOptions extends ColumnRoles {
  readonly roles?: (names: readonly string[]) => ColumnRoles;
}

/** What a column of the source is in a table of numbers: a number, or text beside the numbers. */
export type Role = "number" | "label" | "id" | "batch" | "ignored";

interface Roles {
  readonly names: readonly string[];
  /** The role of each column of the source. */
  readonly roles: readonly Role[];
  /** The columns of numbers, in order. */
  readonly features: readonly number[];
}

/** The options that give a column of text its role. */
const NAMED_BY = ["label", "id", "batch"] as const;

/** Gives each column its role from the options `label`, `id`, `batch` and `ignore`, or from `roles`. */
export function assignRoles(source: string, names: readonly string[], given: RoleOptions): Roles {
  const options: ColumnRoles = given.roles === undefined ? given : given.roles(names);
  const roles: Role[] = names.map(() => "number");
  const askedBy = new Map<number, string>();
  const give = (asked: string, name: string, role: Role): void => {
    const column = names.indexOf(name);
    if (column < 0) throw absentColumn(asked, name, source, names);
    const before = askedBy.get(column);
    if (before !== undefined) {
      throw optionError(
        `${source}: column "${name}" is named by both ${option(before)} and ${option(asked)}`,
      );
    }
    askedBy.set(column, asked);
    roles[column] = role;
  };
  for (const role of NAMED_BY) if (options[role] !== undefined) give(role, options[role], role);
  for (const name of options.ignore ?? []) give("ignore", name, "ignored");
  const features = [...roles.keys()].filter((j) => roles[j] === "number");
  if (features.length === 0) throw inputError(`${source}: no column is left to be a feature`);
  return { names, roles, features };
}
