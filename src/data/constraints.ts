import { given, inputError } from "../core/internal.ts";

/** Two row numbers, counted from 0. */
export type Pair = readonly [number, number];

/** A person's knowledge about some pairs of rows. */
export interface Constraints {
  /** Pairs that belong together. */
  readonly mustLink: readonly Pair[];
  /** Pairs that do not. */
  readonly cannotLink: readonly Pair[];
}

/** Pairs as options of a method. */
export type PairOptions = Partial<Constraints>;

/** Spread into the rules of a method that takes pairs. */
export const PAIR_RULES = {
  mustLink: given<readonly Pair[]>("an array of pairs of row numbers", Array.isArray),
  cannotLink: given<readonly Pair[]>("an array of pairs of row numbers", Array.isArray),
};

/** Checked constraints: each pair once, smaller row first, and no contradiction between them. */
export interface CheckedConstraints extends Constraints {
  readonly rows: number;
  /**
   * The must-link component of each row: 0 .. groups - 1, numbered by first member; a row without links is a
   * component of its own.
   */
  readonly group: Int32Array;
  readonly groups: number;
  /** Repeated pairs that were dropped. */
  readonly duplicates: number;
}

/**
 * Checks pairs against the number of rows: an index out of range, a row paired with itself, or a cannot-link whose two
 * rows are must-linked, directly or through others, is an error that names the pair (and the chain of must-links).
 */
export function checkConstraints(rows: number, constraints: Partial<Constraints>): CheckedConstraints {
  const must = distinctPairs("must-link", constraints.mustLink ?? [], rows);
  const cannot = distinctPairs("cannot-link", constraints.cannotLink ?? [], rows);
  const links = neighborLists(rows, must.pairs);
  const { group, groups } = linkedGroups(rows, links);
  for (const [i, j] of cannot.pairs) {
    if (group[i] === group[j]) {
      throw inputError(
        `the constraints contradict each other: rows ${i} and ${j} are a cannot-link, ` +
          `but must-links join them (${shortestChain(links, i, j).join(" = ")}); remove one of these pairs`,
      );
    }
  }
  return {
    rows,
    mustLink: must.pairs,
    cannotLink: cannot.pairs,
    group,
    groups,
    duplicates: must.duplicates + cannot.duplicates,
  };
}

function distinctPairs(
  kind: string,
  pairs: readonly Pair[],
  rows: number,
): { pairs: Pair[]; duplicates: number } {
  const seen = new Set<number>();
  const distinct: Pair[] = [];
  for (let p = 0; p < pairs.length; p++) {
    const [i, j] = pairs[p];
    if (!isRow(i, rows) || !isRow(j, rows)) {
      const index = isRow(i, rows) ? j : i;
      throw inputError(
        `${kind} pair ${p} (${i}, ${j}): there is no row ${index}; rows are numbered 0 to ${rows - 1}`,
      );
    }
    if (i === j) throw inputError(`${kind} pair ${p} (${i}, ${j}) joins a row with itself`);
    const low = Math.min(i, j);
    const high = Math.max(i, j);
    const key = low * rows + high;
    if (seen.has(key)) continue;
    seen.add(key);
    distinct.push([low, high]);
  }
  return { pairs: distinct, duplicates: pairs.length - distinct.length };
}

function isRow(index: number, rows: number): boolean {
  return Number.isInteger(index) && index >= 0 && index < rows;
}

interface NeighborLists {
  readonly offsets: Int32Array;
  readonly neighbors: Int32Array;
}

function neighborLists(rows: number, pairs: readonly Pair[]): NeighborLists {
  const offsets = new Int32Array(rows + 1);
  for (const [i, j] of pairs) {
    offsets[i + 1]++;
    offsets[j + 1]++;
  }
  for (let i = 0; i < rows; i++) offsets[i + 1] += offsets[i];
  const next = offsets.slice(0, rows);
  const neighbors = new Int32Array(2 * pairs.length);
  for (const [i, j] of pairs) {
    neighbors[next[i]++] = j;
    neighbors[next[j]++] = i;
  }
  return { offsets, neighbors };
}

function linkedGroups(rows: number, links: NeighborLists): { group: Int32Array; groups: number } {
  const group = new Int32Array(rows).fill(-1);
  const queue = new Int32Array(rows);
  let groups = 0;
  for (let start = 0; start < rows; start++) {
    if (group[start] >= 0) continue;
    group[start] = groups;
    queue[0] = start;
    for (let head = 0, tail = 1; head < tail; head++) {
      const i = queue[head];
      for (let p = links.offsets[i]; p < links.offsets[i + 1]; p++) {
        const j = links.neighbors[p];
        if (group[j] >= 0) continue;
        group[j] = groups;
        queue[tail++] = j;
      }
    }
    groups++;
  }
  return { group, groups };
}

/** The shortest chain of must-links from i to j (breadth first), as the rows on the way. */
function shortestChain(links: NeighborLists, i: number, j: number): number[] {
  const previous = new Map<number, number>([[i, -1]]);
  const queue = [i];
  for (let head = 0; head < queue.length && !previous.has(j); head++) {
    for (let p = links.offsets[queue[head]]; p < links.offsets[queue[head] + 1]; p++) {
      const next = links.neighbors[p];
      if (previous.has(next)) continue;
      previous.set(next, queue[head]);
      queue.push(next);
    }
  }
  const chain: number[] = [];
  for (let at = j; at !== -1; at = previous.get(at)!) chain.push(at);
  return chain.reverse();
}
