import { encodePart, type Cells, type Encoded } from "../encode/encodePart.ts";
import type { ColumnBlock } from "./relations.ts";

/** Rows that are compared, and the number of rows times pairs of features beyond which there are fewer. */
const MOST_ROWS = 5000;
const WORK = 2e9;
const LEAST_ROWS = 500;

/** The parts of each column side by side, over some of the rows. */
export function columnBlocks(
  parts: readonly (Encoded & { readonly names: readonly string[] })[],
  cells: Cells,
  sample: Int32Array,
): { readonly names: readonly string[]; readonly blocks: readonly ColumnBlock[] } {
  const features = parts.reduce((sum, part) => sum + part.names.length, 0);
  const rows = sample.subarray(
    0,
    Math.max(LEAST_ROWS, Math.min(MOST_ROWS, Math.floor(WORK / features ** 2))),
  );
  const names = [...new Set(parts.map(({ column }) => column))];
  const blocks = names.map((name): ColumnBlock => {
    const own = parts.filter(({ column }) => column === name);
    const width = own.reduce((sum, part) => sum + part.names.length, 0);
    const values = new Float64Array(rows.length * width);
    let first = 0;
    for (const part of own) {
      const block = encodePart(part, cells, rows);
      const count = part.names.length;
      for (let r = 0; r < rows.length; r++)
        for (let f = 0; f < count; f++) values[r * width + first + f] = block[r * count + f];
      first += count;
    }
    const [{ encoding }] = own;
    return {
      values,
      width,
      ordered: width === 1 && (encoding.form === "number" || encoding.form === "copies"),
    };
  });
  return { names, blocks };
}
