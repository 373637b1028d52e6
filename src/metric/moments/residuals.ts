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
