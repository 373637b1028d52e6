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
export function priorFactor(method: string, X: Matrix, prior: Prior, warnings: string[]): Matrix {
  const d = X.cols;
  if (prior === "identity") return identity(d);
  if (prior === "covariance") return inverseCovariance(X, warnings);
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
  return transpose(root.L);
}

function inverseCovariance(X: Matrix, warnings: string[]): Matrix {
  const n = X.rows;
  const covariance = mapped(gram(centered(X, columnMeans(X))), (value) => value / Math.max(1, n - 1));
  const { matrix: C, share } = invertible(covariance, n);
  if (share > 0) {
    warnings.push(
      `the covariance of the rows is singular (constant or collinear columns, or few rows): ` +
        `the prior is shrunk towards its diagonal by ${share.toFixed(2)}`,
    );
  }
  // C = K K', so C^-1 = K'^-1 K^-1 and L_0 = K^-1.
  return solveTriangular(cholesky(C).L, identity(X.cols));
}
