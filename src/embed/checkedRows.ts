import { inputError } from "../core/errors.ts";
import { requireFinite, type Matrix } from "../matrix/matrix.ts";

/** Refuses data that are empty, not finite, or so large or small that squares of them leave the number range. */
export function requireRows(X: Matrix, method: string, least: number = 1): void {
  if (X.rows < least || X.cols === 0) {
    const said = X.rows === 0 || X.cols === 0 ? "empty" : "too small";
    throw inputError(`${method}: the data is ${said} (${X.rows} x ${X.cols})`);
  }
  requireFinite(X);
  let size = 0;
  for (let p = 0; p < X.data.length; p++) size = Math.max(size, Math.abs(X.data[p]));
  if (size > 1e140 || (size > 0 && size < 1e-140)) {
    throw inputError(
      `${method}: the largest value is ${size.toExponential(1)}, whose square leaves the number range; scale the data first`,
    );
  }
}
