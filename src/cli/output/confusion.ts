import { columns } from "./terminal.ts";
import { isUnknown, type Label } from "../../score/index.ts";

/** The confusion matrix: counts[known][predicted]. */
export interface Confusion {
  readonly classes: readonly string[];
  readonly counts: readonly (readonly number[])[];
}

/**
 * For the rows with a known class and a prediction; classes as text, in the order of `order`. A label -1 that
 * is not a class there is unknown.
 */
export function confusion(
  known: readonly string[],
  predicted: readonly (Label | null)[],
  order: readonly Label[],
): Confusion {
  const names = order.map(String);
  const further = known.filter((label) => !isUnknown(label) && !names.includes(label));
  const classes = [...names, ...new Set(further)];
  const place = new Map(classes.map((name, c) => [name, c]));
  const counts = classes.map(() => classes.map(() => 0));
  known.forEach((label, i) => {
    const from = place.get(label);
    const to = place.get(String(predicted[i]));
    if (from !== undefined && to !== undefined && predicted[i] !== null) counts[from][to]++;
  });
  return { classes, counts };
}

/** Share of the diagonal; undefined without rows. */
export function accuracyOf({ counts }: Confusion): number | undefined {
  const total = counts.flat().reduce((sum, count) => sum + count, 0);
  return total === 0 ? undefined : counts.reduce((sum, row, c) => sum + row[c], 0) / total;
}

/** The share of the largest class: the accuracy of a rule that uses no feature. */
export function largestShare({ counts }: Confusion): number {
  const sizes = counts.map((row) => row.reduce((sum, count) => sum + count, 0));
  return Math.max(...sizes) / sizes.reduce((sum, size) => sum + size, 0);
}

/** Known classes in rows, predicted ones in columns, and the share of each class that was found. */
export function confusionTable({ classes, counts }: Confusion): string[] {
  if (classes.length > MOST_CLASSES) {
    return [`(${classes.length} classes: --json has the table of known and predicted classes)`];
  }
  const lines = counts.map((row, c) => {
    const size = row.reduce((sum, count) => sum + count, 0);
    return [classes[c], ...row.map(String), size === 0 ? "" : percent(row[c] / size)];
  });
  return columns([["known \\ predicted", ...classes, "found"], ...lines]);
}

const MOST_CLASSES = 20;

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
