/**
 * Naive Bayes for discrete features with Laplace (Lidstone) smoothing:
 *
 *     log p(y = c, x) = log(n_c / n) + sum_f log[ (n_cfv + a) / (n_c + a L_f) ],   v = x_f
 *
 * where n_cfv rows of class c have value v in feature f, which takes L_f values. A new row may hold a value
 * that training lacks; it carries no information in any class, so this cell is left out of the sum.
 */
import type { Matrix, MatrixLike } from "../matrix/index.ts";
import { form, inputError, plain, rule } from "../core/internal.ts";
import type { Label, Labeling } from "../score/index.ts";
import type { LevelCounts } from "../select/index.ts";
import { occupiedClasses, tablesOfCounts } from "../select/internal.ts";
import {
  checkClasses,
  classifierFields,
  largestOf,
  logFrequencies,
  newRows,
  normalizeLogJoint,
  startFrom,
  trainingRows,
  type Classifier,
} from "./classifier.ts";

export const discreteNaiveBayesOptions = {
  /** a, the rows added to every count; default 1 (Laplace). */
  smoothing: rule.real({ above: 0, default: 1, says: "rows added to every count" }),
  /**
   * The possible values of every feature, if training rows may lack some; default: the values in the
   * training rows.
   */
  levels: rule.given<ArrayLike<number>>(
    "an array of finite numbers",
    (value) =>
      (Array.isArray(value) || ArrayBuffer.isView(value)) &&
      Array.from(value as ArrayLike<number>).every(Number.isFinite),
  ),
};

export type DiscreteNaiveBayesOptions = rule.OptionsOf<typeof discreteNaiveBayesOptions>;

const discreteForm = form.where(
  form.record({
    ...classifierFields,
    method: form.choice("discreteNaiveBayes"),
    logPriors: form.numbers("classes", { max: 0 }),
    /** The values of each feature, ascending. */
    levels: form.list(form.asStored(form.numbers()), "features"),
    /** log p(x_f = v | c): feature by feature, value by value, class by class. */
    logLikelihoods: form.numbers(undefined, { max: 0 }),
  }),
  ({ classes, levels, logLikelihoods }, refuse) => {
    const unordered = levels.findIndex((own) => own.some((value, v) => v > 0 && value <= own[v - 1]));
    if (unordered >= 0) throw refuse(`levels[${unordered}]`, "does not ascend");
    const count = classes.length * levels.reduce((sum, own) => sum + own.length, 0);
    if (logLikelihoods.length !== count) {
      throw refuse("logLikelihoods", `has ${logLikelihoods.length} entries where ${count} belong`);
    }
  },
);

export interface DiscreteNaiveBayesData extends form.StoredOf<typeof discreteForm> {}

export interface DiscreteNaiveBayes extends Classifier<DiscreteNaiveBayesData> {
  /** The values of each feature, ascending. */
  readonly levels: readonly (readonly number[])[];
  probabilities(Y: MatrixLike): Matrix;
}

const METHOD = "discreteNaiveBayes";

export function discreteNaiveBayes(
  input: MatrixLike,
  labels: Labeling,
  options: DiscreteNaiveBayesOptions = {},
): DiscreteNaiveBayes {
  const { smoothing: a, levels: common } = rule.resolveOptions(METHOD, options, discreteNaiveBayesOptions);
  const { X: rows, codes, classes, counts, warnings } = trainingRows(METHOD, input, labels);
  const d = rows.cols;
  const K = classes.length;
  const shared = common === undefined ? undefined : distinct(common);
  const levels: number[][] = [];
  const tables: Float64Array[] = [];
  const column = new Float64Array(rows.rows);
  for (let f = 0; f < d; f++) {
    for (let i = 0; i < column.length; i++) column[i] = rows.data[i * d + f];
    const values = shared ?? distinct(column);
    if (shared === undefined) requireDiscrete(values, f, column.length);
    levels.push(values);
    const table = new Float64Array(values.length * K);
    const indexOf = new Map(values.map((value, v) => [value, v]));
    for (let i = 0; i < column.length; i++) {
      const v = indexOf.get(column[i]);
      if (v === undefined) {
        throw inputError(
          `${METHOD}: ${column[i]} in row ${i}, column ${f} (counted from 0) is not one of the given levels`,
        );
      }
      table[v * K + codes[i]]++;
    }
    tables.push(table);
  }
  return fromTables({ classes, counts, levels, tables, warnings }, a);
}

/**
 * The same from counts (`levelCounts`), of rows that need not be in memory. The levels must be the values
 * themselves (`discretize: "given"`), because new rows are looked up by value; counts of pairs are not
 * needed.
 */
export function discreteNaiveBayesFromCounts(
  levelCounts: LevelCounts,
  options: Pick<DiscreteNaiveBayesOptions, "smoothing"> = {},
): DiscreteNaiveBayes {
  const method = "discreteNaiveBayesFromCounts";
  const { smoothing: a } = rule.resolveOptions(method, options, OF_COUNTS);
  const { discretization, rows, unlabelled } = levelCounts;
  if (discretization.kind !== "given") {
    throw inputError(
      `${method}: the counts are of intervals ("${discretization.kind}"); count the values themselves, by a scheme of ` +
        `discretize: "given", or use gaussianNaiveBayes`,
    );
  }
  const d = discretization.columns.length;
  if (d === 0) throw inputError(`${method}: there are no columns`);
  const { classes, sizes } = occupiedClasses(levelCounts);
  const warnings = checkClasses(method, classes, sizes, rows + unlabelled);
  const { joint } = tablesOfCounts(levelCounts);
  const tables = discretization.columns.map((_, f) => joint(f, d));
  return fromTables({ classes, counts: sizes, levels: discretization.cuts, tables, warnings }, a);
}

const OF_COUNTS = { smoothing: discreteNaiveBayesOptions.smoothing };

interface ValueCounts {
  readonly classes: readonly Label[];
  /** Rows of each class. */
  readonly counts: ArrayLike<number>;
  readonly levels: readonly (readonly number[])[];
  /** n_cfv of each feature: value by value, class by class. */
  readonly tables: readonly ArrayLike<number>[];
  readonly warnings: string[];
}

function fromTables(
  { classes, counts, levels, tables, warnings }: ValueCounts,
  a: number,
): DiscreteNaiveBayes {
  const d = levels.length;
  const K = classes.length;
  const logLikelihoods = tables.flatMap((table, f) =>
    Array.from(table, (count, p) => Math.log((count + a) / (counts[p % K] + a * levels[f].length))),
  );
  const constant = levels.filter((values) => values.length === 1).length;
  if (constant > 0) warnings.push(`${constant} of ${d} columns are constant and have no influence`);
  return assemble({
    classes,
    features: d,
    warnings,
    logPriors: logFrequencies(counts),
    levels,
    logLikelihoods: Float64Array.from(logLikelihoods),
  });
}

export function loadDiscreteNaiveBayes(data: DiscreteNaiveBayesData): DiscreteNaiveBayes {
  return assemble(form.load(discreteForm, data, "the classifier"));
}

type Parts = Omit<form.LoadedOf<typeof discreteForm>, "method">;

function assemble(parts: Parts): DiscreteNaiveBayes {
  const { classes, features: d, warnings, levels, logPriors, logLikelihoods: table } = parts;
  const K = classes.length;
  // The start of each value's K entries.
  let offset = 0;
  const starts = levels.map((values) => new Map(values.map((value) => [value, K * offset++])));
  const logJoint = (input: MatrixLike): Matrix => {
    const Y = newRows(METHOD, input, d);
    const joint = startFrom(logPriors, Y.rows);
    for (let f = 0; f < d; f++) {
      const start = starts[f];
      if (start.size === 1) continue; // L_f = 1: probability 1 in every class
      for (let i = 0; i < Y.rows; i++) {
        const from = start.get(Y.data[i * d + f]);
        if (from === undefined) continue;
        for (let c = 0; c < K; c++) joint.data[i * K + c] += table[from + c];
      }
    }
    return joint;
  };
  return plain({
    method: METHOD,
    classes,
    features: d,
    warnings,
    levels,
    predict: (Y) => largestOf(logJoint(Y), classes),
    probabilities: (Y) => normalizeLogJoint(logJoint(Y)),
    toJSON: () => discreteForm.save({ ...parts, method: METHOD }),
  });
}

function distinct(values: ArrayLike<number>): number[] {
  return Array.from(new Set(Array.from(values))).toSorted((u, v) => u - v);
}

/** Codes are repeated integers; measurements are not. */
function requireDiscrete(values: readonly number[], feature: number, rows: number): void {
  if (values.length <= Math.max(10, rows / 4) || values.every(Number.isInteger)) return;
  throw inputError(
    `${METHOD}: column ${feature} (counted from 0) takes ${values.length} values in ${rows} rows, so that it looks ` +
      `continuous; discretise it first, or use gaussianNaiveBayes`,
  );
}
