import { identity, matrix, tryCholesky, type Matrix } from "../../matrix/index.ts";

/**
 * The inverse of a scatter matrix G that grows by outer products: G <- G + w v v' costs d^2 by the formula of Sherman and
 * Morrison (1950). It is recomputed from G when it does not exist yet, and every `fresh` steps, so rounding
 * does not accumulate.
 */
export interface MovingInverse {
  readonly G: Matrix;
  add(v: Float64Array, weight: number): void;
  /** G^-1, or undefined where G is singular. */
  inverse(): Matrix | undefined;
}

/** Number of steps by the formula, in multiples of d: the following factor costs as much as d of them. */
const FRESH = 20;

export function movingInverse(d: number): MovingInverse {
  const G = matrix(d, d);
  let known: Matrix | undefined;
  let steps = 0;
  const made = (): Matrix | undefined => {
    steps = 0;
    return tryCholesky(G)?.solve(identity(d));
  };
  return {
    G,
    add(v, weight) {
      for (let f = 0; f < d; f++) for (let g = 0; g < d; g++) G.data[f * d + g] += weight * v[f] * v[g];
      if (known === undefined || ++steps > FRESH * d) {
        known = undefined;
        return;
      }
      addOuter(known, v, weight);
    },
    inverse: () => (known ??= made()),
  };
}

/** A <- (A^-1 + w v v')^-1 = A - w A v v'A / (1 + w v'A v), in place; returns v'A v before. */
export function addOuter(A: Matrix, v: ArrayLike<number>, weight: number): number {
  const d = A.rows;
  const Av = new Float64Array(d);
  let square = 0;
  for (let f = 0; f < d; f++) {
    for (let g = 0; g < d; g++) Av[f] += A.data[f * d + g] * v[g];
    square += v[f] * Av[f];
  }
  const share = weight / (1 + weight * square);
  for (let f = 0; f < d; f++) for (let g = 0; g < d; g++) A.data[f * d + g] -= share * Av[f] * Av[g];
  return square;
}
