import { optionError } from "../../core/internal.ts";

/** One weight per row, finite and not negative, at least one above 0. */
export function checkRowWeights(
  method: string,
  weights: ArrayLike<number> | undefined,
  rows: number,
): Float64Array | undefined {
  if (weights === undefined) return undefined;
  if (weights.length !== rows) throw optionError(`${method}: ${rows} rows, but ${weights.length} weights`);
  const checked = Float64Array.from(weights);
  checked.forEach((weight, i) => {
    if (weight >= 0 && weight < Infinity) return;
    throw optionError(`${method}: the weight of row ${i} is ${weight}; weights must be finite, not negative`);
  });
  if (!checked.some((weight) => weight > 0)) throw optionError(`${method}: all weights are 0`);
  return checked;
}
