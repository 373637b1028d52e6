// The secular equation of divide and conquer; see src/matrix/factor/secular.ts.
import { dot, hsum, madd } from "./_micro.as";
import { UNIT, at } from "./_rows.as";

/** Sums of z_i^2 / (delta_i - y) and of its derivative over n terms. */
let secularSum: f64 = 0;
let secularSlope: f64 = 0;
function secularTerms(n: i32, delta: usize, z: usize, y: f64): void {
  const yv = f64x2.splat(y);
  let sum0 = f64x2.splat(0), sum1 = sum0, slope0 = sum0, slope1 = sum0;
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    const z0 = v128.load(z), z1 = v128.load(z, 16);
    const t0 = f64x2.div(z0, f64x2.sub(v128.load(delta), yv));
    const t1 = f64x2.div(z1, f64x2.sub(v128.load(delta, 16), yv));
    sum0 = madd(z0, t0, sum0);
    slope0 = madd(t0, t0, slope0);
    sum1 = madd(z1, t1, sum1);
    slope1 = madd(t1, t1, slope1);
    z += 32;
    delta += 32;
  }
  let sum = hsum(f64x2.add(sum0, sum1)), slope = hsum(f64x2.add(slope0, slope1));
  for (; i < n; i++) {
    const t = load<f64>(z) / (load<f64>(delta) - y);
    sum += load<f64>(z) * t;
    slope += t * t;
    z += 8;
    delta += 8;
  }
  secularSum = sum;
  secularSlope = slope;
}

export function secular(k: i32, d_: i32, z_: i32, rho: f64, roots: i32, U: i32): void {
  const d = at(d_), z = at(z_);
  for (let j = 0; j < k; j++) store<f64>(at(roots + j), secularRoot(k, j, d, z, rho, at(U + j * k)));
}

/** `delta` holds d_i - origin during the iteration. */
function secularRoot(k: i32, j: i32, d: usize, z: usize, rho: f64, delta: usize): f64 {
  const last = j == k - 1;
  let origin = load<f64>(d + (<usize>j << 3)), low: f64 = 0, high: f64 = 0;
  shift(k, d, origin, delta);
  if (last) {
    high = rho * dot(k, z, z);
  } else {
    const gap = load<f64>(d + (<usize>(j + 1) << 3)) - origin;
    secularTerms(k, delta, z, gap / 2);
    if (1 + rho * secularSum < 0) {
      origin = load<f64>(d + (<usize>(j + 1) << 3));
      shift(k, d, origin, delta);
      low = -gap / 2;
    } else {
      high = gap / 2;
    }
  }
  const split = last ? max(0, j - 1) : j, o = <usize>(split + 1) << 3;
  let y = (low + high) / 2;
  for (let step = 0; step < 100; step++) {
    secularTerms(split + 1, delta, z, y);
    const psi = rho * secularSum, slopePsi = rho * secularSlope;
    secularTerms(k - split - 1, delta + o, z + o, y);
    const phi = rho * secularSum, slopePhi = rho * secularSlope;
    const f = 1 + psi + phi;
    if (Math.abs(f) <= UNIT * <f64>k * (1 + Math.abs(psi) + Math.abs(phi))) break;
    if (f < 0) low = y;
    else high = y;
    let next = y - f / (slopePsi + slopePhi);
    if (split + 1 < k) {
      const D1 = load<f64>(delta + o - 8) - y, D2 = load<f64>(delta + o) - y;
      const c = f - slopePsi * D1 - slopePhi * D2;
      const a = c * (D1 + D2) + slopePsi * D1 * D1 + slopePhi * D2 * D2;
      const b = D1 * D2 * f;
      const root = Math.sqrt(Math.max(0, a * a - 4 * b * c));
      let eta: f64;
      if (last) eta = a >= 0 ? (a + root) / (2 * c) : (2 * b) / (a - root);
      else eta = a <= 0 ? (a - root) / (2 * c) : (2 * b) / (a + root);
      if (f * eta <= 0) next = y + eta;
    }
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (next == y || high - low <= 2 * UNIT * Math.max(Math.abs(low), Math.abs(high))) {
      y = next;
      break;
    }
    y = next;
  }
  shift(k, delta, y, delta);
  return origin + y;
}

/** y_i = x_i - a */
function shift(n: i32, x: usize, a: f64, y: usize): void {
  for (const end = x + (<usize>n << 3); x < end; x += 8, y += 8) store<f64>(y, load<f64>(x) - a);
}

export function rankOneVectors(k: i32, d_: i32, z_: i32, order_: i32, exact_: i32, U_: i32): void {
  const d = at(d_), z = at(z_), order = at(order_), exact = at(exact_), U = at(U_), ldu = <usize>k << 3;
  for (let i = 0; i < k; i++) store<f64>(exact + (<usize>i << 3), -load<f64>(U + <usize>i * (ldu + 8)));
  for (let j = 0; j < k; j++) {
    const u = U + <usize>j * ldu, dj = load<f64>(d + (<usize>j << 3)), o = <usize>(j + 1) << 3;
    lowner(j, u, d, dj, exact);
    lowner(k - j - 1, u + o, d + o, dj, exact + o);
  }
  for (let i = 0; i < k; i++) {
    const o = <usize>i << 3;
    store<f64>(exact + o, copysign<f64>(Math.sqrt(Math.abs(load<f64>(exact + o))), load<f64>(z + o)));
  }
  const vector = exact + ldu; // k doubles beyond
  for (let j = 0; j < k; j++) {
    const u = U + <usize>j * ldu;
    let i: usize = 0;
    for (; i + 16 <= ldu; i += 16) v128.store(vector + i, f64x2.div(v128.load(exact + i), v128.load(u + i)));
    for (; i < ldu; i += 8) store<f64>(vector + i, load<f64>(exact + i) / load<f64>(u + i));
    const factor = 1 / Math.sqrt(dot(k, vector, vector));
    for (let q: usize = 0; q < ldu; q += 8) {
      store<f64>(u + q, factor * load<f64>(vector + (<usize>(<i32>load<f64>(order + q)) << 3)));
    }
  }
}

/** exact_i *= u_i / (d_i - dj) */
function lowner(n: i32, u: usize, d: usize, dj: f64, exact: usize): void {
  const dv = f64x2.splat(dj);
  let i = 0;
  for (; i + 2 <= n; i += 2) {
    const ratio = f64x2.div(v128.load(u), f64x2.sub(v128.load(d), dv));
    v128.store(exact, f64x2.mul(v128.load(exact), ratio));
    u += 16;
    d += 16;
    exact += 16;
  }
  if (i < n) store<f64>(exact, (load<f64>(exact) * load<f64>(u)) / (load<f64>(d) - dj));
}
