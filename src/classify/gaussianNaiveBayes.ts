/**
 * Gaussian naive Bayes: within a class every feature is normal and independent of the others,
 *
 *     log p(y = c, x) = log(n_c / n) - 1/2 sum_f [ log(2 pi s_cf) + (x_f - m_cf)^2 / s_cf ]
 *
 * with class means m and variances s (divisor n_c), raised by `smoothing` times the largest variance of a feature over
 * all rows, as scikit-learn does. A feature that is constant in training carries no information about the
 * class and is left out.
 */
import { matrix, takeColumns, type Matrix, type MatrixLike } from "../matrix/index.ts";
import { requireNotHuge, rowMajorForm } from "../matrix/internal.ts";
import { form, inputError, plain, rule } from "../core/internal.ts";
import { encodeLabels, type Label, type Labeling } from "../score/index.ts";
import {
  checkClasses,
  largestOf,
  logFrequencies,
  newRows,
  normalizeLogJoint,
  startFrom,
  trainingRows,
  type Classifier,
  classifierFields,
  type TrainingRows,
} from "./classifier.ts";

export const gaussianNaiveBayesOptions = {
  /** Added to every variance, in units of the largest variance of a feature; default 1e-9. */
  smoothing: rule.real({
    min: 0,
    max: 1e6,
    default: 1e-9,
    says: "added to every variance, as a share of the largest",
  }),
};

export type GaussianNaiveBayesOptions = rule.OptionsOf<typeof gaussianNaiveBayesOptions>;

const gaussianForm = form.where(
  form.record({
    ...classifierFields,
    method: form.choice("gaussianNaiveBayes"),
    logPriors: form.numbers("classes", { max: 0 }),
    /** K rows of d class means and variances; a variance of 0 marks a feature that is left out. */
    means: rowMajorForm("classes", "features"),
    variances: rowMajorForm("classes", "features", { min: 0 }),
  }),
  ({ features: d, variances: { data } }, refuse) => {
    const wrong = data.findIndex((value, p) => value > 0 !== data[p % d] > 0);
    if (wrong >= 0) throw refuse(`variances[${wrong}]`, "must be 0 in all classes or in none");
  },
);

export interface GaussianNaiveBayesData extends form.StoredOf<typeof gaussianForm> {}

export interface GaussianNaiveBayes extends Classifier<GaussianNaiveBayesData> {
  /** K x d. */
  readonly means: Matrix;
  /** K x d, smoothed. */
  readonly variances: Matrix;
  probabilities(Y: MatrixLike): Matrix;
}

const METHOD = "gaussianNaiveBayes";

export function gaussianNaiveBayes(
  input: MatrixLike,
  labels: Labeling,
  options: GaussianNaiveBayesOptions = {},
): GaussianNaiveBayes {
  const { smoothing } = rule.resolveOptions(METHOD, options, gaussianNaiveBayesOptions);
  const training = trainingRows(METHOD, input, labels);
  requireNotHuge(training.X, "the training data");
  return fromMoments(rowMoments(training), smoothing);
}

/** The column statistics of the rows with one label; null if the label is missing. Plain data. */
export interface ClassColumns {
  readonly label: Label | null;
  readonly rows: number;
  readonly min: readonly number[];
  readonly max: readonly number[];
  readonly mean: readonly number[];
  /** Sum of (x - mean)^2. */
  readonly squares: readonly number[];
}

/** The same from the columns of each class (`classColumnStatistics`), of rows that need not be in memory. */
export function gaussianNaiveBayesFromColumns(
  statistics: { readonly names: readonly string[]; readonly groups: readonly ClassColumns[] },
  options: GaussianNaiveBayesOptions = {},
): GaussianNaiveBayes {
  const method = "gaussianNaiveBayesFromColumns";
  const { smoothing } = rule.resolveOptions(method, options, gaussianNaiveBayesOptions);
  const { names, groups } = statistics;
  if (names.length === 0) throw inputError(`${method}: there are no columns`);
  const { codes, classes } = encodeLabels(groups.map(({ label }) => label));
  const total = groups.reduce((sum, { rows }) => sum + rows, 0);
  const known = classes.map((_, c) => groups[codes.indexOf(c)]);
  const counts = known.map(({ rows }) => rows);
  const warnings = checkClasses(method, classes, counts, total);
  const d = names.length;
  const all = (pick: (group: ClassColumns) => readonly number[]): Matrix =>
    matrix(known.length, d, Float64Array.from(known.flatMap(pick)));
  const extents = known.flatMap(({ min, max }) => [...min, ...max]);
  requireNotHuge(matrix(2 * known.length, d, Float64Array.from(extents)), "the extent of the columns");
  const over = (pick: (group: ClassColumns) => readonly number[], of: (...values: number[]) => number) =>
    Float64Array.from(names, (_, f) => of(...known.map((group) => pick(group)[f])));
  return fromMoments(
    {
      classes,
      counts,
      warnings,
      means: all(({ mean }) => mean),
      variances: all(({ squares, rows }) => squares.map((square) => square / rows)),
      smallest: over(({ min }) => min, Math.min),
      largest: over(({ max }) => max, Math.max),
    },
    smoothing,
  );
}

/** K x d means and variances of the classes, and the range of every column. */
interface Moments extends Pick<TrainingRows, "classes" | "warnings"> {
  readonly counts: ArrayLike<number>;
  readonly means: Matrix;
  readonly variances: Matrix;
  readonly smallest: Float64Array;
  readonly largest: Float64Array;
}

function fromMoments(moments: Moments, smoothing: number): GaussianNaiveBayes {
  const { classes, counts, means, variances, warnings } = moments;
  const d = means.cols;
  const overall = overallVariances(moments);
  const floor = smoothing * overall.reduce((largest, value) => Math.max(largest, value), 0);
  const constant = overall.reduce((count, value) => count + Number(value === 0), 0);
  if (constant > 0) {
    warnings.push(
      constant === d
        ? "every column is constant: the most frequent class is predicted"
        : `${constant} of ${d} columns are constant and have no influence`,
    );
  }
  let flat = 0;
  for (let p = 0; p < variances.data.length; p++) {
    const f = p % d;
    if (overall[f] === 0) {
      variances.data[p] = 0;
      continue;
    }
    variances.data[p] += floor;
    // Without a floor a feature that is constant in one class would have infinite density there.
    if (variances.data[p] < Number.MIN_VALUE / Number.EPSILON) {
      variances.data[p] = Math.max(1e-9 * overall[f], Number.MIN_VALUE / Number.EPSILON);
      flat++;
    }
  }
  if (flat > 0) {
    warnings.push(
      `${flat} variances within a class are 0 without smoothing and were set to 1e-9 of the feature's`,
    );
  }
  return assemble({ classes, features: d, warnings, logPriors: logFrequencies(counts), means, variances });
}

export function loadGaussianNaiveBayes(data: GaussianNaiveBayesData): GaussianNaiveBayes {
  return assemble(form.load(gaussianForm, data, "the classifier"));
}

type Parts = Omit<form.LoadedOf<typeof gaussianForm>, "method">;

function assemble(parts: Parts): GaussianNaiveBayes {
  const { classes, features: d, warnings, means, variances } = parts;
  const K = classes.length;
  // Only features that vary, side by side: prediction consists of these loops.
  const used = Int32Array.from({ length: d }, (_, f) => f).filter((f) => variances.data[f] > 0);
  const m = takeColumns(means, used).data;
  const s = takeColumns(variances, used).data;
  const precisions = s.map((value) => 1 / value);
  const constants = parts.logPriors.slice();
  for (let p = 0; p < s.length; p++) {
    constants[Math.floor(p / used.length)] -= 0.5 * Math.log(2 * Math.PI * s[p]);
  }
  const logJoint = (input: MatrixLike): Matrix => {
    const Y = newRows(METHOD, input, d);
    const joint = startFrom(constants, Y.rows);
    const x = new Float64Array(used.length);
    for (let i = 0; i < Y.rows; i++) {
      for (let q = 0; q < x.length; q++) x[q] = Y.data[i * d + used[q]];
      for (let c = 0, p = 0; c < K; c++) {
        let sum = 0;
        for (let q = 0; q < x.length; q++, p++) {
          const step = x[q] - m[p];
          sum += step * step * precisions[p];
        }
        // A row beyond the number range of every class keeps finite scores, so probabilities exist.
        joint.data[i * K + c] = Math.max(joint.data[i * K + c] - 0.5 * sum, -Number.MAX_VALUE);
      }
    }
    return joint;
  };
  return plain({
    method: METHOD,
    classes,
    features: d,
    warnings,
    means,
    variances,
    predict: (Y) => largestOf(logJoint(Y), classes),
    probabilities: (Y) => normalizeLogJoint(logJoint(Y)),
    toJSON: () => gaussianForm.save({ ...parts, method: METHOD }),
  });
}

/** Class means and variances in two passes. */
function rowMoments({ X, codes, counts, classes, warnings }: TrainingRows): Moments {
  const { rows: n, cols: d } = X;
  const K = counts.length;
  const means = matrix(K, d);
  const variances = matrix(K, d);
  const smallest = X.data.slice(0, d);
  const largest = X.data.slice(0, d);
  for (let i = 0, p = 0; i < n; i++) {
    const at = codes[i] * d;
    const share = 1 / counts[codes[i]];
    for (let f = 0; f < d; f++, p++) {
      const value = X.data[p];
      means.data[at + f] += value * share;
      if (value < smallest[f]) smallest[f] = value;
      if (value > largest[f]) largest[f] = value;
    }
  }
  for (let i = 0, p = 0; i < n; i++) {
    const at = codes[i] * d;
    for (let f = 0; f < d; f++, p++) {
      const step = X.data[p] - means.data[at + f];
      variances.data[at + f] += (step * step) / counts[codes[i]];
    }
  }
  return { classes, counts, warnings, means, variances, smallest, largest };
}

/** The variance of each feature over all rows of known class. */
function overallVariances({ counts, means, variances, smallest, largest }: Moments): Float64Array {
  const { rows: K, cols: d } = means;
  const n = Array.from(counts).reduce((sum, count) => sum + count, 0);
  const overall = new Float64Array(d);
  for (let f = 0; f < d; f++) {
    if (smallest[f] === largest[f]) continue; // exactly 0, where rounding of the mean would leave a trace
    let mean = 0;
    for (let c = 0; c < K; c++) mean += (counts[c] / n) * means.data[c * d + f];
    for (let c = 0; c < K; c++) {
      const step = means.data[c * d + f] - mean;
      overall[f] += (counts[c] / n) * (variances.data[c * d + f] + step * step);
    }
    overall[f] = Math.max(overall[f], Number.MIN_VALUE);
  }
  return overall;
}
