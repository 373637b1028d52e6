/**
 * What all rows show beyond the sample that decided the columns: cells that do not fit their column's kind,
 * and new levels.
 */
import type { Note } from "../core/index.ts";
import { inputError, note } from "../core/internal.ts";
import type { ColumnRecord, Table } from "../data/index.ts";
import { isBeside } from "../data/internal.ts";

export interface RowChecks {
  /** Checks rows that were read by the sample's decisions, with `typeLike`. */
  add(rows: Table): void;
  /** Cells of a column that do not fit its kind, as counted by an engine. */
  addUnread(column: string, cells: number): void;
  /** Cells with a level that the sample lacks. */
  addUnknown(column: string, level: string, cells: number): void;
  /** @param rows of the whole */
  notes(rows: number): Note[];
  /** Refuses a column if most rows contradict the sample. */
  require(rows: number): void;
}

/**
 * A kind was decided by at least this share of the cells; if fewer of all cells fit it, the sample was
 * misleading.
 */
const LEAST_READ = 0.9;

export function rowChecks(records: readonly ColumnRecord[]): RowChecks {
  const kinds = new Map(records.map(({ name, kind }) => [name, kind]));
  const unread = new Map<string, number>();
  const unknown = new Map<string, Map<string, number>>();
  const addUnread = (name: string, cells: number): void => {
    if (cells > 0) unread.set(name, (unread.get(name) ?? 0) + cells);
  };
  const addUnknown = (name: string, level: string, cells: number): void => {
    const own = unknown.get(name) ?? new Map<string, number>();
    unknown.set(name, own.set(level, (own.get(level) ?? 0) + cells));
  };
  const misled = (rows: number): [string, number] | undefined =>
    [...unread].find(([, count]) => count > (1 - LEAST_READ) * rows);
  return {
    add({ columns, notes }) {
      for (const { name, kind, reading, levels, codes } of columns) {
        if (codes !== undefined && levels !== undefined) {
          const known = reading.levels?.length ?? levels.length;
          const told = levels.map(
            (level, k) => k >= known && !(kind === "ordered" && isBeside(reading.levels, level)),
          );
          for (const code of codes) if (told[code]) addUnknown(name, levels[code], 1);
        } else {
          const told = notes.find(({ code, column }) => code === `not-${kind}` && column === name);
          addUnread(name, told?.cells ?? 0);
        }
      }
    },
    addUnread,
    addUnknown,
    notes: (rows) => [
      ...Array.from(unread, ([name, count]) =>
        note(
          "unread",
          `column "${name}": ${count} of ${rows} cells are not read as ${kinds.get(name)} and count as missing`,
          { column: name, cells: count },
        ),
      ),
      ...Array.from(unknown, ([name, levels]) => {
        const count = [...levels.values()].reduce((sum, times) => sum + times, 0);
        const shown = [...levels.keys()].slice(0, 3).map((level) => `"${level}"`);
        return note(
          "unknown-level",
          `column "${name}": ${count} of ${rows} cells have levels that the sample lacks (${shown.join(", ")}); ` +
            "they say nothing",
          { column: name, cells: count },
        );
      }),
    ],
    require(rows) {
      const found = misled(rows);
      if (found === undefined) return;
      const [name, count] = found;
      throw inputError(
        `column "${name}": a sample of the rows was read as ${kinds.get(name)}, but ${count} of ${rows} cells do not fit; ` +
          `say what it is: --as ${name}=category`,
        { column: name },
      );
    },
  };
}
