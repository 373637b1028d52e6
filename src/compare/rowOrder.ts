import { random } from "../core/random.ts";
import { matrix, type Matrix } from "../matrix/matrix.ts";

/**
 * An order of the rows that depends on their values and the seed alone, never on the order in which they came: sorted by
 * the first column, ties by the next, then shuffled. What is computed in this order is the same for every order of the
 * input.
 */
export function rowOrder(X: Matrix, seed: number): Int32Array {
  const { rows: n, cols: d, data } = X;
  const sorted = Int32Array.from({ length: n }, (_, i) => i).sort((i, j) => {
    for (let f = 0; f < d; f++) {
      const difference = data[i * d + f] - data[j * d + f];
      if (difference !== 0) return difference;
    }
    return i - j;
  });
  return random(seed).shuffle(sorted);
}

/** The rows in that order, or some of them. */
export function inOrder(X: Matrix, order: Int32Array): Matrix {
  const { cols: d, data } = X;
  const Y = matrix(order.length, d);
  order.forEach((from, to) => Y.data.set(data.subarray(from * d, (from + 1) * d), to * d));
  return Y;
}
