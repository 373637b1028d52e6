import { form, inputError, noClass, softmax, listed } from "../core/internal.ts";
import { asMatrix, matrix, type Matrix, type MatrixLike } from "../matrix/index.ts";
import { requireFinite } from "../matrix/internal.ts";
import type { Label, Labeling } from "../score/index.ts";
import { labelledRows, requireTwoClasses } from "../score/internal.ts";

/** The result of every method of this room: a fitted rule from rows to classes. */
export interface Classifier<D extends ClassifierData = ClassifierData> {
  readonly method: D["method"];
  /** The classes of training, in the order of the columns of `probabilities`. */
  readonly classes: readonly Label[];
  /** Number of columns that new rows must have. */
  readonly features: number;
  readonly warnings: readonly string[];
  /** The class of each row. */
  predict(Y: MatrixLike): Label[];
  /** One row per row of Y, one column per class; rows sum to 1. Absent if the method has none. */
  probabilities?(Y: Matrix): Matrix;
  /** Plain data from which `loadClassifier` restores the classifier. */
  toJSON(): D;
  /** The same: a classifier is its own model. */
  model(): D;
}

/** The common part of every stored model. */
export const classifierFields = {
  method: form.text(),
  /** At least two different names or numbers. */
  classes: form.where(form.list(form.textOr(form.number()), "classes"), (classes, refuse) => {
    if (classes.length < 2 || new Set(classes).size < classes.length) {
      throw refuse("", "must be different names or numbers, two or more");
    }
  }),
  features: form.size("features", { min: 1 }),
  warnings: form.list(form.text()),
};

export interface ClassifierData extends form.StoredFields<typeof classifierFields> {}

/** The fit of one machine of a classifier. */
export const machineFields = {
  objective: form.number(),
  gap: form.number(),
  iterations: form.unchecked<number>(),
  converged: form.unchecked<boolean>(),
};

type Outcome = Pick<form.StoredFields<typeof machineFields>, "objective" | "iterations" | "converged">;

/** The fit of several machines as one. */
export function outcomeOf(machines: readonly Outcome[]): Outcome {
  return {
    objective: machines.reduce((sum, fit) => sum + fit.objective, 0),
    iterations: machines.reduce((sum, fit) => sum + fit.iterations, 0),
    converged: machines.every((fit) => fit.converged),
  };
}

/** Rows whose class is known, with the classes numbered 0 .. K-1. */
export interface TrainingRows {
  readonly X: Matrix;
  readonly codes: Int32Array;
  readonly classes: readonly Label[];
  /** Rows of each class. */
  readonly counts: Int32Array;
  readonly warnings: string[];
}

/** Checks the training rows of a classifier; rows without a class are left out and counted. */
export function trainingRows(method: string, input: MatrixLike, labels: Labeling): TrainingRows {
  const X = asMatrix(input, method);
  if (X.rows > 0 && X.cols === 0) throw inputError(`${method}: the training rows have no columns`);
  requireFinite(X, "the training data");
  const { rows, codes, classes, counts } = labelledRows(method, X, labels);
  return { X: rows, codes, classes, counts, warnings: checkClasses(method, classes, counts, X.rows) };
}

/**
 * Refuses fewer than two classes, and returns warnings about rows and classes.
 *
 * @param total rows, with those of no class
 */
export function checkClasses(
  method: string,
  classes: readonly Label[],
  counts: ArrayLike<number>,
  total: number,
): string[] {
  requireTwoClasses(method, classes);
  const single = classes.filter((_, c) => counts[c] === 1);
  const unknown = Array.from(counts).reduce((left, count) => left - count, total);
  const warnings = unknown > 0 ? [noClass(unknown, total)] : [];
  if (single.length > 0) {
    warnings.push(`${single.length === 1 ? "class" : "classes"} with one row only: ${quotedLabels(single)}`);
  }
  return warnings;
}

/** Checks rows to be classified. */
export function newRows(method: string, input: MatrixLike, features: number): Matrix {
  const Y = asMatrix(input, method);
  if (Y.cols !== features) {
    throw inputError(`${method} was trained on ${features} columns, the new rows have ${Y.cols}`);
  }
  requireFinite(Y, "the new data");
  return Y;
}

/** The class of the largest entry of each row; the first of equal ones. */
export function largestOf(scores: Matrix, classes: readonly Label[]): Label[] {
  const { rows, cols, data } = scores;
  return Array.from({ length: rows }, (_, i) => {
    let best = 0;
    for (let c = 1; c < cols; c++) if (data[i * cols + c] > data[i * cols + best]) best = c;
    return classes[best];
  });
}

/** Names for a message; only the first few if there are many. */
export function quotedLabels(names: readonly Label[]): string {
  return listed(
    names.map((name) => `"${name}"`),
    5,
  );
}

/**
 * From log p(y, x) to p(y | x), in place, by the log-sum-exp of each row: the largest class never underflows,
 * for any number of features.
 */
export function normalizeLogJoint(joint: Matrix): Matrix {
  softmax(joint.data, joint.cols);
  return joint;
}

/** One row of log priors for each row to classify. */
export function startFrom(logPriors: ArrayLike<number>, rows: number): Matrix {
  const joint = matrix(rows, logPriors.length);
  for (let i = 0; i < rows; i++) joint.data.set(logPriors, i * logPriors.length);
  return joint;
}

/** log(n_c / n). */
export function logFrequencies(counts: ArrayLike<number>): Float64Array {
  const total = Array.from(counts).reduce((sum, count) => sum + count, 0);
  return Float64Array.from(counts, (count) => Math.log(count / total));
}
