import { matrix, type Matrix } from "../../matrix/index.ts";
import { squaredDistance } from "../../matrix/internal.ts";
import { type Assignment, clusterMeans, type KeptComponents, nearestCenter } from "./assignment.ts";
import { groupMeans, type Hints } from "./hints.ts";

/**
 * The last step under pairs: with mu_k the means of the kept components, group g costs
 *
 *     0 in the component that it belongs to,     m_g ||y_g - mu_k||^2 elsewhere,
 *
 * and the labels have the smallest total cost that keeps every cannot-link (`Apart.assign`). Groups without a
 * cannot-link stay, or take the nearest mean.
 */
export function assignGroups(
  X: Matrix,
  hints: Hints,
  { assigned, means, coverage }: KeptComponents,
): Assignment {
  const { constraints, masses, apart } = hints;
  const { group, groups } = constraints;
  const K = means.rows;
  const Y = groupMeans(X, hints);
  const component = new Int32Array(groups);
  for (let i = 0; i < group.length; i++) component[group[i]] = assigned[i];
  const placed = component.map((c, g) => (c < 0 ? nearestCenter(Y, g, means) : c));
  if (apart !== undefined) {
    const costs = matrix(apart.groups.length, K);
    apart.groups.forEach((g, v) => {
      for (let k = 0; k < K; k++) {
        costs.data[v * K + k] = k === component[g] ? 0 : masses[g] * squaredDistance(Y, g, means, k);
      }
    });
    const clusters = apart.assign(costs);
    apart.groups.forEach((g, v) => (placed[g] = clusters[v]));
  }
  let moved = 0;
  for (let g = 0; g < groups; g++) {
    if (component[g] >= 0 && component[g] !== placed[g]) moved += masses[g];
  }
  const labels = group.map((g) => placed[g]);
  const final = clusterMeans(X, labels, K);
  return { labels, sizes: final.sizes, centers: final.means, coverage, moved };
}
