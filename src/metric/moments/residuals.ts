/** Certificates of closed forms: how far the returned matrices are from the equations that define them. */
import { multiply, multiplyTransposeB, type Matrix } from "../../matrix/index.ts";

/** max |A - I|. */
export function fromIdentity(A: Matrix): number {
  return A.data.reduce(
    (worst, value, p) => Math.max(worst, Math.abs(value - (p % (A.cols + 1) === 0 ? 1 : 0))),
    0,
  );
}

/** max |L C L' - I|. */
export function whiteness(L: Matrix, C: Matrix): number {
  return fromIdentity(multiplyTransposeB(multiply(L, C), L));
}

/** |A V - B V D| / |A| of symmetric A and B; the rows of L are the columns of V, `values` the diagonal of D. */
export function eigenResidual(A: Matrix, B: Matrix, L: Matrix, values: Float64Array): number {
  const AV = multiply(L, A); // rows (A v)'
  const BV = multiply(L, B);
  const scale = A.data.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
  let worst = 0;
  for (let p = 0; p < AV.data.length; p++) {
    worst = Math.max(worst, Math.abs(AV.data[p] - values[Math.floor(p / L.cols)] * BV.data[p]));
  }
  return worst / scale;
}
