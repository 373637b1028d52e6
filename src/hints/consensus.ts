import { constrainedAssigner } from "../cluster/pairs/constrainedAssignment.ts";
import { exclusionGraph } from "../cluster/pairs/coloring/exclusionGraph.ts";
import { requireColoring } from "../cluster/pairs/coloring/requireColoring.ts";
import { random } from "../core/random.ts";
import { checkConstraints } from "../data/index.ts";
import { spanning, type Known } from "./known.ts";

/** Members below this share of the largest weight do not vote. */
const LEAST_VOTE = 0.02;
const ROUNDS = 20;

export interface Voter {
  readonly labels: Int32Array;
  readonly weight: number;
}

/**
 * The weighted vote of partitions that keeps every hint. A reference partition l, first that of the member
 * with the largest weight, gives every cluster c of every member m a meaning, the shares of its rows in the
 * clusters of l; a row then goes to
 *
 *     argmax_k  sum_m w_m |{j : m_j = m_i, l_j = k}| / |{j : m_j = m_i}|,
 *
 * rows that belong together move as one, and groups that exclude each other go to different clusters
 * (constrainedAssignment.ts). The result is the next reference, until nothing changes.
 */
export function consensus(
  members: readonly Voter[],
  known: Known,
  K: number,
  rounds: number = ROUNDS,
  alpha: number = 0.75,
): Int32Array {
  const top = reference(members, K);
  const most = members.reduce((a, b) => Math.max(a, b.weight), 0);
  const voting = members.filter(({ weight }) => weight >= LEAST_VOTE * most);
  const { rows: n, group, groups, masses } = known;
  const { same, different } = spanning(known);
  const constraints = checkConstraints(n, { mustLink: same, cannotLink: different });
  const graph = exclusionGraph(constraints);
  const coloring = requireColoring("learnFromHints", graph, K, constraints, 200_000, random(0));
  const assigner = constrainedAssigner(graph, K, coloring);
  const isBound = new Uint8Array(groups);
  // exclusionGraph numbers groups as checkConstraints does: by first row, as Known does.
  for (const g of graph.groups) isBound[g] = 1;
  const nodeLabels = new Int32Array(graph.count).fill(-1);
  const nodeCosts = new Float64Array(graph.count * K);
  const costs = new Float64Array(groups * K);
  let labels = top.labels;
  let total = 0;
  for (const { weight } of voting) total += weight;
  for (let round = 0; round < rounds; round++) {
    for (let g = 0; g < groups; g++) costs.fill(masses[g] * total, g * K, (g + 1) * K);
    const held = new Float64Array(K);
    for (const label of labels) held[label]++;
    for (const { labels: own, weight } of voting) {
      const width = own.reduce((a, b) => Math.max(a, b), 0) + 1;
      const shares = new Float64Array(width * K);
      for (let i = 0; i < n; i++) shares[own[i] * K + labels[i]]++;
      for (let c = 0; c < width; c++) {
        let sum = 0;
        for (let k = 0; k < K; k++) if (shares[c * K + k] > 0) sum += shares[c * K + k] /= held[k] ** alpha;
        if (sum > 0) for (let k = 0; k < K; k++) shares[c * K + k] *= weight / sum;
      }
      for (let i = 0; i < n; i++) {
        for (let k = 0, p = group[i] * K, q = own[i] * K; k < K; k++, p++, q++) costs[p] -= shares[q];
      }
    }
    const next = new Int32Array(groups);
    for (let g = 0; g < groups; g++) {
      for (let k = 1; k < K; k++) if (costs[g * K + k] < costs[g * K + next[g]] - 1e-12) next[g] = k;
    }
    graph.groups.forEach((g, v) => nodeCosts.set(costs.subarray(g * K, (g + 1) * K), v * K));
    if (graph.count > 0) {
      assigner.assign(nodeCosts, nodeLabels);
      graph.groups.forEach((g, v) => (next[g] = nodeLabels[v]));
    }
    const after = group.map((g) => next[g]);
    const settled = round > 0 && after.every((label, i) => label === labels[i]);
    labels = after;
    if (settled) break;
  }
  return labels;
}

/**
 * The member with the largest weight among those with K clusters, or else with the most clusters below K;
 * labels are 0 .. K - 1.
 */
function reference(members: readonly Voter[], K: number): Voter {
  const widths = members.map(({ labels }) => labels.reduce((a, b) => Math.max(a, b), 0) + 1);
  const suited = (m: number): number => (widths[m] <= K ? widths[m] : 0);
  let best = 0;
  members.forEach(({ weight }, m) => {
    if (suited(m) > suited(best) || (suited(m) === suited(best) && weight > members[best].weight)) best = m;
  });
  if (suited(best) > 0) return members[best];
  return { ...members[best], labels: members[best].labels.map((label) => label % K) };
}
