import { random } from "../../core/index.ts";
import { inputError, optionError, rule } from "../../core/internal.ts";
import { blockOperator, type BlockOperator, type Operator, type Recurrence } from "./blockOperator.ts";
import { columnsFromRows, symmetricEigen } from "./eigen.ts";
import { engine } from "../engine.ts";
import { matrix, type Matrix } from "../matrix.ts";
import { combineRows, orthonormalize } from "./orthonormalize.ts";
import type { Sparse } from "../sparse.ts";
import { norm } from "../symmetric.ts";

export interface TopEigenOptions {
  /** Which end of the spectrum; default "largest" (by value, not by size). */
  which?: "largest" | "smallest";
  /** Seed of the random starting block; default 0. */
  seed?: number;
  /** A pair has converged when |A x - value x| is at most this part of the largest eigenvalue in size; default 1e-10. */
  tolerance?: number;
  /** Extensions of the search space; default 1000. */
  maxIterations?: number;
}

export interface TopEigen {
  /** From the requested end inwards: descending for "largest", ascending for "smallest". */
  readonly values: Float64Array;
  /** n x k, orthonormal columns; the entry of largest absolute value of each is positive. */
  readonly vectors: Matrix;
  readonly converged: boolean;
  readonly iterations: number;
  /** |A x - value x| of each pair. */
  readonly residuals: Float64Array;
}

/**
 * The k eigenpairs at one end of the spectrum of a symmetric matrix, dense, sparse or given by its products.
 *
 * A search space, kept orthonormal to working precision, grows by the residuals of the wanted Ritz pairs that have not
 * converged, and is cut back to the best Ritz vectors when full: block Lanczos with thick restart (Wu and Simon, SIAM
 * J. Matrix Anal. Appl. 22, 2000). If products are cheap, the residuals pass through a Chebyshev filter first
 * (Zhou and Saad, SIAM J. Matrix Anal. Appl. 29, 2007). The block is as wide as the number of pairs, so
 * eigenvalues come with their multiplicity. Small matrices, and k above an eighth of the order, use
 * `symmetricEigen`. Non-convergence is reported in the result, never hidden.
 */
export function topEigen(A: Matrix | Sparse | Operator, k: number, options: TopEigenOptions = {}): TopEigen {
  const { which, seed, tolerance, maxIterations } = rule.resolveOptions("topEigen", options, {
    which: rule.oneOf(["largest", "smallest"], "largest"),
    seed: rule.integer({ default: 0 }),
    tolerance: rule.real({ above: 0, below: 1, default: 1e-10 }),
    maxIterations: rule.integer({ min: 1, default: 1000 }),
  });
  const block = blockOperator(A);
  const n = block.size;
  if (!Number.isInteger(k) || k < 0 || k > n) {
    throw optionError(`topEigen: the number of eigenpairs must be an integer from 0 to ${n}, got ${k}`);
  }
  const sign = which === "largest" ? 1 : -1;
  if (n <= (block.cost === n ? SMALL_DENSE : SMALL) || 8 * k >= n) return fromFull(block, k, sign, tolerance);
  return iterate(block, k, sign, seed, tolerance, maxIterations);
}

/** Up to these orders all eigenpairs cost less than an iteration. */
const SMALL = 160;
const SMALL_DENSE = 320;
/** Number of additional Ritz pairs, which speed up the last wanted ones. */
const GUARD = 2;

/** All pairs, of which the k at the asked end are kept. */
function fromFull(A: BlockOperator, k: number, sign: number, tolerance: number): TopEigen {
  const n = A.size;
  const unit = new Float64Array(n * n);
  for (let i = 0; i < n; i++) unit[i * n + i] = 1;
  const dense = matrix(n, n);
  A.apply(n, unit, dense.data);
  const full = symmetricEigen(dense);
  const values = new Float64Array(k);
  const X = new Float64Array(k * n);
  for (let j = 0; j < k; j++) {
    const from = sign > 0 ? j : n - 1 - j;
    values[j] = full.values[from];
    for (let i = 0; i < n; i++) X[j * n + i] = full.vectors.data[i * n + from];
  }
  const AX = new Float64Array(k * n);
  A.apply(k, X, AX);
  const residuals = residualNorms(n, k, values, X, AX);
  const limit = tolerance * Math.max(Math.abs(full.values[0] ?? 0), Math.abs(full.values[n - 1] ?? 0));
  return {
    values,
    vectors: columnsFromRows(n, k, (j) => X.subarray(j * n, (j + 1) * n)),
    converged: residuals.every((residual) => residual <= limit),
    iterations: 0,
    residuals,
  };
}

function iterate(
  A: BlockOperator,
  k: number,
  sign: number,
  seed: number,
  tolerance: number,
  maxIterations: number,
): TopEigen {
  const n = A.size;
  const width = k + GUARD;
  const capacity = Math.min(n, Math.max(3 * width, width + 40));
  const kept = Math.min(capacity - width, Math.max(width, capacity >> 1));
  const generator = random(seed);
  const V = new Float64Array(capacity * n); // rows: the basis
  const AV = new Float64Array(capacity * n);
  const H = new Float64Array(capacity * capacity); // V A V'
  const R = new Float64Array(width * n); // rows: residuals, then new directions
  const X = new Float64Array(capacity * n);
  const AX = new Float64Array(capacity * n);
  // An extension costs as much as some hundred multiplications per entry; with cheap products a filter uses
  // that time.
  const degree = Math.max(1, Math.min(MAX_DEGREE, Math.round(EXTENSION_COST / A.cost)));
  let far = degree > 1 ? farEnd(A, sign, seed) : 0;

  /** Rows first .. first + added of H, and their mirror image, from these rows of AV. */
  const project = (first: number, added: number): void => {
    const total = first + added;
    const products = new Float64Array(added * total);
    const rows = AV.subarray(first * n, total * n);
    engine().product(added, total, n, 1, rows, false, V.subarray(0, total * n), true, products);
    for (let i = 0; i < added; i++) {
      for (let j = 0; j < total; j++) {
        H[(first + i) * capacity + j] = products[i * total + j];
        if (j < first) H[j * capacity + first + i] = products[i * total + j];
      }
    }
  };

  for (let p = 0; p < width * n; p++) R[p] = generator.normal();
  let fresh = orthonormalize(n, 0, V, width, R);
  let size = 0;
  let scale = 0;
  for (let iteration = 1; ; iteration++) {
    V.set(R.subarray(0, fresh * n), size * n);
    A.apply(fresh, V.subarray(size * n, (size + fresh) * n), AV.subarray(size * n, (size + fresh) * n));
    project(size, fresh);
    if (size === 0) requireSymmetricProjection(capacity, fresh, H);
    size += fresh;

    const ritz = symmetricEigen(leadingBlock(capacity, size, H, sign));
    const ends = ritz.values;
    scale = Math.max(scale, Math.abs(ends[0]), Math.abs(ends[size - 1]));
    const followed = Math.min(width, size);
    combineRows(n, size, followed, ritz.vectors, V, X);
    combineRows(n, size, followed, ritz.vectors, AV, AX);
    const theta = ends.map((value) => sign * value);
    let residuals = residualNorms(n, followed, theta, X, AX);
    const open: number[] = [];
    for (let j = 0; j < followed; j++) if (residuals[j] > tolerance * scale) open.push(j);
    if (open.length === 0 || open[0] >= k || iteration === maxIterations) {
      // AV has been rotated along with V many times: the reported values come from fresh products.
      A.apply(k, X, AX);
      residuals = residualNorms(n, k, theta, X, AX);
      const held = residuals.every((residual) => residual <= tolerance * scale);
      if (held || iteration === maxIterations) {
        return {
          values: theta.slice(0, k),
          vectors: columnsFromRows(n, k, (j) => X.subarray(j * n, (j + 1) * n)),
          converged: held,
          iterations: iteration,
          residuals,
        };
      }
      A.apply(size, V, AV);
      project(0, size);
    }

    // Residuals of sign A.
    open.forEach((j, r) => {
      for (let i = 0; i < n; i++) R[r * n + i] = sign * (AX[j * n + i] - theta[j] * X[j * n + i]);
    });
    fresh = open.length;
    if (degree > 1) {
      far = Math.min(far, ends[size - 1]);
      // The middle of the Ritz values: a wanted one, or a copy of it, must not lie on the border.
      const cut = ends[Math.min(size - 1, Math.max(width, size >> 1))];
      const values = open.map((j) => ends[j]);
      chebyshevDirections(A, sign, degree, far, cut, ends[0], values, R);
    }
    if (size + Math.max(1, fresh) > capacity) {
      combineRows(n, size, kept, ritz.vectors, V, X);
      combineRows(n, size, kept, ritz.vectors, AV, AX);
      V.set(X.subarray(0, kept * n));
      AV.set(AX.subarray(0, kept * n));
      H.fill(0);
      for (let j = 0; j < kept; j++) H[j * capacity + j] = theta[j];
      size = kept;
    }
    fresh = orthonormalize(n, size, V, fresh, R);
    if (fresh === 0) {
      // The search space is invariant but incomplete: continue in a random direction.
      for (let p = 0; p < n; p++) R[p] = generator.normal();
      fresh = orthonormalize(n, size, V, 1, R);
    }
  }
}

const MAX_DEGREE = 24;
const EXTENSION_COST = 240;

function requireSymmetricProjection(capacity: number, size: number, H: Float64Array): void {
  let largest = 0;
  let asymmetry = 0;
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      largest = Math.max(largest, Math.abs(H[i * capacity + j]));
      asymmetry = Math.max(asymmetry, Math.abs(H[i * capacity + j] - H[j * capacity + i]));
    }
  }
  if (asymmetry > 1e-6 * largest) throw inputError("topEigen: the matrix is not symmetric");
}

/** The leading block of sign H, its rounding asymmetry averaged away. */
function leadingBlock(capacity: number, size: number, H: Float64Array, sign: number): Matrix {
  const block = matrix(size, size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      block.data[i * size + j] = sign * (H[i * capacity + j] / 2 + H[j * capacity + i] / 2);
    }
  }
  return block;
}

function residualNorms(
  n: number,
  count: number,
  theta: Float64Array,
  X: Float64Array,
  AX: Float64Array,
): Float64Array {
  const residual = new Float64Array(n);
  return Float64Array.from({ length: count }, (_, j) => {
    for (let i = 0; i < n; i++) residual[i] = AX[j * n + i] - theta[j] * X[j * n + i];
    return norm(residual);
  });
}

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
