import { absentColumn, inputError, option, optionError } from "../../core/internal.ts";
import { MOST_COLUMNS } from "./budget.ts";
import type { ColumnRoles, ReadOptions } from "../table.ts";

/** The role of a column of the source. */
export const NUMERIC = 0;
export const CATEGORICAL = 1;
export const LABEL = 2;
export const ID = 3;
export const BATCH = 4;
export const IGNORED = 5;

export interface Roles {
  readonly names: readonly string[];
  /** The role of each column of the source. */
  readonly kinds: Uint8Array;
  /** The position of each column in a stored row, or -1. */
  readonly slots: Int32Array;
  /** The column of the source behind each position of a stored row. */
  readonly columns: readonly number[];
}

/**
 * Gives each column its role from the options `label`, `id`, `batch`, `ignore` and `categorical`, or from
 * `roles`.
 *
 * @param textColumns the columns that hold text, as far as is known; used by `categorical: "onehot"` and `roles`
 */
export function assignRoles(
  source: string,
  names: readonly string[],
  given: ReadOptions,
  textColumns: ReadonlySet<number>,
): Roles {
  const found = names.map((name, column) => ({ name, text: textColumns.has(column) }));
  const options: ColumnRoles = given.roles === undefined ? given : given.roles(found);
  const kinds = new Uint8Array(names.length);
  const taken = new Map<number, string>();
  const take = (asked: string, name: string, kind: number): void => {
    const column = findColumn(source, names, asked, name);
    const before = taken.get(column);
    if (before !== undefined) {
      throw optionError(
        `${source}: column "${name}" is named by both ${option(before)} and ${option(asked)}`,
      );
    }
    taken.set(column, asked);
    kinds[column] = kind;
  };
  if (options.label !== undefined) take("label", options.label, LABEL);
  if (options.id !== undefined) take("id", options.id, ID);
  if (options.batch !== undefined) take("batch", options.batch, BATCH);
  for (const name of options.ignore ?? []) take("ignore", name, IGNORED);
  if (options.categorical === "onehot") {
    for (const column of textColumns) if (kinds[column] === NUMERIC) kinds[column] = CATEGORICAL;
  } else if (Array.isArray(options.categorical)) {
    for (const name of options.categorical) take("categorical", name, CATEGORICAL);
  }

  const slots = new Int32Array(names.length).fill(-1);
  const columns: number[] = [];
  for (let column = 0; column < names.length; column++) {
    if (kinds[column] > CATEGORICAL) continue;
    slots[column] = columns.length;
    columns.push(column);
  }
  if (columns.length === 0) throw inputError(`${source}: no column is left to be a feature`);
  return { names, kinds, slots, columns };
}

function findColumn(source: string, names: readonly string[], asked: string, name: string): number {
  const column = names.indexOf(name);
  if (column < 0) {
    throw absentColumn(asked, name, source, names);
  }
  return column;
}

/** Fills in empty names (`c` and the position, from 0) and refuses equal ones. */
export function columnNames(source: string, cells: readonly string[], notes: string[]): string[] {
  if (cells.length > MOST_COLUMNS) throw inputError(`${source} has more than ${MOST_COLUMNS} columns`);
  const names = cells.map((cell, column) => (cell === "" ? `c${column}` : cell));
  const unnamed = names.filter((_, column) => cells[column] === "");
  if (unnamed.length > 0)
    notes.push(
      `${unnamed.length === 1 ? "the column without a name was" : "columns without a name were"} called ${unnamed.join(", ")}`,
    );
  const seen = new Map<string, number>();
  for (let column = 0; column < names.length; column++) {
    const before = seen.get(names[column]);
    if (before !== undefined) {
      throw inputError(
        `${source}: columns ${before + 1} and ${column + 1} are both named "${names[column]}"; rename one of them`,
      );
    }
    seen.set(names[column], column);
  }
  return names;
}
