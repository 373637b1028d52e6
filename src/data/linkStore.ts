import type { Pair } from "./constraints.ts";

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
