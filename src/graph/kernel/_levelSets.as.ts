/**
 * The node sets of a total variation problem: open sets on a stack, and finished sets, each with one value.
 * Sets are ranges of `order`.
 */
import { int, real, setInt, setReal } from "../../matrix/kernel/_memory.as";
import {
  exchange, flow, head, last, members, nodes, offset, openEnd, openStart, order, parent, queue, setEnd, setOf,
  setStart,
} from "./_network.as";

/** Finished sets. */
let sets: i32 = 0;
/** Sets on the stack; after `popOpen` also the slot of the popped one. */
export let open: i32 = 0;

export function clearSets(): void {
  sets = 0;
  open = 0;
}

@inline
export function pushOpen(start: i32, end: i32): void {
  setInt(openStart, open, start);
  setInt(openEnd, open, end);
  open++;
}

@inline
export function popOpen(): bool {
  if (open == 0) return false;
  open--;
  return true;
}

/** Records order[start .. end] as a finished set and gives its nodes their value. */
@inline
export function finish(start: i32, end: i32, u: usize, value: f64): void {
  for (let at = start; at < end; at++) setReal(u, int(order, at), value);
  setInt(setStart, sets, start);
  setInt(setEnd, sets, end);
  sets++;
}

/**
 * Gives neighbouring sets whose values agree up to rounding exactly the same value: they are one level, which
 * ties in the data can split into several sets.
 */
export function joinEqual(u: usize, resolution: f64): void {
  const n = nodes;
  separateSets();
  let joined = false;
  for (let i = 0; i < n; i++) {
    for (let p = int(last, i); p < int(offset, i + 1); p++) {
      const j = int(head, p);
      if (Math.abs(real(u, i) - real(u, j)) > resolution) continue;
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

/** Makes each set its own root, and records the set of each node. */
export function separateSets(): void {
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
export function joinDisordered(u: usize, resolution: f64, all: bool): bool {
  const n = nodes;
  separateSets();
  let disordered = false;
  for (let i = 0; i < n; i++) {
    const value = real(u, i) + 10 * resolution;
    for (let p = int(last, i); p < int(offset, i + 1); p++) {
      const j = int(head, p);
      if (all || (real(flow, p) > 0 && value < real(u, j))) {
        disordered = true;
        join(i, j);
      }
    }
  }
  if (!disordered) return false;

  // Counting sort of the nodes by the root of their set; `members` counts nodes, then holds the start of each
  // root.
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

/** Restores the arcs inside order[start .. end]; returns whether any lead outside. */
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

/** Numbers the sets, with those joined by `joinEqual` as one, and returns their number. */
export function numberLevels(level: usize): i32 {
  let count = 0;
  for (let s = 0; s < sets; s++) setInt(members, s, -1);
  for (let s = 0; s < sets; s++) {
    const r = root(s);
    if (int(members, r) < 0) setInt(members, r, count++);
    for (let at = int(setStart, s); at < int(setEnd, s); at++) setInt(level, int(order, at), int(members, r));
  }
  return count;
}
