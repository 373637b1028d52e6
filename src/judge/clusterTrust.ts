import type { Belief } from "./belief.ts";
import type { ClusterTrust } from "./choice.ts";
import { sizesOf } from "./evidence.ts";

/** What the belief says of the clusters of a partition and of their rows. */
export interface InDetail {
  readonly perCluster: readonly ClusterTrust[];
  /** Per row: how often it is joined with its own cluster, less how often with the other one that has it most. */
  readonly margins: Float64Array;
}

/**
 * With p_ij the weight of the members that join rows i and j, the pull of cluster k on row i is the mean of p_ij over its
 * rows j. A cluster is as sure as its expected largest Jaccard index with a cluster of the belief (Hennig 2007).
 */
export function inDetail({ members, weights }: Belief, labels: Int32Array): InDetail {
  const n = labels.length;
  const sizes = sizesOf(labels);
  const K = sizes.length;
  const pull = new Float64Array(n * K);
  const expected = new Float64Array(K);
  members.forEach((member, m) => {
    const own = sizesOf(member.labels);
    const C = own.length;
    const both = new Float64Array(K * C);
    for (let i = 0; i < n; i++) both[labels[i] * C + member.labels[i]]++;
    for (let k = 0; k < K; k++) {
      let most = 0;
      for (let c = 0; c < C; c++) {
        const shared = both[k * C + c];
        most = Math.max(most, shared / (sizes[k] + own[c] - shared));
      }
      expected[k] += weights[m] * most;
    }
    for (let i = 0; i < n; i++) {
      const c = member.labels[i];
      for (let k = 0; k < K; k++) pull[i * K + k] += (weights[m] * both[k * C + c]) / sizes[k];
    }
  });
  const joined = new Float64Array(K * K);
  const margins = Float64Array.from(labels, (own, i) => {
    let other = 0;
    for (let k = 0; k < K; k++) {
      joined[own * K + k] += pull[i * K + k];
      if (k !== own) other = Math.max(other, pull[i * K + k]);
    }
    return pull[i * K + own] - other;
  });
  const perCluster = Array.from(sizes, (size, k): ClusterTrust => {
    if (K < 2) return { size, expected: expected[k] };
    let nearest = k === 0 ? 1 : 0;
    for (let l = 0; l < K; l++) if (l !== k && joined[k * K + l] > joined[k * K + nearest]) nearest = l;
    return { size, expected: expected[k], nearest };
  });
  return { perCluster, margins };
}
