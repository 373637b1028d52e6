import { option, optionError } from "../core/internal.ts";

/** lower_i <= x_i <= upper_i; bounds may be infinite. */
export interface Box {
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/** A bound for every variable, or the same for all. */
export type Bounds = number | ArrayLike<number>;

export function isBounds(value: unknown): boolean {
  return typeof value === "number"
    ? !Number.isNaN(value)
    : typeof value === "object" && value !== null && "length" in value;
}

export function makeBox(
  method: string,
  n: number,
  lower: Bounds | undefined,
  upper: Bounds | undefined,
): Box {
  const box = {
    lower: side(method, "lower", n, lower ?? -Infinity),
    upper: side(method, "upper", n, upper ?? Infinity),
  };
  for (let i = 0; i < n; i++) {
    if (!(box.lower[i] <= box.upper[i]) || box.lower[i] === Infinity || box.upper[i] === -Infinity) {
      throw optionError(`${method}: variable ${i} cannot lie between ${box.lower[i]} and ${box.upper[i]}`);
    }
  }
  return box;
}

function side(method: string, name: string, n: number, bounds: Bounds): Float64Array {
  if (typeof bounds === "number") return new Float64Array(n).fill(bounds);
  if (bounds.length !== n) {
    throw optionError(`${method}: ${option(name)} has ${bounds.length} bounds for ${n} variables`);
  }
  return Float64Array.from(bounds);
}

/** Moves x to the nearest point of the box, in place. */
export function project(x: Float64Array, box: Box): void {
  for (let i = 0; i < x.length; i++) x[i] = Math.min(box.upper[i], Math.max(box.lower[i], x[i]));
}

/**
 * A scale-free distance of x from stationarity (J. E. Dennis and R. B. Schnabel, 1983, section 7.2):
 *
 *     max_i |pg_i| max(|x_i|, 1) / max(|f|, 1)
 *
 * pg_i is the derivative, or 0 if x_i is on a bound and only moves out of the box would lower f.
 */
export function relativeGradient(x: Float64Array, gradient: Float64Array, value: number, box?: Box): number {
  let largest = 0;
  for (let i = 0; i < x.length; i++) {
    if (box !== undefined && isHeld(x[i], gradient[i], box.lower[i], box.upper[i])) continue;
    largest = Math.max(largest, Math.abs(gradient[i]) * Math.max(Math.abs(x[i]), 1));
  }
  return largest / Math.max(Math.abs(value), 1);
}

/** Whether descent would push a variable out through its bound. */
function isHeld(x: number, derivative: number, lower: number, upper: number): boolean {
  return (x <= lower && derivative >= 0) || (x >= upper && derivative <= 0);
}
