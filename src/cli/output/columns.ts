/** Lines of a table for people: cells padded to their column, numbers to the right, no trailing spaces. */
export function columns(rows: readonly (readonly string[])[], gap: string = "  "): string[] {
  const widths: number[] = [];
  const numeric: boolean[] = [];
  rows.forEach((row, i) => {
    row.forEach((cell, j) => {
      widths[j] = Math.max(widths[j] ?? 0, cell.length);
      // The first row is the heading, which follows its column.
      if (i > 0) numeric[j] = (numeric[j] ?? true) && NUMBER.test(cell);
    });
  });
  return rows.map((row) =>
    row
      .map((cell, j) => (numeric[j] ? cell.padStart(widths[j]) : cell.padEnd(widths[j])))
      .join(gap)
      .trimEnd(),
  );
}

const NUMBER = /^(?:[+-]?\d[\d.,]*(?:e[+-]?\d+)?\s?%?)?$/i;
