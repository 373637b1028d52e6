import { inputError, option, plural } from "../../core/internal.ts";
import type { Matrix } from "../../matrix/index.ts";
import { textCodes } from "../cells/codedTexts.ts";
import type { NumberPlan, RawColumn, RawTable } from "../cells/rawColumn.ts";
import { dateText } from "../columns/column.ts";
import { isMissingWord, isSoftMissingWord } from "../kinds/missingWords.ts";
import type { NumberTable, TextColumn } from "../table.ts";
import type { FillOptions } from "./readNumbers.ts";
import { parseNumber } from "../text/number.ts";
import { assemble } from "./assemble.ts";
import type { Budget } from "./budget.ts";
import { assignRoles, type Role, type Roles } from "./roles.ts";
import { rowStore, type RowStore } from "./rowStore.ts";

/** Rows taken before the end of the source. */
export type Part = Omit<NumberTable, "X" | "notes"> & { readonly X: Matrix };

/** Gathers the rows of tables of cells as numbers, with the text beside them. */
export interface NumberRows {
  /** For the readers of cells. */
  readonly plan: NumberPlan;
  add(raw: RawTable): void;
  /** The rows since the last call; undefined if there are none. Missing cells are refused here. */
  take(): Part | undefined;
  finish(): NumberTable;
}

/** Maximum number of positions in an error. */
const SHOWN = 5;
const TEXTS = ["label", "id", "batch"] as const;
const INFINITE = /^[+-]?inf(?:inity)?$/i;

/** The columns of a table of cells that one feature or text is made of. */
interface Cells {
  readonly name: string;
  readonly role: Role;
  readonly column: RawColumn | undefined;
  /** The place of the column in the rows of a block. */
  readonly at: number;
}

export function numberRows(source: string, options: FillOptions, memory: Budget): NumberRows {
  const { missing: policy = "refuse", decimal = ".", levels: fixed } = options;
  const notes = new Set<string>();
  let own: Roles | undefined;
  let store: RowStore | undefined;
  let levels: Map<string, number>[] = [];
  let missingIn = new Int32Array(0);
  const texts: Record<(typeof TEXTS)[number], string[]> = { label: [], id: [], batch: [] };
  const positions: string[] = [];
  let missingCells = 0;
  let dropped = 0;
  let read = 0;
  let before: RawTable["columns"] | undefined;
  let cells: Cells[] = [];

  const plan: NumberPlan["plan"] = (columns, headings) => {
    requireDifferent(source, headings);
    own = assignRoles(source, columns, options);
    const { names, roles, features } = own;
    memory.require(8 * features.length, `${source} has ${features.length} columns`);
    store = rowStore(features.length);
    levels = features.map(
      (j) => new Map((fixed?.[names[j]] ?? []).map((level, code) => [level, code] as const)),
    );
    missingIn = new Int32Array(features.length);
    const having = (isWanted: (role: Role) => boolean): Set<string> =>
      new Set(names.filter((_, j) => isWanted(roles[j])));
    return {
      ignore: having((role) => role === "ignored"),
      texts: having((role) => role !== "number" && role !== "ignored"),
    };
  };

  /** The cells of every column that has a role, by the names of the first table. */
  const cellsOf = ({ columns }: RawTable, { names, roles }: Roles): Cells[] => {
    const isAlike = columns.length === names.length && columns.every(({ name }, at) => name === names[at]);
    const places = isAlike ? undefined : new Map(columns.map(({ name }, at) => [name, at] as const));
    if (places !== undefined) {
      const known = new Set(names);
      const extra = columns.find(({ name }) => !known.has(name));
      if (extra !== undefined)
        throw inputError(`${source}: the field "${extra.name}" is not in the first rows`);
    }
    return names.map((name, j) => {
      const at = places === undefined ? j : (places.get(name) ?? -1);
      const column = columns[at];
      return { name, role: roles[j], at, column: roles[j] === "level" ? column && asTexts(column) : column };
    });
  };

  const add = (raw: RawTable): void => {
    if (own === undefined) {
      const found = raw.columns.map(({ name, texts: words, declared }) => ({
        name,
        text:
          words !== undefined && declared !== "boolean" && !words.every((text) => isNumeric(text, decimal)),
      }));
      plan(found, raw.headings ?? []);
    }
    for (const { message } of raw.notes) notes.add(message);
    if (raw.columns !== before) cells = cellsOf(raw, own!);
    before = raw.columns;
    const all = cells;
    const features = own!.features.map((j) => all[j]);
    const place = (row: number): string => (raw.lineOf ? `line ${raw.lineOf(row)}` : `row ${read + row + 1}`);
    const where = (row: number, name: string): string => `${source} ${place(row)}, column "${name}"`;
    const values = features.map((one, slot) =>
      valuesOfTexts(one, levels[slot], fixed !== undefined, decimal),
    );
    const into = store!;
    if (raw.total !== undefined && 8 * raw.total * into.width <= memory.limit()) into.expect(raw.total);
    const isWhole = new Uint8Array(raw.rows).fill(1);
    let from = 0;
    while (from < raw.rows) {
      if (into.used + into.width > into.block.length) {
        into.turn();
        memory.require(8 * into.rows * into.width, `${source} ${place(from)}`);
      }
      const room = Math.floor((into.block.length - into.used) / into.width);
      const count = Math.min(room, TILE, raw.rows - from);
      const hasGaps = putRows(raw, features, values, from, count, into);
      if (hasGaps) notFinite(features, from, count, isWhole, where, place);
      const kept = policy === "drop" && hasGaps ? compact(into, isWhole, from, count) : count;
      dropped += count - kept;
      into.used += kept * into.width;
      from += count;
    }
    for (const one of all) addTexts(one, raw, isWhole, where);
    read += raw.rows;
  };

  /** Counts the missing cells of rows that were put, and refuses wrong ones. */
  const notFinite = (
    features: readonly Cells[],
    from: number,
    count: number,
    isWhole: Uint8Array,
    where: (row: number, name: string) => string,
    place: (row: number) => string,
  ): void => {
    const { block, used, width } = store!;
    for (let i = 0; i < count; i++) {
      for (let slot = 0; slot < width; slot++) {
        const value = block[used + i * width + slot];
        if (value - value === 0) continue;
        const { name } = features[slot];
        if (value === value) throw refused(features[slot], from + i, where(from + i, name));
        isWhole[from + i] = 0;
        if (policy === "drop") continue;
        missingCells++;
        missingIn[slot]++;
        if (positions.length < SHOWN) positions.push(`${place(from + i)}, column "${name}"`);
      }
    }
  };

  const addTexts = (
    { name, role, column }: Cells,
    { rows }: RawTable,
    isWhole: Uint8Array,
    where: (row: number, name: string) => string,
  ): void => {
    if (role !== "label" && role !== "id" && role !== "batch") return;
    const { codes, texts: words, numbers, vectors, declared } = column ?? {};
    if (vectors !== undefined) throw nested(where(0, name));
    for (let i = 0; i < rows; i++) {
      if (policy === "drop" && isWhole[i] === 0) continue;
      const value = numbers?.[i] ?? Number.NaN;
      const number = value !== value ? "" : declared === "date" ? dateText(value) : String(value);
      texts[role].push(codes !== undefined && codes[i] >= 0 ? words![codes[i]] : number);
    }
  };

  const refuseMissing = (remedy: string): void => {
    if (missingCells === 0 || policy !== "refuse") return;
    const more = missingCells > positions.length ? ` and ${missingCells - positions.length} more` : "";
    throw inputError(
      `${source}: ${plural(missingCells, "missing value")}: ${positions.join("; ")}${more}; ${remedy}`,
    );
  };
  const part = (told: string[]): Part => {
    const { names, roles, features } = own!;
    const assembled = assemble(store!, {
      names: features.map((j) => names[j]),
      levels: features.map((j, slot) => (roles[j] === "level" ? levels[slot] : undefined)),
      missingIn,
      missing: policy,
      memory,
      source,
      notes: told,
    });
    const [label, ids, batch] = TEXTS.map((role): TextColumn | undefined => {
      const values = texts[role];
      texts[role] = [];
      const name = names[roles.indexOf(role)];
      return name === undefined ? undefined : { name, values };
    });
    return { ...assembled, ...(label && { label }), ...(ids && { ids }), ...(batch && { batch }), source };
  };

  return {
    plan: {
      named: new Set(
        [options.label, options.id, options.batch, ...(options.ignore ?? []), ...categories(options)].filter(
          (name) => name !== undefined,
        ),
      ),
      records: options.categorical === "onehot" || options.roles !== undefined ? 1000 : 30,
      plan,
    },
    add,
    take() {
      refuseMissing(`set ${option("missing")} to "drop" to leave such rows out`);
      return store === undefined || store.rows === 0 ? undefined : part([]);
    },
    finish() {
      refuseMissing(`${option("missing")} can drop their rows or fill the cells`);
      const told = [...notes];
      if (dropped > 0) told.push(`${plural(dropped, "row")} with missing values dropped`);
      if (store === undefined || store.rows === 0) {
        throw inputError(
          dropped > 0 ? `${source}: every row has a missing value` : `${source} has no rows of data`,
        );
      }
      return { ...part(told), notes: told };
    },
  };
}

/** Rows at a time: they and their part of the store fit into the first-level cache. */
const TILE = 128;

const categories = ({ categorical }: FillOptions): readonly string[] =>
  Array.isArray(categorical) ? (categorical as readonly string[]) : [];

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

const NO_VALUES = new Float64Array(0);

/** Stands for a cell that is no value of its column. */
const WRONG = Infinity;

/** The value of each text of a column: a number, the code of a level, NaN if it is missing, or WRONG. */
function valuesOfTexts(
  { role, column }: Cells,
  levels: Map<string, number>,
  isFixed: boolean,
  decimal: string,
): Float64Array {
  const { texts, declared } = column ?? {};
  if (texts === undefined) return NO_VALUES;
  return Float64Array.from(texts, (text) => {
    if (role === "level") return isMissingWord(text) ? Number.NaN : levelCode(text, levels, isFixed);
    if (declared === "boolean" && (text === "true" || text === "false")) return Number(text === "true");
    const value = parseNumber(text.trim().replace(decimal, "."));
    if (value !== undefined) return value;
    return !INFINITE.test(text) && isMissing(text.trim()) ? Number.NaN : WRONG;
  });
}

function levelCode(level: string, levels: Map<string, number>, isFixed: boolean): number {
  const code = levels.get(level);
  if (code !== undefined) return code;
  if (isFixed) return WRONG;
  levels.set(level, levels.size);
  return levels.size - 1;
}

const isMissing = (text: string): boolean => isMissingWord(text) || isSoftMissingWord(text);

function isNumeric(text: string, decimal: string): boolean {
  return isMissing(text) || parseNumber(text.replace(decimal, ".")) !== undefined;
}

/** The error about a cell that is no value of its column. */
function refused({ role, column }: Cells, row: number, where: string): Error {
  const { codes, texts, vectors, numbers, declared } = column!;
  const code = codes?.[row] ?? -1;
  if (code < 0 && vectors !== undefined) return nested(where);
  if (code < 0)
    return notNumber(where, declared === "date" ? dateText(numbers![row]) : String(numbers![row]));
  if (role !== "level") return notNumber(where, texts![code]);
  return inputError(`${where}: ${quote(texts![code])} is not among the levels given`);
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

/** Writes `count` rows after those of the store; returns whether some number is not finite. */
function putRows(
  { block: given }: RawTable,
  features: readonly Cells[],
  values: readonly Float64Array[],
  from: number,
  count: number,
  { block, used, width }: RowStore,
): boolean {
  const isCopy = given !== undefined && given.width === width;
  if (isCopy) block.set(given.numbers.subarray(from * width, (from + count) * width), used);
  if (isCopy && !given.hasGaps) return false;
  let sum = 0; // NaN once a number is not finite
  for (let slot = 0; slot < width; slot++) {
    const { column, at, role } = features[slot];
    const { numbers, codes, texts, vectors, dimensions = 1, declared } = column ?? {};
    const wrong = vectors ?? (declared === "date" && role === "number" ? numbers : undefined);
    if (!isCopy && given !== undefined) {
      for (
        let i = 0, p = used + slot, q = from * given.width + at;
        i < count;
        i++, p += width, q += given.width
      ) {
        block[p] = given.numbers[q];
      }
    } else if (numbers !== undefined) {
      for (let i = from, p = used + slot; i < from + count; i++, p += width) {
        const value = numbers[i];
        sum += value - value;
        block[p] = value;
      }
    } else if (!isCopy) {
      for (let i = 0, p = used + slot; i < count; i++, p += width) block[p] = Number.NaN;
      sum = Number.NaN;
    }
    if (wrong !== undefined) {
      for (let i = from, p = used + slot; i < from + count; i++, p += width) {
        if (!Number.isNaN(wrong[i * dimensions])) block[p] = WRONG;
      }
      sum = Number.NaN;
    }
    if (codes === undefined || texts === undefined) continue;
    sum = Number.NaN;
    for (let i = from, p = used + slot; i < from + count; i++, p += width) {
      if (codes[i] >= 0) block[p] = values[slot][codes[i]];
    }
  }
  return given === undefined ? sum !== 0 : given.hasGaps;
}

/** Moves the rows without gaps together; returns their number. */
function compact({ block, used, width }: RowStore, isWhole: Uint8Array, from: number, count: number): number {
  let kept = 0;
  for (let i = 0; i < count; i++) {
    if (isWhole[from + i] === 0) continue;
    if (kept < i) block.copyWithin(used + kept * width, used + i * width, used + (i + 1) * width);
    kept++;
  }
  return kept;
}
