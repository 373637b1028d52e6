/**
 * Fisher's linear discriminant analysis as a metric: the directions v that maximise v'S_B v / v'S_W v, scaled so that the
 * pooled covariance within the classes becomes the identity,
 *
 *     S_B v = lambda S_W v,   V' (S_W / (n - k)) V = I,   L = V'
 *
 * At most k - 1 directions exist (the rank of S_B); more would be arbitrary null vectors.
 */
import { asRows, isSparse, takeRows, type Matrix, type MatrixLike, type Sparse } from "../../matrix/index.ts";
import { centered, columnMeans, requireModerate } from "../../matrix/internal.ts";
import { inputError, rule } from "../../core/internal.ts";
import type { Labeling } from "../../score/index.ts";
import { labelledRows } from "../../score/internal.ts";
import { classMoments, scatter, type ClassMoments } from "./classMoments.ts";
import { closedForm, mahalanobis, type Mahalanobis } from "../mahalanobis.ts";
import { discriminants, shrinkageRule, spanDiscriminants } from "./covariance.ts";

export const ldaOptions = {
  /** Directions to keep; default k - 1, never more. */
  dims: rule.integer({ min: 1, says: "maximum number of directions", usual: "one less than the classes" }),
  /** Share of diag(S_W) in S_W, 0 to 1; default 0, or d / (d + n - k) if S_W is singular (with a warning). */
  shrinkage: shrinkageRule,
  names: rule.names,
};

export type LdaOptions = rule.OptionsOf<typeof ldaOptions>;

export function lda(input: MatrixLike | Sparse, labels: Labeling, options: LdaOptions = {}): Mahalanobis {
  const X = asRows(input, "lda");
  if (!isSparse(X)) requireModerate(X);
  const fromSpan = !isSparse(X) && X.rows < X.cols ? ldaInSpan(X, labels, options) : undefined;
  return fromSpan ?? ldaFromMoments(classMoments(X, labels), options);
}

/** From accumulated statistics: the same result as from the rows. */
export function ldaFromMoments(moments: ClassMoments, options: LdaOptions = {}): Mahalanobis {
  const { dims, shrinkage, names } = rule.resolveOptions("lda", options, ldaOptions);
  const d = moments.features;
  const { count, total, within } = scatter(moments);
  const classes = moments.counts.filter((n) => n > 0).length;
  requireClasses(classes, count);
  const warnings: string[] = [];
  const scatters = { count, classes, total, within };
  const found = discriminants("lda", scatters, dims ?? classes - 1, warnings, shrinkage);
  const variances = Float64Array.from({ length: d }, (_, f) => total.data[f * d + f] / count);
  return metricOf(found, variances, names, warnings);
}

/** The same from fewer rows than columns, without a d x d matrix. */
function ldaInSpan(X: Matrix, labels: Labeling, options: LdaOptions): Mahalanobis | undefined {
  const { dims, shrinkage, names } = rule.resolveOptions("lda", options, ldaOptions);
  const { rows, codes, members } = labelledRows("lda", X, labels);
  const [count, classes, d] = [rows.rows, members.length, X.cols];
  requireClasses(classes, count);
  const means = members.map((group) => columnMeans(takeRows(rows, group)));
  const about = centered(rows, columnMeans(rows));
  const [within, variances] = [new Float64Array(d), new Float64Array(d)];
  for (let i = 0, p = 0; i < count; i++) {
    for (let f = 0; f < d; f++, p++) {
      within[f] += (rows.data[p] - means[codes[i]][f]) ** 2;
      variances[f] += about.data[p] ** 2 / count;
    }
  }
  const warnings: string[] = [];
  const found = spanDiscriminants(
    "lda",
    about,
    within,
    { count, classes },
    (T) => scatter(classMoments(T, codes)),
    dims ?? classes - 1,
    warnings,
    shrinkage,
  );
  return found && metricOf(found, variances, names, warnings);
}

function requireClasses(classes: number, count: number): void {
  if (classes < 2) throw inputError(`lda needs at least two classes, got ${classes}`);
  if (count <= classes) throw inputError(`lda needs more rows (${count}) than classes (${classes})`);
}

function metricOf(
  { L, values, residual }: ReturnType<typeof discriminants>,
  variances: Float64Array,
  names: LdaOptions["names"],
  warnings: readonly string[],
): Mahalanobis {
  return mahalanobis({
    method: "lda",
    factor: L,
    names,
    variances,
    objective: values.reduce((sum, value) => sum + value, 0),
    ...closedForm("eigenpairs |S_B V - S_W V D| / |S_B|", residual),
    warnings,
  });
}
