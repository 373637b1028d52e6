import { borders } from "./evidence/border.ts";
import { chooseCount } from "./chooseCount.ts";
import { partitionIcl, type Weakest, weakest } from "./evidence/judge.ts";
import type { Found, Judged } from "./found.ts";
import { LEAST_CLUSTER, mergePath } from "./mergePath.ts";
import { mixtureBic } from "./evidence/mixtureBic.ts";
import { type Partition, partition, rowCodes } from "./partition.ts";
import { type PartitionCandidate, type Maker, pool } from "./pool.ts";
import { adjustedRand } from "../score/index.ts";
import { numberOfClusters } from "./evidence/secondOpinion.ts";
import type { JudgedSpace } from "./space.ts";

export interface SearchOptions {
  readonly clusters?: number;
  readonly most: number;
  readonly seed: number;
  readonly rule: Rule;
  /** False: only `extra` is judged. */
  readonly pool: boolean;
  readonly extra: readonly PartitionCandidate[];
  /** False: stop and keep the results so far. */
  readonly going: (label: string, fraction: number) => boolean;
}

/**
 * The criterion among partitions into the same number of clusters: borders and then likelihood; the
 * likelihood alone, if ties break neighbour graphs; for directions (rows of length 1 with many columns, for
 * example texts) borders if there are any, otherwise the agreement with methods of other kinds, because
 * Gaussians do not describe them.
 */
export type Rule = "borders" | "likelihood" | "directions";

/** Fine partitions to merge: their method and initial number of clusters. */
const STARTS = [
  ["spectral 20", 20],
  ["spectral 10", 14],
  ["ward", 20],
] as const;
/**
 * As long as the merge paths show borders with at least this evidence, the methods also run for that number
 * of clusters.
 */
const WORTH = -3;
/** And for some more. */
const BEYOND = 2;
const AT_LEAST = 6;
/** If all cheap methods have less evidence than this, costly ones do not find a border either. */
const HOPELESS = -2;
/** A partition this far below the best with the same number of clusters is rejected. */
const OUT = 1;
/** Evidence beyond this counts as equal. */
const ENOUGH = 4;

/**
 * First, fine partitions are merged (mergePath.ts), which shows the numbers of clusters that can have
 * borders. Then every method runs for these numbers, or for the given one.
 */
export function searchPartitions(space: JudgedSpace, options: SearchOptions): Found {
  const { clusters, going, rule } = options;
  const graphs = rule !== "likelihood";
  const n = space.rows;
  const judges = borders(space);
  const codes = rowCodes(n);
  const known = new Map<string, Judged>();
  const proposals = new Map<number, Map<string, Judged>>();
  const best = new Map<number, number>();
  const time = { candidates: 0, judgement: 0 };
  const offer = (found: Partition, made: readonly PartitionCandidate[], given?: Weakest): void => {
    const before = known.get(found.key);
    if (before !== undefined) return void before.made.push(...made);
    const start = performance.now();
    const K = found.clusters.length;
    const leader = best.get(K) ?? -Infinity;
    const least: Weakest =
      given ??
      (K < 2 || !graphs ? { evidence: 0 } : weakest(judges, found, Math.min(leader, ENOUGH) - OUT - 1e-9));
    if (least.evidence > leader) best.set(K, least.evidence);
    known.set(found.key, {
      partition: found,
      made: [...made],
      weakest: least,
      icl: partitionIcl(judges, found, space.spread),
    });
    time.judgement += performance.now() - start;
  };
  const finest = clusters === undefined ? options.most : Math.max(options.most, clusters);
  const largest = Math.max(
    2,
    Math.min(n - 1, finest, Math.max(clusters ?? 0, Math.floor(n / LEAST_CLUSTER))),
  );
  const makers = n < 3 || !options.pool ? [] : pool(space, largest, options.seed, rule);
  const fitted = new Map<Judged, number>();
  const bic = (one: Judged): number => {
    let own = fitted.get(one);
    if (own === undefined) {
      const start = performance.now();
      own = rule === "borders" ? mixtureBic(space, one.partition) : -Infinity;
      time.candidates += performance.now() - start;
      fitted.set(one, own);
    }
    return own;
  };
  const makeAt = (maker: Maker, K: number): Partition | undefined => {
    const start = performance.now();
    const made = attempt(maker, K);
    time.candidates += performance.now() - start;
    if (made === undefined) return undefined;
    const found = partition(made.labels, codes);
    offer(found, [made]);
    if (maker.costly !== true && found.clusters.length === K) {
      const own = proposals.get(K) ?? new Map<string, Judged>();
      proposals.set(K, own.set(maker.name, known.get(found.key) as Judged));
    }
    return found;
  };

  offer(partition(new Int32Array(n), codes), []);
  for (const candidate of options.extra) offer(partition(candidate.labels, codes), [candidate]);
  let ended = false;
  const step = (label: string, fraction: number): boolean => {
    ended ||= !going(label, fraction);
    return !ended;
  };
  // The cheapest answer first: an early stop returns it.
  if (clusters !== undefined && clusters > 1 && clusters <= n) {
    const first = makers[0];
    if (first !== undefined) makeAt(first, clusters);
    else if (options.pool)
      offer(
        partition(
          Int32Array.from({ length: n }, (_, i) => Math.min(i, clusters - 1)),
          codes,
        ),
        [],
      );
  }
  if (graphs && n >= 4 * LEAST_CLUSTER && clusters !== 1) {
    STARTS.forEach(([name, count], s) => {
      const maker = makers.find((own) => own.name === name);
      const K = Math.min(largest, clusters === undefined ? count : Math.max(count, clusters + 5));
      if (maker === undefined || !step(`${name}, ${K} clusters, merged`, (0.4 * s) / STARTS.length)) return;
      const fine = makeAt(maker, K);
      if (fine === undefined) return;
      const start = performance.now();
      const path = mergePath(judges, fine, codes);
      time.judgement += performance.now() - start;
      for (const merged of path) {
        const smallest = Math.min(...merged.partition.clusters.map(({ rows }) => rows.length));
        if (smallest < LEAST_CLUSTER) continue;
        const K = merged.partition.clusters.length;
        if (clusters === undefined || K === clusters) {
          offer(merged.partition, [mergedCandidate(merged.partition, K, options.seed)], merged.weakest);
        }
      }
    });
  }
  const last = lastWorth(best);
  const asked =
    clusters !== undefined ? (clusters > 1 ? [clusters] : []) : countsUpTo(Math.max(AT_LEAST, last), largest);
  // If borders are already certain, or absent, the costly methods do not change the number.
  const spared = (K: number): boolean => {
    const evidence = best.get(K) ?? -Infinity;
    return K > last - BEYOND || evidence >= ENOUGH || evidence < HOPELESS;
  };
  // No method changes anything about numbers far below one with certain borders.
  const likely = clusters ?? chooseCount(best, n, space.G.cols !== space.Z.cols).clusters;
  const settled = (K: number): boolean => K < likely - BEYOND && (best.get(K) ?? -Infinity) >= ENOUGH;
  asked.forEach((K, k) => {
    for (const [m, maker] of makers.entries()) {
      if (clusters === undefined && (K > maker.most || settled(K) || (maker.costly && spared(K)))) continue;
      const fraction = 0.4 + (0.6 * (k + m / makers.length)) / asked.length;
      if (!step(`${maker.name}, ${K} clusters`, fraction)) return;
      if (K < n) makeAt(maker, K);
    }
  });
  if (clusters === undefined) {
    const wide = space.G.cols !== space.Z.cols;
    const sofar = { borders: judges, codes, judged: [...known.values()], proposals, bic, time };
    const { clusters: K } = numberOfClusters(sofar, n, wide);
    for (const maker of makers) {
      if (!maker.costly || !spared(K) || K < 2 || K >= n) continue;
      if (step(`${maker.name}, ${K} clusters`, 0.99)) makeAt(maker, K);
    }
  }
  return { borders: judges, codes, judged: [...known.values()], proposals, bic, time };
}

/** For the results of merges; the default reproduces them. */
function mergedCandidate({ labels }: Partition, clusters: number, seed: number): PartitionCandidate {
  return { method: "auto", options: { clusters, seed }, labels, converged: true };
}

/** The largest number of clusters worth trying, after the merge paths. */
function lastWorth(best: ReadonlyMap<number, number>): number {
  const worth = [...best].filter(([K, evidence]) => K > 1 && evidence >= WORTH).map(([K]) => K);
  return Math.max(2, ...worth) + BEYOND;
}

function countsUpTo(last: number, largest: number): number[] {
  return Array.from({ length: Math.max(0, Math.min(last, largest) - 1) }, (_, k) => k + 2);
}

/** A method that fails (too few distinct rows, a singular covariance) gives no candidate. */
function attempt(maker: Maker, K: number): PartitionCandidate | undefined {
  try {
    return maker.make(K);
  } catch {
    return undefined;
  }
}

/**
 * The choice among partitions into the same number of clusters: among those whose weakest border has almost
 * the most evidence, the largest likelihood (ICL). The evidence decides the shape without a preference for
 * equal sizes; the likelihood decides among equal borders.
 */
export function selectPartition(partitions: readonly Judged[], rule: Rule = "borders"): Judged | undefined {
  const value = ({ weakest: { evidence } }: Judged): number => Math.min(evidence, ENOUGH);
  const most = Math.max(...partitions.map(value));
  if (rule === "directions" && most < 0) {
    const agreed = mostAgreed(partitions);
    if (agreed !== undefined) return agreed;
  }
  let best: Judged | undefined;
  for (const one of partitions) {
    if (rule !== "likelihood" && value(one) < most - OUT) continue;
    if (best === undefined || one.icl > best.icl) best = one;
  }
  return best;
}

/** Among the partitions of single methods, the one with the largest mean agreement with the others. */
function mostAgreed(partitions: readonly Judged[]): Judged | undefined {
  const own = partitions.filter(
    ({ made, partition: { clusters } }) =>
      clusters.length > 1 && made.some(({ method }) => method !== "auto"),
  );
  let best: Judged | undefined;
  let most = -Infinity;
  for (const one of own) {
    let sum = 0;
    for (const other of own) {
      // A partition found by several methods has the same number of votes.
      const votes = new Set(other.made.map(({ method, options }) => `${method} ${String(options.neighbors)}`))
        .size;
      sum += (other === one ? votes - 1 : votes) * adjustedRand(one.partition.labels, other.partition.labels);
    }
    if (sum > most) [most, best] = [sum, one];
  }
  return best;
}

/** If none has K clusters, the nearest number. */
export function partitionInto(judged: readonly Judged[], wanted: number, rule: Rule): Judged {
  const miss = ({ partition }: Judged): number => Math.abs(partition.clusters.length - wanted);
  const least = Math.min(...judged.map(miss));
  return selectPartition(
    judged.filter((one) => miss(one) === least),
    rule,
  ) as Judged;
}
