import { padded, textWidth } from "../../core/internal.ts";
import { printable } from "./printable.ts";

/** Lines of a table for people: cells padded to their column, numbers to the right, no trailing spaces. */
export function columns(given: readonly (readonly string[])[], gap: string = "  "): string[] {
  // As they will be written, so that their widths are right.
  const rows = given.map((row) => row.map(printable));
  const widths: number[] = [];
  const numeric: boolean[] = [];
  rows.forEach((row, i) => {
    row.forEach((cell, j) => {
      widths[j] = Math.max(widths[j] ?? 0, textWidth(cell));
      // The first row is the heading, which follows its column.
      if (i > 0) numeric[j] = (numeric[j] ?? true) && NUMBER.test(cell);
    });
  });
  return rows.map((row) =>
    row
      .map((cell, j) => padded(cell, widths[j], numeric[j] ? "left" : "right"))
      .join(gap)
      .trimEnd(),
  );
}

const NUMBER = /^(?:[+-]?\d[\d.,]*(?:e[+-]?\d+)?\s?%?)?$/i;
