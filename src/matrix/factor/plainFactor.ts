import type { FactorKernel } from "./factorKernel.ts";

/**
 * The inner loops of the factorisations in plain TypeScript, unblocked: the fallback without WebAssembly and
 * the reference for tests of the kernels.
 */
export function plainFactorKernel(size: number): FactorKernel {
  const H = new Float64Array(size);
  return { heap: H, ...triangles(H), ...rotations(H) };
}

type Triangles = "largest" | "symmetrize" | "gemm" | "cholesky" | "solveTriangular" | "lu";

function triangles(H: Float64Array): Pick<FactorKernel, Triangles> {
  const { dot, axpy } = rowsOf(H);
  return {
    largest(count, x) {
      let peak = 0;
      let spoiled = 0;
      for (let i = x; i < x + count; i++) {
        const size = Math.abs(H[i]);
        if (size > peak) peak = size;
        spoiled += size * 0; // NaN as soon as one entry is not finite
      }
      return peak + spoiled;
    },

    symmetrize(n, A, limit, factor) {
      const half = 0.5 * factor;
      for (let i = 0; i < n; i++) {
        for (let j = 0; j <= i; j++) {
          const a = H[A + i * n + j];
          const b = H[A + j * n + i];
          if (Math.abs(a - b) > limit) return i * n + j + 1;
          H[A + i * n + j] = a * half + b * half;
        }
      }
      return 0;
    },

    gemm(m, n, k, alpha, A, ars, acs, B, brs, bcs, C, ldc) {
      for (let i = 0; i < m; i++) {
        const c = C + i * ldc;
        for (let p = 0; p < k; p++) {
          const a = alpha * H[A + i * ars + p * acs];
          if (a === 0) continue;
          const b = B + p * brs;
          for (let j = 0; j < n; j++) H[c + j] += a * H[b + j * bcs];
        }
      }
    },

    cholesky(n, A, pivot) {
      for (let i = 0; i < n; i++) {
        const ri = A + i * n;
        for (let j = 0; j < i; j++) {
          const rj = A + j * n;
          H[ri + j] = (H[ri + j] - dot(j, ri, rj)) / H[rj + j];
        }
        H[pivot + i] = H[ri + i];
        const left = H[ri + i] - dot(i, ri, ri);
        if (!(left > (2 * i + 18) * UNIT * H[ri + i])) return i + 1;
        H[ri + i] = Math.sqrt(left);
      }
      return 0;
    },

    solveTriangular(n, m, T, trs, tcs, upper, unit, B, ldb) {
      for (let step = 0; step < n; step++) {
        const i = upper ? n - 1 - step : step;
        const b = B + i * ldb;
        const from = upper ? i + 1 : 0;
        const to = upper ? n : i;
        for (let j = from; j < to; j++) axpy(m, -H[T + i * trs + j * tcs], B + j * ldb, b);
        if (unit) continue;
        const t = H[T + i * (trs + tcs)];
        for (let c = 0; c < m; c++) H[b + c] /= t;
      }
    },

    lu(n, A, exchange, floor) {
      for (let k = 0; k < n; k++) {
        let best = k;
        for (let i = k + 1; i < n; i++) {
          if (Math.abs(H[A + i * n + k]) > Math.abs(H[A + best * n + k])) best = i;
        }
        H[exchange + k] = best;
        if (!(Math.abs(H[A + best * n + k]) > floor)) return k + 1;
        swap(H, n, A + k * n, A + best * n);
        for (let i = k + 1; i < n; i++) {
          const factor = H[A + i * n + k] / H[A + k * n + k];
          H[A + i * n + k] = factor;
          axpy(n - k - 1, -factor, A + k * n + k + 1, A + i * n + k + 1);
        }
      }
      return 0;
    },
  };
}

function rotations(H: Float64Array): Omit<FactorKernel, "heap" | Triangles> {
  const { dot, axpy } = rowsOf(H);
  return {
    tridiagonalize(n, A, V, tau, d, e, W) {
      for (let j = 0; j < n - 1; j++) {
        const v = V + j * n;
        H.fill(0, v, v + n);
        for (let i = j + 1; i < n; i++) H[v + i] = H[A + i * n + j];
        H[d + j] = H[A + j * n + j];
        const { t, beta } = reflector(H, n - j - 1, v + j + 1);
        H[tau + j] = t;
        H[e + j] = beta;
        if (t === 0) continue;
        // A := H A H = A - v w' - w v', with p = tau A v and w = p - (tau / 2)(p'v) v.
        H.fill(0, W, W + n);
        for (let i = j + 1; i < n; i++) {
          const row = A + i * n;
          H[W + i] += t * dot(i - j, row + j + 1, v + j + 1);
          axpy(i - j - 1, t * H[v + i], row + j + 1, W + j + 1);
        }
        axpy(n - j - 1, -0.5 * t * dot(n - j - 1, W + j + 1, v + j + 1), v + j + 1, W + j + 1);
        for (let i = j + 1; i < n; i++) {
          axpy(i - j, -H[v + i], W + j + 1, A + i * n + j + 1);
          axpy(i - j, -H[W + i], v + j + 1, A + i * n + j + 1);
        }
      }
      H[d + n - 1] = H[A + n * n - 1];
    },

    reflectPanel(count, m, first, A, tau, R, ldr) {
      for (let i = 0; i < count; i++) {
        const row = A + i * m;
        for (let p = 0; p < i; p++) {
          const at = first + p;
          const v = A + p * m + at;
          axpy(m - at, -H[tau + p] * dot(m - at, v, row + at), v, row + at);
        }
        const at = first + i;
        for (let c = 0; c < at; c++) H[R + i * ldr + c] = H[row + c];
        H.fill(0, row, row + at);
        const { t, beta } = reflector(H, m - at, row + at);
        H[tau + i] = t;
        H[R + i * ldr + at] = beta;
      }
    },

    reflectPivoted(n, A, tau, R, order, squares) {
      for (let j = 0; j < n; j++) H[order + j] = j;
      for (let k = 0; k < n; k++) {
        let best = k;
        for (let j = k; j < n; j++) {
          H[squares + j] = dot(n - k, A + j * n + k, A + j * n + k);
          if (H[squares + j] > H[squares + best]) best = j;
        }
        swap(H, n, A + k * n, A + best * n);
        swap(H, k, R + k * n, R + best * n);
        swap(H, 1, order + k, order + best);
        const v = A + k * n + k;
        H.fill(0, v - k, v);
        const { t, beta } = reflector(H, n - k, v);
        H[tau + k] = t;
        H[R + k * n + k] = beta;
        for (let j = k + 1; j < n; j++) {
          const row = A + j * n + k;
          axpy(n - k, -t * dot(n - k, v, row), v, row);
          H[R + j * n + k] = H[row];
        }
      }
    },

    jacobiSweep(m, k, G, J, squares) {
      const tolerance = Math.sqrt(k) * UNIT;
      let worst = 0;
      for (let i = 0; i < m; i++) H[squares + i] = dot(k, G + i * k, G + i * k);
      for (let i = 0; i < m - 1; i++) {
        const gi = G + i * k;
        for (let j = i + 1; j < m; j++) {
          const gj = G + j * k;
          const alpha = H[squares + i];
          const beta = H[squares + j];
          const size = Math.sqrt(alpha) * Math.sqrt(beta);
          if (!(size > TINY)) continue;
          const gamma = dot(k, gi, gj);
          const cosine = Math.abs(gamma) / size;
          if (cosine > worst) worst = cosine;
          if (cosine <= tolerance) continue;
          const zeta = (beta - alpha) / (2 * gamma);
          const t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
          const c = 1 / Math.sqrt(1 + t * t);
          rotate(H, k, gi, gj, c, c * t);
          rotate(H, m, J + i * m, J + j * m, c, c * t);
          H[squares + i] = dot(k, gi, gi);
          H[squares + j] = dot(k, gj, gj);
        }
      }
      return worst;
    },
  };
}

function rowsOf(H: Float64Array) {
  const dot = (n: number, x: number, y: number): number => {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += H[x + i] * H[y + i];
    return sum;
  };
  const axpy = (n: number, a: number, x: number, y: number): void => {
    for (let i = 0; i < n; i++) H[y + i] += a * H[x + i];
  };
  return { dot, axpy };
}

/** Unit roundoff. */
const UNIT = 2 ** -53;
/** Smaller squares carry too few bits to define a reflector or a rotation; the entries count as zero. */
const TINY = 1e-250;

/**
 * Turns x (at position x, length m) into v, v_0 = 1, such that (I - t v v') x = beta e_0. Golub and Van Loan, Matrix
 * Computations, algorithm 5.1.1, with the sign that avoids cancellation.
 */
function reflector(H: Float64Array, m: number, x: number) {
  const alpha = H[x];
  let tail = 0;
  for (let i = 1; i < m; i++) tail += H[x + i] * H[x + i];
  H[x] = 1;
  if (!(tail > TINY)) {
    H.fill(0, x + 1, x + m);
    return { t: 0, beta: alpha };
  }
  const norm = Math.sqrt(alpha * alpha + tail);
  const beta = alpha > 0 ? -norm : norm;
  const scale = 1 / (alpha - beta);
  for (let i = 1; i < m; i++) H[x + i] *= scale;
  return { t: (beta - alpha) / beta, beta };
}

function swap(H: Float64Array, n: number, x: number, y: number): void {
  for (let i = 0; i < n; i++) {
    const held = H[x + i];
    H[x + i] = H[y + i];
    H[y + i] = held;
  }
}

function rotate(H: Float64Array, n: number, x: number, y: number, c: number, s: number): void {
  for (let i = 0; i < n; i++) {
    const a = H[x + i];
    const b = H[y + i];
    H[x + i] = c * a - s * b;
    H[y + i] = s * a + c * b;
  }
}
