import { dot } from "../matrix/internal.ts";

/**
 * A x = b for a symmetric positive (semi)definite A, by conjugate gradients from x = 0 with a diagonal preconditioner (M. R.
 * Hestenes and E. Stiefel, 1952). `apply` writes A p to its second argument. It ends when `enough(r, r' D^-1 r)` holds for
 * the residual r, after `maxSteps`, or where A shows no curvature.
 */
export function conjugateGradients(
  apply: (p: Float64Array, image: Float64Array) => void,
  diagonal: Float64Array,
  b: Float64Array,
  { enough, maxSteps }: { enough: (residual: Float64Array, rho: number) => boolean; maxSteps: number },
) {
  const x = new Float64Array(b.length);
  const residual = b.slice();
  const scaled = (): Float64Array => residual.map((value, i) => value / diagonal[i]);
  const p = scaled();
  const image = new Float64Array(b.length);
  let rho = dot(residual, p);
  /** The decrease of x'Ax / 2 - b'x. */
  let gain = 0;
  let done = enough(residual, rho);
  for (let step = 0; step < maxSteps && !done; step++) {
    apply(p, image);
    const curvature = dot(p, image);
    if (!(curvature > 0)) break;
    const alpha = rho / curvature;
    gain += 0.5 * alpha * rho;
    for (let i = 0; i < x.length; i++) {
      x[i] += alpha * p[i];
      residual[i] -= alpha * image[i];
    }
    const z = scaled();
    const next = dot(residual, z);
    for (let i = 0; i < x.length; i++) p[i] = z[i] + (next / rho) * p[i];
    rho = next;
    done = enough(residual, rho);
  }
  return { x, gain, done };
}
