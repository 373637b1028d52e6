/**
 * Splits of labelled rows that keep the shares of the classes: folds for cross-validation, and hold-out. Rows without a
 * class are in no part.
 */
import { random, type OnProgress } from "../core/index.ts";
import { inputError, noClass, progressGate, rule } from "../core/internal.ts";
import { encodeLabels, type Labeling, type Label } from "../score/index.ts";
import { knownClasses, requireLabels } from "../score/internal.ts";
import { quotedLabels } from "./classifier.ts";
import { asMatrix, takeRows, type Matrix, type MatrixLike } from "../matrix/index.ts";
import { requireList } from "../matrix/internal.ts";

/** Row numbers, ascending. */
export interface Split {
  readonly train: Int32Array;
  readonly test: Int32Array;
}

export interface Folds {
  /** One per fold, which is the test part once. */
  readonly splits: readonly Split[];
  /** Classes that are not in every part. */
  readonly warnings: readonly string[];
}

const FOLD_RULES = {
  /** Parts; default 10. */
  folds: rule.integer({ min: 2, default: 10 }),
  seed: rule.seed,
};

export type FoldOptions = rule.OptionsOf<typeof FOLD_RULES>;

/**
 * Deals the rows of each class, shuffled, to the folds in turn, so the sizes of folds and classes differ by
 * at most one row.
 */
export function stratifiedFolds(labels: Labeling, options: FoldOptions = {}): Folds {
  const { folds, seed } = rule.resolveOptions("stratifiedFolds", options, FOLD_RULES);
  const { members, classes, known } = knownClasses("stratifiedFolds", labels);
  if (known.length < folds) {
    throw inputError(`stratifiedFolds: ${known.length} rows with a class cannot fill ${folds} folds`);
  }
  const stream = random(seed);
  const foldOf = new Int32Array(labels.length).fill(-1);
  let next = 0;
  for (const rows of members) {
    for (const at of stream.shuffle(rows)) foldOf[known[at]] = next++ % folds;
  }
  const rare = classes.filter((_, c) => members[c].length < folds);
  const single = classes.filter((_, c) => members[c].length === 1);
  const warnings = withoutClass(known.length, labels.length);
  if (rare.length > 0)
    warnings.push(`classes with fewer rows than folds, absent from some: ${quotedLabels(rare)}`);
  if (single.length > 0) {
    warnings.push(`classes with one row, which are unknown while it is tested: ${quotedLabels(single)}`);
  }
  const rowsWhere = (keep: (fold: number) => boolean): Int32Array =>
    Int32Array.from(foldOf.keys()).filter((i) => foldOf[i] >= 0 && keep(foldOf[i]));
  const splits = Array.from({ length: folds }, (_, k) => {
    const left = members.filter((rows) => rows.some((at) => foldOf[known[at]] !== k)).length;
    if (left < 2) {
      throw inputError(
        `stratifiedFolds: fold ${k + 1} of ${folds} leaves ${left} class to learn from; classes need more rows`,
      );
    }
    return { train: rowsWhere((fold) => fold !== k), test: rowsWhere((fold) => fold === k) };
  });
  return { splits, warnings };
}

const HOLDOUT_RULES = {
  /** Share of the rows to train on, between 0 and 1. */
  train: rule.required(rule.real({ above: 0, below: 1 })),
  seed: rule.seed,
};

export type HoldoutOptions = rule.OptionsOf<typeof HOLDOUT_RULES>;

export interface Holdout extends Split {
  readonly warnings: readonly string[];
}

/**
 * One random split. Each class gives its share of rows, rounded to the right total; at least one row to each
 * part if it has two, and its only row to training if it has one.
 */
export function holdout(labels: Labeling, options: HoldoutOptions): Holdout {
  const { train: share, seed } = rule.resolveOptions("holdout", options, HOLDOUT_RULES);
  const { members, classes, known, counts } = knownClasses("holdout", labels);
  const sizes = Array.from(counts);
  const taken = apportion(sizes, share, Math.round(share * known.length));
  const stream = random(seed);
  const train: number[] = [];
  const test: number[] = [];
  members.forEach((rows, c) => {
    stream.shuffle(rows).forEach((at, place) => (place < taken[c] ? train : test).push(known[at]));
  });
  if (test.length === 0) throw inputError("holdout: no class has a row to spare for the test part");
  const single = classes.filter((_, c) => sizes[c] === 1);
  const warnings = withoutClass(known.length, labels.length);
  if (single.length > 0)
    warnings.push(`classes with one row, which is never tested: ${quotedLabels(single)}`);
  return { train: Int32Array.from(train).sort(), test: Int32Array.from(test).sort(), warnings };
}

function withoutClass(known: number, rows: number): string[] {
  return known === rows ? [] : [noClass(rows - known, rows)];
}

/** Largest remainders within the bounds 1 and size - 1 (1 and 1 for a single row), as near to `total` as these allow. */
function apportion(sizes: readonly number[], share: number, total: number): number[] {
  const low = sizes.map(() => 1);
  const high = sizes.map((size) => Math.max(1, size - 1));
  const taken = sizes.map((size, c) => Math.min(high[c], Math.max(low[c], Math.floor(size * share))));
  for (;;) {
    const missing = total - taken.reduce((sum, count) => sum + count, 0);
    if (missing === 0) return taken;
    const step = Math.sign(missing);
    let best = -1;
    let most = 0;
    for (let c = 0; c < sizes.length; c++) {
      const moved = taken[c] + step;
      if (moved < low[c] || moved > high[c]) continue;
      const owed = step * (sizes[c] * share - taken[c]);
      if (best < 0 || owed > most) {
        best = c;
        most = owed;
      }
    }
    if (best < 0) return taken;
    taken[best] += step;
  }
}

/** Accuracy of a fitting method on unseen rows: stratified cross-validation and repeated hold-out. */

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

const CROSS_RULES = {
  ...FOLD_RULES,
  /** Number of times that the rows are dealt; default 1. */
  repeats: rule.integer({ min: 1, max: 10_000, default: 1 }),
  onProgress: rule.progress,
};

export type CrossValidateOptions = rule.OptionsOf<typeof CROSS_RULES>;

export function crossValidate(
  input: MatrixLike,
  labels: Labeling,
  fit: FitClassifier,
  options: CrossValidateOptions = {},
): CrossValidation {
  const X = asMatrix(input, "crossValidate");
  const { folds, repeats, seed, onProgress } = rule.resolveOptions("crossValidate", options, CROSS_RULES);
  requireOne("crossValidate", X, labels);
  const predictions: (Label | null)[] = Array.from({ length: X.rows }, () => null);
  const deal = (own: number) => stratifiedFolds(labels, { folds, seed: own });
  const plan = { repeats, parts: folds, seed, onProgress, label: "fold" };
  return { ...validated(plan, deal, (split) => test(X, labels, fit, split, predictions)), predictions };
}

/** Accuracies of the parts that `deal` makes anew in every repeat. */
function validated(
  plan: {
    readonly repeats: number;
    /** Of each repeat. */
    readonly parts: number;
    readonly seed: number;
    readonly label: string;
    readonly onProgress: OnProgress | undefined;
  },
  deal: (seed: number) => { readonly splits: readonly Split[]; readonly warnings: readonly string[] },
  accuracyOf: (split: Split) => number,
): Validation {
  const gate = progressGate(plan.onProgress);
  const total = plan.repeats * plan.parts;
  const accuracies: number[] = [];
  let warnings: readonly string[] = [];
  for (let repeat = 0; repeat < plan.repeats && !gate.stopped; repeat++) {
    const dealt = deal(drawn(plan.seed, repeat));
    warnings = dealt.warnings;
    for (const split of dealt.splits) {
      const done = accuracies.length;
      if (!gate({ fraction: done / total, label: `${plan.label} ${done + 1} of ${total}` })) break;
      accuracies.push(accuracyOf(split));
    }
  }
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

const REPEATED_RULES = {
  ...HOLDOUT_RULES,
  /** Random splits; default 10. */
  repeats: rule.integer({ min: 1, max: 10_000, default: 10 }),
  onProgress: rule.progress,
};

export type RepeatedHoldoutOptions = rule.OptionsOf<typeof REPEATED_RULES>;

/** Trains on one part of the rows and tests on the other, several times. */
export function repeatedHoldout(
  input: MatrixLike,
  labels: Labeling,
  fit: FitClassifier,
  options: RepeatedHoldoutOptions,
): Validation {
  const X = asMatrix(input, "repeatedHoldout");
  const { train, repeats, seed, onProgress } = rule.resolveOptions(
    "repeatedHoldout",
    options,
    REPEATED_RULES,
  );
  requireOne("repeatedHoldout", X, labels);
  const deal = (own: number) => {
    const split = holdout(labels, { train, seed: own });
    return { splits: [split], warnings: split.warnings };
  };
  const plan = { repeats, parts: 1, seed, onProgress, label: "split" };
  return validated(plan, deal, (split) => test(X, labels, fit, split));
}

/** Share of rows whose predicted class is the known one; rows whose class is unknown do not count. */
export function correctShare(predicted: ArrayLike<Label>, labels: Labeling): number {
  requireList(predicted, "the predictions");
  requireLabels(labels);
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

function requireOne(method: string, X: Matrix, labels: Labeling): void {
  requireLabels(labels);
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
