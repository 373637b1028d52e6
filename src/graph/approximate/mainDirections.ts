import type { Random } from "../../core/index.ts";
import {
  gram,
  matrix,
  multiplyTransposeA,
  multiplyTransposeB,
  symmetricEigen,
  type Matrix,
} from "../../matrix/index.ts";
import { orthonormalize } from "../../matrix/internal.ts";

/** Number of products with X'X; each divides the part of the other directions. */
const ROUNDS = 2;
/** Directions beyond the wanted ones, which make these more accurate. */
const BEYOND = 8;

/**
 * About the `count` directions of largest variance of centred rows X, as rows, largest variance first: subspace
 * iteration from random directions (N. Halko, P.-G. Martinsson and J. A. Tropp, 2011, algorithm 4.4). Fewer where the
 * rows span fewer.
 */
export function mainDirections(X: Matrix, count: number, stream: Random): Matrix {
  const d = X.cols;
  const tried = Math.min(d, count + BEYOND);
  let V = matrix(
    tried,
    d,
    Float64Array.from({ length: tried * d }, () => stream.normal()),
  );
  for (let round = 0; round < ROUNDS; round++) {
    const W = multiplyTransposeA(multiplyTransposeB(X, V), X);
    const kept = orthonormalize(d, 0, V.data, W.rows, W.data);
    V = matrix(kept, d, W.data.slice(0, kept * d));
    if (kept === 0) return V;
  }
  const { vectors } = symmetricEigen(gram(multiplyTransposeB(X, V)));
  const turned = multiplyTransposeA(vectors, V);
  const kept = Math.min(count, turned.rows);
  return matrix(kept, d, turned.data.slice(0, kept * d));
}
