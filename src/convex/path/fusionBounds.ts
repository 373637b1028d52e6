import { breadthFirst } from "../../graph/internal.ts";
import { components, minimumSpanningTree, adjacency } from "../../graph/index.ts";
import { dualNorm, metricForm } from "../solve/certificate.ts";
import { groupMeans } from "../solve/means.ts";
import type { ConvexProblem } from "../solve/problem.ts";

/**
 * Bounds on the smallest gamma at which every connected component of the graph is one cluster.
 *
 * All points of a component share its mean m exactly if edge flows z with ||z_l||_{q*} <= gamma w_l carry the demands
 * g_i = m_i B (x_i - m). Cutting off one point gives a lower bound, max_i ||g_i|| / sum of i's weights;
 * routing everything over a heaviest spanning tree gives an upper bound, max_l ||flow_l|| / w_l.
 */
export function fusionBounds(problem: ConvexProblem) {
  const { X, graph, norm } = problem;
  const d = X.cols;
  const demand = demands(problem);
  const degree = new Float64Array(X.rows);
  for (let e = 0; e < graph.from.length; e++) {
    degree[graph.from[e]] += graph.weights[e];
    degree[graph.to[e]] += graph.weights[e];
  }
  let lower = 0;
  for (let i = 0; i < X.rows; i++) {
    // A point without edges is a component of its own; its demand is zero up to rounding.
    if (degree[i] > 0) lower = Math.max(lower, dualNorm(demand, i * d, d, norm) / degree[i]);
  }
  let upper = lower;
  for (const { edge, child } of leavesFirst(problem)) {
    const parent = graph.from[edge] === child ? graph.to[edge] : graph.from[edge];
    upper = Math.max(upper, dualNorm(demand, child * d, d, norm) / graph.weights[edge]);
    for (let f = 0; f < d; f++) demand[parent * d + f] += demand[child * d + f];
  }
  return { lower, upper };
}

/** g_i = m_i B (x_i - m) with m the weighted mean of i's component. */
function demands(problem: ConvexProblem): Float64Array {
  const { X, graph, masses } = problem;
  const form = metricForm(problem);
  const d = X.cols;
  const { labels, count } = components(graph);
  const means = groupMeans(X, masses, labels, count).data;
  const demand = new Float64Array(X.rows * d);
  const residual = new Float64Array(d);
  for (let i = 0; i < X.rows; i++) {
    const m = masses === undefined ? 1 : masses[i];
    for (let f = 0; f < d; f++) residual[f] = m * (X.data[i * d + f] - means[labels[i] * d + f]);
    form.apply(residual, demand.subarray(i * d, (i + 1) * d));
  }
  return demand;
}

/** The edges of a heaviest spanning forest, each with its end away from the root, children before their parents. */
function leavesFirst({ graph }: ConvexProblem) {
  const { nodes, from, to, weights } = graph;
  const lightest = weights.map((weight) => -weight);
  const chosen = minimumSpanningTree(nodes, from, to, lightest);
  const [ends, others] = [from, to].map((side) => Int32Array.from(chosen, (e) => side[e]));
  const near = adjacency({ nodes, from: ends, to: others, weights: new Float64Array(chosen.length) });
  const found: { edge: number; child: number }[] = [];
  const placed = new Uint8Array(nodes);
  // Nearer to the root than itself a node of a tree has one neighbour, which came before it.
  for (const child of breadthFirst(near).order) {
    placed[child] = 1;
    for (let p = near.offsets[child]; p < near.offsets[child + 1]; p++) {
      if (placed[near.neighbors[p]] === 1) found.push({ edge: chosen[near.edges[p]], child });
    }
  }
  return found.reverse();
}
