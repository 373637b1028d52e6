import type { Matrix } from "../../src/matrix/index.ts";

/**
 * Costs of a minimum spanning tree of all rows under max(core_i, core_j, |x_i - x_j|), all squared, ascending, by Prim's
 * algorithm: the reference of src/graph/spanningTree.ts.
 */
export function primCosts({ rows: n, cols: d, data }: Matrix, cores: Float64Array): Float64Array {
  const costs = new Float64Array(n - 1);
  const best = new Float64Array(n).fill(Infinity);
  const inside = new Uint8Array(n);
  for (let e = 0, current = 0; e < n - 1; e++) {
    inside[current] = 1;
    let next = -1;
    for (let j = 0; j < n; j++) {
      if (inside[j] === 1) continue;
      let square = 0;
      for (let f = 0; f < d; f++) square += (data[current * d + f] - data[j * d + f]) ** 2;
      best[j] = Math.min(best[j], Math.max(square, cores[current], cores[j]));
      if (next < 0 || best[j] < best[next]) next = j;
    }
    costs[e] = best[next];
    current = next;
  }
  return costs.sort();
}
