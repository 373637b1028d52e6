import { describe, expect, test } from "vitest";
import { random } from "../../../src/core/random.ts";
import { readColumns, type ReadColumnsOptions } from "../../../src/data/columns/readColumns.ts";
import { writtenRows } from "../../../src/data/columns/writtenRows.ts";
import type { Source } from "../../../src/data/index.ts";
import { fixture } from "./fixtures.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Headings and cells of the second reading. */
async function again(
  source: Source | readonly Source[],
  options: ReadColumnsOptions = {},
): Promise<string[][]> {
  const sources = (Array.isArray(source) ? source : [source]) as readonly Source[];
  const table = await readColumns(sources, options);
  const all: string[][] = [];
  for await (const { rows, headings, cell } of writtenRows(sources, table.files, options)) {
    if (all.length === 0) all.push([...headings]);
    for (let i = 0; i < rows; i++) all.push(headings.map((_, j) => cell(i, j)));
  }
  expect(all).toHaveLength(table.rows + 1);
  return all;
}

const PIECES = [
  "13.32020",
  "007",
  "1,234.50",
  "1.234,50",
  "TRUE",
  "N/A",
  "free",
  "12 kg",
  "01.03.2024",
  " padded ",
  'say "hi"',
  "two\nlines",
  "a;b",
  "tab\there",
  "Grüße",
  "",
  "-0",
  "1e5",
  "+7",
  "'",
];

/** RFC 4180, written here and not by the library; spaces around a cell count only inside of quotes. */
function delimited(rows: readonly (readonly string[])[], delimiter: string, end: string): string {
  const quoted = (cell: string): string =>
    cell.includes(delimiter) || /["\r\n]|^ | $/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  return rows.map((row) => row.map(quoted).join(delimiter) + end).join("");
}

describe("delimited text", () => {
  test.each([
    [",", "\n"],
    [";", "\r\n"],
    ["\t", "\n"],
    ["|", "\r\n"],
  ])("every cell is as it was written, separated by %j", async (delimiter, end) => {
    const draw = random(3);
    const piece = (): string => PIECES[Math.floor(draw.uniform() * PIECES.length)];
    const header = ["id", " Two  words ", "note", "x"];
    const rows = Array.from({ length: 400 }, (_, i) => [`r${i}`, piece(), piece(), (i / 8).toFixed(5)]);
    const text = delimited([header, ...rows], delimiter, end);
    expect(await again(bytes(text), { delimiter, header: true })).toEqual([header, ...rows]);
  });

  test("more rows than one batch, in parts of any size", async () => {
    const rows = Array.from({ length: 30_000 }, (_, i) => [String(i).padStart(6, "0"), (i % 97).toFixed(3)]);
    const text = bytes(delimited([["id", "value"], ...rows], ",", "\n"));
    expect(await again(text)).toEqual([["id", "value"], ...rows]);
    const stream = {
      async *[Symbol.asyncIterator]() {
        for (let at = 0; at < text.length; at += 1777) yield text.subarray(at, at + 1777);
      },
    };
    expect(await again(stream)).toEqual([["id", "value"], ...rows]);
  });

  test("blank lines, lines above the table and sums below it shift no row", async () => {
    const rows = Array.from({ length: 30 }, (_, i) => [`k${i}`, `${i}.50`, String(i % 3), ""]);
    const lines = delimited(rows, ",", "\n").split("\n").slice(0, -1);
    const body = lines.flatMap((line, i) => (i % 5 === 0 ? ["", line, ""] : [line]));
    const text = ["Sales of the year", "", "key,price,n,none", ...body, "", "Total,435.00,,"].join("\n");
    expect(await again(bytes(text))).toEqual([["key", "price", "n", "none"], ...rows]);
  });

  test("repeated and missing names stay as they are written; short rows end in empty cells", async () => {
    const found = await again(bytes(",a,a\n0,1.10,2\n1,1.20\n2,,3\n"), { header: true });
    expect(found).toEqual([
      ["", "a", "a"],
      ["0", "1.10", "2"],
      ["1", "1.20", ""],
      ["2", "", "3"],
    ]);
  });

  test("one encoding for all rows, though the first of them are UTF-8 too", async () => {
    const latin = (text: string): number[] => Array.from(text, (letter) => letter.charCodeAt(0));
    const rows = Array.from({ length: 40_000 }, (_, i) => [`n${i}`, i === 3 ? "Ã¼" : i > 39_990 ? "ü" : "u"]);
    const source = Uint8Array.from(latin(delimited([["name", "letter"], ...rows], ";", "\r\n")));
    expect(await again(source)).toEqual([["name", "letter"], ...rows]);
    const wide = new Uint8Array(Uint16Array.from([0xfeff, ...latin("a,b\n1.0,é\n2.0,x\n")]).buffer);
    expect(await again(wide)).toEqual([
      ["a", "b"],
      ["1.0", "é"],
      ["2.0", "x"],
    ]);
  });

  test("columns that are not read are copied, and columns that form a vector stay separate", async () => {
    const header = ["id", "skip", ...Array.from({ length: 64 }, (_, j) => `e_${j}`)];
    const rows = Array.from({ length: 12 }, (_, i) => [
      `i${i}`,
      "s 1",
      ...Array.from({ length: 64 }, (_, j) => (i + j / 7).toFixed(4)),
    ]);
    const source = bytes(delimited([header, ...rows], ",", "\n"));
    const options = { as: { skip: "ignore" }, vector: "e" };
    expect((await readColumns(source, options)).columns.map(({ name }) => name)).toEqual(["id", "e"]);
    expect(await again(source, options)).toEqual([header, ...rows]);
  });

  test("several files, the columns of a later one in another order", async () => {
    const files = [bytes("a,b\n1.0,x\n2.0,y\n"), bytes("b,a\nz,3.00\n")];
    expect(await again(files)).toEqual([
      ["a", "b"],
      ["1.0", "x"],
      ["2.0", "y"],
      ["3.00", "z"],
    ]);
  });

  test.each([
    ["fewer", "a,b\n1,2\n"],
    ["more", `a,b\n${"1,2\n".repeat(9)}`],
  ])("a file that has %s rows the second time is refused", async (_, text) => {
    const { files } = await readColumns(bytes("a,b\n1,2\n3,4\n"));
    const read = async (): Promise<void> => {
      for await (const batch of writtenRows([bytes(text)], files, { name: "x.csv" })) void batch;
    };
    await expect(read()).rejects.toThrow("x.csv changed while it was read");
  });
});

describe("formats with types", () => {
  const objects = [
    { id: "007", amount: 13.3202, ok: true, note: " a " },
    { id: "008", amount: "free", ok: false, note: null, later: [1.5, "x"] },
    { id: "009", amount: null, ok: true, inner: { deep: 2 } },
  ];
  const expected = [
    ["id", "amount", "ok", "note", "later", "inner.deep"],
    ["007", "13.3202", "true", " a ", "", ""],
    ["008", "free", "false", "", '[1.5,"x"]', ""],
    ["009", "", "true", "", "", "2"],
  ];

  test("JSON and NDJSON: a field that appears late has its column in every batch", async () => {
    expect(await again(bytes(JSON.stringify(objects)))).toEqual(expected);
    const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
    expect(await again(bytes(`${lines(objects)}\n\n`))).toEqual(expected);
    const many = Array.from({ length: 20_000 }, (_, i) => ({ id: `a${i}`, x: i / 4 }));
    const found = await again(bytes(lines([...many, ...objects])));
    expect(found[0]).toEqual(["id", "x", ...expected[0].slice(1)]);
    expect(found.slice(-3).map(([id, , ...rest]) => [id, ...rest])).toEqual(expected.slice(1));
  });

  test("a stream, whose columns no reading has collected", async () => {
    const lines = Array.from({ length: 9000 }, (_, i) => `{"a":${i}}`);
    const source = bytes([...lines, '{"a":1,"b":"2.0"}'].join("\n"));
    let last: string[] = [];
    for await (const { rows, headings, cell } of writtenRows([source], undefined)) {
      expect(headings).toEqual(["a", "b"]);
      last = [cell(rows - 1, 0), cell(rows - 1, 1)];
    }
    expect(last).toEqual(["1", "2.0"]);
  });

  test("integers beyond 2^53 keep their digits", async () => {
    const text =
      '{"id":9007199254740993,"x":0.12345678901234567,"s":"a \\"1234567890123456789"}\n' +
      '{"id":-9007199254740995,"x":2,"s":"12345678901234567890"}\n';
    expect((await again(bytes(text))).slice(1)).toEqual([
      ["9007199254740993", String(Number("0.12345678901234567")), 'a "1234567890123456789'],
      ["-9007199254740995", "2", "12345678901234567890"],
    ]);
  });

  test.each(["all.parquet", "all.arrow"])("%s", async (name) => {
    const [headings, first, second, third] = await again(fixture(name), { as: { s: "category" } });
    expect(headings.join()).toBe("s,i,f,b,t,d,e,fx,nest,dict,tags,dec");
    expect(first.join("|")).toBe(
      'a|1|0.5|true|2024-03-01 12:00:00|2024-03-01|[1, 2]|[1, 2, 3]|[[1,2],[3,4]]|x|["p","q"]|0',
    );
    expect(second.slice(0, 4)).toEqual(["b", "2", "", "false"]);
    expect(third.slice(0, 4)).toEqual(["", "", "1.5", ""]);
  });

  test("errors of a spreadsheet are copied", async () => {
    const found = await again(fixture("inline.xlsx"));
    expect(found.slice(0, 2)).toEqual([
      ["who", "day", "bad", "f"],
      ["name 2", "2013-07-09", "#N/A", "f0"],
    ]);
  });
});
