/**
 * Starting centres for k-means if the rows do not fit into memory, in two or more passes:
 *
 * 1. a uniform sample, which contains every row with probability q, and k-means on it;
 * 2. a round of k-means|| (B. Bahmani et al. 2012, "Scalable k-means++"): every row is drawn independently
 *    with probability p(x) = min(1, l d(x)^2 / phi), d being the distance to the centres so far and phi the
 * sum of d^2. It finds what the sample has missed: a small, distant cluster has a high cost, and is drawn
 * whole;
 * 3. k-means on the rows of both, with weight 1 / (q + p), the inverse of their expected number, so that
 *    their weighted sum of squares is an unbiased estimate of that of all rows about any centres.
 *
 * If the drawn rows show that the centres cost much more than the sample indicated, there is another round
 * from the better centres. The published k-means|| has five rounds from a single row with l = 2 K and weights
 * the candidates by the rows nearest to them: about 40 K distances per row instead of K, from worse centres
 * (bench/methods/kmeans-start.mjs).
 */
import { optionError } from "../../core/internal.ts";
import { kmeansInOrder } from "../../cluster/internal.ts";
import { matrix, nearestRows, type Matrix } from "../../matrix/index.ts";
import type { RowPasses } from "./rowPasses.ts";

export interface StartOptions {
  readonly clusters: number;
  readonly seed: number;
  /** Number of rows of the sample; half as many are drawn in a round. */
  readonly sample: number;
  readonly restarts: number;
}

/**
 * Maximum number of rounds, and the factor by which the centres must cost more than known for another round.
 */
const ROUNDS = 3;
const SURPRISE = 1.2;
/** No drawn row represents more than this share of all, unless it is so frequent. */
const LARGEST = 0.02;

export async function kmeansParallelStart(
  source: RowPasses,
  { clusters, seed, sample: size, restarts }: StartOptions,
): Promise<Fitted | undefined> {
  const fitted = (rows: Matrix, own: Float64Array | undefined, tries: number): Fitted => {
    const K = Math.min(clusters, rows.rows);
    const { centers, objective, warnings } = kmeansInOrder(rows, {
      clusters: K,
      seed,
      restarts: tries,
      ...(own && { weights: own }),
    });
    const fewer = `the data has only ${K} distinct rows, so ${K} clusters were made instead of ${clusters}`;
    return { centers, objective, warnings: K < clusters ? [fewer] : warnings };
  };
  const sample = await source.sample(size);
  if (sample === undefined) return undefined;
  if (clusters > sample.rows) {
    throw optionError(`${source.name}: cannot make ${clusters} clusters of ${sample.rows} rows`);
  }
  if (sample.share === 1) return fitted(sample.X, sample.counts, restarts);
  const { share, rows } = sample;
  const rounds: { readonly centers: Matrix; readonly threshold: number }[] = [];
  let X = sample.X;
  let counts = sample.counts;
  let weights = inverse(new Float64Array(X.rows).fill(share), counts, rows);
  let rough = fitted(X, weights, 1);
  for (;;) {
    const { centers, objective } = rough;
    const drawn = await source.draw(centers, size / 2 / objective, 2 * size, rounds.length + 1);
    if (drawn === undefined) return undefined;
    rounds.push({ centers, threshold: drawn.threshold });
    X = joined(X, drawn.X);
    counts = counts && drawn.counts && joinedValues(counts, drawn.counts);
    const chances = new Float64Array(X.rows).fill(share);
    let squares: Float64Array = chances;
    for (const round of rounds) {
      squares = nearestRows(round.centers, 1, { queries: X }).distances;
      squares.forEach((square, i) => {
        if (square > 0) chances[i] += Math.min(1, square * round.threshold);
      });
    }
    weights = inverse(chances, counts, rows);
    const cost = weights.reduce((sum, weight, i) => sum + weight * squares[i], 0);
    const last = rounds.length === ROUNDS || cost <= SURPRISE * objective;
    rough = fitted(X, weights, last ? restarts : 1);
    if (last) return rough;
  }
}

interface Fitted {
  readonly centers: Matrix;
  readonly objective: number;
  readonly warnings: readonly string[];
}

/** The number of rows that each represents, from its expected number of draws. */
function inverse(chances: Float64Array, counts: Float64Array | undefined, rows: number): Float64Array {
  return chances.map((chance, i) => {
    const count = counts?.[i] ?? 1;
    return Math.min(count / chance, Math.max(count, LARGEST * rows));
  });
}

function joined(a: Matrix, b: Matrix): Matrix {
  return matrix(a.rows + b.rows, a.cols, joinedValues(a.data, b.data));
}

function joinedValues(a: Float64Array, b: Float64Array): Float64Array {
  const values = new Float64Array(a.length + b.length);
  values.set(a);
  values.set(b, a.length);
  return values;
}
