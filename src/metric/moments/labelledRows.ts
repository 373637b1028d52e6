import { inputError } from "../../core/internal.ts";
import { takeRows, type Matrix } from "../../matrix/index.ts";
import { encodeLabels, type Label, type Labeling } from "../../score/index.ts";

/** The rows whose class is known, with their classes numbered 0 .. k-1. */
export interface LabelledRows {
  readonly rows: Matrix;
  readonly codes: Int32Array;
  readonly classes: readonly Label[];
  /** The rows of each class, ascending. */
  readonly members: readonly Int32Array[];
}

/** Methods that compare rows of different classes need two of them. */
export function labelledRows(method: string, X: Matrix, labels: Labeling): LabelledRows {
  if (labels.length !== X.rows) {
    throw inputError(`${method}: there are ${labels.length} labels for ${X.rows} rows`);
  }
  const { codes: all, classes } = encodeLabels(labels);
  if (classes.length < 2) {
    throw inputError(
      `${method} needs at least two classes, got ${classes.length === 0 ? "none" : `only "${classes[0]}"`}`,
    );
  }
  const known = Int32Array.from(all.keys()).filter((i) => all[i] >= 0);
  const codes = Int32Array.from(known, (i) => all[i]);
  const members = classes.map((_, c) => Int32Array.from(codes.keys()).filter((i) => codes[i] === c));
  return { rows: known.length === X.rows ? X : takeRows(X, known), codes, classes, members };
}
