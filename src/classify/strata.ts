/**
 * Splits of labelled rows that keep the shares of the classes: folds for cross-validation, and hold-out. Rows without a
 * class are in no part.
 */
import { random } from "../core/index.ts";
import {
  inputError,
  integer,
  noClass,
  real,
  required,
  resolveOptions,
  seedRule,
  type OptionsOf,
} from "../core/internal.ts";
import type { Labeling } from "../score/index.ts";
import { knownClasses } from "../score/internal.ts";
import { listed } from "./classifier.ts";

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
  folds: integer({ min: 2, default: 10 }),
  seed: seedRule,
};

export type FoldOptions = OptionsOf<typeof FOLD_RULES>;

/**
 * Deals the rows of each class, shuffled, to the folds in turn, so the sizes of folds and classes differ by
 * at most one row.
 */
export function stratifiedFolds(labels: Labeling, options: FoldOptions = {}): Folds {
  const { folds, seed } = resolveOptions("stratifiedFolds", options, FOLD_RULES);
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
  if (rare.length > 0) warnings.push(`classes with fewer rows than folds, absent from some: ${listed(rare)}`);
  if (single.length > 0) {
    warnings.push(`classes with one row, which are unknown while it is tested: ${listed(single)}`);
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
  train: required(real({ above: 0, below: 1 })),
  seed: seedRule,
};

export type HoldoutOptions = OptionsOf<typeof HOLDOUT_RULES>;

export interface Holdout extends Split {
  readonly warnings: readonly string[];
}

/**
 * One random split. Each class gives its share of rows, rounded to the right total; at least one row to each
 * part if it has two, and its only row to training if it has one.
 */
export function holdout(labels: Labeling, options: HoldoutOptions): Holdout {
  const { train: share, seed } = resolveOptions("holdout", options, HOLDOUT_RULES);
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
  if (single.length > 0) warnings.push(`classes with one row, which is never tested: ${listed(single)}`);
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
