// One-sided Jacobi rotations.
import { dot, madd } from "./_micro.as";
import { TINY, UNIT, at } from "./_rows.as";

// Squared norms are updated by the rotation's own formula and recomputed where that would cancel.
export function jacobiSweep(m: i32, k: i32, G_: i32, J_: i32, squares_: i32): f64 {
  const G = at(G_), J = at(J_), squares = at(squares_), ldg = <usize>k << 3, ldj = <usize>m << 3;
  const tolerance = Math.sqrt(<f64>k) * UNIT;
  let worst: f64 = 0;
  for (let i = 0; i < m; i++) store<f64>(squares + (<usize>i << 3), dot(k, G + <usize>i * ldg, G + <usize>i * ldg));
  for (let i = 0; i < m - 1; i++) {
    const gi = G + <usize>i * ldg, si = squares + (<usize>i << 3);
    for (let j = i + 1; j < m; j++) {
      const gj = G + <usize>j * ldg, sj = squares + (<usize>j << 3);
      const alpha = load<f64>(si), beta = load<f64>(sj);
      const size = Math.sqrt(alpha) * Math.sqrt(beta);
      if (!(size > TINY)) continue;
      const gamma = dot(k, gi, gj);
      const cosine = Math.abs(gamma) / size;
      if (cosine > worst) worst = cosine;
      if (cosine <= tolerance) continue;
      const zeta = (beta - alpha) / (2 * gamma);
      const t = copysign<f64>(1, zeta) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
      const c = 1 / Math.sqrt(1 + t * t), s = c * t;
      rotate(k, gi, gj, c, s);
      rotate(m, J + <usize>i * ldj, J + <usize>j * ldj, c, s);
      const a = alpha - t * gamma, b = beta + t * gamma;
      store<f64>(si, a > 0.25 * alpha ? a : dot(k, gi, gi));
      store<f64>(sj, b > 0.25 * beta ? b : dot(k, gj, gj));
    }
  }
  return worst;
}

function rotate(n: i32, x: usize, y: usize, c: f64, s: f64): void {
  const cv = f64x2.splat(c), sv = f64x2.splat(s);
  let i = 0;
  for (; i + 2 <= n; i += 2) {
    const a = v128.load(x), b = v128.load(y);
    v128.store(x, f64x2.sub(f64x2.mul(cv, a), f64x2.mul(sv, b)));
    v128.store(y, madd(sv, a, f64x2.mul(cv, b)));
    x += 16;
    y += 16;
  }
  if (i < n) {
    const a = load<f64>(x), b = load<f64>(y);
    store<f64>(x, c * a - s * b);
    store<f64>(y, s * a + c * b);
  }
}
