/**
 * XQDA, cross-view quadratic discriminant analysis (Liao, Hu, Zhu and Li 2015): KISSME in the subspace where differences
 * between classes vary more than differences within,
 *
 *     S_E w = lambda S_I w,   W' S_I W = I,   lambda_r > 1
 *     M = W ((W' S_I W)^-1 - (W' S_E W)^-1) W' = W diag(1 - 1/lambda_r) W'
 *
 * S_I and S_E are the mean of (x_i - x_j)(x_i - x_j)' over pairs of one class and of two classes: all pairs of rows, or,
 * with `views`, the pairs that join the two views. They follow from class sums in O(n d^2), no pair is
 * enumerated. In generalised eigenvectors M is positive semidefinite without a projection; the authors'
 * singular vectors of the unsymmetric S_I^-1 S_E do not have that property.
 */
import {
  asMatrix,
  generalizedEigen,
  matrix,
  multiply,
  multiplyTransposeB,
  qr,
  rankOneUpdate,
  takeRows,
  transpose,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import {
  centered,
  columnMeans,
  columnsAsRows,
  columnVariances,
  mapped,
  requireModerate,
  weightedGram,
} from "../../matrix/internal.ts";
import { inputError, numericError, option, rule } from "../../core/internal.ts";
import { encodeLabels, type Labeling } from "../../score/index.ts";
import { knownClasses, requireLabels } from "../../score/internal.ts";
import { closedForm, mahalanobis, type Mahalanobis } from "../mahalanobis.ts";
import { DIRECTION_RULES, shrinkToDiagonal, eigenResidual } from "./covariance.ts";

export const xqdaOptions = {
  /** One of two values per row (camera, instrument, batch): only pairs across them count. */
  views: rule.given<Labeling>("one of two values per row", rule.isList),
  /** Default shrinkage of S_I: d / (d + rows), which vanishes with many rows. */
  ...DIRECTION_RULES,
};

export type XqdaOptions = rule.OptionsOf<typeof xqdaOptions>;

export function xqda(input: MatrixLike, labels: Labeling, options: XqdaOptions = {}): Mahalanobis {
  const X = asMatrix(input, "xqda");
  const { views, dims, shrinkage, names } = rule.resolveOptions("xqda", options, xqdaOptions);
  requireModerate(X);
  const groups = groupRows(X.rows, labels, views);
  const known = takeRows(X, groups.rows);
  // Differences do not contain the mean, and sums about it lose no digits.
  const centred = centered(known, columnMeans(known));
  // With more columns than rows all computations run in the span of the rows.
  const basis = X.cols > centred.rows ? qr(transpose(centred)).Q : undefined;
  const Y = basis === undefined ? centred : multiply(centred, basis);
  const { within, between } = pairMoments(Y, groups);

  const share = shrinkage ?? Y.cols / (Y.cols + Y.rows);
  const S = shrinkToDiagonal(within, share);
  if (!S.data.some((value) => value > 0)) {
    throw numericError(
      "xqda: the rows of each class are equal, so nothing can be learned from their differences",
    );
  }
  const { values, vectors } = generalizedEigen(between, S);
  const above = values.filter((value) => value > 1 + 1e-9).length;
  if (above === 0) {
    throw numericError("xqda: no direction varies more between classes than within them");
  }
  const kept = Math.min(dims ?? above, above);
  const W = columnsAsRows(vectors, kept);
  const L = mapped(W, (value, p) => Math.sqrt(1 - 1 / values[Math.floor(p / Y.cols)]) * value);
  return mahalanobis({
    method: "xqda",
    factor: basis === undefined ? L : multiplyTransposeB(L, basis),
    names,
    variances: columnVariances(X),
    ...closedForm("eigenpairs |S_E W - S_I W D| / |S_E|", eigenResidual(between, S, W, values)),
    warnings: [],
  });
}

type Groups = ReturnType<typeof groupRows>;

/** The rows of known class (and view), and the class and the view (0 or 1, undefined without views) of each of them. */
function groupRows(n: number, labels: Labeling, views: Labeling | undefined) {
  requireLabels(labels);
  if (labels.length !== n) throw inputError(`there are ${labels.length} labels for ${n} rows`);
  if (views !== undefined && views.length !== n)
    throw inputError(`there are ${views.length} views for ${n} rows`);
  const { known, codes, classes } = knownClasses("xqda", labels);
  const encoded = views === undefined ? undefined : encodeLabels(views);
  if (encoded !== undefined && encoded.classes.length !== 2) {
    throw inputError(
      `xqda: ${option("views")} must hold two different values, got ${encoded.classes.length}`,
    );
  }
  const seen = (_: unknown, at: number): boolean => encoded === undefined || encoded.codes[known[at]] >= 0;
  const rows = known.filter(seen);
  return {
    rows,
    codes: codes.filter(seen),
    classes: classes.length,
    sides: encoded && rows.map((i) => encoded.codes[i]),
  };
}

/**
 * Mean outer products of differences. Over the pairs of sets A and B, sum (a - b)(a - b)' = |B| sum aa' + |A| sum bb' -
 * s_A s_B' - s_B s_A'; within one set the same with A = B, halved.
 */
function pairMoments(Y: Matrix, { codes, classes, sides }: Groups): { within: Matrix; between: Matrix } {
  const d = Y.cols;
  const side = (r: number): number => (sides === undefined ? 0 : sides[r]);
  const opposite = (s: number): number => (sides === undefined ? 0 : 1 - s);
  const counts = [new Float64Array(classes), new Float64Array(classes)];
  const sums = [matrix(classes, d), matrix(classes, d)];
  for (let r = 0; r < Y.rows; r++) {
    const s = side(r);
    counts[s][codes[r]]++;
    for (let f = 0; f < d; f++) sums[s].data[codes[r] * d + f] += Y.data[r * d + f];
  }
  const halved = sides === undefined ? 0.5 : 1;
  const totals = counts.map((count) => count.reduce((sum, value) => sum + value, 0));
  // The weight of a row is its number of partners: of its class, or of any class.
  const within = weightedGram(Y, (r) => counts[opposite(side(r))][codes[r]]);
  const all = weightedGram(Y, (r) => totals[opposite(side(r))]);
  const whole = sums.map((S) => {
    const sum = new Float64Array(d);
    for (let p = 0; p < S.data.length; p++) sum[p % d] += S.data[p];
    return sum;
  });
  const [a, b] = sides === undefined ? [0, 0] : [0, 1];
  let same = 0;
  for (let c = 0; c < classes; c++) {
    const s = sums[a].data.subarray(c * d, (c + 1) * d);
    const t = sums[b].data.subarray(c * d, (c + 1) * d);
    rankOneUpdate(within, -halved, s, t);
    rankOneUpdate(within, -halved, t, s);
    same += sides === undefined ? (counts[0][c] * (counts[0][c] - 1)) / 2 : counts[0][c] * counts[1][c];
  }
  rankOneUpdate(all, -halved, whole[a], whole[b]);
  rankOneUpdate(all, -halved, whole[b], whole[a]);
  const pairs = sides === undefined ? (totals[0] * (totals[0] - 1)) / 2 : totals[0] * totals[1];
  if (same === 0) {
    throw inputError(
      sides === undefined
        ? "xqda needs a class with at least two rows"
        : "xqda needs a class with rows in both views",
    );
  }
  if (same === pairs) throw inputError("xqda needs two classes that can be compared across the views");
  return {
    between: mapped(all, (value, p) => (value - within.data[p]) / (pairs - same)),
    within: mapped(within, (value) => value / same),
  };
}
