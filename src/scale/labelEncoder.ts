import { inputError } from "../core/internal.ts";
import type { Label, Labeling } from "../score/index.ts";

/**
 * Rows of known class, rows labelled -1 and all others. They are counted separately: whether -1 is a class
 * (the classes are -1 and 1) or "unknown" is decided when all labels are known.
 */
export type Counted = "known" | "minusOne" | "unlabelled";
export const COUNTED: readonly Counted[] = ["known", "minusOne", "unlabelled"];

/** A label in its first spelling. */
export interface LabelEntry {
  readonly kind: Counted;
  readonly label: Label;
}

/**
 * The labels of a batch: `codes` are positions in `found`, the numbers of the entries, with `sizes` rows
 * each.
 */
export interface BatchLabels {
  readonly codes: Int32Array;
  readonly found: readonly number[];
  readonly sizes: readonly number[];
}

export interface LabelEncoder {
  /** All labels seen so far. */
  readonly entries: readonly LabelEntry[];
  /** The next call overwrites the codes. */
  encode(labels: Labeling | undefined, rows: number): BatchLabels;
}

/** The only class of unlabelled rows. */
export const UNLABELLED = "rows";

/** Numbers labels batch by batch, one look-up a row. A number and its text are one label, as in `encodeLabels`. */
export function labelEncoder(): LabelEncoder {
  const entries: LabelEntry[] = [];
  const known = new Map<Labeling[number], number>();
  const byText = new Map<string, number>();
  /** The position of each label in the current batch, or -1. */
  const places: number[] = [];
  let room = new Int32Array(0);
  const numberOf = (label: Labeling[number], row: number): number => {
    const entry = entryOf(label, row);
    const key = `${entry.kind} ${entry.label}`;
    let number = byText.get(key);
    if (number === undefined) {
      number = entries.push(entry) - 1;
      byText.set(key, number);
      places.push(-1);
    }
    known.set(label, number);
    return number;
  };
  return {
    entries,
    encode(labels, rows) {
      if (room.length < rows) room = new Int32Array(rows);
      const codes = room.subarray(0, rows);
      const found: number[] = [];
      const sizes: number[] = [];
      places.fill(-1);
      for (let i = 0; i < rows; i++) {
        const label = labels === undefined ? null : labels[i];
        const number = known.get(label) ?? numberOf(label, i);
        let place = places[number];
        if (place < 0) {
          places[number] = place = found.push(number) - 1;
          sizes.push(0);
        }
        codes[i] = place;
        sizes[place]++;
      }
      return { codes, found, sizes };
    },
  };
}

function entryOf(label: Labeling[number], row: number): LabelEntry {
  if (label === null || label === undefined || label === "") return { kind: "unlabelled", label: UNLABELLED };
  if (label === -1 || label === "-1") return { kind: "minusOne", label: "-1" };
  if (typeof label === "number" && !Number.isFinite(label)) {
    throw inputError(`the label of row ${row} (counted from 0) is ${label}; use -1, null or "" for unknown`);
  }
  return { kind: "known", label };
}
