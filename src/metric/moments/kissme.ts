/**
 * KISSME, "keep it simple and straightforward metric" (Koestinger, Hirzer, Wohlhart, Roth and Bischof 2012):
 * the log-likelihood ratio of a difference under "similar" and "different", both Gaussian with mean zero,
 *
 *     M = S_S^-1 - S_D^-1,   S_S, S_D = mean of (x_i - x_j)(x_i - x_j)' over must-links, cannot-links
 *
 * Second moments, not covariances: nothing is centred. M is not positive semidefinite in general; its
 * projection is returned, and a warning gives the removed part.
 */
import { calibratedBy } from "../calibrate.ts";
import { cholesky, identity, matrix, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import { columnVariances, mapped, symmetrize } from "../../matrix/internal.ts";
import { inputError, rule } from "../../core/internal.ts";
import { PAIR_RULES } from "../../data/internal.ts";
import { closedForm, mahalanobis, positivePart, type Mahalanobis } from "../mahalanobis.ts";
import { pairedRows, pairScatter } from "../pairs/pairedRows.ts";
import { shrinkageRule, shrinkToDiagonal } from "./covariance.ts";
import { mergeClassMoments, scatter, type ClassMoments } from "./classMoments.ts";

export const kissmeOptions = {
  ...PAIR_RULES,
  /** Share of the diagonal in both scatter matrices; default d / (d + pairs), which vanishes with many pairs. */
  shrinkage: shrinkageRule,
  names: rule.names,
};

export type KissmeOptions = rule.OptionsOf<typeof kissmeOptions>;

export function kissme(input: MatrixLike, options: KissmeOptions = {}): Mahalanobis {
  const resolved = rule.resolveOptions("kissme", options, kissmeOptions);
  const { X, mustLink, cannotLink, warnings } = pairedRows("kissme", input, options, "both");
  const metric = likelihoodRatio(
    { scatter: pairScatter(X, mustLink), pairs: mustLink.length },
    { scatter: pairScatter(X, cannotLink), pairs: cannotLink.length },
    resolved,
    columnVariances(X),
    warnings,
  );
  return calibratedBy(metric, X, { mustLink, cannotLink });
}

/**
 * From all pairs that the classes imply, by statistics of each class: over the pairs of a class with n rows
 * and scatter W the differences sum to n W, over all pairs to n T. There is no threshold, which needs the
 * distances themselves.
 *
 * @param groups statistics of one class each
 * @param all statistics of all rows, where there are rows without a class: relevance looks at them, too
 */
export function kissmeFromMoments(
  groups: readonly ClassMoments[],
  options: KissmeOptions = {},
  all?: ClassMoments,
): Mahalanobis {
  const resolved = rule.resolveOptions("kissme", options, kissmeOptions);
  const classes = groups.filter(({ counts }) => counts[0] > 0);
  if (classes.length < 2) throw inputError(`kissme needs at least two classes, got ${classes.length}`);
  const d = classes[0].features;
  const whole = scatter(classes.reduce(mergeClassMoments));
  const inside = matrix(d, d);
  let mustLinks = 0;
  for (const group of classes) {
    const n = group.counts[0];
    const { total } = scatter(group);
    mustLinks += (n * (n - 1)) / 2;
    for (let p = 0; p < inside.data.length; p++) inside.data[p] += n * total.data[p];
  }
  if (mustLinks === 0) throw inputError("kissme needs a class with at least two rows");
  const cannotLinks = (whole.count * (whole.count - 1)) / 2 - mustLinks;
  const spread = all === undefined ? whole : scatter(all);
  return likelihoodRatio(
    { scatter: mapped(inside, (value) => value / mustLinks), pairs: mustLinks },
    {
      scatter: mapped(inside, (value, p) => (whole.count * whole.total.data[p] - value) / cannotLinks),
      pairs: cannotLinks,
    },
    resolved,
    Float64Array.from({ length: d }, (_, f) => spread.total.data[f * d + f] / spread.count),
    [],
  );
}

/** The mean of (x_i - x_j)(x_i - x_j)' over this many pairs. */
interface PairMoments {
  readonly scatter: Matrix;
  readonly pairs: number;
}

function likelihoodRatio(
  mustLink: PairMoments,
  cannotLink: PairMoments,
  { shrinkage, names }: Pick<KissmeOptions, "shrinkage" | "names">,
  variances: Float64Array,
  warnings: string[],
): Mahalanobis {
  const d = mustLink.scatter.cols;
  const inverse = ({ scatter, pairs }: PairMoments): Matrix =>
    cholesky(shrinkToDiagonal(scatter, shrinkage ?? d / (d + pairs), 1e-8)).solve(identity(d));
  const alike = inverse(mustLink);
  const different = inverse(cannotLink);
  const M = symmetrize(mapped(alike, (value, p) => value - different.data[p]));
  const { factor, values } = positivePart(M);
  const negative = values.filter((value) => value < 0).length;
  if (negative > 0) {
    warnings.push(
      `${negative} of ${d} directions vary more among must-links than among cannot-links; ` +
        `they are left out of the metric`,
    );
  }
  return mahalanobis({
    method: "kissme",
    factor,
    names,
    variances,
    ...closedForm("closed form", 0),
    warnings,
  });
}
