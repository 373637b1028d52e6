import { random } from "../../core/index.ts";
import { matrix, takeRows, type Matrix } from "../../matrix/index.ts";
import { kmeansInOrder } from "../kmeans/kmeans.ts";
import { spectralFamily, spectralInOrder } from "../spectral/spectral.ts";
import type { CodedColumn } from "./mixedEm.ts";

/** The neighbour graph is not built beyond this many rows: k-means is the better start for its time. */
const GRAPH_ROWS = 20_000;
const NEIGHBORS = 10;
/** Numbers from which they also start alone: indicators of a category can outweigh many numbers between neighbours. */
const MANY_NUMBERS = 8;
/** Starts of the k-means inside a start: one each, and some more, for a poor one costs a whole run of EM. */
const RESTARTS = 5;

/**
 * Labels from which EM begins, for each number of clusters up to `most`: k-means, spectral clusters of the neighbour
 * graph, and k-means of few steps from rows drawn at random.
 *
 * @param given the rows for k-means and the neighbour graph, instead of numbers beside scaled indicators
 */
export function mixedStarts(
  Z: Matrix,
  codes: readonly CodedColumn[],
  given: Matrix | undefined,
  most: number,
  { seed, restarts }: { readonly seed: number; readonly restarts: number },
): (K: number, warnings: string[]) => Int32Array[] {
  const n = Z.rows;
  let space: Matrix | undefined = given;
  let families: ((K: number) => Int32Array)[] | undefined;
  const spectral = (X: Matrix): ((K: number) => Int32Array) => {
    const options = { neighbors: NEIGHBORS, restarts: RESTARTS, seed };
    const family = spectralFamily(X, options, most);
    return (K) => (family(K) ?? spectralInOrder(X, { ...options, clusters: K })).labels;
  };
  return (K, warnings) => {
    if (K === 1) return [new Int32Array(n)];
    const rows = (space ??= sideBySide(Z, codes));
    if (rows.cols === 0) {
      warnings.push("all rows are equal: there is one cluster");
      return [new Int32Array(n)];
    }
    const near = kmeansInOrder(rows, { clusters: K, restarts: RESTARTS, seed });
    warnings.push(...near.warnings);
    const graphed = n <= GRAPH_ROWS && n > NEIGHBORS + 1;
    families ??= !graphed
      ? []
      : codes.length > 0 && Z.cols >= MANY_NUMBERS
        ? [spectral(rows), spectral(Z)]
        : [spectral(rows)];
    const stream = random(seed);
    const drawn = Array.from({ length: restarts }, () => {
      const initialCenters = takeRows(rows, stream.sample(near.clusters, n));
      return kmeansInOrder(rows, { initialCenters, maxIterations: 5 }).labels;
    });
    return [near.labels, ...families.map((family) => family(K)), ...drawn];
  };
}

/** Numbers beside indicators; each category has the variance of one standardised number. */
function sideBySide(Z: Matrix, codes: readonly CodedColumn[]): Matrix {
  const n = Z.rows;
  const width = codes.reduce((sum, { levels }) => sum + levels, Z.cols);
  const S = matrix(n, width);
  let total = 0;
  for (const value of Z.data) total += (value * value) / n;
  const one = Z.cols > 0 && total > 0 ? Math.sqrt(total / Z.cols) : 1;
  for (let i = 0; i < n; i++) S.data.set(Z.data.subarray(i * Z.cols, (i + 1) * Z.cols), i * width);
  let first = Z.cols;
  for (const { codes: own, levels } of codes) {
    const shares = new Float64Array(levels);
    let present = 0;
    for (const code of own) {
      if (code < 0) continue;
      shares[code]++;
      present++;
    }
    let variance = 0;
    for (let c = 0; c < levels; c++) {
      shares[c] /= Math.max(1, present);
      variance += shares[c] * (1 - shares[c]);
    }
    const scale = variance > 0 ? one / Math.sqrt(variance) : 0;
    for (let i = 0; i < n; i++) {
      if (own[i] < 0) continue;
      for (let c = 0; c < levels; c++) S.data[i * width + first + c] = -shares[c] * scale;
      S.data[i * width + first + own[i]] += scale;
    }
    first += levels;
  }
  return S;
}
