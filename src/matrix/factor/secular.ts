/**
 * Roots of the secular equation f(x) = 1 + rho sum_i z_i^2 / (d_i - x), the eigenvalues of diag(d) + rho z z'.
 *
 * Each root is sought as an offset y from its nearer pole, so that d_i - root has no cancellation; the
 * iteration interpolates the sums left and right of the root by one pole each (R.-C. Li, LAPACK working note
 * 89) and is safeguarded by bisection. It stops when |f| is below its rounding error (Gu and Eisenstat, SIAM
 * J. Matrix Anal. Appl. 16, 1995).
 *
 * Positions in `H`, counted in doubles: d (ascending, separated by deflation), z, `roots` (k each) and U (k x k); row j
 * of U receives d_i - root_j.
 */
export function secularRoots(
  H: Float64Array,
  k: number,
  d: number,
  z: number,
  rho: number,
  roots: number,
  U: number,
): void {
  for (let j = 0; j < k; j++) H[roots + j] = secularRoot(H, k, j, d, z, rho, U + j * k);
}

/**
 * Row j of U becomes the unit eigenvector of root j, z_i / (d_i - root_j) up to scale, entry q being coordinate
 * `order[q]`. z is first recomputed by Löwner's formula, z_i^2 = prod_j (root_j - d_i) / prod_(j != i) (d_j - d_i) up to
 * a constant, with the signs of the given z: for that z the computed roots are exact, so the vectors are orthogonal.
 */
export function secularVectors(
  H: Float64Array,
  k: number,
  d: number,
  z: number,
  order: number,
  scratch: number,
  U: number,
): void {
  const exact = scratch;
  const vector = scratch + k;
  for (let i = 0; i < k; i++) H[exact + i] = -H[U + i * k + i];
  for (let j = 0; j < k; j++) {
    const u = U + j * k;
    const dj = H[d + j];
    for (let i = 0; i < k; i++) if (i !== j) H[exact + i] *= H[u + i] / (H[d + i] - dj);
  }
  for (let i = 0; i < k; i++) {
    const size = Math.sqrt(Math.abs(H[exact + i]));
    H[exact + i] = H[z + i] < 0 ? -size : size;
  }
  for (let j = 0; j < k; j++) {
    const u = U + j * k;
    let square = 0;
    for (let i = 0; i < k; i++) {
      const value = H[exact + i] / H[u + i];
      H[vector + i] = value;
      square += value * value;
    }
    const scale = 1 / Math.sqrt(square);
    for (let q = 0; q < k; q++) H[u + q] = H[vector + H[order + q]] * scale;
  }
}

const UNIT = 2 ** -53;
const MAX_STEPS = 100;

function secularRoot(
  H: Float64Array,
  k: number,
  j: number,
  d: number,
  z: number,
  rho: number,
  difference: number,
): number {
  const last = j === k - 1;
  let origin = H[d + j];
  let low = 0;
  let high: number;
  if (last) {
    // The last root lies within rho z'z of the last pole.
    let square = 0;
    for (let i = 0; i < k; i++) square += H[z + i] * H[z + i];
    high = rho * square;
  } else {
    const gap = H[d + j + 1] - origin;
    let f = 1;
    for (let i = 0; i < k; i++) f += (rho * H[z + i] * H[z + i]) / (H[d + i] - origin - gap / 2);
    if (f < 0) {
      origin = H[d + j + 1];
      low = -gap / 2;
      high = 0;
    } else {
      high = gap / 2;
    }
  }

  // Sums over the poles 0 .. split and split + 1 .. k - 1, which the root separates (or, for the last one, follows).
  const split = last ? Math.max(0, j - 1) : j;
  let y = (low + high) / 2;
  for (let step = 0; step < MAX_STEPS; step++) {
    let psi = 0;
    let slopePsi = 0;
    let phi = 0;
    let slopePhi = 0;
    for (let i = 0; i <= split; i++) {
      const t = H[z + i] / (H[d + i] - origin - y);
      psi += H[z + i] * t;
      slopePsi += t * t;
    }
    for (let i = split + 1; i < k; i++) {
      const t = H[z + i] / (H[d + i] - origin - y);
      phi += H[z + i] * t;
      slopePhi += t * t;
    }
    psi *= rho;
    phi *= rho;
    slopePsi *= rho;
    slopePhi *= rho;
    const f = 1 + psi + phi;
    if (Math.abs(f) <= UNIT * k * (1 + Math.abs(psi) + Math.abs(phi))) break;
    if (f < 0) low = y;
    else high = y;

    let next = y - f / (slopePsi + slopePhi);
    if (split + 1 < k) {
      const D1 = H[d + split] - origin - y;
      const D2 = H[d + split + 1] - origin - y;
      const c = f - slopePsi * D1 - slopePhi * D2;
      const a = c * (D1 + D2) + slopePsi * D1 * D1 + slopePhi * D2 * D2;
      const b = D1 * D2 * f;
      const root = Math.sqrt(Math.max(0, a * a - 4 * b * c));
      let eta: number;
      if (last) eta = a >= 0 ? (a + root) / (2 * c) : (2 * b) / (a - root);
      else eta = a <= 0 ? (a - root) / (2 * c) : (2 * b) / (a + root);
      if (f * eta <= 0) next = y + eta;
    }
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (next === y || high - low <= 2 * UNIT * Math.max(Math.abs(low), Math.abs(high))) {
      y = next;
      break;
    }
    y = next;
  }
  for (let i = 0; i < k; i++) H[difference + i] = H[d + i] - origin - y;
  return origin + y;
}
