import { matrix } from "../../matrix/index.ts";
import { hungarian } from "../../score/index.ts";
import type { Assigner, Points } from "../kmeans/points.ts";
import type { ExclusionGraph } from "./coloring/exclusionGraph.ts";
import { PartialColoring } from "./coloring/partialColoring.ts";

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
  const search = new Search(graph, K);
  const before = new Int32Array(count);
  const trial = new Int32Array(count);
  return {
    assign(D, labels) {
      before.set(labels);
      trial.set(labels);
      search.D = D;
      for (const part of graph.parts) {
        const first = labels[part[0]] < 0;
        if (!first) {
          if (search.settled(part, labels)) continue;
          search.descend(part, labels);
        } else {
          for (const v of part) labels[v] = fallback[v];
          search.permute(part, labels);
          search.descend(part, labels);
        }
        if (search.settled(part, labels)) continue;
        if (part.length <= EXACT) {
          search.branchAndBound(part, labels);
        } else if ((first || part.length <= FRESH) && search.greedy(part, trial)) {
          search.descend(part, trial);
          if (search.cost(part, trial) < search.cost(part, labels) * (1 - 1e-12)) {
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

class Search {
  D: Float64Array = new Float64Array(0);
  private readonly graph: ExclusionGraph;
  private readonly K: number;
  private readonly chain: Int32Array;
  private readonly stamp: Int32Array;
  private readonly coloring: PartialColoring;
  private time = 0;

  constructor(graph: ExclusionGraph, K: number) {
    this.graph = graph;
    this.K = K;
    this.chain = new Int32Array(graph.count);
    this.stamp = new Int32Array(graph.count);
    this.coloring = new PartialColoring(graph, K, []);
  }

  cost(part: Int32Array, labels: Int32Array): number {
    let sum = 0;
    for (const v of part) sum += this.D[v * this.K + labels[v]];
    return sum;
  }

  /** Every node has its smallest cost: nothing can be better. */
  settled(part: Int32Array, labels: Int32Array): boolean {
    const { D, K } = this;
    for (let s = 0; s < part.length; s++) {
      const at = part[s] * K;
      const own = D[at + labels[part[s]]];
      for (let k = 0; k < K; k++) if (D[at + k] < own) return false;
    }
    return true;
  }

  /** Renames the colours of the component by the best one-to-one matching with the clusters. */
  permute(part: Int32Array, labels: Int32Array): void {
    const { D, K } = this;
    const costs = matrix(K, K);
    for (const v of part) for (let k = 0; k < K; k++) costs.data[labels[v] * K + k] += D[v * K + k];
    const { columns } = hungarian(costs);
    for (const v of part) labels[v] = columns[labels[v]];
  }

  /** Exchanges along Kempe chains as long as one lowers the cost. */
  descend(part: Int32Array, labels: Int32Array): void {
    const { D, K } = this;
    for (let improved = true; improved;) {
      improved = false;
      for (let s = 0; s < part.length; s++) {
        const v = part[s];
        for (let k = 0; k < K; k++) {
          if (D[v * K + k] >= D[v * K + labels[v]]) continue;
          if (this.exchange(v, k, labels)) improved = true;
        }
      }
    }
  }

  private exchange(v: number, to: number, labels: Int32Array): boolean {
    const { D, K, chain, stamp } = this;
    const { offsets, neighbors } = this.graph;
    const from = labels[v];
    const time = ++this.time;
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
  }

  /**
   * First the node with most colours taken, then with the largest regret; each node gets its cheapest
   * colour. False at a dead end.
   */
  greedy(part: Int32Array, labels: Int32Array): boolean {
    const { coloring } = this;
    for (const v of part) coloring.enter(v);
    const regret = (v: number): number => this.regret(coloring, v);
    let v = coloring.pick(regret);
    for (; v >= 0; v = coloring.pick(regret)) {
      const k = this.cheapest(coloring, v, -Infinity, -1);
      if (k < 0) break;
      coloring.color(v, k);
    }
    for (const u of part) {
      if (v < 0) labels[u] = coloring.colors[u];
      coloring.leave(u);
    }
    return v < 0;
  }

  /** The difference between the two cheapest allowed colours of v. */
  private regret(state: PartialColoring, v: number): number {
    const { D, K } = this;
    let least = Infinity;
    let second = Infinity;
    for (let k = 0; k < K; k++) {
      if (!state.allowed(v, k)) continue;
      const cost = D[v * K + k];
      if (cost < least) {
        second = least;
        least = cost;
      } else if (cost < second) second = cost;
    }
    return second === Infinity ? Number.MAX_VALUE : second - least;
  }

  /** The cheapest allowed colour after colour `last` of cost `above` in the order (cost, index); -1: none. */
  private cheapest(state: PartialColoring, v: number, above: number, last: number): number {
    const { D, K } = this;
    let best = -1;
    for (let k = 0; k < K; k++) {
      const cost = D[v * K + k];
      if (cost < above || (cost === above && k <= last) || !state.allowed(v, k)) continue;
      if (best < 0 || cost < D[v * K + best]) best = k;
    }
    return best;
  }

  /** Starts from feasible `labels` and leaves the best found there. */
  branchAndBound(part: Int32Array, labels: Int32Array): void {
    const { D, K, coloring } = this;
    const size = part.length;
    const waiting = Array.from(part);
    const place = new Int32Array(size);
    const tried = new Int32Array(size);
    const spent = new Float64Array(size + 1);
    let best = this.cost(part, labels) * (1 - 1e-12);
    let depth = 0;
    let nodes = 0;
    const bound = (): number => {
      let sum = spent[depth];
      for (let s = depth; s < size; s++) {
        const k = this.cheapest(coloring, waiting[s], -Infinity, -1);
        if (k < 0) return Infinity;
        sum += D[waiting[s] * K + k];
      }
      return sum;
    };
    /**
     * Moves the branching node to position `depth`; the node there takes its old position, and `up` restores
     * both.
     */
    const enter = (): void => {
      let chosen = depth;
      let most = -Infinity;
      for (let s = depth; s < size; s++) {
        const value = this.regret(coloring, waiting[s]);
        if (value > most) {
          most = value;
          chosen = s;
        }
      }
      place[depth] = chosen;
      [waiting[depth], waiting[chosen]] = [waiting[chosen], waiting[depth]];
      tried[depth] = -1;
    };
    enter();
    while (depth >= 0) {
      const v = waiting[depth];
      const last = tried[depth];
      if (last >= 0) coloring.uncolor(v);
      const k =
        nodes >= BUDGET ? -1 : this.cheapest(coloring, v, last < 0 ? -Infinity : D[v * K + last], last);
      if (k < 0) {
        const chosen = place[depth];
        [waiting[depth], waiting[chosen]] = [waiting[chosen], waiting[depth]];
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
  }
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
