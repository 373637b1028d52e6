import { have, inputError, plural } from "../../core/internal.ts";
import { checkConstraints, type CheckedConstraints, type Constraints, type Pair } from "../../data/index.ts";
import { asMatrix, gram, matrix, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import { requireModerate } from "../../matrix/internal.ts";

/** The pairs of a method, and what there is to say about them. */
export interface KnownPairs extends CheckedConstraints {
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
