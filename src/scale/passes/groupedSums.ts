/**
 * The sums over the rows for a step of Lloyd's algorithm: for each centre c_k, over the rows that are nearer
 * to it than to any other, their number, the sum of x - s and the sum of ||x - c_k||^2. Sums of parts are
 * merged into those of the whole, so the rows may arrive in batches, or be on several machines.
 *
 * s, the shift, is fixed for a whole run: the same rows then give the same sums to the last bit, which shows
 * that no row moved without storing any row. The farthest rows are kept for empty clusters.
 */
import { form, inputError, numericError } from "../../core/internal.ts";
import { withPoints } from "../../cluster/internal.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import { addCompensated, compensated, compensatedValues, matrixForm } from "../../matrix/internal.ts";

const sumsForm = form.record({
  kind: form.choice("grouped sums"),
  /** K x d. */
  centers: matrixForm("K", "d"),
  shift: form.numbers("d"),
  counts: form.numbers("K"),
  /** K x d: sum of x - s. */
  sums: matrixForm("K", "d"),
  /** Sum of ||x - c_k||^2. */
  squares: form.numbers("K"),
  /** Up to 2K rows with the largest distances, descending. */
  farthest: form.list(
    form.record({
      row: form.list(form.number(), "d"),
      cluster: form.whole({ min: 0, below: "K" }),
      square: form.number(),
    }),
  ),
});

export interface GroupedSumsData extends form.StoredOf<typeof sumsForm> {}
export type FarRow = GroupedSumsData["farthest"][number];
type Parts = Omit<form.LoadedOf<typeof sumsForm>, "kind">;

export interface GroupedSums extends Parts {
  toJSON(): GroupedSumsData;
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
    result: () =>
      groupedSums({
        centers,
        shift,
        counts: counts.slice(),
        sums: matrix(K, d, compensatedValues(sums)),
        squares: compensatedValues(squares),
        farthest: cut(farthest, K)[0],
      }),
  };
}

/** The sums of the rows of both, which must be about the same centres. */
export function mergeGroupedSums(a: GroupedSums, b: GroupedSums): GroupedSums {
  const same = (x: Float64Array, y: Float64Array): boolean =>
    x.length === y.length && x.every((value, p) => value === y[p]);
  if (!same(a.centers.data, b.centers.data) || !same(a.shift, b.shift)) {
    throw inputError("sums about different centres or shifts cannot be merged");
  }
  const { rows: K, cols: d } = a.centers;
  return groupedSums({
    centers: a.centers,
    shift: a.shift,
    counts: a.counts.map((count, k) => count + b.counts[k]),
    sums: matrix(
      K,
      d,
      a.sums.data.map((sum, p) => sum + b.sums.data[p]),
    ),
    squares: a.squares.map((sum, k) => sum + b.squares[k]),
    farthest: cut([...a.farthest, ...b.farthest], K)[0],
  });
}

/** Reads the output of `toJSON`. */
export function loadGroupedSums(data: GroupedSumsData): GroupedSums {
  return groupedSums(form.load(sumsForm, data, "the file of grouped sums"));
}

/** Descending; earlier rows come first in a tie, as in a stable sort. */
function cut(rows: readonly FarRow[], K: number): [FarRow[], number] {
  const kept = rows.toSorted((a, b) => b.square - a.square).slice(0, 2 * K);
  return [kept, kept.length < 2 * K ? -1 : kept[kept.length - 1].square];
}

/** Sums computed elsewhere, for example on an engine. */
export function groupedSums({ centers, shift, counts, sums, squares, farthest }: Parts): GroupedSums {
  const parts = { centers, shift, counts, sums, squares, farthest };
  return { ...parts, toJSON: () => sumsForm.save({ kind: "grouped sums", ...parts }) };
}
