import { describe, expect, test } from "vitest";
import { cellText, columnRecord, readColumns, readLike } from "../../../src/data/index.ts";
import { amountParts, amountValue, unitConversion, unitFactors } from "../../../src/data/kinds/amount.ts";
import { column, rows } from "./cells.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("units of one quantity", () => {
  test.each([
    ["kg", "g", 1000, 0],
    ["g/L", "mg/dL", 100, 0],
    ["mg/dl", "g/L", 0.01, 0],
    ["µmol/L", "mmol/l", 0.001, 0],
    ["ug/mL", "mg/L", 1, 0],
    ["km/h", "m/s", 1 / 3.6, 0],
    ["mA", "A", 0.001, 0],
    ["hPa", "bar", 0.001, 0],
    ["weeks", "days", 7, 0],
    ["Day", "days", 1, 0],
    ["°F", "°C", 5 / 9, -160 / 9],
    ["°C", "°F", 9 / 5, 32],
  ])("%s to %s", (from, to, factor, offset) => {
    expect(unitConversion(from, to)).toEqual({
      factor: expect.closeTo(factor, 12),
      offset: expect.closeTo(offset, 9),
    });
  });

  test.each([
    ["mmol/L", "mg/dL"],
    ["kg", "cm"],
    ["apples", "pears"],
    ["kg", "kg/L"],
  ])("%s and %s are of two quantities", (from, to) => {
    expect(unitConversion(from, to)).toBeUndefined();
  });

  test("letters after the numbers of rooms are no units", async () => {
    const read = await column(rows(60, (i) => `${1 + (i % 5)}${"AB"[i % 2]}`));
    expect(read.kind).toBe("category");
    expect(read.missing).toBe(0);
  });

  test.each([
    ["5'9\"", 69, "inch"],
    ["6 ft 0.5 in", 72.5, "inch"],
    ['13.3"', 13.3, '"'],
    ["63 m2", 63, "m2"],
    ["$85/hr", 85, "$/hr"],
    ["€1.305 / month", 1.305, "€/month"],
    ["6.2 L/100km", 6.2, "L/100km"],
  ])("%s", (text, value, unit) => {
    const parts = amountParts(text)!;
    expect(parts.unit).toBe(unit);
    expect(amountValue(parts, ".")).toBe(value);
  });

  test.each(["5'12\"", "3/hr", '5 cm"', "A2", "m2"])("%s is no amount", (text) => {
    expect(amountParts(text)).toBeUndefined();
  });

  test("wages of an hour and of a month are converted", () => {
    expect(unitConversion("$/hr", "$/month")!.factor).toBeCloseTo(730.5, 9);
  });

  test("words that are no units keep a column from being amounts", () => {
    expect(
      unitFactors(
        new Map([
          ["apples", 40],
          ["pears", 20],
        ]),
      ),
    ).toBeUndefined();
  });
});

describe("columns with several units", () => {
  test("concentrations are converted to the most frequent unit", async () => {
    const read = await column(rows(60, (i) => (i % 3 === 0 ? `${120 + i} g/L` : `${12 + i / 10} g/dL`)));
    expect(read.reading.unit).toBe("g/dL");
    expect(read.values![0]).toBeCloseTo(12, 12);
    expect(read.values![1]).toBeCloseTo(12.1, 12);
  });

  test("what cannot be converted is missing, and said so", async () => {
    const read = await column(rows(60, (i) => (i % 3 === 0 ? `${90 + i} mg/dL` : `${5 + i / 10} mmol/L`)));
    expect(read.kind).toBe("number");
    expect(read.missing).toBe(20);
    expect(read.notes.map(({ code }) => code)).toContain("foreign-units");
  });

  test("a sign after a few numbers is a remark, not a unit", async () => {
    const read = await column(rows(60, (i) => `${5 + i / 10}${i > 50 ? " H" : i < 4 ? " L" : ""}`));
    expect(read.kind).toBe("number");
    expect(read.reading.unit).toBeUndefined();
    expect(read.missing).toBe(0);
    expect(read.notes.map(({ code }) => code)).toContain("remarks");
    expect(cellText(read, 59)).toBe("10.9 H");
  });

  test("a number below a limit is named as it is written, and stays so", async () => {
    const read = await column(rows(60, (i) => (i % 4 === 0 ? "<0.5" : `${1 + i / 10}`)));
    expect(read.values![0]).toBe(0.5);
    expect(read.notes[0].message).toContain('15 cells such as "<0.5" are read');
    expect([0, 1].map((row) => cellText(read, row))).toEqual(["<0.5", "1.1"]);
  });
});

describe("another file with other units", () => {
  test.each([
    ["°C", "68 °F", 20],
    ["A", "2500 mA", 2.5],
    ["days", "2 weeks", 14],
    ["k", "45000", 45],
    ["k", "0.2M", 200],
    ["€", "€3k", 3000],
    ["kg", "5", 5],
  ])("%s and %s", async (unit, cell, expected) => {
    const own =
      unit === "€" ? (i: number): string => `€${i + 0.5}` : (i: number): string => `${i + 0.5} ${unit}`;
    const { columns } = await readColumns(utf8(`x,y\n${rows(40, (i) => `${own(i)},${i % 7}.5\n`).join("")}`));
    const like = await readLike(utf8(`x,y\n${cell},1.5\n${own(3)},2.5\n`), columns.map(columnRecord));
    expect(Array.from(like.columns[0].values!)).toEqual([expect.closeTo(expected, 9), 3.5]);
  });

  test("a unit of another quantity is missing, with its row", async () => {
    const { columns } = await readColumns(utf8(`x,y\n${rows(40, (i) => `${i} kg,${i % 7}.5\n`).join("")}`));
    const like = await readLike(utf8("x,y\n3 kg,1.5\n12 cm,2.5\n"), columns.map(columnRecord));
    expect(Array.from(like.columns[0].values!)).toEqual([3, Number.NaN]);
    expect(like.notes[0].message).toBe(
      'column "x": 1 cell is not read as number and counts as missing (first: row 2, "12 cm")',
    );
  });

  test("yes and no in another spelling", async () => {
    const { columns } = await readColumns(utf8(`x,y\n${rows(40, (i) => `${i % 2},${i % 7}.5\n`).join("")}`));
    const like = await readLike(utf8("x,y\nyes,1.5\nFALSE,2.5\nj,2.5\n"), columns.map(columnRecord));
    expect(Array.from(like.columns[0].codes!.subarray(0, 2))).toEqual([1, 0]);
    expect(like.notes[0].message).toContain('"j" is unknown');
  });
});

describe("words beside a scale", () => {
  const LIKERT = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"];

  test("no answer is missing, and the scale keeps its order", async () => {
    const read = await column(rows(90, (i) => (i % 9 === 0 ? "Prefer not to say" : LIKERT[i % 5])));
    expect(read.kind).toBe("ordered");
    expect(read.levels).toEqual(LIKERT);
    expect(read.missing).toBe(10);
    expect(read.notes[0]).toMatchObject({ code: "missing-marks", option: "as" });
    const kept = await column(
      rows(90, (i) => (i % 9 === 0 ? "Prefer not to say" : LIKERT[i % 5])),
      { as: { x: "category" } },
    );
    expect(kept.levels).toHaveLength(6);
  });

  test("without a scale it is a level", async () => {
    const read = await column(rows(90, (i) => ["Female", "Male", "Prefer not to say"][i % 3]));
    expect(read.kind).toBe("category");
    expect(read.levels).toHaveLength(3);
  });
});

test("codes with leading zeros are not told to be words, nor are 0 and 1 beside yes and no", async () => {
  const zip = await column(rows(120, (i) => ["01067", "10115", "80331"][i % 3]));
  expect(zip.notes).toEqual([]);
  const flag = await column(rows(120, (i) => ["yes", "no", "1", "0", "yes", "no"][i % 6]));
  expect(flag.notes).toEqual([]);
  expect(flag.levels).toEqual(["no", "yes"]);
});

describe("multiples and ratings", () => {
  test("millions beside a currency are millions of it, in every spelling", async () => {
    const written = [
      "1,25 Mio",
      "345.000 €",
      "0,9 Mio. €",
      "1.100.000 €",
      "870 T€",
      "650 kEUR",
      "0,001 Mrd. €",
    ];
    const euros = [1_250_000, 345_000, 900_000, 1_100_000, 870_000, 650_000, 1_000_000];
    const read = await column(rows(70, (i) => written[i % 7]));
    expect(read).toMatchObject({ kind: "number", notes: [], reading: { unit: "€", form: "money" } });
    expect(Array.from(read.values!.subarray(0, 7))).toEqual(euros);
    const record = { name: "x", kind: "number" as const, reading: read.reading };
    const like = await readLike(utf8("x\n1.500 TEUR\n2 Mio\n3 kg\n"), [record]);
    expect(Array.from(like.columns[0].values!)).toEqual([1_500_000, 2_000_000, Number.NaN]);
  });

  test("points out of so many are numbers, whole ones steps of a scale", async () => {
    const read = await column(rows(60, (i) => (i % 5 === 0 ? `${i % 10}/10` : `${(10 + (i % 40)) / 10}/5`)));
    expect(read).toMatchObject({ kind: "number", reading: { unit: "/5" } });
    expect(Array.from(read.values!.subarray(5, 7))).toEqual([2.5, 1.6]);
    expect((await column(rows(60, (i) => `${1 + (i % 5)}/5`))).kind).toBe("ordered");
    const words = await column(
      rows(60, (i) => `${(10 + (i % 40)) / 10} out of 5${i % 2 === 0 ? "" : " stars"}`),
    );
    expect(words).toMatchObject({ kind: "number", reading: { unit: "/5" } });
    expect((await column(rows(60, (i) => `${1 + (i % 5)} out of 5`))).kind).toBe("ordered");
    expect((await column(rows(60, (i) => `${110 + i}/${70 + (i % 20)}`))).kind).toBe("vector");
  });

  test("a number that stands apart is kept if numbers are asked for", async () => {
    const cells = rows(60, (i) => (i % 9 === 0 ? "-999" : `${20 + i / 10}`));
    const read = await column(cells);
    expect(read.missing).toBe(7);
    expect(read.notes[0].message).toContain('"as" x=number keeps it');
    expect((await column(cells, { as: { x: "number" } })).missing).toBe(0);
  });
});
