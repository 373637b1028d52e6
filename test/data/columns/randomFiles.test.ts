import { expect, test } from "vitest";
import { random } from "../../../src/core/index.ts";
import { cellText, columnRecord, readColumns, type Column } from "../../../src/data/index.ts";
import { randomFile, type RandomColumn } from "./randomFile.ts";

/** The first row in which what was read is not what was written, in words. */
function firstDifference(read: Column, written: RandomColumn): string | undefined {
  for (const [row, value] of written.values.entries()) {
    const text = cellText(read, row).replaceAll("\r\n", "\n");
    const number = read.values?.[row] ?? Number.NaN;
    const same =
      value === undefined
        ? text === ""
        : typeof value === "string"
          ? text.toLowerCase() === value.toLowerCase()
          : Math.abs(number - value) <= 1e-12 * Math.max(1, Math.abs(value));
    if (!same) return `row ${row + 1}: ${value} read as ${text}`;
  }
  return undefined;
}

test("200 random valid files are read back to what was written into them", async () => {
  const problems: string[] = [];
  for (let seed = 1; seed <= 200; seed++) {
    const file = randomFile(seed);
    const about = `seed ${seed}, ${file.encoding}, delimiter ${JSON.stringify(file.delimiter)}, decimal ${file.decimal}`;
    const table = await readColumns(file.bytes);
    const names = table.columns.map((column) => column.name).join();
    if (table.rows !== file.rows) problems.push(`${about}: ${table.rows} rows, not ${file.rows}`);
    if (names !== file.columns.map((column) => column.name).join()) problems.push(`${about}: ${names}`);
    file.columns.forEach((written, j) => {
      const read = table.columns[j];
      const difference = firstDifference(read, written);
      if (read.kind !== written.kind) problems.push(`${about}: ${written.kind} read as ${read.kind}`);
      if (difference !== undefined) problems.push(`${about}, "${written.name}", ${difference}`);
    });
  }
  expect(problems).toEqual([]);
});

test("the order of the rows does not matter", async () => {
  for (let seed = 1; seed <= 40; seed++) {
    const file = randomFile(seed);
    const order = Array.from(random(seed).sample(file.rows, file.rows));
    const [table, shuffled] = await Promise.all(
      [file.bytes, file.reordered(order)].map((bytes) => readColumns(bytes)),
    );
    expect(shuffled.columns.map(columnRecord)).toEqual(table.columns.map(columnRecord));
    const cells = shuffled.columns.map((column) => order.map((_, i) => cellText(column, i)));
    expect(cells).toEqual(table.columns.map((column) => order.map((row) => cellText(column, row))));
  }
});
