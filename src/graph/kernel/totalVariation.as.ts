/**
 * Exact total variation of one feature on a weighted graph,
 *
 *     min_u 1/2 sum_i m_i (y_i - u_i)^2 + sum_e c_e |u_i - u_j| ,
 *
 * by divide and conquer on minimum cuts (Hochbaum 2001; Chambolle and Darbon 2009). A set S of nodes has the mean mu of
 * its supplies r_i = m_i y_i - outflow_i. Route the excess r_i - m_i mu inside S by a maximum flow: if all of
 * it arrives, u = mu on S; otherwise the minimum cut divides S into nodes above mu, nodes at mu and nodes
 * below, the arcs between them are saturated, and the parts are solved separately. The flow is the dual
 * solution, and since it is kept, each cut starts from the flow of its parent set.
 *
 * Warm start: `u` of a nearby problem divides the nodes into sets of equal neighbours, and arcs between
 * unequal nodes start saturated; only sets that then come out in the wrong order are joined and solved as
 * one. Each such round maximises the dual over more edges, so the rounds end; after a few of them everything
 * is solved at once.
 */
import {
  clearSets, finish, joinDisordered, joinEqual, numberLevels, open, popOpen, pushOpen, separateSets,
} from "./_levelSets.as";
import { maximumFlow } from "./_maximumFlow.as";
import { int, real, setInt, setReal } from "../../matrix/kernel/_memory.as";
import {
  arcs, capacity, edge, edge0, expel, flow, from, head, head0, height, last, layoutGraph, layoutScratch, mark, mass,
  nodes, offset, openEnd, openStart, order, prepare, queue, reverse, reverse0, supply, weight,
} from "./_network.as";

export { layoutGraph, layoutScratch, prepare } from "./_network.as";

/** Excess that counts as zero: rounding, relative to the largest supply. */
let epsilon: f64 = 0;
/** Difference of values that counts as zero: rounding, relative to the largest value. */
let resolution: f64 = 0;

/** Rounds of joining after which the warm start is given up. */
const ROUNDS: i32 = 12;

/**
 * Solves feature `task`: row `task` of y and u (n each), z (m) and levels (n), its own gamma and count. `z`
 * holds a starting flow (clipped to the capacities) and receives the optimal one; `u` receives the solution,
 * and if `warm` its values on entry group the nodes; `levels` receives the set of each node, `counts` their
 * number.
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

function solve(y: usize, gamma: f64, z: usize, u: usize, warm: bool): void {
  const n = nodes;
  clearSets();
  if (gamma == 0) {
    // u = y to the last bit, which sums and differences would not give.
    memory.fill(z, 0, <usize>arcs << 2);
    for (let i = 0; i < n; i++) {
      setInt(order, i, i);
      finish(i, i + 1, u, real(y, i));
    }
    separateSets();
    return;
  }
  const mean = begin(y, gamma, z, u, warm);
  openComponents();
  for (let round = 1; ; round++) {
    while (popOpen()) divide(int(openStart, open), int(openEnd, open), u);
    if (!warm || round > ROUNDS || !joinDisordered(u, resolution, round == ROUNDS)) break;
  }
  joinEqual(u, resolution);
  for (let i = 0; i < n; i++) setReal(u, i, real(u, i) + mean);
  for (let i = 0; i < n; i++) {
    for (let p = int(offset, i); p < int(offset, i + 1); p++) {
      const e = int(edge, p);
      if (int(from, e) == i) setReal(z, e, real(flow, p));
    }
  }
}

/** Supplies, capacities and starting flows. Centres y, so rounding does not depend on its origin. */
function begin(y: usize, gamma: f64, z: usize, u: usize, warm: bool): f64 {
  const n = nodes;
  memory.copy(head, head0, <usize>arcs << 2);
  memory.copy(reverse, reverse0, <usize>arcs << 2);
  memory.copy(edge, edge0, <usize>arcs << 2);
  let mean: f64 = 0;
  for (let i = 0; i < n; i++) mean += (real(y, i) - mean) / <f64>(i + 1);
  let largestValue: f64 = 0;
  let largestSupply: f64 = 0;
  for (let i = 0; i < n; i++) {
    const value = real(y, i) - mean;
    setReal(supply, i, real(mass, i) * value);
    largestValue = Math.max(largestValue, Math.abs(value));
    largestSupply = Math.max(largestSupply, Math.max(1, real(mass, i)) * Math.abs(value));
  }
  const rounding = 1e-12 * Math.max(1, <f64>n / 1000);
  epsilon = rounding * largestSupply;
  resolution = rounding * largestValue;
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

/** Solves or divides the set order[start .. end]. */
function divide(start: i32, end: i32, u: usize): void {
  let total: f64 = 0;
  let totalMass: f64 = 0;
  for (let at = start; at < end; at++) {
    total += real(supply, int(order, at));
    totalMass += real(mass, int(order, at));
  }
  const mu = total / totalMass;
  if (end - start == 1 || !maximumFlow(start, end, mu, epsilon)) {
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
