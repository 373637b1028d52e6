import { expect, test } from "vitest";
import { readToCopy } from "../../src/data/columns/readColumns.ts";
import { columnRecord, readColumns } from "../../src/data/index.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("every cell is copied as it is written, and the values are those of another reading", async () => {
  const spellings = [
    "1",
    "0",
    "-0",
    "0.0",
    "0.50",
    "0.5",
    ".5",
    "5.",
    "007",
    "+7",
    "1e3",
    "1.234",
    "12.345678",
  ];
  const further = [
    "-3",
    "-0.25",
    "0.0000001",
    "123456789012345",
    "1234567890123456",
    '" 8"',
    "8 ",
    "$5",
    "n/a",
  ];
  const cells = [...spellings, ...further];
  const text = `a,b\n${cells.map((cell, i) => `${cell},${i % 2 === 0 ? "x" : " y"}`).join("\n")}\n`;
  const records = (await readColumns(bytes("a,b\n1,x\n2.5,y\n3.5,x\n"))).columns.map(columnRecord);
  const { table, written } = await readToCopy([bytes(text)], records);
  const plain = (cell: string): string => cell.replaceAll('"', "");
  const copied = cells.map((_, row) => written.cell(row, 0));
  expect(copied.map((cell) => cell.trim())).toEqual(cells.map((cell) => plain(cell).trim()));
  expect(copied[cells.indexOf('" 8"')]).toBe(" 8");
  const values = Array.from(table.columns[0].values!);
  const meant = cells.map((cell) => {
    const number = Number(plain(cell).replace("$", ""));
    return Number.isNaN(number) ? Number.NaN : number + 0; // -0 is 0
  });
  expect(values).toEqual(meant);
  expect(written.cell(1, 1)).toBe("y");
});

test("marks of missing values, several currencies and extra columns are told", async () => {
  const records = (await readColumns(bytes("a,b\n$1,2\n$2.5,3\n$3.5,5\n"))).columns
    .slice(0, 1)
    .map(columnRecord);
  const text = "a,b\n$1,2\n€2,3\nnone,4\n";
  const { table, written } = await readToCopy([bytes(text)], records, { na: ["NONE"] });
  expect(Array.from(table.columns[0].values!)).toEqual([1, 2, Number.NaN]);
  expect(table.notes.map(({ code }) => code)).toEqual(["mixed-units", "extra-columns"]);
  expect(written.cell(2, 0)).toBe("none");
});
