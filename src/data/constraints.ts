import { inputError, rule } from "../core/internal.ts";
import { requireList } from "../matrix/internal.ts";

/** Two row numbers, counted from 0. */
export type Pair = readonly [number, number];
/** Anchor, a row of its class, a row of another class. */
export type Triplet = readonly [anchor: number, positive: number, negative: number];

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
  mustLink: rule.given<readonly Pair[]>("an array of pairs of row numbers", Array.isArray),
  cannotLink: rule.given<readonly Pair[]>("an array of pairs of row numbers", Array.isArray),
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
  const links = linkStore();
  for (const [i, j] of must.pairs) links.join(i, j);
  const contradiction = cannot.pairs.find(([i, j]) => links.together(i, j));
  if (contradiction !== undefined) {
    const [i, j] = contradiction;
    throw inputError(
      `the constraints contradict each other: rows ${i} and ${j} are a cannot-link, ` +
        `but must-links join them (${links.chain(i, j).join(" = ")}); remove one of these pairs`,
    );
  }
  const numbers = new Map<number, number>();
  const group = Int32Array.from({ length: rows }, (_, i) => {
    const root = links.root(i);
    if (!numbers.has(root)) numbers.set(root, numbers.size);
    return numbers.get(root)!;
  });
  return {
    rows,
    mustLink: must.pairs,
    cannotLink: cannot.pairs,
    group,
    groups: numbers.size,
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
  requireList(pairs, `the ${kind} pairs`);
  for (let p = 0; p < pairs.length; p++) {
    if (!(pairs[p]?.length >= 2)) throw inputError(`${kind} pair ${p} must be two row numbers`);
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

/** Groups of joined rows and the exclusions between them, with the links behind them. */
export function linkStore(): {
  /** One row of the group of a row. */
  root(row: number): number;
  together(a: number, b: number): boolean;
  join(a: number, b: number): void;
  exclude(a: number, b: number): void;
  exclusion(a: number, b: number): Pair | undefined;
  /** The shortest chain of links from one row to another (breadth first). */
  chain(a: number, b: number): number[];
} {
  const parent = new Map<number, number>();
  const links = new Map<number, number[]>();
  const excluded = new Map<number, Map<number, Pair>>();
  const find = (i: number): number => {
    let root = i;
    while (parent.has(root)) root = parent.get(root)!;
    if (root !== i) parent.set(i, root);
    return root;
  };
  const link = (a: number, b: number): void => {
    if (!links.has(a)) links.set(a, []);
    links.get(a)!.push(b);
  };
  const exclusionsOf = (root: number): Map<number, Pair> => {
    if (!excluded.has(root)) excluded.set(root, new Map());
    return excluded.get(root)!;
  };
  return {
    root: find,
    together: (a, b) => find(a) === find(b),
    join(a, b) {
      link(a, b);
      link(b, a);
      const [p, q] = [find(a), find(b)];
      if (p === q) return;
      parent.set(q, p);
      for (const [other, pair] of exclusionsOf(q)) {
        exclusionsOf(p).set(other, pair);
        const back = exclusionsOf(other);
        back.set(p, back.get(q)!);
        back.delete(q);
      }
      excluded.delete(q);
    },
    exclude(a, b) {
      const [p, q] = [find(a), find(b)];
      if (exclusionsOf(p).has(q)) return;
      exclusionsOf(p).set(q, [a, b]);
      exclusionsOf(q).set(p, [b, a]);
    },
    exclusion: (a, b) => excluded.get(find(a))?.get(find(b)),
    chain(a, b) {
      const before = new Map<number, number>([[a, a]]);
      const queue = [a];
      for (const i of queue) {
        if (i === b) break;
        for (const j of links.get(i) ?? []) {
          if (before.has(j)) continue;
          before.set(j, i);
          queue.push(j);
        }
      }
      const path = [b];
      while (path[0] !== a) path.unshift(before.get(path[0])!);
      return path;
    },
  };
}
