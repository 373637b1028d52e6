import { random } from "../core/index.ts";
import type { Matrix } from "../matrix/index.ts";
import { valueOrder } from "../matrix/internal.ts";

/**
 * An order of the rows that depends only on their values and the seed, never on the order of the input:
 * sorted (valueOrder.ts), then shuffled. Computations in this order are the same for every order of the
 * input.
 */
export function rowOrder(X: Matrix, seed: number): Int32Array {
  return random(seed).shuffle(valueOrder(X));
}
