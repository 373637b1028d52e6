import { describe, expect, test } from "vitest";
import {
  cellText,
  columnRecord,
  conform,
  readColumns,
  readLike,
  writtenTexts,
  type ColumnRecord,
  type Table,
} from "../../../src/data/index.ts";
import { takeTableRows } from "../../../src/data/columns/column.ts";
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

  test("of lists only new things are unknown, not new combinations of known ones", async () => {
    const records = await recordsOf(
      utf8(`x;y\n${rows(90, (i) => `${["web, app", "shop", "web"][i % 3]};${i}.5\n`).join("")}`),
    );
    expect(records[0]).toMatchObject({ kind: "category", reading: { form: "list" } });
    const { notes } = await readLike(utf8("x;y\nshop, web;1.5\nweb, post;2.5\n"), records);
    expect(notes.map(({ message }) => message)).toEqual([
      'column "x": "post" is unknown to the model (1 row)',
    ]);
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

describe("a table that was read on its own, then by a model", () => {
  const albumin = rows(60, (i) => `${(4 + i / 20).toFixed(2)} mmol/L,${i % 5 === 0 ? "hemolyzed" : i * 3}`);

  test("cells that its own reading takes as missing are read by the model", async () => {
    const records = await recordsOf(utf8(`albumin,crea\n${albumin.join("\n")}\n`));
    const own = await readColumns(
      utf8("albumin,crea\n90 mg/dL,80\n95 mg/dL,pending\n5.5 mmol/L,pending\n99 mg/dL,70.5\n91 mg/dL,71.5\n"),
    );
    const like = conform(own, records);
    expect(Array.from(like.columns[0].values!)).toEqual([
      Number.NaN,
      Number.NaN,
      5.5,
      Number.NaN,
      Number.NaN,
    ]);
  });

  test("every cell is written as it was", async () => {
    const lines = rows(60, (i) =>
      [
        i % 9 === 0 ? "-999" : `${20 + i / 10} °C`,
        i % 7 === 0 ? "ERR" : i % 4 === 0 ? "<0.5" : `${1 + i}`,
        i % 8 === 0 ? "n/a" : ["low", "medium", "high"][i % 3],
        i % 6 === 0 ? "unknown" : `2024-01-${10 + (i % 20)}`,
      ].join(","),
    );
    const table = await readColumns(utf8(`a,b,c,d\n${lines.join("\n")}\n`));
    expect(table.columns.map(({ kind }) => kind)).toEqual(["number", "number", "ordered", "date"]);
    const texts = (read: Table): string[] => {
      const all = read.columns.map((column) => writtenTexts(column, read.rows));
      return rows(read.rows, (i) => all.map((column) => column[i]).join(","));
    };
    expect(texts(table)).toEqual(lines);
    const some = [36, 0, 7, 59];
    expect(texts(takeTableRows(table, some))).toEqual(some.map((i) => lines[i]));
  });
});
