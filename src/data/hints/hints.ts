import { option, optionError } from "../../core/internal.ts";
import type { Pair } from "../constraints.ts";

/** Two rows belong together, or do not. */
export interface PairHint {
  readonly a: number;
  readonly b: number;
  readonly same: boolean;
  /**
   * Certainty, above 0; 1 if absent. If two hints contradict each other, the one with less weight is set
   * aside.
   */
  readonly weight?: number;
}

/** The name of a row's cluster. */
export interface LabelHint {
  readonly row: number;
  readonly label: string;
}

/** A row does not belong in the cluster of this name, or not with any of these rows. */
export interface NotHint {
  readonly row: number;
  readonly label?: string;
  readonly rows?: readonly number[];
}

/** A person's knowledge about some rows, counted from 0: plain data. */
export interface Hints {
  readonly pairs: readonly PairHint[];
  /** Rows that belong together. */
  readonly groups: readonly (readonly number[])[];
  readonly labels: readonly LabelHint[];
  readonly not: readonly NotHint[];
  /** Skipped pairs: they are not asked about again. */
  readonly skipped?: readonly Pair[];
}

/** The number of statements in hints; skipped pairs do not count. */
export function hintCount({ pairs, groups, labels, not }: Hints): number {
  return pairs.length + groups.length + labels.length + not.length;
}

/** Absent parts of hints are empty. */
export function fillHints(hints: Partial<Hints>): Hints {
  requireHints(hints);
  const { pairs = [], groups = [], labels = [], not = [], skipped } = hints;
  return { pairs, groups, labels, not, ...(skipped !== undefined && { skipped }) };
}

/** JavaScript callers may pass anything. */
function requireHints(hints: unknown): void {
  const parts = ["pairs", "groups", "labels", "not", "skipped"];
  const isObject = typeof hints === "object" && hints !== null && !Array.isArray(hints);
  const wrong = isObject
    ? Object.entries(hints).find(([name, list]) => !(parts.includes(name) && Array.isArray(list ?? [])))
    : ["", ""];
  if (wrong === undefined) return;
  throw optionError(
    `${option("hints")} must be hints of readHints, lists of ${parts.join(", ")}` +
      (isObject ? `; "${wrong[0]}" is none of these` : ""),
  );
}

/** The text for `readHints`, by row numbers or by ids; pairs in their given order. */
export function writeHints(hints: Partial<Hints>, ids?: readonly string[]): string {
  const { pairs, groups, labels, not, skipped = [] } = fillHints(hints);
  const row = (i: number): string => (ids === undefined ? String(i) : quoted(ids[i]));
  const lines = ["a,b,hint"];
  for (const { a, b, same } of pairs) lines.push(`${row(a)},${row(b)},${same ? "same" : "different"}`);
  for (const [a, b] of skipped) lines.push(`${row(a)},${row(b)},skip`);
  for (const group of groups) {
    if (group.length === 2) lines.push(`${row(group[0])},${row(group[1])},same`);
    else if (group.length > 2) lines.push(`${group.map(row).join(",")},same`);
  }
  for (const { row: i, label } of labels) lines.push(`${row(i)},${quoted(label)}`);
  for (const { row: i, label, rows = [] } of not) {
    if (label !== undefined) lines.push(`${row(i)},${quoted(label)},not`);
    for (const other of rows) lines.push(`${row(i)},${row(other)},different`);
  }
  return `${lines.join("\n")}\n`;
}

function quoted(text: string): string {
  return /[",;\t\r\n]|^\s|\s$|^$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
