/** The share of neighbours in the own cluster beyond chance: over all rows, and in the cluster where it is least. */
export interface Purity {
  readonly mean: number;
  readonly least: number;
}

/** @param neighbors `count` for each row */
export function neighborPurity(
  neighbors: Int32Array,
  count: number,
  labels: Int32Array,
  sizes: Int32Array,
): Purity {
  const n = labels.length;
  const same = new Float64Array(sizes.length);
  for (let i = 0; i < n; i++) {
    for (let p = i * count; p < (i + 1) * count; p++) {
      if (labels[neighbors[p]] === labels[i]) same[labels[i]]++;
    }
  }
  let chance = 0;
  let all = 0;
  let least = 1;
  sizes.forEach((size, k) => {
    const share = size / n;
    chance += share * share;
    all += same[k] / (n * count);
    least = Math.min(least, (same[k] / (size * count) - share) / (1 - share));
  });
  return { mean: (all - chance) / (1 - chance), least };
}
