import type { TableData } from "../protocol.ts";

/** Of a column, the share of its variance that lies between the groups of a partition, 0 to 1. */
export function separation(
  { values, names, rows }: Pick<TableData, "values" | "names" | "rows">,
  column: number,
  { labels, sizes }: { readonly labels: ArrayLike<number>; readonly sizes: readonly number[] },
): number {
  const sums = new Float64Array(sizes.length);
  let mean = 0;
  for (let i = 0; i < rows; i++) mean += values[i * names.length + column] / rows;
  let total = 0;
  for (let i = 0; i < rows; i++) {
    const from = values[i * names.length + column] - mean;
    total += from * from;
    sums[labels[i]] += from;
  }
  let between = 0;
  for (const [k, size] of sizes.entries()) if (size > 0) between += sums[k] ** 2 / size;
  return total > 0 ? Math.min(1, between / total) : 0;
}
