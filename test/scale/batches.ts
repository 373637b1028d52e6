import { matrix, type Matrix } from "../../src/matrix/index.ts";
import type { RowBatch } from "../../src/scale/index.ts";

/** The rows of X in batches of a size, as a file gives them. */
export function batches(X: Matrix, size: number): () => AsyncGenerator<RowBatch> {
  return async function* () {
    const d = X.cols;
    const names = Array.from({ length: d }, (_, j) => `c${j}`);
    for (let first = 0; first < X.rows; first += size) {
      const count = Math.min(size, X.rows - first);
      const rows = matrix(count, d, X.data.slice(first * d, (first + count) * d));
      yield { names, X: rows, source: "memory", first };
    }
  };
}
