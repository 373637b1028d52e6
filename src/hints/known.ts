/**
 * The implications of hints for rows: rows that belong together form a group, and two groups may exclude each
 * other. Rows without a hint are groups of their own.
 */
export interface Known {
  readonly rows: number;
  /** The group of each row, 0 .. groups - 1. */
  readonly group: Int32Array;
  readonly groups: number;
  /** Rows of each group. */
  readonly masses: Float64Array;
  /** The groups that each group excludes; empty arrays are shared. */
  readonly excluded: readonly (readonly number[])[];
  /** Groups that exclude at least one other, most exclusions first. */
  readonly bound: readonly number[];
  /** Rows that occur in a hint, ascending. */
  readonly hinted: Int32Array;
  /** The number of answers behind it. */
  readonly answers: number;
}

const NONE: readonly number[] = [];

export function knownFrom(
  rows: number,
  same: readonly (readonly [number, number])[],
  different: readonly (readonly [number, number])[],
): Known {
  const parent = Int32Array.from({ length: rows }, (_, i) => i);
  const find = (i: number): number => {
    while (parent[i] !== i) i = parent[i] = parent[parent[i]];
    return i;
  };
  const touched = new Uint8Array(rows);
  for (const [i, j] of same) {
    touched[i] = touched[j] = 1;
    const [a, b] = [find(i), find(j)];
    if (a === b) continue;
    parent[Math.max(a, b)] = Math.min(a, b);
  }
  const group = new Int32Array(rows);
  const number = new Int32Array(rows).fill(-1);
  let groups = 0;
  for (let i = 0; i < rows; i++) {
    const root = find(i);
    if (number[root] < 0) number[root] = groups++;
    group[i] = number[root];
  }
  const masses = new Float64Array(groups);
  for (const g of group) masses[g]++;
  const excluded: (readonly number[])[] = Array.from({ length: groups }, () => NONE);
  for (const [i, j] of different) {
    touched[i] = touched[j] = 1;
    const [a, b] = [group[i], group[j]];
    if (a === b || excluded[a].includes(b)) continue;
    excluded[a] = [...excluded[a], b];
    excluded[b] = [...excluded[b], a];
  }
  const bound: number[] = [];
  for (let g = 0; g < groups; g++) if (excluded[g].length > 0) bound.push(g);
  bound.sort((a, b) => excluded[b].length - excluded[a].length || a - b);
  const hinted: number[] = [];
  for (let i = 0; i < rows; i++) if (touched[i] === 1) hinted.push(i);
  return {
    rows,
    group,
    groups,
    masses,
    excluded,
    bound,
    hinted: Int32Array.from(hinted),
    answers: same.length + different.length,
  };
}

/**
 * The implications of K clusters: a group that excludes K - 1 of K mutually exclusive groups belongs to the
 * last of them; with two clusters, rows that differ from the same row are the same.
 */
export function withDeductions(known: Known, K: number): Known {
  let current = known;
  for (;;) {
    const joins = deductions(current, K);
    if (joins.length === 0) return { ...current, answers: known.answers };
    const first = firstRows(current);
    const { same, different } = spanning(current);
    current = knownFrom(
      known.rows,
      [...same, ...joins.map(([a, b]): [number, number] => [first[a], first[b]])],
      different,
    );
  }
}

/** Pairs of groups that must be one. */
function deductions(known: Known, K: number): [number, number][] {
  const { excluded, bound } = known;
  const joins: [number, number][] = [];
  if (K === 2) {
    for (const g of bound) for (const h of excluded[g].slice(1)) joins.push([excluded[g][0], h]);
    return joins;
  }
  const clique = exclusiveGroups(known);
  if (clique.length !== K) return joins;
  for (const g of bound) {
    if (clique.includes(g)) continue;
    const open = clique.filter((h) => !excluded[g].includes(h));
    if (open.length === 1) joins.push([open[0], g]);
  }
  return joins;
}

function firstRows(known: Known): Int32Array {
  const first = new Int32Array(known.groups).fill(-1);
  for (let i = known.rows - 1; i >= 0; i--) first[known.group[i]] = i;
  return first;
}

/** Pairs that contain all knowledge: each row of a group with the first, and groups by their first rows. */
export function spanning(known: Known): { same: [number, number][]; different: [number, number][] } {
  const first = firstRows(known);
  const same: [number, number][] = [];
  const different: [number, number][] = [];
  for (const i of known.hinted) {
    const g = known.group[i];
    if (first[g] !== i) same.push([first[g], i]);
  }
  for (const a of known.bound) {
    for (const b of known.excluded[a]) if (a < b) different.push([first[a], first[b]]);
  }
  return { same, different };
}

/** The same without the knowledge about some rows: links between the others that went through them stay. */
export function withoutRows(known: Known, held: Uint8Array): Known {
  const first = new Int32Array(known.groups).fill(-1);
  const same: [number, number][] = [];
  const different: [number, number][] = [];
  for (const i of known.hinted) {
    if (held[i] === 1) continue;
    const g = known.group[i];
    if (first[g] < 0) first[g] = i;
    else same.push([first[g], i]);
  }
  for (const a of known.bound) {
    for (const b of known.excluded[a]) {
      if (a < b && first[a] >= 0 && first[b] >= 0) different.push([first[a], first[b]]);
    }
  }
  return knownFrom(known.rows, same, different);
}

/** 1: the two rows are known to belong together; -1: not to; 0: not known. */
export function relation(known: Known, i: number, j: number): -1 | 0 | 1 {
  const [a, b] = [known.group[i], known.group[j]];
  return a === b ? 1 : known.excluded[a].includes(b) ? -1 : 0;
}

/**
 * Groups that all exclude each other, the largest first (greedy): each is the known part of another cluster.
 * A group without an exclusion counts only if there is no other.
 */
export function exclusiveGroups(known: Known): number[] {
  const order = [...known.bound].sort(
    (a, b) =>
      known.masses[b] - known.masses[a] || known.excluded[b].length - known.excluded[a].length || a - b,
  );
  const chosen: number[] = [];
  for (const g of order) if (chosen.every((other) => known.excluded[other].includes(g))) chosen.push(g);
  if (chosen.length > 0) return chosen;
  const largest = known.masses.indexOf(known.masses.reduce((a, b) => Math.max(a, b), 0));
  return known.hinted.length > 0 ? [largest] : [];
}
