import { kPrototypes, kPrototypesOptions, latentClasses } from "../../cluster/index.ts";
import { optionError, plural, rule } from "../../core/internal.ts";
import { splitKinds } from "../../features/index.ts";
import { isSparse, matrix, type Matrix, type Sparse, toDense } from "../../matrix/index.ts";
import type { FitContext, FitOptions, Fitted } from "../../method/index.ts";
import { byRows, finished } from "../../method/internal.ts";

export const prototypeOptions = rule.without(kPrototypesOptions, "categorical");

/** k-prototypes on the features of a table: its numbers, and the codes of its levels; a missing level is one more. */
export function fitPrototypes(rows: Matrix | Sparse, given: FitOptions, context: FitContext = {}): Fitted {
  const { X, joined, numbers, levels } = withCodes(rows, context);
  const categorical = Array.from({ length: levels }, (_, v) => numbers + v);
  const fit = kPrototypes(joined, { ...given, clusters: given.clusters!, categorical });
  const told = `${plural(levels, "column")} of levels; one that differs counts ${Number(fit.gamma.toPrecision(4))}`;
  return finished(X, fit, byRows, { facts: [["levels", told]], details: { gamma: fit.gamma, levels } });
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
  return finished(X, fit, byRows, {
    facts: [["likelihood", told]],
    details: { bic, logLikelihood, parameters, tried },
  });
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
