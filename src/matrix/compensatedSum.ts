/**
 * Arrays summed element by element, keeping the rounding of every addition (D. E. Knuth, The Art of Computer
 * Programming 2, 4.2.2, theorem B: t = s + x and its exact remainder), so that the error of a sum of any
 * number of parts is that of a single rounding.
 */
export interface CompensatedSum {
  readonly high: Float64Array;
  readonly low: Float64Array;
}

/** A sum of `length` numbers; `high` may be an array that something else adds to as well. */
export function compensated(length: number, high: Float64Array = new Float64Array(length)): CompensatedSum {
  return { high, low: new Float64Array(length) };
}

export function addCompensated({ high, low }: CompensatedSum, part: Float64Array): void {
  for (let p = 0; p < part.length; p++) {
    const s = high[p];
    const x = part[p];
    const t = s + x;
    const took = t - s;
    low[p] += s - (t - took) + (x - took);
    high[p] = t;
  }
}

export function compensatedValues({ high, low }: CompensatedSum): Float64Array {
  return high.map((value, p) => value + low[p]);
}
