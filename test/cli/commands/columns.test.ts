import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { columns } from "../../../src/cli/output/terminal.ts";
import { kindred, scratch } from "../command.ts";

test("text to the left, numbers to the right, headings as their column", () => {
  expect(
    columns([
      ["name", "rows", "share"],
      ["wine", "178", "5.5 %"],
      ["iris-of-uci", "1500", "12 %"],
    ]),
  ).toEqual(["name         rows  share", "wine          178  5.5 %", "iris-of-uci  1500   12 %"]);
});

test("an empty cell belongs to either kind, and lines do not end in spaces", () => {
  expect(
    columns([
      ["a", "b", "c"],
      ["x", "1", ""],
      ["y", "", "long"],
    ]),
  ).toEqual(["a  b  c", "x  1", "y     long"]);
});

test("no rows, no lines", () => {
  expect(columns([])).toEqual([]);
});

test("kindred columns lists all columns, however many", async () => {
  const names = Array.from({ length: 60 }, (_, f) => `c${f}x`);
  const rows = Array.from({ length: 12 }, (_, i) => names.map((_name, f) => ((i * (f + 3)) % 17) + f / 10));
  const file = join(scratch(), "wide.csv");
  writeFileSync(file, `${[names, ...rows].map((row) => row.join(",")).join("\n")}\n`);
  const { stdout } = await kindred(["columns", file, "--vector", "none"]);
  for (const name of names) expect(stdout).toContain(`${name} `);
  expect(stdout).not.toContain("more columns");
});
