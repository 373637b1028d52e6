import type { Matrix, MatrixLike } from "../matrix/index.ts";
import { inputError, rule } from "../core/internal.ts";
import { requireFinite, requireModerate, requireSquares } from "../matrix/internal.ts";

/** The rows in their new coordinates, and how they were found. */
export interface EmbeddedRows {
  /** n x dims. */
  readonly embedding: Matrix;
  readonly converged: boolean;
  /** 0 for a closed form. */
  readonly iterations: number;
  readonly warnings: readonly string[];
}

/** The rule for new rows; `Data` is its form in a file. */
export interface RowMap<Data extends object = object> {
  readonly method: string;
  /** New rows in the same coordinates. */
  transform(Y: MatrixLike): Matrix;
  /** Plain data from which the `load...` function of the method restores a model with the same transform. */
  model(): Data;
  /** The whole result in JSON form. */
  toJSON(): object;
}

/** The rule of a clustering for new rows. */
export interface PlacingMap<Data extends object = object> extends RowMap<Data> {
  /** The cluster whose centre is nearest to the row in these coordinates. */
  predict(Y: MatrixLike): Int32Array;
}

/** The result of every method of this room. */
export interface Embedding extends EmbeddedRows, RowMap {}

/**
 * Refuses data that are empty, not finite, or so large or small that their squares leave the number range.
 */
export function requireRows(X: Matrix, method: string, least: number = 1): void {
  if (X.rows < least || X.cols === 0) {
    const said = X.rows === 0 || X.cols === 0 ? "empty" : "too small";
    throw inputError(`${method}: the data is ${said} (${X.rows} x ${X.cols})`);
  }
  requireFinite(X);
  requireSquares(X, method);
  requireModerate(X);
}

/** Refuses rows of another number of columns than those that something was made of. */
export function requireColumns(what: string, expected: number, { cols }: { readonly cols: number }): void {
  if (cols !== expected)
    throw inputError(`${what} was made of ${expected} columns, but these rows have ${cols}`);
}

/** Finite coordinates; finite rows can still be too large for the map. */
export function requireCoordinates(Z: Matrix, method: string): Matrix {
  if (Z.data.every(Number.isFinite)) return Z;
  throw inputError(
    `${method}: these rows are too large for the map, or its file is damaged; scale them first`,
  );
}

/** The options of AML, with linear or with mixed kernels. */
export const PARTITION_RULES = {
  /** K. */
  clusters: rule.required(rule.integer({ min: 1 })),
  /** In multiples of the mean eigenvalue of X'X, or of the kernel, so it means the same for all data; default 1. */
  lambda: rule.real({
    above: 0,
    default: 1,
    says: "in mean eigenvalues: small values whiten the rows, large ones give plain k-means",
  }),
  /** Starts of k-means, on the rows and on the whitened rows; the better result of the two is returned. */
  restarts: rule.integer({ min: 1, max: 10_000, default: 10, says: "starts of k-means; the best is kept" }),
  seed: rule.seed,
  onProgress: rule.progress,
};
