import { inputError } from "../core/internal.ts";
import { isSparse, takeRows, type Matrix, type Sparse } from "../matrix/index.ts";
import { takeSparseRows } from "../matrix/internal.ts";
import { encodeLabels, requireLabels, type Label, type Labeling } from "./labels.ts";

/** The rows whose class is known, with their classes numbered 0 .. K-1. */
export interface KnownClasses {
  /** Row numbers, ascending. */
  readonly known: Int32Array;
  /** The class of each of them. */
  readonly codes: Int32Array;
  readonly classes: readonly Label[];
  /** Rows of each class. */
  readonly counts: Int32Array;
  /** The rows of each class, as places in `known`, ascending. */
  readonly members: readonly Int32Array[];
}

export interface LabelledRows<R extends Matrix | Sparse = Matrix> extends KnownClasses {
  readonly rows: R;
}

/** For methods that learn from classes: the rows of known class. `method` begins the messages. */
export function labelledRows<R extends Matrix | Sparse>(
  method: string,
  X: R,
  labels: Labeling,
): LabelledRows<R> {
  requireLabels(labels);
  if (labels.length !== X.rows) {
    throw inputError(`${method}: there are ${labels.length} labels for ${X.rows} rows`);
  }
  const classes = knownClasses(method, labels);
  const taken = isSparse(X) ? takeSparseRows : takeRows;
  const all = classes.known.length === X.rows;
  return { ...classes, rows: all ? X : (taken(X as never, classes.known) as R) };
}

/** At least two classes; the rows of no class are left out. */
export function knownClasses(method: string, labels: Labeling): KnownClasses {
  const { codes: all, classes } = encodeLabels(labels);
  requireTwoClasses(method, classes);
  const known = Int32Array.from(all.keys()).filter((i) => all[i] >= 0);
  const codes = known.map((i) => all[i]);
  const counts = new Int32Array(classes.length);
  for (const code of codes) counts[code]++;
  const members = Array.from(counts, (count) => new Int32Array(count));
  const filled = new Int32Array(classes.length);
  codes.forEach((code, at) => (members[code][filled[code]++] = at));
  return { known, codes, classes, counts, members };
}

export function requireTwoClasses(method: string, classes: readonly Label[]): void {
  if (classes.length >= 2) return;
  const found = classes.length === 0 ? "none" : `only "${classes[0]}"`;
  throw inputError(`${method} needs at least two classes, got ${found}`);
}
