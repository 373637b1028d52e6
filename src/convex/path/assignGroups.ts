import { constrainedAssigner } from "../../cluster/internal.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import { type Assignment, clusterMeans, type KeptComponents, nearestCenter } from "./assignment.ts";
import { groupMeans, type Hints } from "./hints.ts";

/**
 * The last step under pairs: with mu_k the means of the kept components, group g costs
 *
 *     0 in the component that it belongs to,     m_g ||y_g - mu_k||^2 elsewhere,
 *
 * and the labels have the smallest total cost that keeps every cannot-link (constrainedAssignment.ts: exactly
 * for the small connected components of the cannot-links, by descent for large ones). Groups without a
 * cannot-link stay, or take the nearest mean.
 */
export function assignGroups(
  X: Matrix,
  hints: Hints,
  { assigned, means, coverage }: KeptComponents,
): Assignment {
  const { constraints, masses, exclusion, coloring } = hints;
  const { group, groups } = constraints;
  const K = means.rows;
  const Y = groupMeans(X, hints);
  const own = new Int32Array(groups);
  for (let i = 0; i < group.length; i++) own[group[i]] = assigned[i];
  const placed = own.map((c, g) => (c < 0 ? nearestCenter(Y, g, means) : c));
  if (coloring !== undefined) {
    const costs = matrix(exclusion.count, K);
    exclusion.groups.forEach((g, v) => {
      for (let k = 0; k < K; k++) {
        costs.data[v * K + k] = k === own[g] ? 0 : masses[g] * squaredDistance(Y, g, means, k);
      }
    });
    const colors = new Int32Array(exclusion.count).fill(-1);
    constrainedAssigner(exclusion, K, coloring).assign(costs.data, colors);
    exclusion.groups.forEach((g, v) => (placed[g] = colors[v]));
  }
  let moved = 0;
  for (let g = 0; g < groups; g++) if (own[g] >= 0 && own[g] !== placed[g]) moved += masses[g];
  const labels = group.map((g) => placed[g]);
  const final = clusterMeans(X, labels, K);
  return { labels, sizes: final.sizes, centers: final.means, coverage, moved };
}

function squaredDistance(Y: Matrix, g: number, means: Matrix, k: number): number {
  const d = Y.cols;
  let sum = 0;
  for (let f = 0; f < d; f++) sum += (Y.data[g * d + f] - means.data[k * d + f]) ** 2;
  return sum;
}
