import { BLOCK } from "../../reproduction/page.ts";

/** The numbers of a page's block: ours, its deviation, and the text's, by row and column. */
export function readBlock(page: string, name: string): Map<string, { ours: number; spread: number }> {
  const block = page.match(BLOCK)?.find((one) => one.startsWith(`<!-- begin ${name} -->`)) ?? "";
  const lines = block.split("\n").filter((line) => line.startsWith("|"));
  const cells = lines.map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const found = new Map<string, { ours: number; spread: number }>();
  for (const [row, ...values] of cells.slice(2)) {
    values.forEach((value, c) => {
      const [, ours, spread = "0"] = /^(-?[\d.]+)\*?(?: ± ([\d.]+))?/.exec(value) ?? [];
      if (ours !== undefined)
        found.set(`${row}, ${cells[0][c + 1]}`, { ours: Number(ours), spread: Number(spread) });
    });
  }
  return found;
}
