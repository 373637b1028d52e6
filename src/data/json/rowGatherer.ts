import type { Note } from "../../core/index.ts";
import { inputError } from "../../core/internal.ts";
import { uniqueNames } from "../cells/columnNames.ts";
import { refuseMoreRows } from "../files/budget.ts";
import type { CellOptions, RawTable } from "../cells/rawColumn.ts";
import { valueStore, type ValueStore } from "./valueStore.ts";

interface RowGatherer {
  readonly rows: number;
  /** @param line of the file */
  add(row: unknown, place: string, line?: number): void;
  /** A whole column instead: then all columns come so, and have `rows` values. */
  addColumn(name: string, rows: number, at: (row: number) => unknown): void;
  finish(): RawTable;
}

/**
 * Rows that name their columns; a field that appears later is empty in the rows before.
 *
 * @param expected the number of rows, where it is known
 */
export function rowGatherer(source: string, options: CellOptions, expected?: number): RowGatherer {
  const stores = new Map<string, ValueStore>();
  let rows = 0;
  let arrays: boolean | undefined;
  let width = 0;
  const lines: number[] = [];
  const put = (name: string, value: unknown): void => {
    // An object in a cell becomes separate columns: address.city
    if (isRecord(value)) {
      for (const [key, inner] of Object.entries(value)) put(`${name}.${key}`, inner);
      return;
    }
    let store = stores.get(name);
    if (store === undefined) {
      if (stores.size >= MOST_COLUMNS) throw inputError(`${source} has more than ${MOST_COLUMNS} columns`);
      stores.set(name, (store = valueStore(name, options, undefined, expected)));
    }
    store.add(rows, value);
  };
  return {
    get rows() {
      return rows;
    },
    add(row, place, line) {
      if (line !== undefined) lines.push(line);
      if (typeof row !== "object" || row === null) {
        throw inputError(`${source} ${place}: expected an object or an array`);
      }
      const isArray = Array.isArray(row);
      arrays ??= isArray;
      if (isArray !== arrays) throw inputError(`${source} ${place}: objects and arrays are mixed`);
      if (isArray) {
        if (rows === 0) width = row.length;
        if (width > MOST_COLUMNS) throw inputError(`${source} has more than ${MOST_COLUMNS} columns`);
        if (row.length !== width) {
          throw inputError(`${source} ${place}: expected ${width} values, found ${row.length}`);
        }
        for (let j = 0; j < row.length; j++) put(`c${j}`, row[j]);
      } else {
        for (const name in row) put(name, (row as Record<string, unknown>)[name]);
      }
      rows++;
      // A field that appears late has room for all rows before it: many such fields outgrow the rows.
      if (rows % GUARDED === 0) guard(source, stores, options, place);
    },
    addColumn(name, count, at) {
      arrays = false;
      for (rows = 0; rows < count; rows++) put(name, at(rows));
      guard(source, stores, options, `row ${rows}`);
    },
    finish() {
      if (rows === 0) throw inputError(`${source} has no rows of data`);
      const notes: Note[] = [];
      const headings = [...stores.keys()];
      const names = uniqueNames(headings, notes, source);
      const columns = [...stores.values()].map((store, j) => ({ ...store.finish(rows), name: names[j] }));
      return {
        source,
        rows,
        columns,
        notes,
        headings,
        open: arrays === false,
        ...(lines.length > 0 && { lineOf: (row: number) => lines[row] }),
      };
    },
  };
}

/** Fields by name; a date, an array or a map is one value. */
function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const made: unknown = Object.getPrototypeOf(value);
  return made === Object.prototype || made === null;
}

const MOST_COLUMNS = 100_000;
/** Rows after which the memory of the columns is added up. */
const GUARDED = 1024;

/** Stores double as they grow: the current memory may soon be needed twice. */
export function guard(
  source: string,
  stores: ReadonlyMap<string, ValueStore>,
  options: CellOptions,
  place: string,
): void {
  let held = 0;
  let most = 0;
  let largest: string | undefined;
  for (const [name, { bytes }] of stores) {
    held += bytes;
    if (bytes > most) {
      most = bytes;
      largest = name;
    }
  }
  refuseMoreRows(source, place, held * 2, options, largest);
}
