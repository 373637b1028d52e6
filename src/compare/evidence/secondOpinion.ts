import { adjustedRand } from "../../score/index.ts";
import { chooseCount, type CountChoice } from "../chooseCount.ts";
import { evidenceByCount, type Found, type Judged } from "../found.ts";
import { MOST_GAUSSIANS } from "../pool.ts";

/**
 * The number of clusters: the one from the borders (chooseCount.ts), unless other measures contradict it. They are
 *
 *     A[K]  the mean adjusted Rand index of the partitions into K by k-means, Ward and both spectral clusterings
 *     I[K]  the largest ICL of these partitions; I[K] - I[J] is taken per row of two clusters: times K / 2
 *     B[K]  the BIC of a mixture that starts from the likeliest of these (mixtureBic.ts): no penalty for overlap
 *
 * Finer: overlapping clusters have no borders, but methods of all kinds find the same ones with a larger
 * likelihood: A[K] >= .85, I[K] above the ICL of the number, no cluster far smaller than the others, at most
 * twice as many. Of these the likeliest.
 * Coarser: the number has moderate borders, and one or two clusters fewer have strong ones. The number stays if
 * the methods find the same clusters (A[K] >= .9), or nearly (A[K] >= .75) with a larger likelihood. Without
 * strong ones: the methods find different clusters (A[K] < .75), and the same ones for one or two fewer (A >= .8)
 * with likely borders.
 * Finer by BIC: the number has moderate borders and stays, but A >= .8 for a larger number, and B is larger.
 */
export function numberOfClusters(found: Found, rows: number, wide: boolean): CountChoice {
  const byBorders = chooseCount(evidenceByCount(found.judged), rows, wide);
  const { clusters, borders } = byBorders;
  const own = clusters === 1 ? Infinity : (borders.get(clusters) as number);
  let best = finer(found, byBorders, rows, LIKELIER);
  if (best === clusters && own <= MODERATE) best = coarser(found, byBorders);
  if (best === clusters && own <= MODERATE) best = finer(found, byBorders, rows, OVERLAPPING);
  return best === clusters ? byBorders : { ...byBorders, clusters: best, byBorders: clusters };
}

/** What a larger number requires. */
interface Asked {
  readonly by: "icl" | "bic";
  readonly agreement: number;
  /** The smallest cluster has at least this share of an equal one. */
  readonly even: number;
  readonly most: number;
}

/** The likeliest larger number on which the methods agree. */
function finer(
  { judged, proposals, bic }: Found,
  { clusters, borders }: CountChoice,
  rows: number,
  asked: Asked,
): number {
  const value = (one: Judged): number => (asked.by === "icl" ? one.icl : bic(one));
  let best = clusters;
  let most: number | undefined;
  for (const [K, all] of proposals) {
    if (K <= clusters || K > Math.min(TWICE * clusters, asked.most) || !complete(all)) continue;
    const one = likeliest(all.values());
    if (!((borders.get(K) ?? -Infinity) >= HOPELESS) || smallest(one) * K < asked.even * rows) continue;
    if (agreement(all) < asked.agreement) continue;
    most ??= value(likeliest(judged.filter(sized(clusters))));
    if (value(one) > most) [best, most] = [K, value(one)];
  }
  return best;
}

/** A smaller number with strong borders, or on which the methods agree. */
function coarser({ proposals }: Found, { clusters, borders }: CountChoice): number {
  const own = proposals.get(clusters);
  if (clusters < 3 || !complete(own)) return clusters;
  const agreed = agreement(own);
  const fewer = Array.from({ length: Math.min(FEWER, clusters - 2) }, (_, f) => clusters - 1 - f).filter(
    (K) => complete(proposals.get(K)),
  );
  const strong = fewer.find((K) => (borders.get(K) ?? -Infinity) >= STRONG);
  if (strong !== undefined) {
    if (agreed >= ALIKE) return clusters;
    const coarse = proposals.get(strong) as Proposals;
    const gain = ((likeliest(own.values()).icl - likeliest(coarse.values()).icl) * clusters) / 2;
    return gain >= GAIN && agreed >= DIFFERENT ? clusters : strong;
  }
  if (agreed >= DIFFERENT) return clusters;
  return (
    fewer.find(
      (K) => (borders.get(K) ?? -Infinity) >= LIKELY && agreement(proposals.get(K) as Proposals) >= SAME,
    ) ?? clusters
  );
}

const LIKELIER: Asked = { by: "icl", agreement: 0.85, even: 0.4, most: Infinity };
const OVERLAPPING: Asked = { by: "bic", agreement: 0.8, even: 0.3, most: MOST_GAUSSIANS };
/** Agreement above which methods find the same clusters, or nearly, and below which they find different ones. */
const ALIKE = 0.9;
const SAME = 0.8;
const DIFFERENT = 0.75;
/** The largest multiple of the number: beyond it, curves are cut into pieces. */
const TWICE = 2;
/** Evidence below which the other measures do not count. */
const HOPELESS = -4;
const LIKELY = 0;
const STRONG = 3;
const MODERATE = 2.6;
/** Number of clusters by which a number with moderate evidence may be reduced. */
const FEWER = 2;
/** Gain in ICL, per row of two clusters. */
const GAIN = 0.2;
/** The methods of the pool that run for every number. */
const PROPOSERS = 4;

type Proposals = ReadonlyMap<string, Judged>;

function complete(all: Proposals | undefined): all is Proposals {
  return all !== undefined && all.size >= PROPOSERS;
}

function sized(K: number): (one: Judged) => boolean {
  return ({ partition }) => partition.clusters.length === K;
}

function likeliest(all: Iterable<Judged>): Judged {
  return [...all].reduce((a, b) => (b.icl > a.icl ? b : a));
}

function smallest({ partition }: Judged): number {
  return Math.min(...partition.clusters.map(({ rows }) => rows.length));
}

/** A[K]. */
function agreement(all: Proposals): number {
  const partitions = [...all.values()].map(({ partition }) => partition);
  let sum = 0;
  let pairs = 0;
  partitions.forEach((one, a) => {
    for (const other of partitions.slice(a + 1)) {
      sum += one.key === other.key ? 1 : adjustedRand(one.labels, other.labels);
      pairs++;
    }
  });
  return sum / pairs;
}
