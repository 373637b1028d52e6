import { inputError } from "../core/internal.ts";
import type { Matrix } from "../matrix/index.ts";
import { requireFinite, requireModerate, requireSquares } from "../matrix/internal.ts";

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
