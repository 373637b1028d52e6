import { nearestNeighbors } from "../graph/index.ts";
import { matrix, topEigen, type Matrix, type Sparse } from "../matrix/index.ts";

/** The symmetric 10-nearest-neighbour graph with weights exp(-d^2 / (s_i s_j)), s the distance to the last neighbour
 *  (L. Zelnik-Manor and P. Perona, 2004). */
export function affinity(Z: Matrix, neighbors: number = 10): Sparse {
  const n = Z.rows;
  const k = Math.min(neighbors, n - 1);
  if (k < 1)
    return {
      rows: n,
      cols: n,
      offsets: new Int32Array(n + 1),
      indices: new Int32Array(0),
      values: new Float64Array(0),
    };
  const { indices, distances } = nearestNeighbors(Z, k);
  const reach = Float64Array.from({ length: n }, (_, i) => Math.sqrt(distances[i * k + k - 1]) + 1e-12);
  const lists: Map<number, number>[] = Array.from({ length: n }, () => new Map());
  for (let i = 0; i < n; i++) {
    for (let p = i * k; p < (i + 1) * k; p++) {
      const j = indices[p];
      const weight = Math.max(1e-12, Math.exp(-distances[p] / (reach[i] * reach[j])));
      lists[i].set(j, weight);
      lists[j].set(i, weight);
    }
  }
  const offsets = new Int32Array(n + 1);
  lists.forEach((list, i) => (offsets[i + 1] = offsets[i] + list.size));
  const columns = new Int32Array(offsets[n]);
  const values = new Float64Array(offsets[n]);
  lists.forEach((list, i) => {
    let p = offsets[i];
    for (const j of [...list.keys()].sort((a, b) => a - b)) {
      columns[p] = j;
      values[p++] = list.get(j)!;
    }
  });
  return { rows: n, cols: n, offsets, indices: columns, values };
}

/** D^-1/2 W D^-1/2. */
export function normalized(W: Sparse): Sparse {
  const roots = new Float64Array(W.rows);
  for (let i = 0; i < W.rows; i++) {
    let degree = 1e-12;
    for (let p = W.offsets[i]; p < W.offsets[i + 1]; p++) degree += W.values[p];
    roots[i] = 1 / Math.sqrt(degree);
  }
  const values = new Float64Array(W.values.length);
  for (let i = 0; i < W.rows; i++) {
    for (let p = W.offsets[i]; p < W.offsets[i + 1]; p++)
      values[p] = W.values[p] * roots[i] * roots[W.indices[p]];
  }
  return { ...W, values };
}

export function leadingVectors(S: Sparse | Matrix, count: number): Matrix {
  return topEigen(S, Math.min(count, S.rows), { tolerance: 1e-5, maxIterations: 200 }).vectors;
}

/** The first K columns, rows of length 1 (A. Ng, M. Jordan and Y. Weiss, 2001). */
export function unitRows(vectors: Matrix, K: number): Matrix {
  const n = vectors.rows;
  const k = Math.min(K, vectors.cols);
  const U = matrix(n, k);
  for (let i = 0; i < n; i++) {
    let norm = 0;
    for (let r = 0; r < k; r++) norm += vectors.data[i * vectors.cols + r] ** 2;
    const factor = norm > 0 ? 1 / Math.sqrt(norm) : 0;
    for (let r = 0; r < k; r++) U.data[i * k + r] = vectors.data[i * vectors.cols + r] * factor;
  }
  return U;
}

/** Share of its input that a row passes on. */
const PASSED = 0.8;
/** Steps of Chebyshev iteration; the error falls by half with each. */
const STEPS = 12;

/**
 * Columns of (I - a S)^-1 for the given rows, a = 0.8: the influence of a row on every other one (D. Zhou and
 * others, 2004). By Chebyshev iteration, since the eigenvalues of I - a S are between 1 - a and 1 + a. Entry
 * (i, c) belongs to row i and column c of `columns`.
 */
export function diffusion(S: Sparse, columns: ArrayLike<number>): Matrix {
  const n = S.rows;
  const m = columns.length;
  const solution = matrix(n, m);
  const x = solution.data;
  const r = new Float64Array(n * m);
  for (let c = 0; c < m; c++) r[columns[c] * m + c] = 1;
  const step = r.slice();
  const row = new Float64Array(m);
  let rho = PASSED;
  for (let t = 0; t < STEPS; t++) {
    for (let p = 0; p < x.length; p++) x[p] += step[p];
    if (t === STEPS - 1) break;
    for (let i = 0; i < n; i++) {
      row.fill(0);
      for (let p = S.offsets[i]; p < S.offsets[i + 1]; p++) {
        const weight = S.values[p];
        for (let c = 0, q = S.indices[p] * m; c < m; c++, q++) row[c] += weight * step[q];
      }
      for (let c = 0, q = i * m; c < m; c++, q++) r[q] -= step[q] - PASSED * row[c];
    }
    const next = 1 / (2 / PASSED - rho);
    const keep = next * rho;
    const add = (2 * next) / PASSED;
    for (let p = 0; p < step.length; p++) step[p] = keep * step[p] + add * r[p];
    rho = next;
  }
  return solution;
}

/**
 * The columns of `diffusion` for given rows, each computed once: folds and questions need the same rows
 * again.
 */
export function diffuser(S: Sparse): (rows: ArrayLike<number>) => Matrix {
  const known = new Map<number, Float64Array>();
  return (rows) => {
    const missing = Array.from(new Set(Array.from(rows))).filter((i) => !known.has(i));
    const n = S.rows;
    if (missing.length > 0) {
      const { data } = diffusion(S, missing);
      missing.forEach((i, c) =>
        known.set(
          i,
          Float64Array.from({ length: n }, (_, j) => data[j * missing.length + c]),
        ),
      );
    }
    const m = rows.length;
    const found = matrix(n, m);
    for (let c = 0; c < m; c++) {
      const column = known.get(rows[c])!;
      for (let j = 0; j < n; j++) found.data[j * m + c] = column[j];
    }
    return found;
  };
}
