/**
 * Directions that separate the classes locally: for each of a number of regions (k-means centres) Fisher's
 * discriminant of the rows of every class that are nearest to it, at two scales (Shi, Bellet and Sha 2014,
 * section 3.1). Each is a row of unit length. If S_w of so few rows is singular it is shrunk towards its
 * diagonal.
 */
import { random } from "../../core/index.ts";
import {
  gram,
  identity,
  matrix,
  multiply,
  nearestRows,
  solveTriangular,
  symmetricEigen,
  takeRows,
  tryCholesky,
  type Matrix,
} from "../../matrix/index.ts";
import { shrinkToDiagonal } from "../moments/shrink.ts";

/** Rows of each class around a region's centre, for few and for many columns. */
const SCALES = { few: [10, 20], many: [20, 50] } as const;

/** At most `count` directions, fewer if rows do not differ. */
export function localDiscriminants(
  X: Matrix,
  members: readonly Int32Array[],
  count: number,
  seed: number,
): Matrix {
  const d = X.cols;
  const each = Math.min(members.length - 1, d);
  const regions = Math.min(X.rows, Math.ceil(count / (2 * each)));
  const centers = spreadRows(X, regions, seed);
  const scales = d > 50 ? SCALES.many : SCALES.few;
  const near = members.map((group) => {
    const k = Math.min(group.length, scales[1]);
    return { k, indices: nearestRows(takeRows(X, group), k, { queries: centers }).indices };
  });
  const found: Float64Array[] = [];
  for (const size of scales) {
    for (let r = 0; r < regions && found.length < count; r++) {
      const groups = members.map((group, c) =>
        near[c].indices
          .subarray(r * near[c].k, r * near[c].k + Math.min(size, near[c].k))
          .map((i) => group[i]),
      );
      for (const direction of fisherDirections(X, groups, each))
        if (found.length < count) found.push(direction);
    }
  }
  const B = matrix(found.length, d);
  found.forEach((direction, k) => B.data.set(direction, k * d));
  return B;
}

/** Rows far from each other, k-means++ style: a row is chosen with probability proportional to its squared distance. */
function spreadRows(X: Matrix, count: number, seed: number): Matrix {
  const { rows: n, cols: d } = X;
  const stream = random(seed);
  const chosen = new Int32Array(count);
  const distance = new Float64Array(n).fill(Infinity);
  chosen[0] = stream.integer(n);
  for (let c = 0; c < count; c++) {
    let total = 0;
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let f = 0, a = i * d, b = chosen[c] * d; f < d; f++, a++, b++) sum += (X.data[a] - X.data[b]) ** 2;
      distance[i] = Math.min(distance[i], sum);
      total += distance[i];
    }
    if (c + 1 === count) break;
    let left = stream.uniform() * total;
    let next = 0;
    while (next < n - 1 && (left -= distance[next]) >= 0) next++;
    chosen[c + 1] = next;
  }
  return takeRows(X, chosen);
}

/** Unit vectors along the discriminants of the groups; none if all means coincide. */
function fisherDirections(X: Matrix, groups: readonly Int32Array[], most: number): Float64Array[] {
  const d = X.cols;
  const total = groups.reduce((sum, group) => sum + group.length, 0);
  const centred = matrix(total, d);
  const H = matrix(d, groups.length); // columns sqrt(n_c) (mean of c - mean)
  const mean = new Float64Array(d);
  let r = 0;
  groups.forEach((group, c) => {
    const own = new Float64Array(d);
    for (const i of group) for (let f = 0; f < d; f++) own[f] += X.data[i * d + f] / group.length;
    for (const i of group) {
      for (let f = 0; f < d; f++) centred.data[r * d + f] = X.data[i * d + f] - own[f];
      r++;
    }
    for (let f = 0; f < d; f++) {
      mean[f] += (own[f] * group.length) / total;
      H.data[f * groups.length + c] = own[f];
    }
  });
  groups.forEach((group, c) => {
    for (let f = 0; f < d; f++) {
      const p = f * groups.length + c;
      H.data[p] = Math.sqrt(group.length) * (H.data[p] - mean[f]);
    }
  });
  const within = gram(centred);
  const freedom = Math.max(0, total - groups.length);
  const share = freedom > 2 * d ? 1e-3 : 0.1; // more would turn the directions towards the differences of the means
  const regular = within.data.some((value) => value > 0)
    ? shrinkToDiagonal(within, share, 1e-6)
    : identity(d);
  const factor = tryCholesky(regular);
  if (factor === undefined) return [];
  const A = solveTriangular(factor.L, H); // S_w = LL', A'A has the eigenvalues of S_w^-1 S_b
  const { values, vectors } = symmetricEigen(gram(A));
  const V = solveTriangular(factor.L, multiply(A, vectors), { transposed: true });
  const directions: Float64Array[] = [];
  for (let c = 0; c < most && values[c] > 1e-10 * Math.max(1e-300, values[0]); c++) {
    const direction = Float64Array.from({ length: d }, (_, f) => V.data[f * V.cols + c]);
    const length = Math.sqrt(direction.reduce((sum, value) => sum + value * value, 0));
    if (length > 0 && length < Infinity) directions.push(direction.map((value) => value / length));
  }
  return directions;
}
