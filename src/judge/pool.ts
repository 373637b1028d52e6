import { agreementBetween } from "./agreement.ts";
import { attempt, makersOver, type MethodName } from "./members.ts";
import { partRuns, PARTS, type Visit } from "./partRuns.ts";
import type { SpaceName, Spaces } from "./spaces.ts";

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

/** The methods on all spaces, and again on parts of the rows. */
export interface Pool {
  /** Into these numbers of clusters. */
  members(counts: readonly number[]): PoolMember[];
}

export function poolOf(spaces: Spaces, { most, going }: PoolOptions): Pool {
  const all = makersOver(spaces, most);
  const parts = partRuns(spaces, most);
  return {
    members(counts) {
      const visits = visitsOf(all, counts);
      parts.begin(visits);
      const found: { readonly visit: number; readonly labels: Int32Array; stability?: number }[] = [];
      const stabilityOf = (labels: Int32Array, visit: number): number => {
        const agreements = PARTS.map((part) => {
          const other = parts.labels(part, visit);
          return other === undefined ? 0 : agreementBetween(parts.rowsOf(part, labels), other);
        });
        return (agreements[0] + agreements[1]) / 2;
      };
      for (const [visit, { s, m, K }] of visits.entries()) {
        const maker = all[s].makers[m];
        if (visit > 0 && !going(`${maker.method}, ${K} clusters`, visit / visits.length)) break;
        const labels = attempt(maker, K);
        if (labels === undefined) continue;
        found.push({ visit, labels, ...(!parts.shared && { stability: stabilityOf(labels, visit) }) });
      }
      if (parts.shared) parts.help(found.map(({ visit }) => visit));
      return found.map(({ visit, labels, stability = stabilityOf(labels, visit) }) => {
        const { s, m, K } = visits[visit];
        const { space, makers } = all[s];
        return { method: makers[m].method, space, clusters: K, labels, stability };
      });
    },
  };
}

/** The cheapest methods first: an early stop leaves their members. */
function visitsOf(all: ReturnType<typeof makersOver>, counts: readonly number[]): Visit[] {
  const deepest = Math.max(...all.map(({ makers }) => makers.length));
  const visits: Visit[] = [];
  for (let m = 0; m < deepest; m++) {
    for (const [s, { makers }] of all.entries()) {
      if (makers[m] === undefined) continue;
      for (const K of counts) if (K <= makers[m].most || counts.length === 1) visits.push({ s, m, K });
    }
  }
  return visits;
}
