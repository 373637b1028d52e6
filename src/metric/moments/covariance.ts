import { meanOf, numericError, rule } from "../../core/internal.ts";
import {
  matrix,
  multiply,
  multiplyTransposeB,
  qr,
  transpose,
  tryCholesky,
  generalizedEigen,
  type Matrix,
} from "../../matrix/index.ts";
import { mapped, columnsAsRows } from "../../matrix/internal.ts";

/** The option of methods that invert a covariance. */
export const shrinkageRule = rule.real({
  min: 0,
  max: 1,
  says: "share of the diagonal in the covariance, 0 to 1",
  usual: "0, more where rows are few",
});

/** The options of methods that find directions relative to a covariance within. */
export const DIRECTION_RULES = {
  /** Directions to keep; default all. */
  dims: rule.integer({ min: 1, says: "maximum number of directions", usual: "all" }),
  /** Share of the diagonal in the covariance within; the default depends on the rows, and is 0 or near it with many. */
  shrinkage: shrinkageRule,
  names: rule.names,
};

/**
 * (1 - share) S + share diag(S), with a floor of `floor` times the mean of the diagonal under each variance:
 * a covariance that can be inverted even if a column is constant within every group, or if there are fewer
 * rows than columns. The eigenvectors approach the axes as the share grows; scales of the columns are kept.
 */
export function shrinkToDiagonal(S: Matrix, share: number, floor: number = FLOOR): Matrix {
  const d = S.rows;
  let mean = 0;
  for (let f = 0; f < d; f++) mean += S.data[f * d + f] / d;
  const R = mapped(S, (value) => (1 - share) * value);
  for (let f = 0; f < d; f++) R.data[f * d + f] = Math.max(S.data[f * d + f], floor * mean);
  return R;
}

const FLOOR = 1e-10;

/**
 * S itself if its correlations are far enough from singular for a meaningful inverse; otherwise shrunk
 * towards its diagonal by d / (d + samples), at least 0.1, with a floor of 1e-4 under the variances: a
 * constant direction gets a large weight, not an infinite one.
 */
export function invertible(S: Matrix, samples: number): { matrix: Matrix; share: number } {
  if (isSafelyPositive(S)) return { matrix: S, share: 0 };
  const share = Math.max(0.1, S.rows / (S.rows + samples));
  const shrunk = shrinkToDiagonal(S, share, 1e-4);
  for (let f = 0; f < S.rows; f++) {
    if (!(shrunk.data[f * (S.rows + 1)] > 0)) shrunk.data[f * (S.rows + 1)] = 1; // S = 0
  }
  return { matrix: shrunk, share };
}

/**
 * The covariance within chunklets, S / rows, which has `freedom` = rows - chunklets degrees of freedom. By
 * default it is shrunk by d / (d + freedom) where they are not more than the columns.
 */
export function covarianceWithin(
  S: Matrix,
  rows: number,
  freedom: number,
  shrinkage: number | undefined,
  warnings: string[],
): Matrix {
  const d = S.rows;
  const share = shrinkage ?? (freedom > d ? 0 : d / (d + freedom));
  if (shrinkage === undefined && share > 0) {
    warnings.push(
      `${freedom} rows beyond one per chunklet are too few for ${d} columns: ` +
        `the covariance within is shrunk towards its diagonal by ${share.toFixed(2)}`,
    );
  }
  return shrinkToDiagonal(
    mapped(S, (value) => value / rows),
    share,
  );
}

/** Whether S, scaled to a unit diagonal, has a Cholesky factor with a safety margin. */
export function isSafelyPositive(S: Matrix): boolean {
  const d = S.rows;
  const scaled = matrix(d, d);
  for (let f = 0; f < d; f++) {
    if (!(S.data[f * d + f] > 0)) return false;
    for (let g = 0; g < d; g++) {
      const correlation = S.data[f * d + g] / Math.sqrt(S.data[f * d + f] * S.data[g * d + g]);
      scaled.data[f * d + g] = f === g ? 1 - 1e-10 * d : correlation;
    }
  }
  return tryCholesky(scaled) !== undefined;
}

/** max |A - I|: how far a closed form is from the equation that defines it. */
export function fromIdentity(A: Matrix): number {
  return A.data.reduce(
    (worst, value, p) => Math.max(worst, Math.abs(value - (p % (A.cols + 1) === 0 ? 1 : 0))),
    0,
  );
}

/** max |L C L' - I|. */
export function whiteness(L: Matrix, C: Matrix): number {
  return fromIdentity(multiplyTransposeB(multiply(L, C), L));
}

/** Scatter of rows about their mean, and about the means of their classes. */
interface ClassScatter {
  readonly count: number;
  readonly classes: number;
  readonly total: Matrix;
  readonly within: Matrix;
}

/**
 * Fisher's directions S_B v = lambda S_W v as rows v with v'(S_W / (n - k)) v = 1, by descending lambda, at most k - 1; and the
 * residual |S_B V - S_W V D| / |S_B|. By default S_W is shrunk towards its diagonal only if it is singular.
 */
export function discriminants(
  method: string,
  moments: ClassScatter,
  dims: number,
  warnings: string[],
  shrinkage?: number,
) {
  const { count, classes, within } = moments;
  const pooled = mapped(within, (value) => value / (count - classes));
  const ridge = shrinkage ?? (isSafelyPositive(pooled) ? 0 : shareOf(moments, within.rows));
  if (shrinkage === undefined && ridge > 0) warnings.push(shrunkWords(ridge));
  return directionsBetween(method, moments, dims, shrinkToDiagonal(pooled, ridge));
}

/** The share of the diagonal in a singular covariance within. */
function shareOf({ count, classes }: Pick<ClassScatter, "count" | "classes">, columns: number): number {
  return columns / (columns + count - classes);
}

function shrunkWords(share: number): string {
  return (
    "the covariance within the classes is singular (constant or collinear columns, or few rows): " +
    `shrunk towards its diagonal by ${Number(share.toPrecision(2))}`
  );
}

function directionsBetween(
  method: string,
  { count, classes, total, within }: ClassScatter,
  dims: number,
  regular: Matrix,
) {
  const between = mapped(total, (value, p) => value - within.data[p]); // S_T = S_W + S_B
  const { values, vectors } = generalizedEigen(between, regular);
  if (!(values[0] > 1e-12 * count)) {
    throw numericError(`${method}: all classes have the same mean, so no direction separates them`);
  }
  const L = columnsAsRows(vectors, Math.min(dims, classes - 1, total.rows));
  return { L, values: values.slice(0, L.rows), residual: eigenResidual(between, regular, L, values) };
}

/**
 * The same from fewer rows than columns, in their span. With s the diagonal of S_W / (n - k), its shrunk form is
 * (1 - share) S_W / (n - k) + E for a diagonal E. Where every column is divided by the root of its entry of E, that is the
 * identity, and no direction beyond the span of the centred rows separates anything. Undefined where an entry of E is 0.
 *
 * @param X rows about their mean
 * @param ofSpan the scatter of other coordinates of the same rows
 */
export function spanDiscriminants(
  method: string,
  X: Matrix,
  within: Float64Array,
  { count, classes }: Pick<ClassScatter, "count" | "classes">,
  ofSpan: (T: Matrix) => Pick<ClassScatter, "total" | "within">,
  dims: number,
  warnings: string[],
  shrinkage?: number,
) {
  const d = X.cols;
  const share = shrinkage ?? shareOf({ count, classes }, d);
  const variances = within.map((square) => square / (count - classes));
  const floor = FLOOR * meanOf(variances);
  const roots = variances.map((s) => Math.sqrt(Math.max(s, floor) - (1 - share) * s));
  if (!roots.every((root) => root > 0)) return undefined;
  if (shrinkage === undefined) warnings.push(shrunkWords(share));
  const Z = mapped(X, (value, p) => value / roots[p % d]);
  const { Q } = qr(transpose(Z));
  const scatter = ofSpan(multiply(Z, Q));
  const regular = mapped(scatter.within, (value) => ((1 - share) * value) / (count - classes));
  for (let r = 0; r < regular.rows; r++) regular.data[r * (regular.rows + 1)] += 1;
  const { L, ...found } = directionsBetween(method, { count, classes, ...scatter }, dims, regular);
  return { L: mapped(multiplyTransposeB(L, Q), (value, p) => value / roots[p % d]), ...found };
}

/** |A V - B V D| / |A| of symmetric A and B; the rows of L are the columns of V, `values` the diagonal of D. */
export function eigenResidual(A: Matrix, B: Matrix, L: Matrix, values: Float64Array): number {
  const AV = multiply(L, A); // rows (A v)'
  const BV = multiply(L, B);
  const scale = A.data.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
  let worst = 0;
  for (let p = 0; p < AV.data.length; p++) {
    worst = Math.max(worst, Math.abs(AV.data[p] - values[Math.floor(p / L.cols)] * BV.data[p]));
  }
  return worst / scale;
}
