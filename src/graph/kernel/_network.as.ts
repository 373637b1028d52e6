/**
 * The flow network of one total variation problem, in memory that the caller provides: the graph, which all tasks
 * share, and the scratch memory of a task.
 *
 * Arcs of a node are ordered so that those inside its set come first: offset[i] .. last[i] are inside,
 * last[i] .. offset[i + 1] lead out.
 */
import { int, real, setInt, setReal } from "../../matrix/kernel/_memory.as";

export let nodes: i32 = 0;
export let arcs: i32 = 0;

export let offset: usize = 0;
export let head0: usize = 0; // arc data in the order of the adjacency, as `prepare` leaves it
export let reverse0: usize = 0;
export let edge0: usize = 0;
export let head: usize = 0; // the same, permuted while solving
export let reverse: usize = 0;
export let edge: usize = 0;
export let weight: usize = 0; // per edge
export let from: usize = 0;
export let capacity: usize = 0; // per arc
export let flow: usize = 0; // per arc; the reverse arc holds its negative

export let last: usize = 0;
export let current: usize = 0; // first arc of i that may still be admissible
export let height: usize = 0; // lower bound of the distance to a node in deficit
export let mark: usize = 0;
export let order: usize = 0; // nodes, set by set
export let queue: usize = 0;
export let waiting: usize = 0; // circular queue of active nodes, its length a power of two
export let supply: usize = 0; // r
export let mass: usize = 0; // m

export let setOf: usize = 0;
export let parent: usize = 0;
export let members: usize = 0;
export let setStart: usize = 0; // finished sets: order[setStart[s] .. setEnd[s]]
export let setEnd: usize = 0;
export let openStart: usize = 0; // stack of sets to solve
export let openEnd: usize = 0;

let top: usize = 0;
function take(count: i32, bytes: i32): usize {
  const address = top;
  top += ((<usize>count * <usize>bytes) + 63) & ~(<usize>63);
  return address;
}

export function waitingLength(n: i32): i32 {
  let length = 1;
  while (length < n + 1) length <<= 1;
  return length;
}

/** The graph, which all tasks read; returns its end, which with base 0 is its size in bytes. */
export function layoutGraph(base: usize, n: i32, m: i32): usize {
  nodes = n;
  arcs = 2 * m;
  top = base;
  weight = take(m, 8);
  mass = take(n, 8);
  offset = take(n + 1, 4);
  head0 = take(arcs, 4);
  reverse0 = take(arcs, 4);
  edge0 = take(arcs, 4);
  from = take(m, 4);
  return top;
}

/** The data of one task, after `layoutGraph`; returns its end. */
export function layoutScratch(base: usize): usize {
  const n = nodes;
  top = base;
  capacity = take(arcs, 8);
  flow = take(arcs, 8);
  supply = take(n, 8);
  head = take(arcs, 4);
  reverse = take(arcs, 4);
  edge = take(arcs, 4);
  last = take(n, 4);
  current = take(n, 4);
  height = take(n, 4);
  mark = take(n, 4);
  order = take(n, 4);
  queue = take(n, 4);
  waiting = take(waitingLength(n), 4);
  setOf = take(n, 4);
  parent = take(n, 4);
  members = take(n + 1, 4);
  setStart = take(n, 4);
  setEnd = take(n, 4);
  openStart = take(n, 4);
  openEnd = take(n, 4);
  return top;
}

/**
 * Builds the adjacency of the edges (source[e], target[e]) with weights[e] at `graph`, and copies the masses;
 * `next` is room for n integers.
 */
export function prepare(
  graph: usize, n: i32, m: i32, source: usize, target: usize, weights: usize, masses: usize, next: usize,
): void {
  layoutGraph(graph, n, m);
  memory.copy(weight, weights, <usize>m << 3);
  memory.copy(from, source, <usize>m << 2);
  memory.copy(mass, masses, <usize>n << 3);
  memory.fill(offset, 0, <usize>(n + 1) << 2);
  for (let e = 0; e < m; e++) {
    setInt(offset, int(source, e) + 1, int(offset, int(source, e) + 1) + 1);
    setInt(offset, int(target, e) + 1, int(offset, int(target, e) + 1) + 1);
  }
  for (let i = 0; i < n; i++) setInt(offset, i + 1, int(offset, i + 1) + int(offset, i));
  memory.copy(next, offset, <usize>n << 2);
  for (let e = 0; e < m; e++) {
    const i = int(source, e);
    const j = int(target, e);
    const p = int(next, i);
    setInt(next, i, p + 1);
    const q = int(next, j);
    setInt(next, j, q + 1);
    setInt(head0, p, j);
    setInt(head0, q, i);
    setInt(reverse0, p, q);
    setInt(reverse0, q, p);
    setInt(edge0, p, e);
    setInt(edge0, q, e);
  }
}

/** Moves arc p of node i out of its set. */
@inline
export function expel(i: i32, p: i32): void {
  const q = int(last, i) - 1;
  setInt(last, i, q);
  exchange(p, q);
}

export function exchange(p: i32, q: i32): void {
  if (p == q) return;
  const reverseP = int(reverse, p);
  const reverseQ = int(reverse, q);
  const headP = int(head, p);
  setInt(head, p, int(head, q));
  setInt(head, q, headP);
  const edgeP = int(edge, p);
  setInt(edge, p, int(edge, q));
  setInt(edge, q, edgeP);
  const flowP = real(flow, p);
  setReal(flow, p, real(flow, q));
  setReal(flow, q, flowP);
  const capacityP = real(capacity, p);
  setReal(capacity, p, real(capacity, q));
  setReal(capacity, q, capacityP);
  setInt(reverse, p, reverseQ);
  setInt(reverse, q, reverseP);
  setInt(reverse, reverseQ, p);
  setInt(reverse, reverseP, q);
}
