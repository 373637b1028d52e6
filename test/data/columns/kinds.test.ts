import { describe, expect, test } from "vitest";
import { cellText, dateText, readColumns, type Column } from "../../../src/data/index.ts";
import { column, pick, rows } from "./cells.ts";

const kindOf = (c: Column): string =>
  c.reading.form === undefined ? c.kind : `${c.kind}, ${c.reading.form}`;

describe("numbers", () => {
  test("two numbers are levels once one of them is repeated", async () => {
    const kindOf = async (text: string): Promise<string> =>
      (await readColumns(new TextEncoder().encode(text))).columns[0].kind;
    expect(await kindOf("x,y\n10,2\n30,4\n")).toBe("number");
    expect(await kindOf("x,y\n10,2\n30,4\n10,5\n")).toBe("category");
  });

  test.each([
    ["plain", ["1.5", "-2.25", "3e2", "+4", ".5"], [1.5, -2.25, 300, 4, 0.5]],
    ["money", ["$1,188.58", "$12.00", "-$3.10", "($4.50)", "$0.99"], [1188.58, 12, -3.1, -4.5, 0.99]],
    [
      "decimal comma",
      ["1.188,58 €", "12,00 €", "3,10 €", "1.000.000,00 €", "0,5 €"],
      [1188.58, 12, 3.1, 1e6, 0.5],
    ],
    [
      "thousands by blanks",
      ["1 234", "12 345 678", "1 000,5", "7", "8,25"],
      [1234, 12345678, 1000.5, 7, 8.25],
    ],
    [
      "thousands by apostrophes",
      ["1'234.5", "12'345'678", "9", "10.25", "1'000"],
      [1234.5, 12345678, 9, 10.25, 1000],
    ],
    ["percentages", ["12 %", "3.5%", "100 %", "0%", "7.25 %"], [12, 3.5, 100, 0, 7.25]],
    ["units", ["1.2 kg", "3 kg", "0.75 kg", "10 kg", "2.5 kg"], [1.2, 3, 0.75, 10, 2.5]],
    ["mixed units", ["1.2 kg", "300 g", "0.75 kg", "10 kg", "2.5 kg"], [1.2, 0.3, 0.75, 10, 2.5]],
    ["power", ["60 kW", "100 PS", "75 kW", "200 PS", "90.5 kW"], [60, 73.549875, 75, 147.09975, 90.5]],
    ["multiples", ["1.2k", "300", "2M", "45", "7.5k"], [1200, 300, 2e6, 45, 7500]],
    ["lengths of time", ["1 h 20 min", "45 min", "2 h", "3 min 10 s", "50 s"], [4800, 2700, 7200, 190, 50]],
    ["stop watch", ["00:03:12", "00:12:05", "01:00:00", "00:45:59", "00:00:07"], [192, 725, 3600, 2759, 7]],
  ])("%s", async (_, cells, expected) => {
    const read = await column(cells);
    expect(read.kind).toBe("number");
    expect(Array.from(read.values!)).toEqual(expected.map((value) => expect.closeTo(value, 9)));
  });

  test.each([
    ["month first", (m: string, y: number) => `${m}/${y}`],
    ["year first", (m: string, y: number) => `${y}/${m}`],
  ])("months are dates, not pairs of numbers: %s", async (_, written) => {
    const cells = rows(60, (i) => written(String(1 + (i % 12)).padStart(2, "0"), 2005 + (i % 11)));
    const read = await column(cells);
    expect(read.kind).toBe("date");
    expect(dateText(read.values![13])).toBe("2007-02-01");
    expect(dateText(Date.UTC(-44, 2, 15, 6) / 86_400_000)).toBe("-000044-03-15 06:00:00");
  });

  test("dates of server logs", async () => {
    const log = (i: number): string =>
      `${String(1 + (i % 28)).padStart(2, "0")}/Mar/2024:10:${10 + (i % 50)}:07`;
    const lines = Array.from({ length: 40 }, (_, i) => `${log(i)} +0200,${log(i)}`);
    const { columns } = await readColumns(new TextEncoder().encode(`a,b\n${lines.join("\n")}\n`));
    expect(columns.map(({ kind, reading }) => [kind, reading.form])).toEqual([
      ["date", "timestamp"],
      ["date", "timestamp"],
    ]);
    const days = Date.UTC(2024, 2, 1, 10, 10, 7) / 86_400_000;
    expect(columns[0].values![0]).toBeCloseTo(days - 2 / 24, 9);
    expect(columns[1].values![0]).toBeCloseTo(days, 9);
  });

  test("a point or comma before three digits follows the file's other columns", async () => {
    const csv = "a;b\n1.234;0,5\n5.678;12,25\n9.012;1,75\n";
    const table = await readColumns(new TextEncoder().encode(csv));
    expect(Array.from(table.columns[0].values!)).toEqual([1234, 5678, 9012]);
    expect(table.notes).toEqual([]);
    const alone = await readColumns(new TextEncoder().encode("a;b\n1.234;x y\n5.678;y z\n9.012;z x\n"));
    expect(Array.from(alone.columns[0].values!)).toEqual([1.234, 5.678, 9.012]);
    expect(alone.notes.map((note) => note.code)).toContain("ambiguous-decimal");
    const told = await readColumns(new TextEncoder().encode("a;b\n1.234;x y\n5.678;y z\n9.012;z x\n"), {
      decimal: ",",
    });
    expect(Array.from(told.columns[0].values!)).toEqual([1234, 5678, 9012]);
  });

  test("versions and addresses are no numbers", async () => {
    expect((await column(rows(60, (i) => `${i % 4}.12.${i % 7}`))).kind).toBe("category");
    expect((await column(rows(60, (i) => `192.168.${i}.7`))).kind).toBe("id");
  });

  test("codes with leading zeros keep them", async () => {
    const zip = await column(rows(200, (i) => `0${1000 + (i % 20)}`));
    expect(zip.kind).toBe("category");
    expect(zip.levels![0]).toBe("01000");
  });
});

describe("missing cells", () => {
  test("usual words, and those that are named", async () => {
    const cells = [
      "1.5",
      "NA",
      "n/a",
      "",
      "-",
      "?",
      "null",
      "k.A.",
      "#N/A",
      "2.5",
      "gone",
      "3.25",
      "4",
      "5",
      "6",
      "7",
    ];
    const read = await column(cells, { na: ["gone"] });
    expect(read.kind).toBe("number");
    expect(read.missing).toBe(9);
    expect(read.values![9]).toBe(2.5);
  });

  test("a few words that come again and again among numbers", async () => {
    const read = await column(
      rows(100, (i) => (i % 4 === 0 ? "not done" : i % 10 === 1 ? "pending" : `${i * 1.5}`)),
    );
    expect(read.kind).toBe("number");
    expect(read.reading.missingMarks).toEqual(["not done", "pending"]);
    expect(read.notes[0].code).toBe("missing-marks");
    expect(read.notes[0].option).toBe("as");
  });

  test("numbers that stand apart", async () => {
    const read = await column(rows(200, (i) => (i % 20 === 0 ? "-999" : `${10 + (i % 37)}.5`)));
    expect(read.kind).toBe("number");
    expect(read.missing).toBe(10);
    expect(read.notes.map((note) => note.code)).toEqual(["sentinel"]);
    const strict = await column(
      rows(200, (i) => (i % 20 === 0 ? "-999" : `${10 + (i % 37)}.5`)),
      { strict: true },
    );
    expect(strict.missing).toBe(0);
  });

  test("an ordinary largest value is no mark", async () => {
    expect((await column(rows(500, (i) => `${(i * 37) % 100}`))).missing).toBe(0);
    expect((await column(rows(500, (i) => `${((i * 37) % 101) - 50}`))).missing).toBe(0);
  });

  test("nothing but missing cells", async () => {
    const csv = "a,b\n1.5,NA\n2.5,\n3.5,-\n";
    const table = await readColumns(new TextEncoder().encode(csv));
    expect(table.columns[1].kind).toBe("empty");
    expect(table.columns[1].missing).toBe(3);
  });
});

describe("levels", () => {
  test.each([
    ["words in English", ["low", "high", "medium", "low", "high"], ["low", "medium", "high"]],
    ["words in German", ["hoch", "mittel", "niedrig", "hoch", "mittel"], ["niedrig", "mittel", "hoch"]],
    ["words in French", ["élevé", "moyen", "faible", "faible", "moyen"], ["faible", "moyen", "élevé"]],
    [
      "answers",
      ["Agree", "Strongly disagree", "Neutral", "Agree"],
      ["Strongly disagree", "Neutral", "Agree"],
    ],
    ["grades", ["B", "A", "C", "B-", "A+", "C"], ["A+", "A", "B", "B-", "C"]],
    [
      "ranges",
      ["25-34", "65+", "18-24", "35-44", "under 18"],
      ["under 18", "18-24", "25-34", "35-44", "65+"],
    ],
    ["money ranges", ["$50k-$100k", "<$50k", "$100k+", "<$50k"], ["<$50k", "$50k-$100k", "$100k+"]],
    ["stages", ["Stage 2", "Stage 1", "Stage 3", "Stage 1"], ["Stage 1", "Stage 2", "Stage 3"]],
    ["stars", ["★★★", "★★★★★", "★★★★", "★★★"], ["★★★", "★★★★", "★★★★★"]],
    ["stars of five", ["★★★☆☆", "★★★★★", "★★★★☆"], ["★★★☆☆", "★★★★☆", "★★★★★"]],
    ["price signs", ["$$", "$", "$$$", "$"], ["$", "$$", "$$$"]],
    ["none is a level of a scale", ["none", "mild", "severe", "none", "mild"], ["none", "mild", "severe"]],
    ["whole numbers", ["1", "5", "3", "2", "5", "1"], ["1", "2", "3", "4", "5"]],
  ])("in order: %s", async (_, cells, levels) => {
    const read = await column(rows(cells.length * 8, (i) => cells[i % cells.length]));
    expect(read.kind).toBe("ordered");
    expect(read.levels).toEqual(levels);
    expect(read.missing).toBe(0);
    cells.forEach((cell, i) => expect(levels[read.values![i]]).toBe(cell));
  });

  test("names with numbers have no order", async () => {
    expect((await column(rows(60, (i) => `store ${(i % 4) + 1}`))).kind).toBe("category");
  });

  test("yes and no", async () => {
    const read = await column(pick(["yes", "no"], 40));
    expect(kindOf(read)).toBe("category, yes-no");
    expect(read.levels).toEqual(["no", "yes"]);
    expect(kindOf(await column(pick(["0", "1"], 40)))).toBe("category, yes-no");
    expect(kindOf(await column(pick(["nein", "ja"], 40)))).toBe("category, yes-no");
  });

  test("categories; capitals make no new level", async () => {
    const read = await column(pick(["Berlin", "Paris", "Rome", "berlin", "Paris"], 60));
    expect(read.kind).toBe("category");
    expect(read.levels).toEqual(["Berlin", "Paris", "Rome"]);
    expect(read.notes.map((note) => note.code)).toEqual(["merged-levels"]);
    expect(cellText(read, 3)).toBe("Berlin");
  });

  test("scores, pairs and minutes", async () => {
    const score = await column(rows(60, (i) => `${(i % 5) + 1}/5`));
    expect([score.kind, score.values![3]]).toEqual(["ordered", 3]);
    const pressure = await column(rows(60, (i) => `${110 + i}/${70 + (i % 20)}`));
    expect(Array.from(pressure.vectors!.data.subarray(2, 4))).toEqual([111, 71]);
    const song = await column(rows(60, (i) => `${2 + (i % 7)}:${String((i * 7) % 60).padStart(2, "0")}`));
    expect([song.kind, song.values![1]]).toEqual(["number", 187]);
  });

  test("paths and lists", async () => {
    const path = await column(
      pick(["home > garden", "home > kitchen", "toys > cars", "toys > dolls", "toys > balls"], 80),
    );
    expect(kindOf(path)).toBe("category, path");
    expect(path.reading.separator).toBe(" > ");
    const list = await column(pick(["red;blue", "blue", "green;red", "red;green;blue", "red"], 80));
    expect(kindOf(list)).toBe("category, list");
  });

  test("one value is constant", async () => {
    const table = await readColumns(
      new TextEncoder().encode(`a,b\n${rows(20, (i) => `main,${i * 1.5}\n`).join("")}`),
    );
    expect(table.columns[0].kind).toBe("constant");
    expect(table.columns[0].why).toBe('always "main"');
  });
});

describe("ids and text", () => {
  test("codes and numbers that are all different", async () => {
    expect((await column(rows(100, (i) => `C-${1000 + ((i * 37) % 100)}`))).kind).toBe("id");
    expect((await column(rows(100, (i) => `${20001 + ((i * 37) % 100)}`))).kind).toBe("id");
    const big = await column(rows(50, (i) => `9007199254740993${100 + i}`));
    expect(big.kind).toBe("id");
    expect(cellText(big, 1)).toBe("9007199254740993101");
  });

  test("amounts that are all different are no ids", async () => {
    expect((await column(rows(100, (i) => `${((i * 7919) % 100003) + 500}`))).kind).toBe("number");
    expect(
      (
        await column(
          rows(100, (i) => `${1900 + i}`),
          {},
          "year",
        )
      ).kind,
    ).toBe("number");
  });

  test("sentences", async () => {
    const words = ["the", "old", "ship", "sails", "by", "night"];
    const read = await column(
      rows(90, (i) => `${words[i % 6]} ${words[(i * 5) % 6]} ${words[(i >> 2) % 6]} number ${i}`),
    );
    expect(read.kind).toBe("text");
    expect(read.cells![3]).toContain("number 3");
  });
});

describe("dates", () => {
  test.each([
    ["ISO", ["2024-03-01", "2023-12-31", "2024-02-29"], ["2024-03-01", "2023-12-31", "2024-02-29"]],
    ["day first", ["15/01/2024", "03/02/2024", "31/12/2023"], ["2024-01-15", "2024-02-03", "2023-12-31"]],
    ["month first", ["01/15/2024", "02/03/2024", "12/31/2023"], ["2024-01-15", "2024-02-03", "2023-12-31"]],
    ["points and short years", ["1.3.24", "15.12.99", "2.4.05"], ["2024-03-01", "1999-12-15", "2005-04-02"]],
    [
      "names of months",
      ["1 Mar 2024", "15 December 1999", "2. April 2005"],
      ["2024-03-01", "1999-12-15", "2005-04-02"],
    ],
    [
      "American",
      ["March 1, 2024", "Dec 15, 1999", "Apr 2, 2005"],
      ["2024-03-01", "1999-12-15", "2005-04-02"],
    ],
    [
      "German",
      ["1. März 2024", "15. Dezember 1999", "2. Mai 2005"],
      ["2024-03-01", "1999-12-15", "2005-05-02"],
    ],
    ["two forms", ["2024-03-01", "15/01/2024", "02/03/2024"], ["2024-03-01", "2024-01-15", "2024-03-02"]],
    ["months", ["2024-03", "2023-12", "2024-01"], ["2024-03-01", "2023-12-01", "2024-01-01"]],
    [
      "times",
      ["2024-03-01 10:30", "2024-03-01T23:59:59Z", "2024-03-01 01:00 PM"],
      ["2024-03-01 10:30:00", "2024-03-01 23:59:59", "2024-03-01 13:00:00"],
    ],
    [
      "offsets",
      ["2024-03-01T01:00:00+02:00", "2024-03-01T12:00:00-0500", "2024-03-01T00:00:00Z"],
      ["2024-02-29 23:00:00", "2024-03-01 17:00:00", "2024-03-01"],
    ],
  ])("%s", async (_, cells, expected) => {
    const read = await column(rows(cells.length * 10, (i) => cells[i % cells.length]));
    expect(read.kind).toBe("date");
    expect(cells.map((__, i) => dateText(read.values![i]))).toEqual(expected);
    expect(read.missing).toBe(0);
  });

  test("numbers that are dates", async () => {
    const compact = await column(
      rows(60, (i) => `2024${String((i % 12) + 1).padStart(2, "0")}${String((i % 28) + 1).padStart(2, "0")}`),
    );
    expect(compact.kind).toBe("date");
    expect(dateText(compact.values![0])).toBe("2024-01-01");
    const seconds = await column(
      rows(60, (i) => `${1_700_000_000 + i * 86_400}`),
      {},
      "created_at",
    );
    expect(seconds.reading.dateOrder).toBe("epoch-s");
    expect(dateText(seconds.values![0])).toBe("2023-11-14 22:13:20");
  });

  test("days of a spreadsheet and months as numbers", async () => {
    const serial = await column(
      rows(60, (i) => `${45_000 + ((i * 17) % 60)}`),
      {},
      "Order date",
    );
    expect(dateText(serial.values![0])).toBe("2023-03-15");
    const months = await column(rows(60, (i) => `${2020 + (i % 3)}${String((i % 12) + 1).padStart(2, "0")}`));
    expect(dateText(months.values![1])).toBe("2021-02-01");
  });

  test("times of day go round the clock", async () => {
    const read = await column(
      rows(60, (i) => `${String((i * 7) % 24).padStart(2, "0")}:${String((i * 13) % 60).padStart(2, "0")}`),
    );
    expect(kindOf(read)).toBe("date, clock");
    expect(read.values![1]).toBeCloseTo((7 * 60 + 13) / 1440, 12);
  });

  test("an order that no date tells is noted with the option that settles it", async () => {
    const cells = rows(30, (i) => `0${(i % 9) + 1}/0${(i % 7) + 1}/2024`);
    const read = await column(cells);
    expect(read.notes.map((note) => note.code)).toEqual(["ambiguous-dates"]);
    expect(read.notes[0].message).toContain('option "as" x=date:dmy');
    const told = await column(cells, { as: { x: "date:dmy" } });
    expect(dateText(told.values![1])).toBe("2024-02-02");
    expect(dateText(told.values![8])).toBe("2024-02-09");
    expect(told.notes).toEqual([]);
  });

  test("days that do not exist are missing and named", async () => {
    const read = await column(
      rows(40, (i) => (i === 17 ? "2023-02-29" : `2023-02-${String((i % 28) + 1).padStart(2, "0")}`)),
    );
    expect(read.missing).toBe(1);
    expect(read.notes[0].row).toBe(18);
  });
});

describe("what is asked for", () => {
  const csv = new TextEncoder().encode(
    `grade,code,n\n${rows(40, (i) => `${["fair", "top", "poor"][i % 3]},${(i % 5) + 1},${i % 3 === 0 ? "x" : i}\n`).join("")}`,
  );

  test("kinds, orders and columns left out", async () => {
    const table = await readColumns(csv, {
      as: { grade: "ordered:poor|fair|top", code: "category", n: "ignore" },
    });
    expect(table.columns.map((c) => [c.name, c.kind])).toEqual([
      ["grade", "ordered"],
      ["code", "category"],
    ]);
    expect(Array.from(table.columns[0].values!.subarray(0, 3))).toEqual([1, 2, 0]);
  });

  test("a number where words stand", async () => {
    const table = await readColumns(csv, { as: { n: "number" } });
    const n = table.columns[2];
    expect(n.kind).toBe("number");
    expect(n.missing).toBe(14);
    expect(n.values![1]).toBe(1);
  });

  test("kinds and columns that do not exist", async () => {
    await expect(readColumns(csv, { as: { grade: "colour" } })).rejects.toThrow(
      "a column is number, category",
    );
    await expect(readColumns(csv, { as: { price: "number" } })).rejects.toThrow(
      'the columns are "grade", "code", "n"',
    );
    await expect(readColumns(csv, { as: { grade: "date:abc" } })).rejects.toThrow("dmy, mdy, ymd");
    const vectors = new TextEncoder().encode(rows(9, (i) => `{"v":[${i},2,3]}\n`).join(""));
    await expect(readColumns(vectors, { as: { v: "number" } })).rejects.toThrow("the column holds vectors");
  });

  test("strict names every column and its first bad row", async () => {
    const bad = new TextEncoder().encode(
      `a,b\n${rows(40, (i) => `${i === 6 ? "six" : i * 1.5},${i === 9 ? "soon" : `2024-01-${String((i % 28) + 1).padStart(2, "0")}`}\n`).join("")}`,
    );
    await expect(readColumns(bad, { strict: true })).rejects.toThrow(
      /column "a" row 7: "six" is not a number; column "b" row 10: "soon" is not a date/,
    );
    const table = await readColumns(bad);
    expect(table.columns.map((c) => [c.kind, c.missing])).toEqual([
      ["number", 1],
      ["date", 1],
    ]);
    expect(table.notes.map((note) => note.column)).toEqual(["a", "b"]);
  });
});

describe("long columns", () => {
  test("texts that nearly all differ are stored as they come, and read the same", async () => {
    const count = 60_000;
    const text = `key,price,code,note\n${rows(count, (i) => {
      const k = i < 40_000 ? i : i - 40_000;
      return `K${k}x,$${k}.5,Z-${i % 50},said ${k} and no more\n`;
    }).join("")}`;
    const table = await readColumns(new TextEncoder().encode(text));
    expect(table.columns.map((c) => c.kind)).toEqual(["id", "number", "category", "text"]);
    const [key, price, code, note] = table.columns;
    for (const row of [0, 39_999, 40_000, 59_999]) {
      const k = row < 40_000 ? row : row - 40_000;
      expect([cellText(key, row), price.values![row], cellText(code, row), cellText(note, row)]).toEqual([
        `K${k}x`,
        k + 0.5,
        `Z-${row % 50}`,
        `said ${k} and no more`,
      ]);
    }
    const levels = await readColumns(new TextEncoder().encode(text), { as: { key: "category" } });
    expect(levels.columns[0].levels).toHaveLength(40_000);
    expect(levels.notes).toEqual([]);
  });
});

test("yes and no in many spellings, degrees, codes by name and a line that sums up", async () => {
  const pick = <T>(all: readonly T[], i: number): T => all[(i * 7919) % all.length];
  const lines = ["mrn,smoker,odd,temp,http status,urgency,cost"];
  for (let i = 0; i < 240; i++) {
    const celsius = 36 + (i % 40) / 10;
    lines.push(
      [
        10_000_000 + ((i * 7_654_321) % 89_000_000),
        pick(["yes", "Y", "no", "N", "Yes", "1", "0"], i),
        pick(["T", "F", "N"], i),
        i % 3 === 0 ? `${(celsius * 1.8 + 32).toFixed(2)} °F` : `${celsius.toFixed(2)} °C`,
        pick([200, 301, 404, 500], i),
        pick(["non-urgent", "urgent", "immediate"], i),
        i,
      ].join(","),
    );
  }
  lines.push("Total,,,,,,28680");
  const table = await readColumns(new TextEncoder().encode(lines.join("\n")), { format: "csv" });
  const column = (name: string): Column => table.columns.find((one) => one.name === name)!;
  expect(table.rows).toBe(240);
  expect(table.notes.map(({ code }) => code)).toContain("footer");
  expect(column("mrn").kind).toBe("id");
  expect(column("smoker")).toMatchObject({ kind: "category", reading: { form: "yes-no" } });
  expect(column("smoker").levels).toHaveLength(2);
  const truth = Array.from({ length: 240 }, (_, i) =>
    Number(/^[y1]/i.test(pick(["yes", "Y", "no", "N", "Yes", "1", "0"], i))),
  );
  expect(Array.from(column("smoker").codes!)).toEqual(truth);
  expect(column("odd").levels).toEqual(["F", "N", "T"]);
  expect(column("temp")).toMatchObject({ kind: "number", reading: { unit: "°C" } });
  column("temp").values!.forEach((value, i) => expect(value).toBeCloseTo(36 + (i % 40) / 10, 2));
  expect(column("http status").kind).toBe("category");
  expect(column("urgency")).toMatchObject({ kind: "ordered", levels: ["non-urgent", "urgent", "immediate"] });
});

describe("numbers of the rows", () => {
  test.each([
    ["t", (i: number): number => i + 1, "id"],
    ["Sample Number", (i: number): number => 1 + (i % 50), "id"],
    ["month", (i: number): number => 1 + (i % 12), "number"],
    ["minute", (i: number): number => i % 60, "number"],
    ["year", (i: number): number => 1900 + i, "number"],
    ["visits", (i: number): number => (i * 7919) % 40, "number"],
  ])("%s", async (name, value, kind) => {
    const read = await column(
      rows(150, (i) => String(value(i))),
      {},
      name,
    );
    expect(read.kind).toBe(kind);
  });
});

test("dates that are all the first of January are years", async () => {
  const read = await column(rows(40, (i) => `${1970 + (i % 13)}-01-01`));
  expect([read.kind, read.reading.form]).toEqual(["date", "year"]);
  expect((await column(rows(40, (i) => `${1970 + (i % 13)}-0${1 + (i % 2)}-01`))).reading.form).toBe("day");
});

test("words that count as missing beside levels are named, and kept on request", async () => {
  const cells = rows(60, (i) => ["a", "b", "Unknown", "-"][i % 4]);
  const read = await column(cells);
  expect([read.levels, read.missing]).toEqual([["a", "b"], 30]);
  expect(read.notes.map(({ code, cells: count, values }) => [code, count, values])).toEqual([
    ["missing-marks", 30, ["Unknown", "-"]],
  ]);
  expect((await column(cells, { as: { x: "category" } })).levels).toEqual(["-", "Unknown", "a", "b"]);
});

test("None among levels is a level, unless the file writes missing numbers so", async () => {
  const table = (price: string): string =>
    rows(60, (i) => `${["Driver", "None", "Both"][i % 3]},${i % 5 === 0 ? price : i}`).join("\n");
  const read = async (price: string, na: string[] = []) =>
    (await readColumns(new TextEncoder().encode(`airbags,price\n${table(price)}\n`), { na })).columns[0];
  expect((await read("")).levels).toEqual(["Both", "Driver", "None"]);
  expect((await read("none")).levels).toEqual(["Both", "Driver"]);
  expect((await read("", ["None"])).levels).toEqual(["Both", "Driver"]);
  expect((await column(rows(60, (i) => (i % 9 === 0 ? "hit" : "none")))).levels).toEqual(["hit", "none"]);
});
