import { medianOfSorted } from "../core/internal.ts";
import type { Matrix } from "../matrix/index.ts";
import { nearestNeighbors, type Neighbors } from "../graph/index.ts";
import type { Spaces } from "./spaces.ts";

/**
 * Rows that look as if they belong to no cluster. In a Gaussian cluster of local dimension m, r^2 = chi^2
 * with m degrees of freedom, and the distance t to the k-th neighbour grows as the density falls:
 *
 *     ln t = constant + r^2 / (2 m)
 *
 * A row is an outlier if its ln t exceeds the median of its cluster by more than this allows for one row in
 * 1000, and if it lies equally far from the centre of its cluster in G, by a covariance from the dense half
 * of the cluster. Both are required: the first alone would include the rim of a flat cluster, the second the
 * ends of a bent one.
 */
export function outlierRows({ plain, factors: G, rows: n }: Spaces, labels: Int32Array): Int32Array {
  const found: number[] = [];
  if (n <= NEIGHBORS) return new Int32Array(0);
  const neighbors = nearestNeighbors(plain, NEIGHBORS);
  const inverseDimension = inverseDimensions(neighbors, n);
  const spread = meanSquare(G);
  const d = G.cols;
  const clusters = Math.max(...labels) + 1;
  for (let cluster = 0; cluster < clusters; cluster++) {
    const rows = Int32Array.from(labels.keys()).filter((i) => labels[i] === cluster);
    if (rows.length < LEAST_ROWS) continue;
    const logs = Float64Array.from(
      rows,
      (i) => 0.5 * Math.log(Math.max(neighbors.distances[i * NEIGHBORS + RANK - 1], 1e-300)),
    );
    const middle = medianOfSorted(logs.toSorted());
    const m = Math.max(
      1,
      1 / Math.max(medianOfSorted(Float64Array.from(rows, (i) => inverseDimension[i]).sort()), 1e-3),
    );
    const sparse = (chiSquare(m, RARE) - chiSquare(m, 0)) / (2 * m);
    const dense = rows.filter((_, p) => logs[p] <= middle);
    const place = middleOf(G, spread, dense);
    const squares = Float64Array.from(rows, (i) => {
      let sum = 0;
      for (let f = 0; f < d; f++) sum += (G.data[i * d + f] - place.mean[f]) ** 2 / place.variance[f];
      return sum;
    });
    const typical = Math.max(medianOfSorted(squares.toSorted()), 1e-300) / chiSquare(d, 0);
    const far = typical * chiSquare(d, RARE);
    rows.forEach((i, p) => {
      if (logs[p] - middle > SHARE * sparse && squares[p] > far) found.push(i);
    });
  }
  return Int32Array.from(found).sort();
}

const RANK = 10;
const NEIGHBORS = 20;
const LEAST_ROWS = 25;
/** The normal quantile of .999. */
const RARE = 3.0902;
/** In small samples the neighbours of distant rows are nearer than the density implies. */
const SHARE = 0.7;

/** Share of the rows, per column of G. */
function middleOf(
  G: Matrix,
  spread: number,
  rows: Int32Array,
): { mean: Float64Array; variance: Float64Array } {
  const d = G.cols;
  const mean = new Float64Array(d);
  const variance = new Float64Array(d);
  for (const i of rows) for (let f = 0; f < d; f++) mean[f] += G.data[i * d + f] / rows.length;
  for (const i of rows) {
    for (let f = 0; f < d; f++) variance[f] += (G.data[i * d + f] - mean[f]) ** 2 / rows.length;
  }
  return { mean, variance: variance.map((value) => Math.max(value, 1e-6 * spread)) };
}

/** Quantile of chi^2 by Wilson and Hilferty (1931); z is the normal quantile. */
function chiSquare(freedom: number, z: number): number {
  const a = 2 / (9 * freedom);
  return freedom * (1 - a + z * Math.sqrt(a)) ** 3;
}

function meanSquare({ data }: Matrix): number {
  let sum = 0;
  for (const value of data) sum += value * value;
  return data.length > 0 && sum > 0 ? sum / data.length : 1;
}

/** Mean of ln(T_k / T_j), j < k, T_j the distance to the j-th neighbour: Levina and Bickel 2004. */
function inverseDimensions({ count: k, distances }: Neighbors, n: number): Float64Array {
  return Float64Array.from({ length: n }, (_, i) => {
    const farthest = Math.log(Math.max(distances[i * k + k - 1], TINY));
    let sum = 0;
    for (let j = 0; j < k - 1; j++) sum += farthest - Math.log(Math.max(distances[i * k + j], TINY));
    // Distances are squared.
    return (0.5 * sum) / (k - 1);
  });
}

const TINY = 1e-24;
