import { adjustedRand } from "../score/index.ts";
import { makersOver, type Maker, type MethodName } from "./members.ts";
import { partOf, type SpaceName, type Spaces } from "./spaces.ts";

/** A partition, and what made it. */
export interface Member {
  readonly method: MethodName;
  readonly space: SpaceName;
  /** The number of clusters that was asked for; a method may leave some empty. */
  readonly clusters: number;
  /** 0 .. K - 1 in the order of their first rows. */
  readonly labels: Int32Array;
}

/** A member of the pool, with its agreement with the same method on some of the rows. */
export interface PoolMember extends Member {
  readonly stability: number;
}

export interface PoolOptions {
  /** The largest number of clusters that will be asked for. */
  readonly most: number;
  /** False: stop, and keep the members so far. */
  readonly going: (label: string, fraction: number) => boolean;
}

/** Share of the rows on which every method is run again: the first of them, and the last. */
const PART = 0.7;

/** The methods on all spaces, and again on parts of the rows. */
export interface Pool {
  /** Into these numbers of clusters. */
  members(counts: readonly number[]): PoolMember[];
}

export function poolOf(spaces: Spaces, { most, going }: PoolOptions): Pool {
  const n = spaces.rows;
  const size = Math.round(PART * n);
  const all = makersOver(spaces, most);
  const parts = [0, n - size].map((first) => {
    const rows = Int32Array.from({ length: size }, (_, i) => first + i);
    return { first, again: makersOver(partOf(spaces, rows), most) };
  });
  const stabilityOf = (labels: Int32Array, K: number, s: number, m: number): number => {
    const agreements = parts.map(({ first, again }) => {
      const other = attempt(again[s].makers[m], K);
      return other === undefined ? 0 : adjustedRand(labels.subarray(first, first + size), other);
    });
    return (agreements[0] + agreements[1]) / 2;
  };
  return {
    members(counts) {
      const found: PoolMember[] = [];
      each(counts, (space, maker, K, s, m) => {
        const labels = attempt(maker, K);
        if (labels === undefined) return;
        const stability = stabilityOf(labels, K, s, m);
        found.push({ method: maker.method, space, clusters: K, labels, stability });
      });
      return found;
    },
  };

  /** The cheapest methods first: an early stop leaves their members. */
  function each(
    counts: readonly number[],
    visit: (space: SpaceName, maker: Maker, K: number, s: number, m: number) => void,
  ): void {
    const total = all.reduce((sum, { makers }) => sum + makers.length, 0);
    const deepest = Math.max(...all.map(({ makers }) => makers.length));
    let done = 0;
    for (let m = 0; m < deepest; m++) {
      for (const [s, { space, makers }] of all.entries()) {
        const maker = makers[m];
        if (maker === undefined) continue;
        for (const [k, K] of counts.entries()) {
          if (done + k > 0 && !going(`${maker.method}, ${K} clusters`, done / total)) return;
          if (K <= maker.most || counts.length === 1) visit(space, maker, K, s, m);
        }
        done++;
      }
    }
  }
}

/** Undefined if the method fails (too few distinct rows, a singular covariance) or leaves one cluster. */
export function attempt(maker: Maker, clusters: number): Int32Array | undefined {
  try {
    const labels = maker.make(clusters);
    if (labels === undefined) return undefined;
    const inOrder = numbered(labels);
    return inOrder.some((label) => label > 0) ? inOrder : undefined;
  } catch {
    return undefined;
  }
}

/** Clusters numbered by their first rows. */
export function numbered(labels: ArrayLike<number>): Int32Array {
  const number = new Map<number, number>();
  return Int32Array.from(labels, (label) => {
    let k = number.get(label);
    if (k === undefined) number.set(label, (k = number.size));
    return k;
  });
}
