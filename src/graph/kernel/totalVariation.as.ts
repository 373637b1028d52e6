/**
 * Exact total variation of one feature on a weighted graph,
 *
 *     min_u 1/2 sum_i m_i (y_i - u_i)^2 + sum_e c_e |u_i - u_j| ,
 *
 * by divide and conquer on minimum cuts (Hochbaum 2001; Chambolle and Darbon 2009). A set S of nodes has the mean mu of
 * its supplies r_i = m_i y_i - outflow_i. Route the excess r_i - m_i mu inside S by a maximum flow: if all of it
 * arrives, u = mu on S; otherwise the minimum cut divides S into nodes above mu, nodes at mu and nodes below, the arcs
 * between them are saturated, and the parts are solved on their own. The flow is the dual solution, and since it is
 * never thrown away, each cut starts from the flow of the set it came from.
 *
 * The maximum flow is first-in first-out push-relabel (Goldberg and Tarjan 1988) with heights from a breadth-first
 * search that is repeated every |S| / 2 relabellings.
 *
 * Warm start: `u` of a nearby problem divides the nodes into sets of equal neighbours, arcs between unequal nodes start
 * saturated, and only where two sets then come out in the wrong order are they joined and solved as one. Each such
 * round maximises the dual over more edges, so the rounds end; after a few of them everything is solved at once.
 *
 * Arcs of a node are kept so that those inside its set come first: offset[i] .. last[i] are inside, last[i] ..
 * offset[i + 1] lead out.
 */

let nodes: i32 = 0;
let arcs: i32 = 0;

let offset: usize = 0;
let head0: usize = 0; // arc data in the order of the adjacency, as `prepare` leaves it
let reverse0: usize = 0;
let edge0: usize = 0;
let head: usize = 0; // the same, permuted while solving
let reverse: usize = 0;
let edge: usize = 0;
let weight: usize = 0; // per edge
let from: usize = 0;
let capacity: usize = 0; // per arc
let flow: usize = 0; // per arc; the reverse arc holds its negative

let last: usize = 0;
let current: usize = 0; // first arc of i that may still be admissible
let height: usize = 0; // lower bound of the distance to a node in deficit
let mark: usize = 0;
let order: usize = 0; // nodes, set by set
let queue: usize = 0;
let waiting: usize = 0; // circular queue of active nodes, its length a power of two
let supply: usize = 0; // r
let mass: usize = 0; // m

let setOf: usize = 0;
let parent: usize = 0;
let members: usize = 0;
let setStart: usize = 0; // finished sets: order[setStart[s] .. setEnd[s]]
let setEnd: usize = 0;
let openStart: usize = 0; // stack of sets to solve
let openEnd: usize = 0;

let sets: i32 = 0;
let open: i32 = 0;
let epsilon: f64 = 0;

/** Rounds of joining after which the warm start is given up. */
const ROUNDS: i32 = 12;

@inline function int(base: usize, i: i32): i32 { return load<i32>(base + (<usize>i << 2)); }
@inline function setInt(base: usize, i: i32, value: i32): void { store<i32>(base + (<usize>i << 2), value); }
@inline function real(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
@inline function setReal(base: usize, i: i32, value: f64): void { store<f64>(base + (<usize>i << 3), value); }

let top: usize = 0;
function take(count: i32, bytes: i32): usize {
  const address = top;
  top += ((<usize>count * <usize>bytes) + 63) & ~(<usize>63);
  return address;
}

function waitingLength(n: i32): i32 {
  let length = 1;
  while (length < n + 1) length <<= 1;
  return length;
}

/** The graph, which all tasks read; returns its end, which with base 0 is the number of bytes that it needs. */
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

/** What one task works on, after `layoutGraph`; returns its end. */
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
 * Builds the adjacency of the edges (source[e], target[e]) with weights[e] at `graph`, and takes over the masses;
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

/**
 * Solves feature `task`: row `task` of y and u (n each), z (m) and levels (n), its own gamma and count. `z` holds a flow
 * to start from (clipped to the capacities) and receives the optimal one; `u` receives the solution, and if `warm` its
 * values on entry say which nodes to try together; `levels` receives the set of each node, `counts` how many there are.
 */
export function solveFeature(
  task: i32, scratch: usize, graph: usize, n: i32, m: i32, warm: i32,
  y: usize, gammas: usize, u: usize, z: usize, levels: usize, counts: usize,
): void {
  layoutGraph(graph, n, m);
  layoutScratch(scratch);
  const byNode = <usize>task * <usize>n;
  const level = levels + (byNode << 2);
  solve(y + (byNode << 3), real(gammas, task), z + ((<usize>task * <usize>m) << 3), u + (byNode << 3), warm != 0);
  setInt(counts, task, numberLevels(level));
}

/** Numbers the sets, those that `joinEqual` has joined as one, and returns how many there are. */
function numberLevels(level: usize): i32 {
  let count = 0;
  for (let s = 0; s < sets; s++) setInt(members, s, -1);
  for (let s = 0; s < sets; s++) {
    const r = root(s);
    if (int(members, r) < 0) setInt(members, r, count++);
    for (let at = int(setStart, s); at < int(setEnd, s); at++) setInt(level, int(order, at), int(members, r));
  }
  return count;
}

function solve(y: usize, gamma: f64, z: usize, u: usize, warm: bool): void {
  const n = nodes;
  sets = 0;
  if (gamma == 0) {
    // u = y to the last bit, which sums and differences would not give.
    memory.fill(z, 0, <usize>arcs << 2);
    for (let i = 0; i < n; i++) {
      setInt(order, i, i);
      finish(i, i + 1, u, real(y, i));
      setInt(parent, i, i);
    }
    return;
  }
  const mean = begin(y, gamma, z, u, warm);
  open = 0;
  openComponents();
  for (let round = 1; ; round++) {
    while (open > 0) {
      open--;
      divide(int(openStart, open), int(openEnd, open), u);
    }
    if (!warm || round > ROUNDS || !joinDisordered(u, round == ROUNDS)) break;
  }
  joinEqual(u);
  for (let i = 0; i < n; i++) setReal(u, i, real(u, i) + mean);
  for (let i = 0; i < n; i++) {
    for (let p = int(offset, i); p < int(offset, i + 1); p++) {
      const e = int(edge, p);
      if (int(from, e) == i) setReal(z, e, real(flow, p));
    }
  }
}

/** Supplies, capacities and starting flows. Centres y, so that rounding does not depend on its origin. */
function begin(y: usize, gamma: f64, z: usize, u: usize, warm: bool): f64 {
  const n = nodes;
  memory.copy(head, head0, <usize>arcs << 2);
  memory.copy(reverse, reverse0, <usize>arcs << 2);
  memory.copy(edge, edge0, <usize>arcs << 2);
  let mean: f64 = 0;
  for (let i = 0; i < n; i++) mean += (real(y, i) - mean) / <f64>(i + 1);
  let scale: f64 = 0;
  for (let i = 0; i < n; i++) {
    const r = real(mass, i) * (real(y, i) - mean);
    setReal(supply, i, r);
    scale = Math.max(scale, Math.max(1, real(mass, i)) * Math.abs(real(y, i) - mean));
  }
  epsilon = 1e-12 * scale * Math.max(1, <f64>n / 1000);
  for (let i = 0; i < n; i++) {
    const end = int(offset, i + 1);
    let r = real(supply, i);
    setInt(last, i, end);
    for (let p = int(offset, i); p < end; p++) {
      const e = int(edge, p);
      const c = gamma * real(weight, e);
      let f: f64;
      const difference = warm ? real(u, i) - real(u, int(head, p)) : 0;
      if (difference != 0) {
        f = difference > 0 ? c : -c;
      } else {
        f = Math.max(-c, Math.min(c, real(z, e)));
        if (int(from, e) != i) f = -f;
      }
      setReal(capacity, p, c);
      setReal(flow, p, f);
      r -= f;
    }
    setReal(supply, i, r);
  }
  if (warm) {
    for (let i = 0; i < n; i++) {
      for (let p = int(offset, i); p < int(last, i); ) {
        if (real(u, int(head, p)) != real(u, i)) expel(i, p);
        else p++;
      }
    }
  }
  return mean;
}

/** Moves arc p of node i out of its set. */
@inline
function expel(i: i32, p: i32): void {
  const q = int(last, i) - 1;
  setInt(last, i, q);
  exchange(p, q);
}

function exchange(p: i32, q: i32): void {
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

/** Opens the connected components of the inner arcs as sets to solve. */
function openComponents(): void {
  const n = nodes;
  let end = 0;
  for (let i = 0; i < n; i++) setInt(mark, i, 1);
  for (let root = 0; root < n; root++) {
    if (int(mark, root) == 0) continue;
    const start = end;
    setInt(mark, root, 0);
    setInt(order, end++, root);
    for (let at = start; at < end; at++) {
      const i = int(order, at);
      for (let p = int(offset, i); p < int(last, i); p++) {
        const j = int(head, p);
        if (int(mark, j) == 0) continue;
        setInt(mark, j, 0);
        setInt(order, end++, j);
      }
    }
    pushOpen(start, end);
  }
}

@inline
function pushOpen(start: i32, end: i32): void {
  setInt(openStart, open, start);
  setInt(openEnd, open, end);
  open++;
}

@inline
function finish(start: i32, end: i32, u: usize, value: f64): void {
  for (let at = start; at < end; at++) setReal(u, int(order, at), value);
  setInt(setStart, sets, start);
  setInt(setEnd, sets, end);
  sets++;
}

/** Solves or divides the set order[start .. end]. */
function divide(start: i32, end: i32, u: usize): void {
  let total: f64 = 0;
  let totalMass: f64 = 0;
  for (let at = start; at < end; at++) {
    total += real(supply, int(order, at));
    totalMass += real(mass, int(order, at));
  }
  const mu = total / totalMass;
  if (end - start == 1 || !maximumFlow(start, end, mu)) {
    finish(start, end, u, mu);
    return;
  }
  // Marks: -1 can reach a deficit (below mu), 1 can be reached from excess (above mu), 0 neither (at mu).
  const unreached = end - start + 1;
  let found = 0;
  for (let at = start; at < end; at++) {
    const i = int(order, at);
    if (int(height, i) < unreached) {
      setInt(mark, i, -1);
    } else if (real(supply, i) > real(mass, i) * mu + 10 * epsilon) {
      setInt(mark, i, 1);
      setInt(queue, found++, i);
    } else {
      setInt(mark, i, 0);
    }
  }
  for (let at = 0; at < found; at++) {
    const i = int(queue, at);
    for (let p = int(offset, i); p < int(last, i); p++) {
      const j = int(head, p);
      if (int(mark, j) == 0 && real(capacity, p) > real(flow, p)) {
        setInt(mark, j, 1);
        setInt(queue, found++, j);
      }
    }
  }
  if (found == 0) {
    clearMarks(start, end);
    finish(start, end, u, mu);
    return;
  }
  // The queue already holds the nodes above mu; add the others and write them back.
  let count = found;
  for (let at = start; at < end; at++) {
    const i = int(order, at);
    if (int(mark, i) < 0) setInt(queue, count++, i);
  }
  const below = count;
  for (let at = start; at < end; at++) {
    const i = int(order, at);
    if (int(mark, i) == 0) setInt(queue, count++, i);
  }
  memory.copy(order + (<usize>start << 2), queue, <usize>count << 2);
  for (let at = start; at < end; at++) {
    const i = int(order, at);
    const side = int(mark, i);
    for (let p = int(offset, i); p < int(last, i); ) {
      if (int(mark, int(head, p)) != side) expel(i, p);
      else p++;
    }
  }
  clearMarks(start, end);
  if (count > below) finish(start + below, end, u, mu);
  pushOpen(start + found, start + below);
  pushOpen(start, start + found);
}

function clearMarks(start: i32, end: i32): void {
  for (let at = start; at < end; at++) setInt(mark, int(order, at), 0);
}

/**
 * Routes as much excess over mu as can reach a deficit. Returns whether a deficit is left; then `height` is exact, and
 * end - start + 1 where no deficit can be reached.
 */
function maximumFlow(start: i32, end: i32, mu: f64): bool {
  const unreached = end - start + 1;
  const mask = waitingLength(end - start) - 1;
  const patience = ((end - start) >> 1) + 8;
  while (measureHeights(start, end, mu)) {
    let first = 0;
    let after = 0;
    for (let at = start; at < end; at++) {
      const i = int(order, at);
      const active = int(height, i) < unreached && real(supply, i) > real(mass, i) * mu + epsilon;
      setInt(mark, i, active ? 1 : 0);
      if (active) setInt(waiting, after++, i);
    }
    if (after == 0) return true;
    for (let relabelled = 0; first != after && relabelled <= patience; ) {
      const i = int(waiting, first++ & mask);
      setInt(mark, i, 0);
      const begin = int(offset, i);
      const finish = int(last, i);
      let excess = real(supply, i) - real(mass, i) * mu;
      let level = int(height, i);
      let p = int(current, i);
      while (level < unreached) {
        for (; p < finish; p++) {
          const j = int(head, p);
          if (int(height, j) != level - 1) continue;
          const c = real(capacity, p);
          const residual = c - real(flow, p);
          if (residual <= 0) continue;
          const amount = Math.min(residual, excess);
          const f = residual <= excess ? c : real(flow, p) + excess; // saturated means exactly c
          setReal(flow, p, f);
          setReal(flow, int(reverse, p), -f);
          excess -= amount;
          const r = real(supply, j) + amount;
          setReal(supply, j, r);
          if (int(mark, j) == 0 && r > real(mass, j) * mu + epsilon) {
            setInt(mark, j, 1);
            setInt(waiting, after++ & mask, j);
          }
          if (excess <= epsilon) break;
        }
        if (p < finish || excess <= epsilon) break;
        let lowest = unreached;
        for (p = begin; p < finish; p++) {
          if (real(capacity, p) > real(flow, p)) lowest = min(lowest, int(height, int(head, p)));
        }
        level = min(lowest + 1, unreached);
        relabelled++;
        p = begin;
      }
      setInt(height, i, level);
      setInt(current, i, p);
      setReal(supply, i, excess + real(mass, i) * mu);
    }
  }
  return false;
}

/** Exact heights by breadth-first search from the nodes in deficit; returns whether there are any. */
function measureHeights(start: i32, end: i32, mu: f64): bool {
  const unreached = end - start + 1;
  let found = 0;
  for (let at = start; at < end; at++) {
    const i = int(order, at);
    setInt(current, i, int(offset, i));
    if (real(supply, i) < real(mass, i) * mu - epsilon) {
      setInt(height, i, 0);
      setInt(queue, found++, i);
    } else {
      setInt(height, i, unreached);
    }
  }
  if (found == 0) return false;
  for (let at = 0; at < found; at++) {
    const i = int(queue, at);
    const above = int(height, i) + 1;
    const finish = int(last, i);
    for (let p = int(offset, i); p < finish; p++) {
      const j = int(head, p);
      if (int(height, j) == unreached && real(capacity, p) + real(flow, p) > 0) {
        setInt(height, j, above);
        setInt(queue, found++, j);
      }
    }
  }
  return true;
}

/**
 * Gives neighbouring sets whose values agree to rounding the very same value: they are one level, which data with ties
 * can reach as several sets.
 */
function joinEqual(u: usize): void {
  const n = nodes;
  separateSets();
  let joined = false;
  for (let i = 0; i < n; i++) {
    for (let p = int(last, i); p < int(offset, i + 1); p++) {
      const j = int(head, p);
      if (Math.abs(real(u, i) - real(u, j)) > epsilon) continue;
      joined = true;
      join(i, j);
    }
  }
  if (!joined) return;
  for (let s = 0; s < sets; s++) {
    const value = real(u, int(order, int(setStart, root(s))));
    for (let at = int(setStart, s); at < int(setEnd, s); at++) setReal(u, int(order, at), value);
  }
}

/** Makes each set its own root, and notes the set of each node. */
function separateSets(): void {
  for (let s = 0; s < sets; s++) {
    setInt(parent, s, s);
    for (let at = int(setStart, s); at < int(setEnd, s); at++) setInt(setOf, int(order, at), s);
  }
}

@inline
function join(i: i32, j: i32): void {
  const a = root(int(setOf, i));
  const b = root(int(setOf, j));
  if (a != b) setInt(parent, max(a, b), min(a, b));
}

/**
 * Joins sets whose values contradict the flow on an arc between them (u_i < u_j although the arc i -> j is saturated),
 * or all sets of a component if `all`, and opens the joined sets. Returns whether there were any.
 */
function joinDisordered(u: usize, all: bool): bool {
  const n = nodes;
  separateSets();
  let disordered = false;
  for (let i = 0; i < n; i++) {
    const value = real(u, i) + 10 * epsilon;
    for (let p = int(last, i); p < int(offset, i + 1); p++) {
      const j = int(head, p);
      if (all || (real(flow, p) > 0 && value < real(u, j))) {
        disordered = true;
        join(i, j);
      }
    }
  }
  if (!disordered) return false;

  // Counting sort of the nodes by the root of their set; `members` counts nodes, then holds where each root's start.
  memory.fill(members, 0, <usize>(sets + 1) << 2);
  for (let s = 0; s < sets; s++) {
    const r = root(s) + 1;
    setInt(members, r, int(members, r) + int(setEnd, s) - int(setStart, s));
  }
  for (let s = 0; s < sets; s++) setInt(members, s + 1, int(members, s + 1) + int(members, s));
  for (let at = 0; at < n; at++) {
    const i = int(order, at);
    const r = root(int(setOf, i));
    setInt(setOf, i, r);
    const place = int(members, r);
    setInt(members, r, place + 1);
    setInt(queue, place, i);
  }
  memory.copy(order, queue, <usize>n << 2);
  // members[r] is now the end of root r, and the start of the next root.
  const before = sets;
  sets = 0;
  let start = 0;
  for (let r = 0; r < before; r++) {
    const end = int(members, r);
    if (end == start) continue;
    if (readmit(start, end)) {
      pushOpen(start, end);
    } else {
      setInt(setStart, sets, start);
      setInt(setEnd, sets, end);
      sets++;
    }
    start = end;
  }
  return true;
}

/** Takes the arcs inside order[start .. end] back in; returns whether there were any outside. */
function readmit(start: i32, end: i32): bool {
  let any = false;
  for (let at = start; at < end; at++) {
    const i = int(order, at);
    const own = int(setOf, i);
    for (let p = int(last, i); p < int(offset, i + 1); p++) {
      if (int(setOf, int(head, p)) != own) continue;
      exchange(p, int(last, i));
      setInt(last, i, int(last, i) + 1);
      any = true;
    }
  }
  return any;
}

function root(s: i32): i32 {
  while (int(parent, s) != s) {
    setInt(parent, s, int(parent, int(parent, s)));
    s = int(parent, s);
  }
  return s;
}
