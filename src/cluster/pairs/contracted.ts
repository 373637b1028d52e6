import type { CheckedConstraints, Constraints } from "../../data/index.ts";
import { isSparse, matrix, type Matrix, type Sparse } from "../../matrix/index.ts";

/**
 * Must-link groups as single points: the weighted mean y_g with the mass m_g of its rows. Since
 * sum_{i in g} w_i ||x_i - c||^2 = m_g ||y_g - c||^2 + the scatter within g, k-means on the points is k-means on the rows
 * with each group kept together.
 */
export function contract(
  X: Matrix | Sparse,
  { group, groups }: Pick<CheckedConstraints, "group" | "groups">,
  weights: Float64Array | undefined,
) {
  const masses = new Float64Array(groups);
  const counts = new Int32Array(groups);
  for (let i = 0; i < group.length; i++) {
    masses[group[i]] += weights === undefined ? 1 : weights[i];
    counts[group[i]]++;
  }
  // A group without mass does not affect the objective, but its rows still need a nearest centre.
  const share = (i: number): number => {
    const g = group[i];
    return masses[g] === 0 ? 1 / counts[g] : (weights === undefined ? 1 : weights[i]) / masses[g];
  };
  if (groups === X.rows) return { points: X, masses };
  if (isSparse(X)) return { points: sparseMeans(X, group, groups, share), masses };
  const points = matrix(groups, X.cols);
  const d = X.cols;
  for (let i = 0; i < X.rows; i++) {
    const factor = share(i);
    const at = group[i] * d;
    for (let j = 0; j < d; j++) points.data[at + j] += factor * X.data[i * d + j];
  }
  return { points, masses };
}

function sparseMeans(X: Sparse, group: Int32Array, groups: number, share: (i: number) => number): Sparse {
  const members = groupMembers(group, groups);
  const offsets = new Int32Array(groups + 1);
  const indices: number[] = [];
  const values: number[] = [];
  const sum = new Float64Array(X.cols);
  for (let g = 0; g < groups; g++) {
    const columns = new Set<number>();
    for (const i of members[g]) {
      for (let p = X.offsets[i]; p < X.offsets[i + 1]; p++) {
        columns.add(X.indices[p]);
        sum[X.indices[p]] += share(i) * X.values[p];
      }
    }
    for (const j of [...columns].sort((a, b) => a - b)) {
      indices.push(j);
      values.push(sum[j]);
      sum[j] = 0;
    }
    offsets[g + 1] = indices.length;
  }
  return {
    ...X,
    rows: groups,
    offsets,
    indices: Int32Array.from(indices),
    values: Float64Array.from(values),
  };
}

/** The rows of each group, ascending. */
export function groupMembers(group: Int32Array, groups: number): number[][] {
  const members: number[][] = Array.from({ length: groups }, () => []);
  group.forEach((g, i) => members[g].push(i));
  return members;
}

/** How many pairs of each kind the labels violate. */
export function violatedPairs({ mustLink, cannotLink }: Constraints, labels: Int32Array) {
  return {
    mustLinks: mustLink.filter(([i, j]) => labels[i] !== labels[j]).length,
    cannotLinks: cannotLink.filter(([i, j]) => labels[i] === labels[j]).length,
  };
}
