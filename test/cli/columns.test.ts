import { expect, test } from "vitest";
import { columns } from "../../src/cli/output/columns.ts";

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
