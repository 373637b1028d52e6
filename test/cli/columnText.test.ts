import { expect, test } from "vitest";
import { columnText } from "../../src/cli/output/columnText.ts";
import { asTable } from "../../src/data/internal.ts";

test("columns treated alike share a line, with the reason that most of them have", () => {
  const row = (i: number): object =>
    Object.fromEntries(Array.from({ length: 45 }, (_, j) => [`c${j}`, i * 1.5 + j]));
  const table = asTable([row(0), row(1), row(2)]);
  const columns = table.columns.map((column, j) => ({
    ...column,
    why: j % 9 === 0 ? "a rare reason" : "the usual",
  }));
  const text = columnText({ ...table, columns });
  expect(text).toContain("c0, c1, c2 and 42 more");
  expect(text).toContain("mostly the usual");
  expect(text).not.toContain("rare");
});
