import { takeRows, type Matrix } from "../../matrix/index.ts";
import { withinSumOfSquares } from "../../score/index.ts";
import type { Splitter } from "./divisive.ts";
import { kmeansInOrder } from "../kmeans/kmeans.ts";

/** Two-means, and its decrease of the sum of squares. */
export function bisectingSplitter(X: Matrix, restarts: number, seed: number): Splitter {
  const found = new Map<Int32Array, [Int32Array, Int32Array]>();
  return {
    value(rows) {
      if (rows.length < 2) return undefined;
      const part = takeRows(X, rows);
      const result = kmeansInOrder(part, { clusters: 2, restarts, seed });
      if (result.clusters < 2) return undefined;
      const side = (k: number): Int32Array => rows.filter((_, p) => result.labels[p] === k);
      found.set(rows, result.labels[0] === 0 ? [side(0), side(1)] : [side(1), side(0)]);
      return Math.max(0, withinSumOfSquares(part, new Int32Array(part.rows)) - result.objective);
    },
    divide: (rows) => found.get(rows)!,
  };
}
