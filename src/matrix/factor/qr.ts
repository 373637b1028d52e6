import {
  withWorkspace,
  applyReflectors,
  REFLECTOR_BLOCK,
  reflectorScratch,
  type FactorKernel,
} from "./factorKernel.ts";
import { matrix, row, transpose, type Matrix } from "../matrix.ts";
import { largestEntry, scaleToOne } from "../symmetric.ts";

export interface QR {
  /** m x min(m, n), orthonormal columns. */
  readonly Q: Matrix;
  /** min(m, n) x n, upper triangular, diagonal not negative. */
  readonly R: Matrix;
}

/**
 * Thin QR by blocked Householder reflections, A = Q R. The diagonal of R is made non-negative, which fixes the signs.
 * A may have any rank: Q is always orthonormal. Columns are scaled by powers of two, so each column of R is
 * accurate relative to its own column of A.
 */
export function qr(A: Matrix): QR {
  largestEntry(A, "qr");
  const { rows: m, cols: n } = A;
  const k = Math.min(m, n);
  const Q = matrix(m, k);
  const R = matrix(k, n);
  if (k === 0) return { Q, R };
  const blocks = { A: n * m, R: n * k, Q: k * m, tau: n, scratch: reflectorScratch(n) };
  withWorkspace(n, blocks, ({ kernel, heap: H, at }) => {
    const scale = columnsAsRows(A, H, at.A);
    H.fill(0, at.R, at.R + n * k);
    // The first k columns become the reflectors, row j of R (row stride k) the column j of the triangular factor.
    for (let j = 0; j < k; j += REFLECTOR_BLOCK) {
      const nb = Math.min(REFLECTOR_BLOCK, k - j);
      kernel.reflectPanel(nb, m, j, at.A + j * m, at.tau + j, at.R + j * k, k);
      const [v, rest] = [at.A + j * m + j, n - j - nb];
      if (rest > 0) {
        applyReflectors(kernel, nb, m - j, v, m, at.tau + j, rest, v + nb * m, m, false, at.scratch);
      }
    }
    for (let j = k; j < n; j++) H.copyWithin(at.R + j * k, at.A + j * m, at.A + j * m + k);
    orthonormalRows(kernel, m, k, at.A, at.tau, at.Q, at.scratch);
    const sign = new Float64Array(k);
    for (let i = 0; i < k; i++) sign[i] = H[at.R + i * k + i] < 0 ? -1 : 1;
    for (let i = 0; i < k; i++) {
      for (let j = i; j < n; j++) R.data[i * n + j] = (sign[i] * H[at.R + j * k + i]) / scale[j];
    }
    for (let i = 0; i < k; i++) if (sign[i] < 0) negate(H.subarray(at.Q + i * m, at.Q + (i + 1) * m));
    Q.data.set(transpose(matrix(k, m, H.subarray(at.Q, at.Q + k * m))).data);
  });
  return { Q, R };
}

/** Column j of A, scaled, becomes row j at `target`: the reflections then run along contiguous memory. */
function columnsAsRows(A: Matrix, H: Float64Array, target: number): Float64Array {
  const columns = transpose(A);
  const scale = new Float64Array(A.cols);
  for (let j = 0; j < A.cols; j++) {
    const column = row(columns, j);
    let peak = 0;
    for (let i = 0; i < column.length; i++) peak = Math.max(peak, Math.abs(column[i]));
    scale[j] = scaleToOne(peak);
    for (let i = 0; i < column.length; i++) column[i] *= scale[j];
  }
  H.set(columns.data, target);
  return scale;
}

/** Rows of Q' (k x m) from the reflectors, last block first. */
export function orthonormalRows(
  kernel: FactorKernel,
  m: number,
  k: number,
  V: number,
  tau: number,
  Q: number,
  scratch: number,
): void {
  const { heap: H } = kernel;
  H.fill(0, Q, Q + k * m);
  for (let i = 0; i < k; i++) H[Q + i * m + i] = 1;
  for (let block = Math.ceil(k / REFLECTOR_BLOCK) - 1; block >= 0; block--) {
    const j = block * REFLECTOR_BLOCK;
    const nb = Math.min(REFLECTOR_BLOCK, k - j);
    // Rows before j are still unit vectors, which these reflectors do not change.
    const q = Q + j * m + j;
    applyReflectors(kernel, nb, m - j, V + j * m + j, m, tau + j, k - j, q, m, true, scratch);
  }
}

function negate(values: Float64Array): void {
  for (let i = 0; i < values.length; i++) values[i] = -values[i];
}
