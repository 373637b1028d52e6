import type { ExclusionGraph } from "./exclusionGraph.ts";

/**
 * A colouring under construction, with the data for DSATUR (D. Brelaz, 1979): the uncoloured nodes in lists
 * by saturation, the number of colours of their neighbours. Colouring and undoing cost one step per
 * neighbour.
 */
export class PartialColoring {
  /** -1: none yet. */
  readonly colors: Int32Array;
  /** How many neighbours of v have colour k, at v K + k. */
  readonly taken: Int32Array;
  readonly K: number;
  private readonly graph: ExclusionGraph;
  private readonly saturation: Int32Array;
  private readonly head: Int32Array;
  private readonly next: Int32Array;
  private readonly previous: Int32Array;
  private top = 0;

  /** Only `nodes` wait for a colour; the others are ignored until they are coloured. */
  constructor(graph: ExclusionGraph, K: number, nodes?: ArrayLike<number>) {
    const { count } = graph;
    this.graph = graph;
    this.K = K;
    this.colors = new Int32Array(count).fill(-1);
    this.taken = new Int32Array(count * K);
    this.saturation = new Int32Array(count);
    this.head = new Int32Array(K + 1).fill(-1);
    this.next = new Int32Array(count).fill(-1);
    this.previous = new Int32Array(count).fill(OUTSIDE);
    const total = nodes?.length ?? count;
    for (let s = total - 1; s >= 0; s--) this.insert(nodes === undefined ? s : nodes[s]);
  }

  allowed(v: number, k: number): boolean {
    return this.taken[v * this.K + k] === 0;
  }

  /**
   * An uncoloured node of the highest saturation, with the largest `score` among the first few; -1: none
   * left.
   */
  pick(score: (v: number) => number): number {
    while (this.top > 0 && this.head[this.top] < 0) this.top--;
    let best = -1;
    let highest = -Infinity;
    for (let v = this.head[this.top], looked = 0; v >= 0 && looked < LOOKED; v = this.next[v], looked++) {
      const value = score(v);
      if (value > highest) {
        highest = value;
        best = v;
      }
    }
    return best;
  }

  /** Adds v to the nodes that wait for a colour. */
  enter(v: number): void {
    if (this.previous[v] === OUTSIDE && this.colors[v] < 0) this.insert(v);
  }

  /** Removes v's colour, if it has one, and v from the waiting nodes. */
  leave(v: number): void {
    if (this.colors[v] >= 0) this.uncolor(v);
    this.remove(v);
  }

  color(v: number, k: number): void {
    this.remove(v);
    this.colors[v] = k;
    const { offsets, neighbors } = this.graph;
    for (let e = offsets[v]; e < offsets[v + 1]; e++) {
      const u = neighbors[e];
      if (this.taken[u * this.K + k]++ === 0) this.move(u, 1);
    }
  }

  uncolor(v: number): void {
    const k = this.colors[v];
    const { offsets, neighbors } = this.graph;
    for (let e = offsets[v]; e < offsets[v + 1]; e++) {
      const u = neighbors[e];
      if (--this.taken[u * this.K + k] === 0) this.move(u, -1);
    }
    this.colors[v] = -1;
    this.insert(v);
  }

  private move(u: number, by: 1 | -1): void {
    const listed = this.previous[u] !== OUTSIDE;
    if (listed) this.remove(u);
    this.saturation[u] += by;
    if (listed) this.insert(u);
  }

  private insert(v: number): void {
    const s = this.saturation[v];
    const first = this.head[s];
    this.next[v] = first;
    if (first >= 0) this.previous[first] = v;
    this.previous[v] = -1;
    this.head[s] = v;
    if (s > this.top) this.top = s;
  }

  private remove(v: number): void {
    const before = this.previous[v];
    if (before === OUTSIDE) return;
    const after = this.next[v];
    if (before < 0) this.head[this.saturation[v]] = after;
    else this.next[before] = after;
    if (after >= 0) this.previous[after] = before;
    this.previous[v] = OUTSIDE;
  }
}

const OUTSIDE = -2;
/** Number of nodes compared by score; a bound, so the cost of a step does not grow with the graph. */
const LOOKED = 64;
