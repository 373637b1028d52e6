import type { Note } from "../core/index.ts";
import { machineMemory, note, option } from "../core/internal.ts";
import type { ClusteringMethod } from "../method/index.ts";

/** Number of rows of a sample; for slow methods, half of their limit. */
const DRAWN = 20_000;

/** The number of rows of a sample: as requested, or by the speed of the method. */
export function sampleSize({ needs }: ClusteringMethod, asked?: number): number {
  return asked ?? Math.min(DRAWN, Math.ceil((needs.rows ?? Infinity) / 2));
}

/** The number of rows that a method fits: all of them, or a sample. */
export function fittedRows(method: ClusteringMethod, rows: number, asked?: number): number {
  if (asked !== undefined) return Math.min(rows, asked);
  const { needs } = method;
  const room = needs.quadratic === true ? Math.sqrt(machineMemory() / 4) : Infinity; // half of the pairs, 8 bytes each
  return rows <= Math.min(needs.rows ?? Infinity, room) ? rows : Math.min(rows, sampleSize(method));
}

/** The note before a sample is fitted, and with the result: its number of rows, and the possible loss. */
export function sampleNote({ name }: { readonly name: string }, fitted: number, rows: number): Note {
  // A group with share p has fewer than a handful of rows in the sample with probability below 1 % if p n > 12.
  const least = Math.ceil((12 * rows) / fitted);
  const points = (200 * Math.sqrt(1 / 4 / fitted)).toFixed(1);
  return note(
    "sample",
    `${name} is fitted on a random sample of ${fitted} of ${rows} rows, and places the others: shares are accurate to ` +
      `${points} points, and a group of fewer than about ${least} rows may be missed (${option("sample")} draws more)`,
    { option: "sample" },
  );
}
