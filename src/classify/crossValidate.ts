/** Accuracy of a fitting method on unseen rows: stratified cross-validation and repeated hold-out. */
import { asMatrix, takeRows, type Matrix, type MatrixLike } from "../matrix/index.ts";
import { random } from "../core/index.ts";
import {
  inputError,
  integer,
  progressGate,
  progressRule,
  real,
  required,
  resolveOptions,
  seedRule,
  type OptionsOf,
  type ProgressGate,
} from "../core/internal.ts";
import { encodeLabels, type Label, type Labeling } from "../score/index.ts";
import { holdout, stratifiedFolds, type Split } from "./strata.ts";

/**
 * Learns from rows and returns a predictor. Everything that is learned from data belongs in here, including
 * scaling and feature selection: a step on all rows would see the test rows.
 */
export type FitClassifier = (X: Matrix, labels: Label[]) => { predict(Y: Matrix): ArrayLike<Label> };

export interface Validation {
  /** Share of correct predictions in each tested part. */
  readonly accuracies: readonly number[];
  /** Their mean. */
  readonly accuracy: number;
  /** Their standard deviation (divisor m - 1), 0 for a single part. */
  readonly deviation: number;
  /** deviation / sqrt(m). Parts share training rows, so it is a guide, not an error bar for tests. */
  readonly standardError: number;
  readonly warnings: readonly string[];
}

export interface CrossValidation extends Validation {
  /** The prediction for each row while it was in the test part (of the last repeat); null without a class. */
  readonly predictions: readonly (Label | null)[];
}

const FOLD_RULES = {
  /** Default 10. */
  folds: integer({ min: 2, default: 10 }),
  /** Number of times that the rows are dealt; default 1. */
  repeats: integer({ min: 1, max: 10_000, default: 1 }),
  seed: seedRule,
  onProgress: progressRule,
};

export type CrossValidateOptions = OptionsOf<typeof FOLD_RULES>;

export function crossValidate(
  input: MatrixLike,
  labels: Labeling,
  fit: FitClassifier,
  options: CrossValidateOptions = {},
): CrossValidation {
  const X = asMatrix(input, "crossValidate");
  const { folds, repeats, seed, onProgress } = resolveOptions("crossValidate", options, FOLD_RULES);
  requireLabels("crossValidate", X, labels);
  const gate = progressGate(onProgress);
  const accuracies: number[] = [];
  const predictions: (Label | null)[] = Array.from({ length: X.rows }, () => null);
  let warnings: readonly string[] = [];
  for (let repeat = 0; repeat < repeats && !gate.stopped; repeat++) {
    const dealt = stratifiedFolds(labels, { folds, seed: drawn(seed, repeat) });
    warnings = dealt.warnings;
    for (const split of dealt.splits) {
      if (!announce(gate, "fold", accuracies.length, folds * repeats)) break;
      accuracies.push(test(X, labels, fit, split, predictions));
    }
  }
  return { ...summary(accuracies, folds * repeats, warnings), predictions };
}

const HOLDOUT_RULES = {
  /** Share of the rows to train on, between 0 and 1. */
  train: required(real({ above: 0, below: 1 })),
  /** Random splits; default 10. */
  repeats: integer({ min: 1, max: 10_000, default: 10 }),
  seed: seedRule,
  onProgress: progressRule,
};

export type RepeatedHoldoutOptions = OptionsOf<typeof HOLDOUT_RULES>;

/** Trains on one part of the rows and tests on the other, several times. */
export function repeatedHoldout(
  input: MatrixLike,
  labels: Labeling,
  fit: FitClassifier,
  options: RepeatedHoldoutOptions,
): Validation {
  const X = asMatrix(input, "repeatedHoldout");
  const { train, repeats, seed, onProgress } = resolveOptions("repeatedHoldout", options, HOLDOUT_RULES);
  requireLabels("repeatedHoldout", X, labels);
  const gate = progressGate(onProgress);
  const accuracies: number[] = [];
  let warnings: readonly string[] = [];
  for (let repeat = 0; repeat < repeats; repeat++) {
    if (!announce(gate, "split", repeat, repeats)) break;
    const split = holdout(labels, { train, seed: drawn(seed, repeat) });
    warnings = split.warnings;
    accuracies.push(test(X, labels, fit, split));
  }
  return summary(accuracies, repeats, warnings);
}

/** Share of rows whose predicted class is the known one; rows whose class is unknown do not count. */
export function correctShare(predicted: ArrayLike<Label>, labels: Labeling): number {
  if (predicted.length !== labels.length) {
    throw inputError(`correctShare: there are ${predicted.length} predictions for ${labels.length} labels`);
  }
  const { codes } = encodeLabels(labels);
  const known = Int32Array.from(codes.keys()).filter((i) => codes[i] >= 0);
  if (known.length === 0) throw inputError("correctShare: no row has a known class");
  return known.filter((i) => sameClass(predicted[i], labels[i] as Label)).length / known.length;
}

/** A number and its text are the same class, as in encodeLabels. */
function sameClass(a: Label, b: Label): boolean {
  return a === b || String(a) === String(b);
}

function test(
  X: Matrix,
  labels: Labeling,
  fit: FitClassifier,
  split: Split,
  predictions?: (Label | null)[],
): number {
  const of = (rows: Int32Array): Label[] => Array.from(rows, (i) => labels[i] as Label);
  const predicted = fit(takeRows(X, split.train), of(split.train)).predict(takeRows(X, split.test));
  if (predictions !== undefined) split.test.forEach((i, t) => (predictions[i] = predicted[t]));
  // Counted here: in a part whose rows all have class -1, correctShare could not know that -1 is a class.
  const correct = split.test.filter((i, t) => sameClass(predicted[t], labels[i] as Label));
  return correct.length / split.test.length;
}

function requireLabels(method: string, X: Matrix, labels: Labeling): void {
  if (labels.length !== X.rows) {
    throw inputError(`${method}: there are ${labels.length} labels for ${X.rows} rows`);
  }
}

/**
 * Seed of a repeat; the first is the given one, so one repeat equals the output of stratifiedFolds and
 * holdout.
 */
function drawn(seed: number, repeat: number): number {
  return repeat === 0
    ? seed
    : random(seed)
        .split()
        .integer(2 ** 30) *
        2 ** 20 +
        repeat;
}

function announce(gate: ProgressGate, part: string, done: number, total: number): boolean {
  return gate({ fraction: done / total, label: `${part} ${done + 1} of ${total}` });
}

function summary(accuracies: readonly number[], total: number, warnings: readonly string[]): Validation {
  const m = accuracies.length;
  if (m === 0) throw inputError("stopped before the first part was tested");
  const accuracy = accuracies.reduce((sum, value) => sum + value, 0) / m;
  const squares = accuracies.reduce((sum, value) => sum + (value - accuracy) ** 2, 0);
  const deviation = m > 1 ? Math.sqrt(squares / (m - 1)) : 0;
  return {
    accuracies,
    accuracy,
    deviation,
    standardError: deviation / Math.sqrt(m),
    warnings: m < total ? [...warnings, `stopped after ${m} of ${total} parts`] : warnings,
  };
}
