import { random } from "../core/random.ts";
import type { Matrix } from "../matrix/matrix.ts";
import { valueOrder } from "../matrix/valueOrder.ts";

/**
 * An order of the rows that depends only on their values and the seed, never on the order of the input:
 * sorted (valueOrder.ts), then shuffled. Computations in this order are the same for every order of the
 * input.
 */
export function rowOrder(X: Matrix, seed: number): Int32Array {
  return random(seed).shuffle(valueOrder(X));
}
