import { random } from "../../core/index.ts";
import type { BlockOperator, Recurrence } from "./blockOperator.ts";
import { symmetricEigen } from "./eigen.ts";
import { matrix } from "../matrix.ts";

/** Steps of the Lanczos process that bounds the spectrum. */
const STEPS = 12;

/**
 * A lower bound of the spectrum of sign A: the smallest Ritz value of a few Lanczos steps minus the norm of the last
 * residual (Zhou and Saad, SIAM J. Matrix Anal. Appl. 29, 2007).
 */
export function farEnd(A: BlockOperator, sign: number, seed: number): number {
  const n = A.size;
  const steps = Math.min(STEPS, n);
  const generator = random(seed);
  const basis = new Float64Array((steps + 1) * n);
  for (let i = 0; i < n; i++) basis[i] = generator.normal();
  const T = matrix(steps, steps);
  const { done, beta } = A.lanczos?.(steps, sign, basis, T.data) ?? lanczos(A, steps, sign, basis, T.data);
  const block = matrix(done, done);
  for (let i = 0; i < done; i++) {
    for (let j = 0; j < done; j++) block.data[i * done + j] = T.data[i * steps + j];
  }
  const { values } = symmetricEigen(block);
  return values[done - 1] - beta;
}

function lanczos(A: BlockOperator, steps: number, sign: number, basis: Float64Array, T: Float64Array) {
  const n = A.size;
  const y = new Float64Array(n);
  let beta = normalize(basis.subarray(0, n));
  let done = 0;
  for (; done < steps && beta > 0; done++) {
    const v = basis.subarray(done * n, (done + 1) * n);
    A.apply(1, v, y);
    for (let pass = 0; pass < 2; pass++) {
      for (let q = 0; q <= done; q++) {
        const b = basis.subarray(q * n, (q + 1) * n);
        let along = 0;
        for (let i = 0; i < n; i++) along += b[i] * y[i];
        for (let i = 0; i < n; i++) y[i] -= along * b[i];
        if (q === done) T[done * steps + done] += sign * along;
      }
    }
    const next = basis.subarray((done + 1) * n, (done + 2) * n);
    next.set(y);
    beta = normalize(next);
    if (done + 1 < steps) {
      T[done * steps + done + 1] = beta;
      T[(done + 1) * steps + done] = beta;
    }
  }
  return { done, beta };
}

/**
 * New directions for Ritz pairs of S = sign A, x of value theta, whose residuals S x - theta x are the rows of R: row j
 * becomes p(S) x - p(theta) x, where p is the Chebyshev polynomial of the given degree on [far, cut], scaled to 1 at
 * `near`. In p(S) x all components between far and cut have shrunk; subtracting p(theta) x, which the search
 * space already contains, before it is formed keeps the digits of the rest once the pair has nearly
 * converged.
 */
export function chebyshevDirections(
  A: BlockOperator,
  sign: number,
  degree: number,
  far: number,
  cut: number,
  near: number,
  theta: readonly number[],
  R: Float64Array,
): void {
  const center = (far + cut) / 2;
  const radius = (cut - far) / 2;
  if (!(radius > 0 && near > cut)) return; // nothing to suppress: the residuals themselves will do
  // Three-term recurrence of P_m = T_m / T_m(near) (Zhou and Saad, algorithm 3.1), for the numbers P_m(theta) here and
  // D_m = P_m(S) x - P_m(theta) x below.
  const first = radius / (near - center);
  let sigma = first;
  let P = theta.map((value) => ((value - center) * first) / radius);
  let Pbefore = theta.map(() => 1);
  const steps: { a: number; b: number; weight: readonly number[] }[] = [];
  for (let m = 2; m <= degree; m++) {
    const next = 1 / (2 / first - sigma);
    const a = (2 * next) / radius;
    const b = sigma * next;
    const [weight, earlier] = [P, Pbefore];
    steps.push({ a, b, weight });
    P = theta.map((value, j) => a * (value - center) * weight[j] - b * earlier[j]);
    Pbefore = weight;
    sigma = next;
  }
  const recurrence: Recurrence = { sign, center, sigma: first, radius, steps };
  if (A.recur === undefined) recur(A, theta.length, R, recurrence);
  else A.recur(theta.length, R, recurrence);
}

function recur(
  A: BlockOperator,
  count: number,
  R: Float64Array,
  { sign, center, sigma, radius, steps }: Recurrence,
): void {
  const n = A.size;
  const length = count * n;
  let D = new Float64Array(length);
  let before = new Float64Array(length);
  const product = new Float64Array(length);
  for (let p = 0; p < length; p++) D[p] = (R[p] * sigma) / radius;
  for (const { a, b, weight } of steps) {
    A.apply(count, D, product);
    for (let j = 0; j < count; j++) {
      const w = weight[j];
      for (let p = j * n; p < (j + 1) * n; p++) {
        before[p] = a * (sign * product[p] - center * D[p] + w * R[p]) - b * before[p];
      }
    }
    [D, before] = [before, D];
  }
  R.set(D);
}

/** Scales to norm 1 (zeros stay) and returns the norm before. */
function normalize(x: Float64Array): number {
  let peak = 0;
  for (const value of x) peak = Math.max(peak, Math.abs(value));
  if (peak === 0) return 0;
  let square = 0;
  for (let i = 0; i < x.length; i++) {
    x[i] /= peak;
    square += x[i] * x[i];
  }
  const norm = Math.sqrt(square);
  for (let i = 0; i < x.length; i++) x[i] /= norm;
  return norm * peak;
}
