import { takeRows, type Matrix } from "./matrix.ts";

/**
 * Rows of a matrix in another order. `data` is made when it is first read: whoever copies rows anyway
 * reads those of `given` in `order` instead.
 */
export interface ReorderedRows extends Matrix {
  readonly given: Matrix;
  readonly order: Int32Array;
}

export function reorderedRows(given: Matrix, order: Int32Array): ReorderedRows {
  let made: Float64Array | undefined;
  return {
    rows: order.length,
    cols: given.cols,
    given,
    order,
    get data() {
      return (made ??= takeRows(given, order).data);
    },
  };
}

export function isReordered(X: object): X is ReorderedRows {
  return "given" in X && "order" in X;
}
