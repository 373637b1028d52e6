import { symmetricEigen } from "./eigen.ts";
import { engine } from "../engine.ts";
import { matrix, type Matrix } from "../matrix.ts";
import { norm } from "../symmetric.ts";

/** A direction with a smaller new part counts as known. */
const DEPENDENT = 1e-6;

/**
 * Makes the `count` rows of R orthonormal and orthogonal to the `size` rows of V; directions that the others already
 * span are dropped. Returns the number of remaining ones. The rows are made orthonormal through the
 * eigenvectors of their Gram matrix (Stathopoulos and Wu, SIAM J. Sci. Comput. 23, 2002). Everything is done
 * twice, because the first pass leaves rounding of the size of what it removed.
 */
export function orthonormalize(
  n: number,
  size: number,
  V: Float64Array,
  count: number,
  R: Float64Array,
): number {
  let left = count;
  for (let pass = 0; pass < 2; pass++) {
    left = normalizeRows(n, left, R);
    if (left === 0) return 0;
    const rows = R.subarray(0, left * n);
    if (size > 0) {
      const along = new Float64Array(left * size);
      const basis = V.subarray(0, size * n);
      engine().product(left, size, n, 1, rows, false, basis, true, along);
      engine().product(left, n, size, -1, along, false, basis, false, rows);
      left = normalizeRows(n, left, R, pass === 0 ? DEPENDENT : 0.5);
      if (left === 0) return 0;
    }
    const G = matrix(left, left);
    const kept = R.subarray(0, left * n);
    engine().product(left, left, n, 1, kept, false, kept, true, G.data);
    const { values, vectors } = symmetricEigen(G);
    let rank = 0;
    while (rank < left && values[rank] > DEPENDENT * DEPENDENT * values[0]) rank++;
    for (let i = 0; i < left; i++) {
      for (let j = 0; j < rank; j++) vectors.data[i * left + j] /= Math.sqrt(values[j]);
    }
    const mixed = new Float64Array(rank * n);
    combineRows(n, left, rank, vectors, kept, mixed);
    R.set(mixed);
    left = rank;
  }
  return left;
}

/** Row j of `out` := sum over i of Y(i, j) times row i of V, for the first `count` columns of Y. */
export function combineRows(
  n: number,
  size: number,
  count: number,
  Y: Matrix,
  V: Float64Array,
  out: Float64Array,
): void {
  const weights = new Float64Array(count * size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < count; j++) weights[j * size + i] = Y.data[i * size + j];
  }
  const target = out.subarray(0, count * n);
  target.fill(0);
  engine().product(count, n, size, 1, weights, false, V.subarray(0, size * n), false, target);
}

/**
 * Scales rows to norm 1 and drops those whose norm is not above `floor`; returns the number of remaining
 * ones.
 */
function normalizeRows(n: number, count: number, R: Float64Array, floor: number = 0): number {
  let left = 0;
  for (let r = 0; r < count; r++) {
    const row = R.subarray(r * n, (r + 1) * n);
    const size = norm(row);
    if (!(size > floor)) continue;
    for (let i = 0; i < n; i++) row[i] /= size;
    R.copyWithin(left * n, r * n, (r + 1) * n);
    left++;
  }
  return left;
}
