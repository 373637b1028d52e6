/**
 * Maximum flow inside a set of nodes by first-in first-out push-relabel (Goldberg and Tarjan 1988), with heights from a
 * breadth-first search that is repeated every |S| / 2 relabellings.
 */
import { int, real, setInt, setReal } from "../../matrix/kernel/_memory.as";
import {
  capacity, current, flow, head, height, last, mark, mass, offset, order, queue, reverse, supply, waiting,
  waitingLength,
} from "./_network.as";

/**
 * Routes as much excess over mu as can reach a deficit. Returns whether a deficit is left; then `height` is exact, and
 * end - start + 1 where no deficit can be reached.
 */
export function maximumFlow(start: i32, end: i32, mu: f64, epsilon: f64): bool {
  const unreached = end - start + 1;
  const mask = waitingLength(end - start) - 1;
  const patience = ((end - start) >> 1) + 8;
  while (measureHeights(start, end, mu, epsilon)) {
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
function measureHeights(start: i32, end: i32, mu: f64, epsilon: f64): bool {
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
