/**
 * The number of clusters from the evidence at every K. M[K] is the evidence for the weakest border of the
 * best partition into K; it is high while every cluster is real and falls when the first one must be split.
 * With E[K] = max M[j], j >= K, the decrease after K is
 *
 *     fall[K] = min(M[K], cap) - max(min(E[K + 1], cap), floor)      where M[K] >= least
 *
 * and K is where it is largest. Unions of real clusters have real borders, so M[K] may exceed the smallest
 * value before it only slightly. If no decrease is clear, the largest K whose borders may all be real.
 */
export interface CountChoice {
  /** 1: no border is likely to be real. */
  readonly clusters: number;
  readonly falls: ReadonlyMap<number, number>;
  /** M[K], limited to slightly more than the values at fewer clusters. */
  readonly borders: ReadonlyMap<number, number>;
  /** The number by the borders alone, if another one was taken. */
  readonly byBorders?: number;
}

const CAP = 2.5;
const FLOOR = -4;
const LEAST = -1;
const CLEAR = 1.5;
/** The amount by which M[K] may exceed the values at fewer clusters. */
const SLACK = 0.75;
/** Number of rows from which on the full evidence is required. */
const MANY = 400;
const MOST_ALLOWED = 1.4;
const WIDE = 0.6;
/** Evidence of the best borders below which there are no clusters. */
export const NO_CLUSTERS = -0.5;

/**
 * @param rows few rows show less: what is asked for falls with their logarithm
 * @param wide rows with many columns show more false borders: more is asked for
 */
export function chooseCount(
  evidence: ReadonlyMap<number, number>,
  rows: number = MANY,
  wide: boolean = false,
): CountChoice {
  const allowance = Math.min(MOST_ALLOWED, Math.max(0, Math.log(MANY / Math.max(rows, 1))));
  const none = NO_CLUSTERS - allowance + (wide ? WIDE : 0);
  const enough = Math.min(LEAST, none);
  const counts = [...evidence.keys()].filter((K) => K > 1).sort((a, b) => a - b);
  const M = new Map<number, number>();
  let most = -Infinity;
  let least = Infinity;
  for (const K of counts) {
    const own = evidence.get(K) as number;
    M.set(K, Math.min(own, least + SLACK));
    most = Math.max(most, own);
    least = Math.min(least, own);
  }
  const falls = new Map<number, number>();
  let later = -Infinity;
  for (const K of counts.toReversed()) {
    const own = M.get(K) as number;
    if (own >= enough) falls.set(K, Math.min(own, CAP) - Math.max(Math.min(later, CAP), FLOOR));
    later = Math.max(later, own);
  }
  if (most < none || falls.size === 0) return { clusters: 1, falls, borders: M };
  let best = 1;
  // From many to few: in a tie the smaller number of clusters wins.
  for (const [K, fall] of falls) if (best === 1 || fall >= (falls.get(best) as number)) best = K;
  if ((falls.get(best) as number) < CLEAR) {
    best = Math.max(best, ...counts.filter((K) => (M.get(K) as number) >= none));
  }
  return { clusters: best, falls, borders: M };
}
