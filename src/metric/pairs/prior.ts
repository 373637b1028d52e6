import { given, inputError } from "../../core/internal.ts";
import {
  cholesky,
  gram,
  identity,
  solveTriangular,
  transpose,
  tryCholesky,
  type Matrix,
} from "../../matrix/index.ts";
import { centered, columnMeans, mapped, requireFinite } from "../../matrix/internal.ts";
import { invertible } from "../moments/shrink.ts";

/** The metric to stay close to: Euclidean, the inverse covariance of the rows, or a positive definite matrix M_0. */
export type Prior = "identity" | "covariance" | Matrix;

export const priorRule = {
  ...given<Prior>(
    '"identity", "covariance" or a matrix',
    (value) =>
      value === "identity" ||
      value === "covariance" ||
      (typeof value === "object" && value !== null && "data" in value),
    "identity",
  ),
  control: { kind: "choice" as const, says: "the metric to stay near", choices: ["identity", "covariance"] },
};

/** L_0 with M_0 = L_0'L_0, d x d. */
export function priorFactor(
  method: string,
  X: Matrix,
  prior: Prior,
): { factor: Matrix; warnings: readonly string[] } {
  const d = X.cols;
  if (prior === "identity") return { factor: identity(d), warnings: [] };
  if (prior === "covariance") return inverseCovariance(X);
  if (prior.rows !== d || prior.cols !== d) {
    throw inputError(
      `${method}: the prior is ${prior.rows} x ${prior.cols}, but the data has ${d} columns; ${d} x ${d} is needed`,
    );
  }
  requireFinite(prior, `the ${method} prior`);
  const root = tryCholesky(prior);
  if (root === undefined) {
    throw inputError(
      `${method}: the prior is not positive definite; add a multiple of the identity, or use "identity"`,
    );
  }
  return { factor: transpose(root.L), warnings: [] };
}

function inverseCovariance(X: Matrix): { factor: Matrix; warnings: readonly string[] } {
  const n = X.rows;
  const d = X.cols;
  const covariance = mapped(gram(centered(X, columnMeans(X))), (value) => value / Math.max(1, n - 1));
  const { matrix: C, share } = invertible(covariance, n);
  const warnings =
    share === 0
      ? []
      : [
          `the covariance of the rows is singular (constant or collinear columns, or few rows): ` +
            `the prior is shrunk towards its diagonal by ${share.toFixed(2)}`,
        ];
  // C = K K', so C^-1 = K'^-1 K^-1 and L_0 = K^-1.
  return { factor: solveTriangular(cholesky(C).L, identity(d)), warnings };
}
