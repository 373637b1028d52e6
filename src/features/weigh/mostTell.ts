import { gram, matrix } from "../../matrix/index.ts";
import type { Candidate } from "../encode/candidates.ts";
import { encodePart, type Cells } from "../encode/encodePart.ts";
import { significance } from "./columnWeights.ts";
import { codedNumbers } from "./dependence.ts";

/** Number of rows in a table of numbers without gaps, for the check whether most columns are unrelated. */
export const PLAIN_PAIR_ROWS = 2000;

/**
 * Whether most columns have a significant rank correlation with another one: then no further check is
 * needed.
 */
export function mostTell(candidates: readonly Candidate[], cells: Cells, sample: Int32Array): boolean {
  const rows = sample.subarray(0, PLAIN_PAIR_ROWS);
  const n = rows.length;
  const size = candidates.length;
  const Z = matrix(n, size);
  candidates.forEach((candidate, f) => {
    const { scores } = codedNumbers(encodePart(candidate, cells, rows));
    let square = 0;
    for (let i = 0; i < n; i++) square += scores![i] ** 2;
    if (square > 0) for (let i = 0; i < n; i++) Z.data[i * size + f] = scores![i] / Math.sqrt(square);
  });
  const R = gram(Z).data;
  const bar = significance(size) / Math.sqrt(n);
  let tell = 0;
  for (let f = 0; f < size; f++) {
    for (let g = 0; g < size; g++) {
      if (f === g || !(Math.abs(R[f * size + g]) > bar)) continue;
      tell++;
      break;
    }
  }
  return 2 * tell > size;
}
