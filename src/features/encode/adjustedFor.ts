import { matrix, storeMatrix } from "../../matrix/index.ts";
import { levelsOf } from "../columnCells.ts";
import type { Candidate } from "./candidates.ts";
import { encodePart, type Cells } from "./encodePart.ts";

/** Subtracts the mean of each level of the named columns from numbers, dates, texts and vectors. */
export function adjustedFor(
  candidate: Candidate,
  names: readonly string[],
  cells: Cells,
  sample: Int32Array,
): Candidate {
  if (candidate.encoding.form === "levels" || candidate.encoding.form === "mark") return candidate;
  let out = candidate;
  for (const column of names) {
    const block = encodePart(out, cells, sample);
    const width = candidate.names.length;
    const { levels, codes } = levelsOf(cells.column(column), cells.rows);
    const means = matrix(levels.length, width);
    const counts = new Float64Array(levels.length);
    for (let r = 0; r < sample.length; r++) {
      const code = codes[sample[r]];
      if (code < 0 || Number.isNaN(block[r * width])) continue;
      counts[code]++;
      for (let f = 0; f < width; f++) means.data[code * width + f] += block[r * width + f];
    }
    // The mean of a level with few rows is not reliable enough.
    for (let p = 0; p < means.data.length; p++) {
      const count = counts[Math.floor(p / width)];
      means.data[p] = count < 5 ? 0 : means.data[p] / count;
    }
    out = { ...out, adjust: [...(out.adjust ?? []), { column, levels, means: storeMatrix(means) }] };
  }
  return out;
}
