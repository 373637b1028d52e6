import { inputError, option, plural } from "../../core/internal.ts";
import type { Matrix } from "../../matrix/index.ts";
import { assemble } from "./assemble.ts";
import { anyBudget } from "./budget.ts";
import { parseNumber } from "./number.ts";
import { BATCH, CATEGORICAL, ID, IGNORED, LABEL, NUMERIC, type Roles } from "./roles.ts";
import { rowStore, type RowStore } from "./rowStore.ts";
import type { FillOptions, Missing, NumberTable } from "../table.ts";

/**
 * Gathers rows cell by cell, for any format, and knows the role of each column. Cells of numeric columns go
 * into the row store (NaN marks a missing one), levels of categorical columns as codes, labels and ids as
 * strings.
 */
export interface TableBuilder {
  readonly roles: Roles;
  readonly store: RowStore;
  /** Starts a row, or the same row again; `place` is the line or row number for errors. */
  begin(place: number): void;
  /** A cell as text, unquoted and trimmed. */
  text(column: number, value: string): void;
  /** A cell as a value of JSON, Parquet or Arrow. */
  value(column: number, value: unknown): void;
  end(): void;
  /**
   * The rows since the last call, which are discarded; undefined if there are none. Missing cells are
   * refused here.
   */
  take(): Part | undefined;
  finish(): NumberTable;
}

/** Number of rows taken before the end of the source. */
export type Part = Omit<NumberTable, "X" | "notes"> & { readonly X: Matrix };

/**
 * Number of values after which a reader yields its builder: a block that stays in the cache, and a chance to
 * stop.
 */
export const PART_VALUES: number = 1 << 17;

/** A reader: yields the builder whenever rows may be taken, and returns it at the end of the source. */
export type Filling = AsyncGenerator<TableBuilder, TableBuilder>;

export async function filled(filling: Filling): Promise<TableBuilder> {
  for (;;) {
    const { done, value } = await filling.next();
    if (done === true) return value;
  }
}

/** The facts about the source that the builder needs. */
export interface Origin {
  readonly source: string;
  /** The name of a position: a line of a file, or a row. */
  readonly unit: "line" | "row";
  readonly notes: string[];
  readonly options: FillOptions;
}

/** Maximum number of positions in an error. */
const SHOWN = 5;

export function tableBuilder(origin: Origin, roles: Roles): TableBuilder {
  const { source, unit, notes } = origin;
  const missingPolicy: Missing = origin.options.missing ?? "refuse";
  const { kinds, slots, names, columns } = roles;
  const memory = origin.options.memory ?? anyBudget;
  memory.require(8 * columns.length, `${source} has ${columns.length} columns`);
  const store = rowStore(columns.length);
  const fixed = origin.options.levels;
  const levels = columns.map(
    (column) => new Map((fixed?.[names[column]] ?? []).map((level, code) => [level, code])),
  );
  // Labels, ids and batches: the text of the current row, and of all rows.
  const texts = [LABEL, ID, BATCH].map((kind) => ({
    column: kinds.indexOf(kind),
    current: "",
    all: [] as string[],
  }));
  const missingIn = new Int32Array(columns.length);
  const positions: string[] = [];
  const interned = new Map<string, string>(); // a label that comes a million times is one string
  let missingCells = 0;
  const rowMissing = new Int32Array(columns.length); // counted at the end of the row, which may be read twice
  let missingInRow = 0;
  let dropped = 0;
  let place = 0;

  const where = (column: number): string => `${unit} ${place}, column "${names[column]}"`;
  const put = (column: number, number: number): void => {
    store.block[store.used + slots[column]] = number;
  };
  const missing = (column: number): void => {
    rowMissing[missingInRow++] = column;
    put(column, Number.NaN);
  };
  const countMissing = (): void => {
    missingCells += missingInRow;
    for (let k = 0; k < missingInRow; k++) {
      missingIn[slots[rowMissing[k]]]++;
      if (positions.length < SHOWN) positions.push(where(rowMissing[k]));
    }
  };
  const number = (column: number, value: number, spelled: string): void => {
    if (!Number.isFinite(value)) {
      throw inputError(`${source} ${where(column)}: ${spelled} is not a finite number`);
    }
    put(column, value);
  };
  const level = (column: number, value: string): void => {
    const known = levels[slots[column]];
    let code = known.get(value);
    if (code === undefined) {
      if (fixed !== undefined) {
        throw inputError(`${source} ${where(column)}: ${quote(value)} is not among the levels given`);
      }
      known.set(value, (code = known.size));
    }
    put(column, code);
  };
  const numeric = (column: number, value: string): void => {
    if (isMissing(value)) return missing(column);
    const parsed = parseNumber(value);
    if (parsed !== undefined) return number(column, parsed, value);
    if (INFINITE.test(value)) throw inputError(`${source} ${where(column)}: ${value} is not a finite number`);
    throw inputError(
      `${source} ${where(column)}: ${quote(value)} is not a number; ` +
        `give the column to ${option("label")}, ${option("ignore")} or ${option("categorical")} if it is meant to be text`,
    );
  };
  const intern = (value: string): string => {
    const known = interned.get(value);
    if (known === undefined) interned.set(value, value);
    return known ?? value;
  };
  const text = (column: number, value: string): void => {
    switch (kinds[column]) {
      case NUMERIC:
        return numeric(column, value);
      case CATEGORICAL:
        return isMissing(value) ? missing(column) : level(column, value);
      case LABEL:
      case ID:
      case BATCH:
        texts[kinds[column] - LABEL].current = value;
    }
  };

  const dateText = (date: Date, column: number): string => {
    if (!Number.isNaN(date.getTime())) return date.toISOString();
    throw inputError(`${source} ${where(column)}: a date that is out of range`);
  };

  const refuseMissing = (remedy: string): void => {
    if (missingCells === 0 || missingPolicy !== "refuse") return;
    const more = missingCells > positions.length ? ` and ${missingCells - positions.length} more` : "";
    throw inputError(
      `${source}: ${plural(missingCells, "missing value")}: ${positions.join("; ")}${more}; ${remedy}`,
    );
  };
  const part = (told: string[]): Part => {
    const features = assemble(store, {
      names: columns.map((column) => names[column]),
      levels: columns.map((column, slot) => (kinds[column] === CATEGORICAL ? levels[slot] : undefined)),
      missingIn,
      missing: missingPolicy,
      memory,
      source,
      notes: told,
    });
    const [label, ids, batch] = texts.map((text) => {
      const values = text.all;
      text.all = [];
      return text.column < 0 ? undefined : { name: names[text.column], values };
    });
    return { ...features, ...(label && { label }), ...(ids && { ids }), ...(batch && { batch }), source };
  };

  return {
    roles,
    store,
    begin(at) {
      place = at;
      missingInRow = 0;
      for (const text of texts) text.current = "";
      if (store.used + store.width > store.block.length) {
        store.turn();
        memory.require(8 * store.rows * store.width, `${source} ${unit} ${place}`);
      }
    },
    text,
    value(column, value) {
      const kind = kinds[column];
      if (kind === NUMERIC && typeof value === "number") {
        if (Number.isNaN(value)) missing(column);
        else number(column, value, String(value));
      } else if (value === null || value === undefined) {
        text(column, "");
      } else if (kind === NUMERIC && (typeof value === "boolean" || typeof value === "bigint")) {
        put(column, Number(value));
      } else if (typeof value === "object" && !(value instanceof Date)) {
        if (kind !== IGNORED) {
          throw inputError(
            `${source} ${where(column)}: a nested value; ${option("ignore")} would leave it out`,
          );
        }
      } else {
        const spelled = value instanceof Date ? dateText(value, column) : String(value as string);
        text(column, kind === LABEL || kind === BATCH ? intern(spelled) : spelled);
      }
    },
    end() {
      if (missingInRow > 0) {
        if (missingPolicy === "drop") {
          dropped++;
          return;
        }
        countMissing();
      }
      store.used += store.width;
      for (const { column, current, all } of texts) if (column >= 0) all.push(current);
    },
    take() {
      refuseMissing(`set ${option("missing")} to "drop" to leave such rows out`);
      return store.rows === 0 ? undefined : part([]);
    },
    finish() {
      refuseMissing(`${option("missing")} can drop their rows or fill the cells`);
      if (dropped > 0) notes.push(`${plural(dropped, "row")} with missing values dropped`);
      if (store.rows === 0) {
        throw inputError(
          dropped > 0 ? `${source}: every row has a missing value` : `${source} has no rows of data`,
        );
      }
      return { ...part(notes), notes };
    },
  };
}

const MISSING = /^(?:na|n\/a|nan|null|none|\?)?$/i;
const INFINITE = /^[+-]?inf(?:inity)?$/i;

function isMissing(text: string): boolean {
  return text.length <= 4 && MISSING.test(text);
}

/** Whether a cell is a number or a mark for one; a column of such cells is numeric. */
export function isNumeric(text: string): boolean {
  return isMissing(text) || INFINITE.test(text) || parseNumber(text) !== undefined;
}

/** Text in an error: quoted and short. */
function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text);
}
