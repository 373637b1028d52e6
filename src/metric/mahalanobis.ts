import {
  asRows,
  gram,
  isSparse,
  multiplyTransposeB,
  symmetricEigen,
  type Matrix,
  type MatrixLike,
  type Sparse,
} from "../matrix/index.ts";
import { columnsAsRows, matrixForm, requireFinite, requireFiniteSparse } from "../matrix/internal.ts";
import { form, inputError, numericError, plain, defined } from "../core/internal.ts";

/** The outcome of the fit; a closed form is converged after one iteration. */
export const fitFields = {
  converged: form.unchecked<boolean>(),
  iterations: form.whole({ min: 0 }),
  objective: form.optional(form.unchecked<number>()),
  history: form.optional(form.unchecked<readonly number[]>()),
  /** The proof of the answer: the name of a residual and its value. */
  certificate: form.record({ kind: form.text(), residual: form.number() }),
  warnings: form.list(form.text()),
};

export interface Fit extends form.StoredFields<typeof fitFields> {}

/** The outcome of a closed form, with its proof. */
export function closedForm(
  kind: string,
  residual: number,
): Pick<Fit, "converged" | "iterations" | "certificate"> {
  return { converged: true, iterations: 1, certificate: { kind, residual } };
}

const mahalanobisForm = form.record({
  kind: form.choice("mahalanobis"),
  /** The method that learned it: "mlca", "itml", ... */
  method: form.text(),
  /** The training columns, if they have names; `kindred apply` compares them. */
  names: form.optional(form.list(form.text(), "columns")),
  /** L, rank x d. */
  factor: matrixForm("rank", "columns"),
  /** Each feature's share of the mean squared distance, M_ff var_f / sum; sums to 1 (all 0 for a zero metric). */
  relevance: form.numbers("columns", { min: 0 }),
  /** Pair learners: two rows are "the same" when their distance is at most this. */
  threshold: form.optional(form.number({ min: 0 })),
  /**
   * The origin of the learner, in the columns: the means of the training rows, or zeros if they were not
   * centred. Distances do not need it; singular vectors of transformed rows do. Absent if the learner saw
   * only differences of rows.
   */
  center: form.optional(form.numbers("columns")),
  ...fitFields,
});

/** A metric in the form of a file. */
export interface MahalanobisData extends form.StoredOf<typeof mahalanobisForm> {}

/**
 * A learned Mahalanobis metric, the result of every method of this room:
 *
 *     d(a, b)^2 = (a - b)' M (a - b) = ||L a - L b||^2,   M = L'L,   L: rank x d
 *
 * so `transform` maps rows x to L x (X L' for a matrix of rows), and Euclidean methods work on the result.
 */
export interface Mahalanobis extends form.LoadedOf<typeof mahalanobisForm> {
  /** M = L'L, d x d. */
  readonly matrix: Matrix;
  readonly rank: number;
  /** Largest over smallest non-zero eigenvalue of M. */
  readonly condition: number;
  transform(Y: MatrixLike | Sparse): Matrix;
  distance(a: ArrayLike<number>, b: ArrayLike<number>): number;
  /** d(a, b) <= threshold; only if the method calibrates one. */
  same?(a: ArrayLike<number>, b: ArrayLike<number>): boolean;
  toJSON(): MahalanobisData;
  /** The same: a metric is its own model. */
  model(): MahalanobisData;
}

export interface MetricParts extends Fit {
  readonly method: string;
  readonly factor: Matrix;
  readonly names?: readonly string[] | undefined;
  /** Variances of the training columns, for `relevance`; all 1 when absent. */
  readonly variances?: ArrayLike<number>;
  readonly threshold?: number | undefined;
  readonly center?: Float64Array | undefined;
}

/** Makes the model from L. */
export function mahalanobis(parts: MetricParts): Mahalanobis {
  const { factor, variances, ...fit } = parts;
  if (!factor.data.every(Number.isFinite)) {
    throw numericError(
      `${parts.method}: these rows give no metric of finite numbers; scale the columns, and leave out those that are constant`,
    );
  }
  const shares = new Float64Array(factor.cols); // M_ff = sum_r L_rf^2, without forming M
  for (let p = 0; p < factor.data.length;) {
    for (let f = 0; f < factor.cols; f++, p++) shares[f] += factor.data[p] * factor.data[p];
  }
  if (variances !== undefined) for (let f = 0; f < shares.length; f++) shares[f] *= variances[f];
  const total = shares.reduce((sum, share) => sum + share, 0);
  const relevance = total > 0 ? shares.map((share) => share / total) : shares;
  return assemble({ ...fit, kind: "mahalanobis", factor, relevance });
}

/**
 * Makes the model from M, symmetric: eigenvalues below d eps max|eigenvalue| (and the negative ones) are set
 * to zero.
 */
export function mahalanobisFromMatrix(M: Matrix, parts: Omit<MetricParts, "factor">): Mahalanobis {
  return mahalanobis({ ...parts, factor: factorOf(M) });
}

/** L with L'L the projection of M on the positive semidefinite matrices; rows by decreasing eigenvalue. */
export function factorOf(M: Matrix): Matrix {
  return positivePart(M).factor;
}

/** The same with the eigenvalues of M, descending. */
export function positivePart(M: Matrix): { factor: Matrix; values: Float64Array } {
  const { values, vectors } = symmetricEigen(M);
  const cut = spectralCut(values);
  const rank = values.reduce((count, value) => count + Number(value > cut), 0);
  return { factor: columnsAsRows(vectors, rank, (value, r) => Math.sqrt(values[r]) * value), values };
}

/** The same metric with a threshold for `same`. */
export function withThreshold(metric: Mahalanobis, threshold: number): Mahalanobis {
  return assemble(metric, threshold);
}

/** Reads the output of `toJSON`; damaged parts are refused by name. */
export function loadMahalanobis(data: MahalanobisData): Mahalanobis {
  return assemble(form.load(mahalanobisForm, data, "the metric"));
}

type Stored = Omit<MetricParts, "variances"> & Pick<Mahalanobis, "kind" | "relevance">;

function assemble(parts: Stored, threshold: number | undefined = parts.threshold): Mahalanobis {
  // One by one: a spread would compute the matrix and the rank of a metric.
  const { kind, method, names, factor, relevance, center } = parts;
  const { converged, iterations, objective, history, certificate, warnings } = parts;
  const outcome = { converged, iterations, objective, history, certificate, warnings };
  const data = defined({ kind, method, names, factor, relevance, threshold, center, ...outcome });
  let spectrum: ReturnType<typeof spectrumOf> | undefined;
  const d = factor.cols;
  const distance = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
    requireLength(a, d);
    requireLength(b, d);
    let sum = 0;
    for (let r = 0; r < factor.rows; r++) {
      let step = 0;
      for (let f = 0; f < d; f++) step += factor.data[r * d + f] * (a[f] - b[f]);
      sum += step * step;
    }
    return Math.sqrt(sum);
  };
  return plain({
    ...data,
    // Computed on demand: with many columns and a low rank it would be by far the largest part of the model.
    get matrix() {
      return gram(factor);
    },
    // Also on demand: the eigenvalues may take longer than a closed form.
    get rank() {
      return (spectrum ??= spectrumOf(factor)).rank;
    },
    get condition() {
      return (spectrum ??= spectrumOf(factor)).condition;
    },
    transform: (Y) => transform(factor, Y, method),
    distance,
    ...(threshold === undefined ? {} : { same: (a, b) => distance(a, b) <= threshold }),
    toJSON: () => mahalanobisForm.save(data),
  });
}

/** L'L and LL' share their non-zero eigenvalues; the smaller one is enough. */
function spectrumOf(L: Matrix): Pick<Mahalanobis, "rank" | "condition"> {
  const { values } = symmetricEigen(L.rows < L.cols ? multiplyTransposeB(L, L) : gram(L));
  const cut = spectralCut(values);
  const rank = values.filter((value) => value > cut).length;
  return { rank, condition: rank === 0 ? 1 : values[0] / values[rank - 1] };
}

/** Y L'. */
function transform(L: Matrix, input: MatrixLike | Sparse, method: string): Matrix {
  const Y = asRows(input, method);
  if (Y.cols !== L.cols) {
    throw inputError(`the ${method} metric was learned on ${L.cols} columns, but these rows have ${Y.cols}`);
  }
  const Z = multiplyTransposeB(Y, L);
  if (!Z.data.every(Number.isFinite)) {
    if (isSparse(Y)) requireFiniteSparse(Y);
    else requireFinite(Y);
    throw inputError(`under the ${method} metric these rows are too large for numbers; scale them first`);
  }
  return Z;
}

/** Eigenvalues up to this are zero to working precision: d eps max|eigenvalue|. */
function spectralCut(values: Float64Array): number {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, Math.abs(value));
  return values.length * 2 ** -52 * largest;
}

function requireLength(x: ArrayLike<number>, d: number): void {
  if (x.length !== d) throw inputError(`the metric was learned on ${d} columns, but a point has ${x.length}`);
}
