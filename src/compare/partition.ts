import { random } from "../core/index.ts";

/** A partition of the rows as lists, with keys by which equal clusters and partitions are recognised. */
export interface Partition {
  readonly labels: Int32Array;
  readonly clusters: readonly Cluster[];
  readonly key: string;
}

export interface Cluster {
  /** Ascending. */
  readonly rows: Int32Array;
  /** A sum of the codes of the rows: merging clusters adds their keys. */
  readonly key: number;
}

/** One code of 48 bits for each row; sums of a million codes stay exact enough to distinguish sets. */
export type RowCodes = Float64Array;

export function rowCodes(n: number): RowCodes {
  const source = random(17);
  return Float64Array.from({ length: n }, () => Math.floor(source.uniform() * 2 ** 32));
}

/** Clusters numbered by their first rows. */
export function partition(labels: ArrayLike<number>, codes: RowCodes): Partition {
  const n = labels.length;
  const number = new Map<number, number>();
  const own = new Int32Array(n);
  const sizes: number[] = [];
  for (let i = 0; i < n; i++) {
    let k = number.get(labels[i]);
    if (k === undefined) {
      k = number.size;
      number.set(labels[i], k);
      sizes.push(0);
    }
    own[i] = k;
    sizes[k]++;
  }
  const rows = sizes.map((size) => new Int32Array(size));
  const keys = new Float64Array(sizes.length);
  const next = new Int32Array(sizes.length);
  for (let i = 0; i < n; i++) {
    rows[own[i]][next[own[i]]++] = i;
    keys[own[i]] += codes[i];
  }
  const clusters = rows.map((list, k) => ({ rows: list, key: keys[k] }));
  return { labels: own, clusters, key: keys.toSorted().join(" ") };
}

/** The same with clusters a and b as one. */
export function mergedPartition({ labels }: Partition, a: number, b: number, codes: RowCodes): Partition {
  return partition(
    labels.map((label) => (label === b ? a : label)),
    codes,
  );
}
