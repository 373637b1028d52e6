/**
 * Fisher's linear discriminant analysis as a metric: the directions v that maximise v'S_B v / v'S_W v, scaled so that the
 * pooled covariance within the classes becomes the identity,
 *
 *     S_B v = lambda S_W v,   V' (S_W / (n - k)) V = I,   L = V'
 *
 * At most k - 1 directions exist (the rank of S_B); more would be arbitrary null vectors.
 */
import { asRows, isSparse, type MatrixLike, type Sparse } from "../../matrix/index.ts";
import { requireModerate } from "../../matrix/internal.ts";
import { inputError, rule } from "../../core/internal.ts";
import type { Labeling } from "../../score/index.ts";
import { classMoments, scatter, type ClassMoments } from "./classMoments.ts";
import { closedForm, mahalanobis, type Mahalanobis } from "../mahalanobis.ts";
import { shrinkageRule, discriminants } from "./covariance.ts";

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
  return ldaFromMoments(classMoments(X, labels), options);
}

/** From accumulated statistics: the same result as from the rows. */
export function ldaFromMoments(moments: ClassMoments, options: LdaOptions = {}): Mahalanobis {
  const { dims, shrinkage, names } = rule.resolveOptions("lda", options, ldaOptions);
  const d = moments.features;
  const { count, total, within } = scatter(moments);
  const classes = moments.counts.filter((n) => n > 0).length;
  if (classes < 2) throw inputError(`lda needs at least two classes, got ${classes}`);
  if (count <= classes) throw inputError(`lda needs more rows (${count}) than classes (${classes})`);
  const warnings: string[] = [];
  const { L, values, residual } = discriminants(
    "lda",
    { count, classes, total, within },
    dims ?? classes - 1,
    warnings,
    shrinkage,
  );
  return mahalanobis({
    method: "lda",
    factor: L,
    names,
    variances: Float64Array.from({ length: d }, (_, f) => total.data[f * d + f] / count),
    objective: values.reduce((sum, value) => sum + value, 0),
    ...closedForm("eigenpairs |S_B V - S_W V D| / |S_B|", residual),
    warnings,
  });
}
