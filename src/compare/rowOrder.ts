import { random } from "../core/random.ts";
import type { Matrix } from "../matrix/matrix.ts";
import { valueOrder } from "../matrix/valueOrder.ts";

/**
 * An order of the rows that depends on their values and the seed alone, never on the order in which they came: sorted
 * (valueOrder.ts), then shuffled. What is computed in this order is the same for every order of the input.
 */
export function rowOrder(X: Matrix, seed: number): Int32Array {
  return random(seed).shuffle(valueOrder(X));
}
