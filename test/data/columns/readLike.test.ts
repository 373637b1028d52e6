import { describe, expect, test } from "vitest";
import { cellText, columnRecord, readColumns, readLike, type ColumnRecord } from "../../../src/data/index.ts";
import { randomFile } from "./randomFile.ts";
import { rows } from "./cells.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

async function recordsOf(bytes: Uint8Array): Promise<ColumnRecord[]> {
  const table = await readColumns(bytes);
  return JSON.parse(JSON.stringify(table.columns.map(columnRecord))) as ColumnRecord[];
}

const first = utf8(
  `plan;price;when;grade;score;flag\n${rows(90, (i) =>
    [
      ["free", "pro", "team"][i % 3],
      `${1 + (i % 30)}.${100 + i},50 €`,
      `${String((i % 28) + 1).padStart(2, "0")}/0${(i % 9) + 1}/2024`,
      ["low", "medium", "high"][(i * 7) % 3],
      i % 15 === 4 ? "pending" : `${i * 1.5}`.replace(".", ","),
      ["no", "yes"][i % 2],
    ].join(";"),
  ).join("\n")}\n`,
);

describe("another file is read in the way of the first", () => {
  test("a level is absent, one is new, a column is extra, cells are missing", async () => {
    const records = await recordsOf(first);
    expect(records.map((record) => record.kind)).toEqual([
      "category",
      "number",
      "date",
      "ordered",
      "number",
      "category",
    ]);
    const hourly = utf8(
      "extra;when;plan;price;score;grade;flag\n" +
        "1;03/04/2024;pro;2.000,00 €;12,5;high;yes\n" +
        "2;05/06/2024;gold;1.234 €;pending;low;\n" +
        "3;;PRO;;;;no\n",
    );
    const table = await readLike(hourly, records);
    const [plan, price, when, grade, score, flag] = table.columns;
    expect(plan.levels).toEqual(["free", "pro", "team", "gold"]);
    expect(Array.from(plan.codes!)).toEqual([1, 3, 1]);
    expect(Array.from(price.values!)).toEqual([2000, 1234, Number.NaN]);
    expect(cellText(when, 0)).toBe("03/04/2024");
    expect(when.values![0]).toBe(Date.UTC(2024, 3, 3) / 86_400_000);
    expect(Array.from(grade.values!)).toEqual([2, 0, Number.NaN]);
    expect(Array.from(score.values!)).toEqual([12.5, Number.NaN, Number.NaN]);
    expect(Array.from(flag.codes!)).toEqual([1, -1, 0]);
    expect(table.notes.map((note) => note.code)).toEqual(["unknown-level", "extra-columns"]);
    expect(table.notes[0].message).toBe('column "plan": "gold" is unknown to the model (1 row)');
  });

  test("columns that are absent are named all at once", async () => {
    const records = await recordsOf(first);
    await expect(readLike(utf8("plan;when;flag\npro;03/04/2024;yes\n"), records)).rejects.toThrow(
      'lacks the columns "price", "grade", "score", which the model needs',
    );
  });

  test("a vector of columns", async () => {
    const wide = (names: string[]): Uint8Array =>
      utf8(
        `${names.join(",")}\n${rows(40, (i) => names.map((_, j) => Math.sin(i * 64 + j).toFixed(5)).join(",")).join("\n")}\n`,
      );
    const names = rows(40, (j) => `emb_${j}`);
    const records = await recordsOf(wide(names));
    const again = await readLike(wide(names), records);
    expect(again.columns[0].vectors!.cols).toBe(40);
    await expect(readLike(wide(names.slice(0, 39)), records)).rejects.toThrow('lacks the column "emb_39"');
  });

  test("the file itself gives the same values again", async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const { bytes } = randomFile(seed);
      const table = await readColumns(bytes);
      const again = await readLike(bytes, await recordsOf(bytes));
      const values = (columns: typeof table.columns): unknown[] =>
        columns.map(({ name, kind, missing, values: v, codes, levels, cells }) => ({
          name,
          kind,
          missing,
          v,
          codes,
          levels,
          cells,
        }));
      expect(values(again.columns)).toEqual(values(table.columns));
    }
  });
});
