import { inputError } from "../core/internal.ts";
import type { Label, Labeling } from "../score/index.ts";

/** The rows of one label; null if it is missing. */
export interface LabelRows {
  readonly label: Label | null;
  readonly rows: number[];
}

/**
 * The rows of a batch by their label, as text: a number and its text are the same label, as in
 * `encodeLabels`. Without labels all rows are those of null.
 */
export function rowsByLabel(labels: Labeling | undefined, count: number): LabelRows[] {
  if (labels !== undefined && labels.length !== count) {
    throw inputError(`there are ${labels.length} labels for ${count} rows`);
  }
  const groups = new Map<string, LabelRows>();
  // One look-up a row: the label as it is written.
  const written = new Map<Labeling[number], LabelRows>();
  for (let i = 0; i < count; i++) {
    const label = labels === undefined ? null : labels[i];
    let group = written.get(label);
    if (group === undefined) {
      if (typeof label === "number" && !Number.isFinite(label)) {
        throw inputError(
          `the label of row ${i} (counted from 0) is ${label}; use -1, null or "" for unknown`,
        );
      }
      const text = String(label ?? "");
      group = groups.get(text) ?? { label: label === "" ? null : (label ?? null), rows: [] };
      groups.set(text, group);
      written.set(label, group);
    }
    group.rows.push(i);
  }
  return [...groups.values()];
}

/**
 * Rows of known class, rows labelled -1 and all others. They are counted separately: whether -1 is a class
 * (the classes are -1 and 1) or "unknown" is decided when all labels are known.
 */
export type Counted = "known" | "minusOne" | "unlabelled";
export const COUNTED: readonly Counted[] = ["known", "minusOne", "unlabelled"];

export function kindOf(label: Label | null): Counted {
  if (label === null || label === "") return "unlabelled";
  return String(label) === "-1" ? "minusOne" : "known";
}

/** The only class of unlabelled rows. */
export const UNLABELLED = "rows";
