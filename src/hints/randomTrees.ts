import type { Random } from "../core/index.ts";
import type { Matrix } from "../matrix/index.ts";

/**
 * Extremely randomised trees (P. Geurts, D. Ernst and L. Wehenkel, 2006) grown on a few rows of known class
 * until the leaves are pure: at each node sqrt(d) features, one random cut each, and the cut with the
 * smallest Gini impurity. Returns the mean share of each class, one row per row of Z.
 */
export function randomTrees(
  Z: Matrix,
  rows: readonly number[],
  classes: readonly number[],
  count: number,
  trees: number,
  stream: Random,
): Float64Array {
  const { rows: n, cols: d, data } = Z;
  const tries = Math.max(1, Math.round(Math.sqrt(d)));
  const votes = new Float64Array(n * count);
  const share = new Float64Array(count);
  const left = new Float64Array(count);

  const grow = (inside: number[], reached: Int32Array): void => {
    share.fill(0);
    for (const s of inside) share[classes[s]]++;
    const pure = inside.every((s) => classes[s] === classes[inside[0]]);
    let best = Infinity;
    let feature = -1;
    let cut = 0;
    if (!pure) {
      const total = share.slice();
      let looked = 0;
      for (const f of stream.sample(d, d)) {
        if (looked === tries) break;
        let low = Infinity;
        let high = -Infinity;
        for (const s of inside) {
          low = Math.min(low, data[rows[s] * d + f]);
          high = Math.max(high, data[rows[s] * d + f]);
        }
        if (!(high > low)) continue;
        looked++;
        const at = low + (0.0001 + 0.9998 * stream.uniform()) * (high - low);
        left.fill(0);
        let size = 0;
        for (const s of inside) {
          if (data[rows[s] * d + f] >= at) continue;
          left[classes[s]]++;
          size++;
        }
        const other = inside.length - size;
        if (size === 0 || other === 0) continue;
        let impurity = inside.length;
        for (let c = 0; c < count; c++) impurity -= left[c] ** 2 / size + (total[c] - left[c]) ** 2 / other;
        if (impurity < best) {
          best = impurity;
          feature = f;
          cut = at;
        }
      }
    }
    if (feature < 0) {
      for (const i of reached)
        for (let c = 0; c < count; c++) votes[i * count + c] += share[c] / inside.length;
      return;
    }
    const below = (i: number): boolean => data[i * d + feature] < cut;
    grow(
      inside.filter((s) => below(rows[s])),
      reached.filter(below),
    );
    grow(
      inside.filter((s) => !below(rows[s])),
      reached.filter((i) => !below(i)),
    );
  };
  const all = Array.from(rows.keys());
  const everyone = Int32Array.from({ length: n }, (_, i) => i);
  for (let t = 0; t < trees; t++) grow(all, everyone);
  for (let p = 0; p < votes.length; p++) votes[p] /= trees;
  return votes;
}
