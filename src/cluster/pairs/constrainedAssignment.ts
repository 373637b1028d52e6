import { matrix } from "../../matrix/index.ts";
import { hungarian } from "../../score/index.ts";
import type { Assigner, Points } from "../kmeans/points.ts";
import type { ExclusionGraph } from "./coloring/exclusionGraph.ts";
import { partialColoring } from "./coloring/partialColoring.ts";

/**
 * The assignment step of constrained k-means: with D_vk the cost of node v in cluster k,
 *
 *     min_l  sum_v D_{v, l_v}   subject to   l_u != l_v for every edge (u, v),
 *
 * a colouring with costs, in which the connected components of the graph are independent. A small component
 * is solved by branch and bound; a larger one by descent over Kempe chains from its current labels and from a
 * greedy colouring by regret. A Kempe chain is a connected set of nodes of two colours, and exchanging these
 * two inside it breaks no edge: so every step is feasible and the cost never rises.
 */
export interface ConstrainedAssigner {
  /**
   * Improves `labels` (feasible, or -1 everywhere at first) in place for the costs D; returns the number of
   * changes.
   */
  assign(D: Float64Array, labels: Int32Array): number;
}

/** @param fallback a colouring of the graph, for components where the greedy one reaches a dead end */
export function constrainedAssigner(
  graph: ExclusionGraph,
  K: number,
  fallback: Int32Array,
): ConstrainedAssigner {
  const { count } = graph;
  const descend = kempeDescent(graph, K);
  const recolored = recoloring(graph, K);
  const before = new Int32Array(count);
  const trial = new Int32Array(count);
  return {
    assign(D, labels) {
      before.set(labels);
      trial.set(labels);
      for (const part of graph.parts) {
        const first = labels[part[0]] < 0;
        if (!first) {
          if (settled(part, D, K, labels)) continue;
          descend(part, D, labels);
        } else {
          for (const v of part) labels[v] = fallback[v];
          permute(part, D, K, labels);
          descend(part, D, labels);
        }
        if (settled(part, D, K, labels)) continue;
        if (part.length <= EXACT) {
          recolored.branchAndBound(part, D, labels);
        } else if ((first || part.length <= FRESH) && recolored.greedy(part, D, trial)) {
          descend(part, D, trial);
          if (cost(part, D, K, trial) < cost(part, D, K, labels) * (1 - 1e-12)) {
            for (const v of part) labels[v] = trial[v];
          }
        }
      }
      let changed = 0;
      for (let v = 0; v < count; v++) if (labels[v] !== before[v]) changed++;
      return changed;
    },
  };
}

/** Components up to this size are solved exactly, within a budget of search nodes that they seldom use up. */
const EXACT = 24;
const BUDGET = 2000;
/** Larger components are recoloured for the first centres only: later, that costs more than it gains. */
const FRESH = 2000;

/** Every node has its smallest cost: nothing can be better. */
function settled(part: Int32Array, D: Float64Array, K: number, labels: Int32Array): boolean {
  for (let s = 0; s < part.length; s++) {
    const at = part[s] * K;
    const own = D[at + labels[part[s]]];
    for (let k = 0; k < K; k++) if (D[at + k] < own) return false;
  }
  return true;
}

function cost(part: Int32Array, D: Float64Array, K: number, labels: Int32Array): number {
  let sum = 0;
  for (const v of part) sum += D[v * K + labels[v]];
  return sum;
}

/** Renames the colours of the component by the best one-to-one matching with the clusters. */
function permute(part: Int32Array, D: Float64Array, K: number, labels: Int32Array): void {
  const costs = matrix(K, K);
  for (const v of part) for (let k = 0; k < K; k++) costs.data[labels[v] * K + k] += D[v * K + k];
  const { columns } = hungarian(costs);
  for (const v of part) labels[v] = columns[labels[v]];
}

/** Exchanges along Kempe chains as long as one lowers the cost. */
function kempeDescent({ count, offsets, neighbors }: ExclusionGraph, K: number) {
  const chain = new Int32Array(count);
  const stamp = new Int32Array(count);
  let time = 0;
  const exchange = (v: number, to: number, D: Float64Array, labels: Int32Array): boolean => {
    const from = labels[v];
    time++;
    let length = 1;
    chain[0] = v;
    stamp[v] = time;
    let change = 0;
    let size = 0;
    for (let head = 0; head < length; head++) {
      const u = chain[head];
      const own = labels[u];
      const other = own === from ? to : from;
      change += D[u * K + other] - D[u * K + own];
      size += D[u * K + own];
      for (let e = offsets[u]; e < offsets[u + 1]; e++) {
        const w = neighbors[e];
        if (labels[w] !== other || stamp[w] === time) continue;
        stamp[w] = time;
        chain[length++] = w;
      }
    }
    // Gains within rounding would let equal labelings alternate for ever.
    if (change >= -1e-13 * size) return false;
    for (let c = 0; c < length; c++) labels[chain[c]] = labels[chain[c]] === from ? to : from;
    return true;
  };
  return (part: Int32Array, D: Float64Array, labels: Int32Array): void => {
    for (let improved = true; improved;) {
      improved = false;
      for (let s = 0; s < part.length; s++) {
        const v = part[s];
        for (let k = 0; k < K; k++) {
          if (D[v * K + k] < D[v * K + labels[v]] && exchange(v, k, D, labels)) improved = true;
        }
      }
    }
  };
}

/** Colours a component from nothing: greedily, or by branch and bound. */
function recoloring(graph: ExclusionGraph, K: number) {
  const coloring = partialColoring(graph, K, []);
  const { taken } = coloring;
  let D: Float64Array = new Float64Array(0);

  /** The cheapest allowed colour after colour `last` of cost `above` in the order (cost, index); -1: none. */
  const cheapest = (v: number, above = -Infinity, last = -1): number => {
    let best = -1;
    let least = Infinity;
    for (let k = 0, at = v * K; k < K; k++, at++) {
      const own = D[at];
      if (taken[at] > 0 || own < above || (own === above && k <= last)) continue;
      if (best >= 0 && own >= least) continue;
      best = k;
      least = own;
    }
    return best;
  };
  /** The difference between the two cheapest allowed colours of v. */
  const regret = (v: number): number => {
    let least = Infinity;
    let second = Infinity;
    for (let at = v * K; at < (v + 1) * K; at++) {
      if (taken[at] > 0) continue;
      second = Math.min(second, Math.max(least, D[at]));
      least = Math.min(least, D[at]);
    }
    return second === Infinity ? Number.MAX_VALUE : second - least;
  };
  return {
    /**
     * First the node with most colours taken, then with the largest regret; each node gets its cheapest
     * colour. False at a dead end.
     */
    greedy(part: Int32Array, costs: Float64Array, labels: Int32Array): boolean {
      D = costs;
      for (const v of part) coloring.enter(v);
      let v = coloring.pick(regret);
      for (; v >= 0; v = coloring.pick(regret)) {
        const k = cheapest(v);
        if (k < 0) break;
        coloring.color(v, k);
      }
      for (const u of part) {
        if (v < 0) labels[u] = coloring.colors[u];
        coloring.leave(u);
      }
      return v < 0;
    },
    /** Starts from feasible `labels` and leaves the best found there. */
    branchAndBound(part: Int32Array, costs: Float64Array, labels: Int32Array): void {
      D = costs;
      const size = part.length;
      const waiting = Array.from(part);
      const place = new Int32Array(size);
      const tried = new Int32Array(size);
      const spent = new Float64Array(size + 1);
      let best = cost(part, D, K, labels) * (1 - 1e-12);
      let depth = 0;
      let nodes = 0;
      const bound = (): number => {
        let sum = spent[depth];
        for (let s = depth; s < size; s++) {
          const k = cheapest(waiting[s]);
          if (k < 0) return Infinity;
          sum += D[waiting[s] * K + k];
        }
        return sum;
      };
      const swap = (s: number): void => {
        [waiting[depth], waiting[s]] = [waiting[s], waiting[depth]];
      };
      /** Moves the branching node to position `depth`; the node there takes its old position, until the way back. */
      const enter = (): void => {
        let most = -Infinity;
        for (let s = depth; s < size; s++) {
          const value = regret(waiting[s]);
          if (value <= most) continue;
          most = value;
          place[depth] = s;
        }
        swap(place[depth]);
        tried[depth] = -1;
      };
      enter();
      while (depth >= 0) {
        const v = waiting[depth];
        const last = tried[depth];
        if (last >= 0) coloring.uncolor(v);
        const k = nodes >= BUDGET ? -1 : cheapest(v, last < 0 ? -Infinity : D[v * K + last], last);
        if (k < 0) {
          swap(place[depth]);
          depth--;
          continue;
        }
        nodes++;
        tried[depth] = k;
        coloring.color(v, k);
        spent[depth + 1] = spent[depth] + D[v * K + k];
        depth++;
        const least = bound();
        if (least < best && depth === size) {
          best = least;
          for (const u of part) labels[u] = coloring.colors[u];
        }
        if (least >= best || depth === size) depth--;
        else enter();
      }
      for (const v of part) coloring.leave(v);
    },
  };
}

/**
 * The assignment rule of Lloyd's algorithm under cannot-links: groups without them take the nearest centre, and the
 * constrained assigner improves the labels of the others, the nodes of the exclusion graph. Both lower E.
 *
 * @param points must-link groups as points with masses
 * @param groups the group of each node
 */
export function boundAssigner(
  points: Points,
  masses: Float64Array,
  groups: Int32Array,
  free: Assigner,
  constrained: ConstrainedAssigner,
): Assigner {
  const count = groups.length;
  if (count === 0) return free;
  const bound = points.take(groups);
  const node = new Int32Array(points.rows).fill(-1);
  groups.forEach((g, v) => (node[g] = v));
  const nodeLabels = new Int32Array(count).fill(-1);
  const rows = new Int32Array(points.rows);
  const gains = new Float64Array(points.rows);
  return {
    reset(C) {
      free.reset(C);
      nodeLabels.fill(-1);
    },
    assign(C) {
      const K = C.length / points.cols;
      const moves = free.assign(C);
      let moved = 0;
      for (let e = 0; e < moves.count; e++) {
        if (node[moves.rows[e]] >= 0) continue;
        rows[moved] = moves.rows[e];
        gains[moved++] = moves.gains[e];
      }
      const D = new Float64Array(count * K);
      bound.distances(0, count, C, K, D);
      const before = nodeLabels.slice();
      constrained.assign(
        D.map((distance, p) => distance * masses[groups[Math.floor(p / K)]]),
        nodeLabels,
      );
      groups.forEach((g, v) => {
        const to = nodeLabels[v];
        if (points.labels()[g] !== to) free.relabeled(g, to);
        if (before[v] === to) return;
        rows[moved] = g;
        gains[moved++] = (before[v] < 0 ? 0 : D[v * K + before[v]]) - D[v * K + to];
      });
      return { count: moved, rows, gains };
    },
    relabeled(i, to) {
      free.relabeled(i, to);
      if (node[i] >= 0) nodeLabels[node[i]] = to;
    },
    // A cluster without mass may hold massless groups that a cannot-link keeps apart from this one.
    allows: (i, k) => node[i] < 0 || !nodeLabels.includes(k),
  };
}
