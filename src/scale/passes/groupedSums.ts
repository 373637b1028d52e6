/**
 * The sums over the rows for a step of Lloyd's algorithm: for each centre c_k, over the rows that are nearer
 * to it than to any other, their number, the sum of x - s and the sum of ||x - c_k||^2. The rows
 * may arrive in batches.
 *
 * s, the shift, is fixed for a whole run: the same rows then give the same sums to the last bit, which shows
 * that no row moved without storing any row. The farthest rows are kept for empty clusters.
 */
import { inputError, numericError } from "../../core/internal.ts";
import { withPoints } from "../../cluster/internal.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import { addCompensated, compensated, compensatedValues } from "../../matrix/internal.ts";

export interface FarRow {
  readonly row: readonly number[];
  readonly cluster: number;
  readonly square: number;
}

export interface GroupedSums {
  readonly centers: Matrix;
  readonly shift: Float64Array;
  readonly counts: Float64Array;
  /** K x d: sum of x - s. */
  readonly sums: Matrix;
  /** Sum of ||x - c_k||^2. */
  readonly squares: Float64Array;
  /** Up to 2K rows with the largest distances, descending. */
  readonly farthest: readonly FarRow[];
}

export interface GroupedSumsAccumulator {
  /** Adds rows, and returns the nearest centre of each, the first one in a tie. */
  add(X: Matrix): Int32Array;
  result(): GroupedSums;
}

/** Collects the sums of a step about `centers`; the same `shift` is used for the whole run. */
export function groupedSumsAccumulator(
  centers: Matrix,
  shift: Float64Array = new Float64Array(centers.cols),
): GroupedSumsAccumulator {
  const { rows: K, cols: d } = centers;
  const counts = new Float64Array(K);
  const sums = compensated(K * d);
  const squares = compensated(K);
  const partSums = new Float64Array(K * d);
  const partSquares = new Float64Array(K);
  const block = Math.max(1, Math.floor(65536 / K));
  const D = new Float64Array(block * K);
  let farthest: FarRow[] = [];
  let least = -1; // the smallest square that is still among the farthest

  return {
    add(X) {
      if (X.cols !== d) throw inputError(`the rows have ${X.cols} columns, but the centres have ${d}`);
      const labels = new Int32Array(X.rows);
      partSums.fill(0);
      partSquares.fill(0);
      withPoints(X, (points) => {
        for (let from = 0; from < X.rows; from += block) {
          const to = Math.min(X.rows, from + block);
          points.distances(from, to, centers.data, K, D);
          for (let i = from, at = 0; i < to; i++, at += K) {
            let nearest = 0;
            for (let k = 1; k < K; k++) if (D[at + k] < D[at + nearest]) nearest = k;
            labels[i] = nearest;
            counts[nearest]++;
            const square = D[at + nearest];
            partSquares[nearest] += square;
            for (let f = 0, p = i * d, q = nearest * d; f < d; f++) partSums[q++] += X.data[p++] - shift[f];
            if (square > least) {
              farthest.push({
                row: Array.from(X.data.subarray(i * d, (i + 1) * d)),
                cluster: nearest,
                square,
              });
              if (farthest.length >= 8 * K) [farthest, least] = cut(farthest, K);
            }
          }
        }
      });
      addCompensated(sums, partSums);
      addCompensated(squares, partSquares);
      if (!partSquares.every(Number.isFinite)) {
        throw numericError("the sum of squared distances exceeds the number range; scale the data first");
      }
      return labels;
    },
    result: () => ({
      centers,
      shift,
      counts: counts.slice(),
      sums: matrix(K, d, compensatedValues(sums)),
      squares: compensatedValues(squares),
      farthest: cut(farthest, K)[0],
    }),
  };
}

/** Descending; earlier rows come first in a tie, as in a stable sort. */
function cut(rows: readonly FarRow[], K: number): [FarRow[], number] {
  const kept = rows.toSorted((a, b) => b.square - a.square).slice(0, 2 * K);
  return [kept, kept.length < 2 * K ? -1 : kept[kept.length - 1].square];
}
