/**
 * Total variation on a graph in plain TypeScript, the reference of src/graph/totalVariation.ts to read and to test with:
 *
 *     min_u 1/2 sum_i m_i (y_i - u_i)^2 + gamma sum_e w_e |u_i - u_j| .
 *
 * The same divide and conquer on minimum cuts, but from the whole graph down, with label tests instead of moved arcs and
 * a maximum flow by layers (Dinic): push all excess along the breadth-first distances to the nodes in deficit, and
 * search again.
 */
import { adjacency, unionFind, type Edges, type TotalVariation } from "../../src/graph/index.ts";

export function plainTotalVariation(graph: Edges, masses: Float64Array | undefined): TotalVariation {
  const n = graph.nodes;
  const m = graph.from.length;
  const { offsets, neighbors, edges, signs } = adjacency(graph);
  const mass = masses ?? new Float64Array(n).fill(1);
  const capacity = new Float64Array(m);
  const supply = new Float64Array(n); // m_i y_i - outflow
  const label = new Int32Array(n);
  const distance = new Int32Array(n);
  const queue = new Int32Array(n);
  let flow = new Float64Array(m);
  let epsilon = 0;

  /** Nodes of the set that can reach a deficit, nearest first; `distance` is -1 elsewhere. */
  function layers(nodes: Int32Array, own: number, mu: number): number {
    let found = 0;
    for (const i of nodes) {
      distance[i] = -1;
      if (supply[i] < mass[i] * mu - epsilon) {
        distance[i] = 0;
        queue[found++] = i;
      }
    }
    for (let at = 0; at < found; at++) {
      const i = queue[at];
      for (let p = offsets[i]; p < offsets[i + 1]; p++) {
        const j = neighbors[p];
        const e = edges[p];
        if (label[j] !== own || distance[j] >= 0 || capacity[e] + signs[p] * flow[e] <= 0) continue;
        distance[j] = distance[i] + 1;
        queue[found++] = j;
      }
    }
    return found;
  }

  function pushDown(i: number, own: number, mu: number): void {
    for (let p = offsets[i]; p < offsets[i + 1]; p++) {
      const excess = supply[i] - mass[i] * mu;
      if (excess <= epsilon) return;
      const j = neighbors[p];
      const e = edges[p];
      const residual = capacity[e] - signs[p] * flow[e];
      if (label[j] !== own || distance[j] !== distance[i] - 1 || residual <= 0) continue;
      if (residual <= excess) flow[e] = signs[p] * capacity[e];
      else flow[e] += signs[p] * excess;
      const amount = Math.min(residual, excess);
      supply[i] -= amount;
      supply[j] += amount;
    }
  }

  /** The nodes above mu when no more excess can be routed; undefined if there are none. */
  function cut(nodes: Int32Array, own: number, mu: number): Int32Array | undefined {
    for (;;) {
      const found = layers(nodes, own, mu);
      if (found === 0) return undefined;
      let active = false;
      for (let at = found - 1; at >= 0; at--) {
        const i = queue[at];
        if (distance[i] === 0 || supply[i] <= mass[i] * mu + epsilon) continue;
        active = true;
        pushDown(i, own, mu);
      }
      if (!active) break;
    }
    const above = nodes.filter((i) => distance[i] < 0);
    return above.some((i) => supply[i] > mass[i] * mu + 10 * epsilon) ? above : undefined;
  }

  function solveFeature(
    y: Float64Array,
    gamma: number,
    u: Float64Array,
    flows: Float64Array,
    levels: Int32Array | undefined,
  ): number {
    if (gamma === 0) {
      u.set(y);
      flows.fill(0);
      for (let i = 0; i < n; i++) if (levels !== undefined) levels[i] = i;
      return n;
    }
    flow = Float64Array.from(flows, (z, e) => {
      capacity[e] = gamma * graph.weights[e];
      return Math.max(-capacity[e], Math.min(capacity[e], z));
    });
    let mean = 0;
    for (let i = 0; i < n; i++) mean += (y[i] - mean) / (i + 1);
    let largestValue = 0;
    let largestSupply = 0;
    for (let i = 0; i < n; i++) {
      supply[i] = mass[i] * (y[i] - mean);
      largestValue = Math.max(largestValue, Math.abs(y[i] - mean));
      largestSupply = Math.max(largestSupply, Math.max(1, mass[i]) * Math.abs(y[i] - mean));
      for (let p = offsets[i]; p < offsets[i + 1]; p++) supply[i] -= signs[p] * flow[edges[p]];
    }
    const rounding = 1e-12 * Math.max(1, n / 1000);
    epsilon = rounding * largestSupply;
    label.fill(0);
    const open: Int32Array[] = n > 0 ? [Int32Array.from({ length: n }, (_, i) => i)] : [];
    let labels = open.length;
    for (let nodes = open.pop(); nodes !== undefined; nodes = open.pop()) {
      const own = label[nodes[0]];
      let total = 0;
      let totalMass = 0;
      for (const i of nodes) {
        total += supply[i];
        totalMass += mass[i];
      }
      const mu = total / totalMass;
      const above = nodes.length > 1 ? cut(nodes, own, mu) : undefined;
      if (above === undefined) {
        for (const i of nodes) u[i] = mu + mean;
        continue;
      }
      for (const i of above) label[i] = labels;
      labels++;
      open.push(
        above,
        nodes.filter((i) => label[i] === own),
      );
    }
    flows.set(flow);
    const sets = unionFind(n);
    for (let e = 0; e < m; e++) {
      const [i, j] = [graph.from[e], graph.to[e]];
      if (Math.abs(u[i] - u[j]) <= rounding * largestValue) sets.union(i, j);
    }
    for (let i = 0; i < n; i++) u[i] = u[sets.find(i)];
    levels?.set(sets.labels());
    return sets.count;
  }

  return {
    solve({ y, gammas, u, flows, levels }) {
      return Int32Array.from(gammas, (gamma, k) =>
        solveFeature(
          y.subarray(k * n, (k + 1) * n),
          gamma,
          u.subarray(k * n, (k + 1) * n),
          flows.subarray(k * m, (k + 1) * m),
          levels?.subarray(k * n, (k + 1) * n),
        ),
      );
    },
  };
}
