import { have, inputError, plural, rule } from "../../core/internal.ts";
import { checkConstraints, type CheckedConstraints, type Constraints, type Pair } from "../../data/index.ts";
import {
  asMatrix,
  gram,
  matrix,
  cholesky,
  identity,
  solveTriangular,
  transpose,
  tryCholesky,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import { requireModerate, centered, columnMeans, mapped, requireFinite } from "../../matrix/internal.ts";
import { invertible } from "../moments/covariance.ts";

/** The pairs of a method, and what there is to say about them. */
interface KnownPairs extends CheckedConstraints {
  readonly warnings: string[];
}

/** Rows whose values can be squared, and their checked pairs: at least one, or at least one of each kind. */
export function pairedRows(
  method: string,
  input: MatrixLike,
  pairs: Partial<Constraints>,
  needs: "any" | "both",
): KnownPairs & { readonly X: Matrix } {
  const X = asMatrix(input, method);
  requireModerate(X);
  return { ...knownPairs(method, X.rows, pairs, needs), X };
}

export function knownPairs(
  method: string,
  rows: number,
  pairs: Partial<Constraints>,
  needs: "any" | "both",
): KnownPairs {
  const checked = checkConstraints(rows, pairs);
  const [must, cannot] = [checked.mustLink.length, checked.cannotLink.length];
  if (needs === "any" && must + cannot === 0) throw inputError(`${method} needs at least one pair`);
  if (needs === "both" && (must === 0 || cannot === 0)) {
    throw inputError(`${method} needs must-link and cannot-link pairs, at least one of each`);
  }
  const { duplicates } = checked;
  const said = `${plural(duplicates, "pair")} ${have(duplicates)} been given before and count${duplicates === 1 ? "s" : ""} once`;
  return { ...checked, warnings: duplicates === 0 ? [] : [said] };
}

/** Row p is x_i - x_j of pair p. */
export function pairDifferences({ cols: d, data }: Matrix, pairs: readonly Pair[]): Matrix {
  const differences = new Float64Array(pairs.length * d);
  for (let p = 0, at = 0; p < pairs.length; p++) {
    let i = pairs[p][0] * d;
    let j = pairs[p][1] * d;
    for (const end = at + d; at < end; at++) differences[at] = data[i++] - data[j++];
  }
  return matrix(pairs.length, d, differences);
}

/** Mean over the pairs of (x_i - x_j)(x_i - x_j)', in blocks so that memory does not grow with the pairs. */
export function pairScatter(X: Matrix, pairs: readonly Pair[]): Matrix {
  const S = matrix(X.cols, X.cols);
  const block = 4096;
  for (let start = 0; start < pairs.length; start += block) {
    const part = gram(pairDifferences(X, pairs.slice(start, start + block)));
    for (let q = 0; q < S.data.length; q++) S.data[q] += part.data[q] / pairs.length;
  }
  return S;
}

/** The metric to stay close to: Euclidean, the inverse covariance of the rows, or a positive definite matrix M_0. */
type Prior = "identity" | "covariance" | Matrix;

export const priorRule = {
  ...rule.given<Prior>(
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
