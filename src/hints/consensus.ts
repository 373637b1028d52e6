import { constrainedAssigner, exclusionGraph, requireColoring } from "../cluster/internal.ts";
import { random } from "../core/index.ts";
import { checkConstraints } from "../data/index.ts";
import { adjustedRand } from "../score/index.ts";
import { spanning, type Known } from "./known.ts";

/** Members below this share of the largest weight do not vote. */
const LEAST_VOTE = 0.02;
const ROUNDS = 20;
/** Shares of a cluster are counted relative to this power of the reference's sizes: 0 as they are, 1 in parts of each. */
const EVEN = 0.75;
/** References that are tried. */
const STARTS = 4;

export interface Voter {
  readonly labels: Int32Array;
  readonly weight: number;
}

/**
 * The weighted vote of partitions that keeps every hint. A reference partition l, first that of a member, gives
 * every cluster c of every member m a meaning, the shares of its rows in the clusters of l; a row then goes to
 *
 *     argmax_k  sum_m w_m |{j : m_j = m_i, l_j = k}| / |{j : m_j = m_i}|,
 *
 * rows that belong together move as one, and groups that exclude each other go to different clusters
 * (constrainedAssignment.ts). The result is the next reference, until nothing changes. Different members lead to
 * different votes; of those from the members with the largest weights, the one is taken that agrees most with all.
 */
export function voteInto(members: readonly Voter[], known: Known, K: number): Int32Array {
  const most = members.reduce((a, b) => Math.max(a, b.weight), 0);
  const voting = members.filter(({ weight }) => weight >= LEAST_VOTE * most);
  const total = voting.reduce((sum, { weight }) => sum + weight, 0);
  const { rows: n, group, groups, masses } = known;
  const { same, different } = spanning(known);
  const constraints = checkConstraints(n, { mustLink: same, cannotLink: different });
  const graph = exclusionGraph(constraints);
  const coloring = requireColoring("learnFromHints", graph, K, constraints, 200_000, random(0));
  const assigner = constrainedAssigner(graph, K, coloring);
  const nodeCosts = new Float64Array(graph.count * K);
  const costs = new Float64Array(groups * K);

  /** n x K shares of the vote. */
  const votesBy = (labels: Int32Array): Float64Array => {
    const votes = new Float64Array(n * K);
    const held = new Float64Array(K);
    for (const label of labels) held[label]++;
    for (const { labels: own, weight } of voting) {
      const width = own.reduce((a, b) => Math.max(a, b), 0) + 1;
      const shares = new Float64Array(width * K);
      for (let i = 0; i < n; i++) shares[own[i] * K + labels[i]]++;
      for (let c = 0; c < width; c++) {
        let sum = 0;
        for (let k = 0; k < K; k++) if (shares[c * K + k] > 0) sum += shares[c * K + k] /= held[k] ** EVEN;
        if (sum > 0) for (let k = 0; k < K; k++) shares[c * K + k] *= weight / sum;
      }
      for (let i = 0; i < n; i++)
        for (let k = 0, q = own[i] * K; k < K; k++, q++) votes[i * K + k] += shares[q];
    }
    return votes;
  };
  // exclusionGraph numbers groups as checkConstraints does: by first row, as Known does.
  const from = (first: Int32Array): Int32Array => {
    const nodeLabels = new Int32Array(graph.count).fill(-1);
    let labels = first;
    for (let round = 0; ; round++) {
      const votes = votesBy(labels);
      // What is not voted for a cluster: costs must not be negative.
      for (let g = 0; g < groups; g++) costs.fill(masses[g] * total, g * K, (g + 1) * K);
      for (let i = 0; i < n; i++) for (let k = 0; k < K; k++) costs[group[i] * K + k] -= votes[i * K + k];
      const next = leastOf(costs, groups, K);
      graph.groups.forEach((g, v) => nodeCosts.set(costs.subarray(g * K, (g + 1) * K), v * K));
      if (graph.count > 0) {
        assigner.assign(nodeCosts, nodeLabels);
        graph.groups.forEach((g, v) => (next[g] = nodeLabels[v]));
      }
      const after = group.map((g) => next[g]);
      const settled = round > 0 && after.every((label, i) => label === labels[i]);
      labels = after;
      if (settled || round + 1 >= ROUNDS) return labels;
    }
  };
  let best: { labels: Int32Array; value: number } | undefined;
  for (const first of references(voting, K)) {
    const labels = from(first);
    const value = expectedAgreement(labels, voting);
    if (best === undefined || value > best.value + 1e-9) best = { labels, value };
  }
  return best!.labels;
}

/** The mean adjusted Rand index with the voters, by their weights. */
export function expectedAgreement(labels: Int32Array, voters: readonly Voter[]): number {
  let [sum, total] = [0, 0];
  for (const own of voters) {
    sum += own.weight * adjustedRand(own.labels, labels);
    total += own.weight;
  }
  return total > 0 ? sum / total : 0;
}

/** The first of the least entries of each row. */
function leastOf(costs: Float64Array, rows: number, K: number): Int32Array {
  const labels = new Int32Array(rows);
  for (let i = 0; i < rows; i++)
    for (let k = 1; k < K; k++) if (costs[i * K + k] < costs[i * K + labels[i]] - 1e-12) labels[i] = k;
  return labels;
}

/** The members with the largest weights among those with K clusters, or else with the most clusters below K. */
function references(members: readonly Voter[], K: number): Int32Array[] {
  const widths = members.map(({ labels }) => labels.reduce((a, b) => Math.max(a, b), 0) + 1);
  const suited = (m: number): number => (widths[m] <= K ? widths[m] : 0);
  const most = members.reduce((found, _, m) => Math.max(found, suited(m)), 0);
  return Array.from(members.keys())
    .filter((m) => suited(m) === most)
    .sort((a, b) => members[b].weight - members[a].weight || a - b)
    .slice(0, STARTS)
    .map((m) => (most > 0 ? members[m].labels : members[m].labels.map((label) => label % K)));
}
