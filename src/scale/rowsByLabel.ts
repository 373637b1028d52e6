import { inputError } from "../core/internal.ts";
import type { Label, Labeling } from "../score/index.ts";

/** The rows of one label; null if it is missing. */
export interface LabelRows {
  readonly label: Label | null;
  readonly rows: number[];
}

/**
 * The rows of a batch by their label, as text: a number and its text are the same label, as in
 * `encodeLabels`. Rows labelled -1 are kept separate: whether that is a class is decided when all labels are
 * known.
 */
export function rowsByLabel(labels: Labeling, count: number): Map<string, LabelRows> {
  if (labels.length !== count) throw inputError(`there are ${labels.length} labels for ${count} rows`);
  const groups = new Map<string, LabelRows>();
  for (let i = 0; i < count; i++) {
    const label = labels[i] ?? "";
    if (typeof label === "number" && !Number.isFinite(label)) {
      throw inputError(`the label of row ${i} (counted from 0) is ${label}; use -1, null or "" for unknown`);
    }
    const group = groups.get(String(label));
    if (group === undefined) groups.set(String(label), { label: label === "" ? null : label, rows: [i] });
    else group.rows.push(i);
  }
  return groups;
}
