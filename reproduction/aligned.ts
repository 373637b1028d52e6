/** The lines of a printed table: a name, then its cells between bars. */
export function printedRows(text: string): [name: string, cells: string[]][] {
  return text
    .trim()
    .split("\n")
    .map((line) => {
      const [, name, cells] = /^\s*(\S+)\s+(.*)$/.exec(line)!;
      return [name, cells.split("|").map((cell) => cell.trim())];
    });
}

/** Lines of a table: the first column to the left, the others to the right. */
export function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0].map((_, j) => Math.max(...rows.map((row) => row[j].length)));
  // A star hangs beyond its number, so decimal points are aligned.
  const starred = rows[0].map((_, j) => rows.some((row) => row[j].endsWith("*")));
  return rows.map((row) =>
    row
      .map((cell, j) => {
        if (j === 0) return cell.padEnd(widths[0]);
        return starred[j] && !cell.endsWith("*")
          ? `${cell} `.padStart(widths[j] + 1)
          : cell.padStart(widths[j]);
      })
      .join("  ")
      .trimEnd(),
  );
}
