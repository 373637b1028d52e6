/**
 * The number of clusters from the evidence at every K. M[K] is the evidence for the weakest border of the best partition
 * into K; it is high while every cluster is real and falls where the first must be cut through. With
 * E[K] = max M[j], j >= K, the fall after K is
 *
 *     fall[K] = min(M[K], cap) - max(min(E[K + 1], cap), floor)      where M[K] >= least
 *
 * and K is where it is largest. Where no fall is clear, the largest K whose borders may all be real.
 */
export interface CountChoice {
  /** 1: no border is likely to be real. */
  readonly clusters: number;
  readonly falls: ReadonlyMap<number, number>;
}

const CAP = 2.5;
const FLOOR = -4;
const LEAST = -1;
const CLEAR = 1.5;
/** Evidence of the best borders below which there are no clusters. */
export const NO_CLUSTERS = -1;

export function chooseCount(evidence: ReadonlyMap<number, number>): CountChoice {
  const counts = [...evidence.keys()].filter((K) => K > 1).sort((a, b) => a - b);
  const M = (K: number): number => evidence.get(K) as number;
  const falls = new Map<number, number>();
  let later = -Infinity;
  for (const K of counts.toReversed()) {
    if (M(K) >= LEAST) falls.set(K, Math.min(M(K), CAP) - Math.max(Math.min(later, CAP), FLOOR));
    later = Math.max(later, M(K));
  }
  if (counts.length === 0 || later < NO_CLUSTERS) return { clusters: 1, falls };
  let best = 1;
  for (const [K, fall] of falls) if (best === 1 || fall > (falls.get(best) as number)) best = K;
  if ((falls.get(best) as number) < CLEAR) best = Math.max(...counts.filter((K) => M(K) >= NO_CLUSTERS));
  return { clusters: best, falls };
}
