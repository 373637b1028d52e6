import { describe, expect, test } from "vitest";
import { readColumns, type Table } from "../../../src/data/index.ts";
import { zip } from "../../fuzz/files.ts";
import { rows } from "./cells.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const names = ({ columns }: Table): string[] => columns.map(({ name }) => name);

type Row = readonly (string | number | undefined)[];

/** A workbook of one sheet; a row that is empty has no element. */
function workbook(cells: readonly Row[], merged: readonly string[]): Uint8Array {
  const cell = (value: string | number | undefined, j: number, i: number): string => {
    if (value === undefined) return "";
    const r = `${String.fromCharCode(65 + j)}${i + 1}`;
    return typeof value === "number"
      ? `<c r="${r}"><v>${value}</v></c>`
      : `<c r="${r}" t="inlineStr"><is><t>${value}</t></is></c>`;
  };
  const lines = cells.map((row, i) =>
    row.length === 0 ? "" : `<row r="${i + 1}">${row.map((value, j) => cell(value, j, i)).join("")}</row>`,
  );
  const merges = merged.map((ref) => `<mergeCell ref="${ref}"/>`).join("");
  return zip({
    "xl/workbook.xml": utf8('<workbook><sheets><sheet name="a" r:id="r1"/></sheets></workbook>'),
    "xl/worksheets/sheet1.xml": utf8(
      `<worksheet><sheetData>${lines.join("")}</sheetData><mergeCells>${merges}</mergeCells></worksheet>`,
    ),
  });
}

const body = (count: number): Row[] =>
  rows(count, (i) => [`P${i}`, 5 + (i % 7) / 10, 10 + (i % 5), 30 + (i % 9), 2 + (i % 4) / 4]);

describe("headings of a workbook over merged cells", () => {
  test("a name that stands over two lines, and names that come twice", async () => {
    const table = await readColumns(
      workbook(
        [
          ["Trial of 2024"],
          [],
          ["Plot", "Soil", undefined, "Yield", undefined],
          [undefined, "first", "second", "first", "dry"],
          ...body(40),
        ],
        ["A1:E1", "A3:A4", "B3:C3", "D3:E3"],
      ),
    );
    expect(names(table)).toEqual(["Plot", "Soil first", "second", "Yield first", "dry"]);
    expect(table.rows).toBe(40);
    expect(table.notes.map(({ message }) => message)).toEqual(["1 row above the table was left out"]);
  });

  test("a title over the table is no heading", async () => {
    const table = await readColumns(
      workbook([["Trial of 2024"], ["plot", "a", "b", "c", "d"], ...body(40)], ["A1:E1"]),
    );
    expect(names(table)).toEqual(["plot", "a", "b", "c", "d"]);
  });
});

describe("lines that sum up a table", () => {
  const mean = (values: readonly number[]): number =>
    Math.round((100 * values.reduce((a, b) => a + b)) / values.length) / 100;
  const a = rows(50, (i) => 3 + ((i * 7) % 11));
  const b = rows(50, (i) => 100 + ((i * 13) % 29));
  const lines = rows(50, (i) => `r${i},${a[i]},${b[i]}`);

  test("all cells are filled, with the mean and the largest of each column", async () => {
    const text = [
      "name,a,b",
      ...lines,
      `Mean,${mean(a)},${mean(b)}`,
      `Max,${Math.max(...a)},${Math.max(...b)}`,
    ];
    const table = await readColumns(utf8(text.join("\n")));
    expect(table.rows).toBe(50);
    expect(table.notes[0].message).toBe('the last 2 lines sum up the table ("Mean") and are left out');
  });

  test("a row of that name with its own numbers stays", async () => {
    const table = await readColumns(utf8(["name,a,b", ...lines, "Total,4,137"].join("\n")));
    expect(table.rows).toBe(51);
  });
});

describe("ragged lines", () => {
  test("short lines of a small file are filled up", async () => {
    const table = await readColumns(utf8("a,b,c\n1,2,3\n4,5\n6\n1,2,3\n7,8,9\n"));
    expect(names(table)).toEqual(["a", "b", "c"]);
    expect(table.notes.map(({ code }) => code)).toContain("short-rows");
  });

  test("a line with too many cells is named", async () => {
    await expect(readColumns(utf8("a,b,c\n1,2,3\n4,5\n6,7,8,9\n1,2,3\n"), { name: "t.csv" })).rejects.toThrow(
      /t\.csv line 4: expected 3 cells, found 4/,
    );
  });

  test("commas in the sentences of one column are no delimiters", async () => {
    const text = `remark\n${rows(30, (i) => (i % 2 ? `late, but fine ${i}` : `good ${i}`)).join("\n")}\n`;
    expect(names(await readColumns(utf8(text)))).toEqual(["remark"]);
  });
});

describe("delimited text as a spreadsheet writes it", () => {
  const sheet = (above: readonly string[], count = 40): Uint8Array =>
    utf8([...above, ...body(count).map((row) => row.join(";"))].join("\n"));

  test("a title padded with empty cells, and an empty line, are left out", async () => {
    const table = await readColumns(sheet(["Trial of 2024;;;;", ";;;;", "plot;a;b;c;d"]));
    expect(names(table)).toEqual(["plot", "a", "b", "c", "d"]);
    expect(table.rows).toBe(40);
    expect(table.notes.map(({ message }) => message)).toEqual(["2 lines before the header were left out"]);
  });

  test("headings over several columns tell apart names that come twice", async () => {
    const table = await readColumns(sheet([";2022;;2023;", "plot;sales;cost;sales;profit"]));
    expect(names(table)).toEqual(["plot", "2022 sales", "cost", "2023 sales", "profit"]);
  });

  test("few names over numbers stay the header", async () => {
    const table = await readColumns(sheet(["plot;a;;;"]));
    expect(names(table).slice(0, 2)).toEqual(["plot", "a"]);
    expect(table.rows).toBe(40);
  });

  test("a line of means with decimal commas and units is left out", async () => {
    const lines = rows(40, (i) => `P${i};${5 + (i % 4)},5;${10 + (i % 5)},5 %;${100 * (1 + (i % 2))},50 €`);
    const text = ["plot;a;b;c", ...lines, "Mittelwert;7,0;12,5 %;150,50 €"].join("\n");
    const table = await readColumns(utf8(text));
    expect(table.rows).toBe(40);
    expect(table.notes.map(({ code }) => code)).toContain("footer");
  });
});
