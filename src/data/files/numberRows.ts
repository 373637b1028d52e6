import {
  inputError,
  medianOfSorted,
  option,
  plural,
  absentColumn,
  optionError,
  rule,
} from "../../core/internal.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import { textCodes, type NumberPlan, type RawColumn, type RawTable } from "../cells/rawColumn.ts";
import { dateText } from "../columns/column.ts";
import { isMissingWord, isSoftMissingWord } from "../kinds/scales.ts";
import type { NumberTable, TextColumn, FoundColumn } from "../table.ts";
import { parseNumber } from "../text/cellScanner.ts";
import { MOST_COLUMNS, type Budget } from "./budget.ts";
import type { FillOptions } from "./readNumbers.ts";

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

/** The values of a feature, NaN where they are missing; a level is its place among the levels. */
interface Feature extends Cells {
  readonly values: Float64Array;
  readonly levels?: readonly string[];
}

/** @param isJoined whether `joinedParts` joins the parts */
export function numberRows(
  source: string,
  options: FillOptions,
  memory: Budget,
  isJoined: boolean,
): NumberRows {
  const { missing: policy = "refuse", decimal = ".", levels: fixed } = options;
  let own: Roles | undefined;
  let before = 0;
  let missing = 0;
  const positions: string[] = [];
  /** The numbers of all rows, where their number is known before. */
  let all: Float64Array | undefined;
  let filled = 0;

  const plan: NumberPlan["plan"] = (columns, headings) => {
    requireDifferent(source, headings);
    own = assignRoles(source, columns, options);
    const { names, roles, features } = own;
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

  const room = (count: number, cols: number, largest: Feature | undefined, total: number = 0): Matrix => {
    const size = `${count} x ${cols} numbers`;
    const what = largest
      ? `${source}: column "${largest.name}" has ${largest.levels!.length} levels, and its levels as columns of 0 and 1 make ${size}`
      : `${source}: a matrix of ${size}`;
    memory.require(8 * count * cols, what);
    if (isJoined && filled === 0 && total > count && 8 * total * cols <= memory.limit())
      all = new Float64Array(total * cols);
    const from = filled;
    filled += count * cols;
    return matrix(count, cols, all?.subarray(from, filled));
  };

  const read: NumberRows["read"] = (raw) => {
    if (own === undefined) {
      const found = raw.columns.map(({ name, texts, declared }) => ({
        name,
        text:
          texts !== undefined && declared !== "boolean" && !texts.every((text) => isNumeric(text, decimal)),
      }));
      plan(found, raw.headings ?? []);
    }
    const { rows } = raw;
    const start = before;
    before += rows;
    const place = (row: number): string =>
      raw.lineOf ? `line ${raw.lineOf(row)}` : `row ${start + row + 1}`;
    const where = (row: number, name: string): string => `${source} ${place(row)}, column "${name}"`;
    const cells = cellsOf(raw, own!);
    const features = own!.features.map((j) => featureOf(cells[j], rows, decimal, fixed?.[cells[j].name]));
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
    const isFilled = gaps.count > 0 && (policy === "mean" || policy === "median");
    const complete = isFilled ? filledFeatures(features, policy, source, notes) : features;
    const texts = TEXTS.map((role): TextColumn | undefined => {
      const one = cells.find((cell) => cell.role === role);
      return one && { name: one.name, values: textsOf(one, rows, kept, where) };
    });
    const [label, ids, batch] = texts;
    return {
      ...asMatrix(complete, kept, source, notes, (cols, largest) => room(count, cols, largest, raw.total)),
      ...(label && { label }),
      ...(ids && { ids }),
      ...(batch && { batch }),
      source,
      notes,
    };
  };

  const { label, id, batch, ignore = [], categorical } = options;
  const levels = Array.isArray(categorical) ? (categorical as readonly string[]) : [];
  const named = [label, id, batch, ...ignore, ...levels].filter((name) => name !== undefined);
  const records = categorical === "onehot" || options.roles !== undefined ? 1000 : 30;
  return {
    plan: { named: new Set(named), records, requireRoom: memory.require, plan },
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

/** @param given the levels of the column in a stream, where they are known before the first row */
function featureOf(
  cells: Cells,
  rows: number,
  decimal: string,
  given: readonly string[] | undefined,
): Feature {
  const { role } = cells;
  const column = role === "level" ? cells.column && asTexts(cells.column) : cells.column;
  const { numbers, codes, texts, vectors, dimensions = 1, declared } = column ?? {};
  const { texts: levels, codeOf } = textCodes(given);
  const ofText = (text: string): number => {
    if (role === "level") {
      if (isMissingWord(text)) return Number.NaN;
      return given === undefined || given.includes(text) ? codeOf(text) : WRONG;
    }
    if (declared === "boolean" && (text === "true" || text === "false")) return Number(text === "true");
    const value = parseNumber(text.trim().replace(decimal, "."));
    if (value !== undefined) return value;
    return !INFINITE.test(text) && isMissing(text.trim()) ? Number.NaN : WRONG;
  };
  const isPlain = codes === undefined && vectors === undefined && declared === undefined;
  let values = numbers !== undefined && isPlain ? numbers.subarray(0, rows) : undefined;
  if (values === undefined) {
    values = numbers?.slice(0, rows) ?? new Float64Array(rows).fill(Number.NaN);
    const ofCode = texts?.map(ofText) ?? [];
    for (let i = 0; i < rows; i++) {
      const isVector = vectors !== undefined && !Number.isNaN(vectors[i * dimensions]);
      if (isVector || (declared === "date" && !Number.isNaN(values[i]))) values[i] = WRONG;
      if (codes !== undefined && codes[i] >= 0) values[i] = ofCode[codes[i]];
    }
  }
  return { ...cells, column, values, ...(role === "level" && { levels }) };
}

/** A column whose numbers are levels, too. */
function asTexts(column: RawColumn): RawColumn {
  const { name, numbers, codes } = column;
  if (numbers === undefined) return column;
  const { texts, codeOf } = textCodes(column.texts);
  const all = Int32Array.from(numbers, (value, i) =>
    value === value ? codeOf(String(value)) : (codes?.[i] ?? -1),
  );
  return { name, codes: all, texts };
}

const isMissing = (text: string): boolean => isMissingWord(text) || isSoftMissingWord(text);

function isNumeric(text: string, decimal: string): boolean {
  return isMissing(text) || parseNumber(text.replace(decimal, ".")) !== undefined;
}

/** The error about a cell that is no value of its column. */
function refused(
  { feature: { name, role, column }, row }: Wrong,
  where: (row: number, name: string) => string,
): Error {
  const { codes, texts, vectors, numbers, declared } = column!;
  const place = where(row, name);
  const code = codes?.[row] ?? -1;
  if (code >= 0 && role === "level") {
    return inputError(`${place}: ${quote(texts![code])} is not among the levels given`);
  }
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
      `give the column to ${option("label")}, ${option("ignore")} or ${option("categorical")} if it is meant to be text`,
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

/** Missing numbers become the mean or the median of their column, missing levels the most frequent one. */
function filledFeatures(
  features: readonly Feature[],
  policy: FillOptions["missing"],
  source: string,
  notes: string[],
): Feature[] {
  return features.map((feature) => {
    const { name, values, levels } = feature;
    const present = values.filter((value) => value === value);
    const count = values.length - present.length;
    if (count === 0) return feature;
    if (present.length === 0) {
      throw inputError(
        `${source}: column "${name}" has no value at all; ${option("ignore")} would leave it out`,
      );
    }
    const fill =
      levels !== undefined
        ? mostFrequent(present)
        : policy === "mean"
          ? mean(present)
          : medianOfSorted(present.sort());
    const what = levels === undefined ? `${policy}, ${fill}` : `most frequent level, "${levels[fill]}"`;
    notes.push(`${plural(count, "missing value")} in column "${name}" set to its ${what}`);
    return { ...feature, values: values.map((value) => (value === value ? value : fill)) };
  });
}

function mean(values: Float64Array): number {
  const sum = values.reduce((total, value) => total + value, 0);
  if (Number.isFinite(sum)) return sum / values.length;
  // The running form cannot overflow where the mean itself does not.
  return values.reduce((m, value, i) => m + (value / (i + 1) - m / (i + 1)), 0);
}

function mostFrequent(codes: Float64Array): number {
  const counts = new Map<number, number>();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  let best = codes[0];
  for (const [code, count] of counts) if (count > counts.get(best)!) best = code;
  return best;
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

/**
 * The features as one matrix, with one column of 0 and 1 for each level, in their order.
 *
 * @param room takes the number of columns and the feature with the most levels
 */
function asMatrix(
  features: readonly Feature[],
  kept: Int32Array | undefined,
  source: string,
  notes: string[],
  room: (cols: number, largest: Feature | undefined) => Matrix,
): { names: string[]; X: Matrix } {
  const names: string[] = [];
  let largest: Feature | undefined;
  const places = features.map((feature): number | Int32Array => {
    const { name, levels } = feature;
    const first = names.length;
    if (levels === undefined) {
      names.push(name);
      return first;
    }
    if (levels.length > (largest?.levels?.length ?? 0)) largest = feature;
    if (first + levels.length > MOST_COLUMNS) {
      throw inputError(
        `${source}: column "${name}" has ${levels.length} levels, too many to be columns; ${option("ignore")} would leave it out`,
      );
    }
    const sorted = levels.toSorted();
    for (const level of sorted) names.push(`${name}=${level}`);
    notes.push(`column "${name}" encoded as ${levels.length} columns of 0 and 1`);
    const placeOf = new Map(sorted.map((level, k) => [level, first + k]));
    return Int32Array.from(levels, (level) => placeOf.get(level)!);
  });
  const X = room(names.length, largest);
  const { rows, cols } = X;
  for (let from = 0; from < rows; from += TILE) {
    const to = Math.min(rows, from + TILE);
    features.forEach(({ values }, f) => {
      const at = places[f];
      const own =
        kept === undefined
          ? values.subarray(from, to)
          : Float64Array.from(kept.subarray(from, to), (i) => values[i]);
      if (typeof at === "number")
        for (let r = 0, p = from * cols + at; r < own.length; r++, p += cols) X.data[p] = own[r];
      else for (let r = 0, p = from * cols; r < own.length; r++, p += cols) X.data[p + at[own[r]]] = 1;
    });
  }
  return { names, X };
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
  /** Columns of text to encode as one 0/1 column per level, or "onehot" for every column that holds text. */
  categorical: rule.given<"refuse" | "onehot" | readonly string[]>(
    '"refuse", "onehot" or an array of column names',
    (value) => value === "refuse" || value === "onehot" || rule.names.accepts(value),
  ),
};

export type ColumnRoles = rule.OptionsOf<typeof roleRules>;

/** The roles, or what decides them once the columns are known. */
export interface RoleOptions extends ColumnRoles {
  readonly roles?: (columns: readonly FoundColumn[]) => ColumnRoles;
}

/** What a column of the source is in a table of numbers: a number, a level, or text beside the numbers. */
export type Role = "number" | "level" | "label" | "id" | "batch" | "ignored";

interface Roles {
  readonly names: readonly string[];
  /** The role of each column of the source. */
  readonly roles: readonly Role[];
  /** The columns of numbers and levels, in order. */
  readonly features: readonly number[];
}

/** The options that give a column of text its role. */
const NAMED_BY = ["label", "id", "batch"] as const;

/**
 * Gives each column its role from the options `label`, `id`, `batch`, `ignore` and `categorical`, or from
 * `roles`.
 *
 * @param columns whether they hold text, as far as is known; used by `categorical: "onehot"` and `roles`
 */
export function assignRoles(source: string, columns: readonly FoundColumn[], given: RoleOptions): Roles {
  const names = columns.map(({ name }) => name);
  const options: ColumnRoles = given.roles === undefined ? given : given.roles(columns);
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
  if (options.categorical === "onehot") {
    columns.forEach(({ text }, j) => {
      if (text && roles[j] === "number") roles[j] = "level";
    });
  } else if (Array.isArray(options.categorical)) {
    for (const name of options.categorical) give("categorical", name, "level");
  }
  const features = [...roles.keys()].filter((j) => roles[j] === "number" || roles[j] === "level");
  if (features.length === 0) throw inputError(`${source}: no column is left to be a feature`);
  return { names, roles, features };
}
