/**
 * Projection of d values from `offset` on the ball sum |v_k| <= radius, in place: soft thresholding at the level where
 * the thresholded values add up to the radius (Held, Wolfe and Crowder; Duchi et al., ICML 2008). The level is found by
 * Newton's method on a convex, piecewise linear function (Michelot), which is exact after at most d rounds.
 */
export function l1BallProjection(d: number): (values: Float64Array, offset: number, radius: number) => void {
  const sizes = new Float64Array(d);
  return (values, offset, radius) => {
    let sum = 0;
    for (let k = 0; k < d; k++) {
      sizes[k] = Math.abs(values[offset + k]);
      sum += sizes[k];
    }
    if (sum <= radius) return;
    let level = (sum - radius) / d;
    for (let kept = d; ;) {
      let count = 0;
      let above = 0;
      for (let k = 0; k < d; k++) {
        if (sizes[k] > level) {
          count++;
          above += sizes[k];
        }
      }
      if (count === 0 || count === kept) break;
      kept = count;
      level = (above - radius) / count;
    }
    for (let k = 0; k < d; k++) {
      values[offset + k] = Math.sign(values[offset + k]) * Math.max(0, sizes[k] - level);
    }
  };
}
