import type { Norm } from "./problem.ts";

/**
 * Projects the row of z that starts at `offset` onto the ball of the norm dual to q, ||z||_{q*} <= radius, in place:
 * a box for q = 1, a ball for q = 2, the L1 ball (Duchi et al. 2008) for q = infinity.
 */
export function projectDual(z: Float64Array, offset: number, d: number, norm: Norm, radius: number): void {
  const end = offset + d;
  if (norm === 1) {
    for (let k = offset; k < end; k++) z[k] = Math.max(-radius, Math.min(radius, z[k]));
    return;
  }
  let size = 0;
  for (let k = offset; k < end; k++) size += norm === 2 ? z[k] * z[k] : Math.abs(z[k]);
  if (norm === 2) size = Math.sqrt(size);
  if (size <= radius) return;
  if (norm === 2) {
    for (let k = offset; k < end; k++) z[k] *= radius / size;
    return;
  }
  const threshold = simplexThreshold(z, offset, end, radius);
  let left = 0;
  for (let k = offset; k < end; k++) {
    z[k] = Math.sign(z[k]) * Math.max(0, Math.abs(z[k]) - threshold);
    left += Math.abs(z[k]);
  }
  // |z_k| - threshold has lost digits where the radius is far beneath |z_k|; the point must not leave the ball for that.
  if (left > radius) for (let k = offset; k < end; k++) z[k] *= radius / left;
}

/**
 * theta with sum_k max(0, |z_k| - theta) = radius: the set of entries above theta shrinks while theta grows (Michelot
 * 1986). The set is never empty unless the radius is below the rounding of the largest entry.
 */
function simplexThreshold(z: Float64Array, offset: number, end: number, radius: number): number {
  let theta = 0;
  for (let active = -1; ;) {
    let sum = 0;
    let count = 0;
    for (let k = offset; k < end; k++) {
      if (Math.abs(z[k]) <= theta) continue;
      sum += Math.abs(z[k]);
      count++;
    }
    if (count === active || count === 0) return theta;
    theta = (sum - radius) / count;
    active = count;
  }
}
