/** The middle of sorted values. Halving first, because the sum of two large values may overflow. */
export function medianOfSorted(sorted: ArrayLike<number>): number {
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : sorted[middle - 1] / 2 + sorted[middle] / 2;
}

/** The rows of each cluster; rows of no cluster (-1) are left out. */
export function sizesOf(labels: ArrayLike<number>, clusters: number): Int32Array {
  const sizes = new Int32Array(clusters);
  for (let i = 0; i < labels.length; i++) if (labels[i] >= 0) sizes[labels[i]]++;
  return sizes;
}

/** Every `width` scores to probabilities: exp(s) / sum exp(s), less the largest, which never underflows then. */
export function softmax(scores: Float64Array, width: number, out: Float64Array = scores): Float64Array {
  for (let at = 0; at < out.length; at += width) {
    let most = -Infinity;
    for (let k = at; k < at + width; k++) most = Math.max(most, scores[k]);
    let sum = 0;
    for (let k = at; k < at + width; k++) sum += out[k] = Math.exp(scores[k] - most);
    for (let k = at; k < at + width; k++) out[k] /= sum;
  }
  return out;
}

export function meanOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum / values.length;
}
