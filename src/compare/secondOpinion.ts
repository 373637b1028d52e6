import { adjustedRand } from "../score/rand.ts";
import { chooseCount, type CountChoice } from "./chooseCount.ts";
import { evidenceByCount, type Found, type Judged } from "./found.ts";

/**
 * The number of clusters: the one from the borders (chooseCount.ts), unless two other measures contradict it.
 * They are
 *
 *     A[K]  the mean adjusted Rand index of the partitions into K by k-means, Ward and both spectral clusterings
 *     I[K]  the largest ICL of these partitions; I[K] - I[J] is taken per row of two clusters: times K / 2
 *
 * Finer: overlapping clusters have no borders, but methods of all kinds find the same ones with a larger
 * likelihood: A[K] >= .85, I[K] above the ICL of every smaller number, no cluster far smaller than the
 * others. Of these the likeliest. Coarser: one or two clusters fewer have strong borders, the number itself
 * has moderate ones, and either the methods find different clusters (A[K] < .75) or the gain in likelihood is
 * small.
 */
export function numberOfClusters(found: Found, rows: number, wide: boolean): CountChoice {
  const { judged, proposals } = found;
  const byBorders = chooseCount(evidenceByCount(judged), rows, wide);
  const { clusters, borders } = byBorders;
  const likelihood = Math.max(...judged.filter(sized(clusters)).map(({ icl }) => icl));
  let best = clusters;
  let most = likelihood;
  for (const [K, all] of proposals) {
    const evidence = borders.get(K);
    if (K <= clusters || !complete(all) || evidence === undefined || evidence < HOPELESS) continue;
    const one = likeliest(all);
    if (!(one.icl > most) || smallest(one) * K < EVEN * rows || agreement(all) < AGREED) continue;
    best = K;
    most = one.icl;
  }
  if (best !== clusters) return { ...byBorders, clusters: best, byBorders: clusters };
  const own = proposals.get(clusters);
  if (clusters < 3 || !complete(own) || (borders.get(clusters) as number) > MODERATE) return byBorders;
  for (let K = clusters - 1; K >= Math.max(2, clusters - FEWER); K--) {
    const coarse = proposals.get(K);
    if (!complete(coarse) || !((borders.get(K) ?? -Infinity) >= STRONG)) continue;
    const gain = ((likeliest(own).icl - likeliest(coarse).icl) * clusters) / 2;
    if (gain >= GAIN && agreement(own) >= DIFFERENT) return byBorders;
    return { ...byBorders, clusters: K, byBorders: clusters };
  }
  return byBorders;
}

/** Agreement above which methods find the same clusters, and below which they find different ones. */
const AGREED = 0.85;
const DIFFERENT = 0.75;
/** Evidence below which the other measures do not count. */
const HOPELESS = -4;
const STRONG = 3;
const MODERATE = 2.6;
/** Number of clusters by which a number with moderate evidence may be reduced. */
const FEWER = 2;
/** Of ICL, per row of two clusters. */
const GAIN = 0.2;
/** The smallest cluster has at least this share of an equal one. */
const EVEN = 0.4;
/** The methods of the pool that run for every number. */
const METHODS = 4;

type Proposals = ReadonlyMap<string, Judged>;

function complete(all: Proposals | undefined): all is Proposals {
  return all !== undefined && all.size >= METHODS;
}

function sized(K: number): (one: Judged) => boolean {
  return ({ partition }) => partition.clusters.length === K;
}

function likeliest(all: Proposals): Judged {
  return [...all.values()].reduce((a, b) => (b.icl > a.icl ? b : a));
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
