import { kPrototypes, kPrototypesOptions, latentClasses } from "../../cluster/index.ts";
import { optionError, plural, rule } from "../../core/internal.ts";
import { splitKinds } from "../../features/index.ts";
import { isSparse, matrix, type Matrix, type Sparse, toDense } from "../../matrix/index.ts";
import { type FitContext, type FitOptions, type Fitted, placingRule } from "../../method/index.ts";

export const prototypeOptions = rule.without(kPrototypesOptions, "categorical");

/** k-prototypes on the features of a table: its numbers, and the codes of its levels; a missing level is one more. */
export function fitPrototypes(rows: Matrix | Sparse, given: FitOptions, context: FitContext = {}): Fitted {
  const { X, joined, numbers, levels } = withCodes(rows, context);
  const categorical = Array.from({ length: levels }, (_, v) => numbers + v);
  const fit = kPrototypes(joined, { ...given, clusters: given.clusters!, categorical });
  const told = `${plural(levels, "column")} of levels; one that differs counts ${Number(fit.gamma.toPrecision(4))}`;
  return fittedRows(X, fit, [["levels", told]], { gamma: fit.gamma, levels });
}

/** Latent classes of the levels of a table; a missing level says nothing. */
export function fitLatentClasses(rows: Matrix | Sparse, given: FitOptions, context: FitContext = {}): Fitted {
  const { X, joined, numbers, levels } = withCodes(rows, context);
  if (numbers > 0 || levels === 0) {
    throw optionError(
      `latent-classes takes columns of levels alone, and ${plural(numbers, "feature")} of these rows ` +
        `${numbers === 1 ? "is a number" : "are numbers"}; leave numbers out, or use mixed, which takes both`,
    );
  }
  const fit = latentClasses(joined, given);
  const { bic, logLikelihood, parameters, tried } = fit;
  const told = `log ${logLikelihood.toFixed(2)}, ${parameters} parameters, BIC ${bic.toFixed(2)}`;
  return fittedRows(X, fit, [["likelihood", told]], { bic, logLikelihood, parameters, tried });
}

/** The numbers of the features beside the codes of their levels. */
function withCodes(rows: Matrix | Sparse, { record }: FitContext) {
  const X = isSparse(rows) ? toDense(rows) : rows;
  const { X: own, codes } = record === undefined ? { X, codes: [] } : splitKinds(record, X);
  const joined = matrix(X.rows, own.cols + codes.length);
  for (let i = 0; i < X.rows; i++) {
    joined.data.set(own.data.subarray(i * own.cols, (i + 1) * own.cols), i * joined.cols);
    codes.forEach((column, v) => (joined.data[i * joined.cols + own.cols + v] = column.codes[i]));
  }
  return { X, joined, numbers: own.cols, levels: codes.length };
}

function fittedRows(
  X: Matrix,
  fit: Pick<
    Fitted,
    "labels" | "clusters" | "sizes" | "converged" | "warnings" | "objective" | "iterations"
  > & { readonly history: readonly number[] },
  facts: Fitted["facts"],
  details: object,
): Fitted {
  const { labels, clusters, sizes, converged, warnings, objective, iterations, history } = fit;
  const placing = placingRule(X, labels, clusters, { kind: "rows" });
  const drawing = { history };
  return {
    labels,
    clusters,
    sizes,
    converged,
    warnings,
    objective,
    iterations,
    placing,
    facts,
    details,
    drawing,
  };
}
