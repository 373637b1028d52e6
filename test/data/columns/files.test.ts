import { gzipSync } from "node:zlib";
import { int64, list, tableFromArrays, tableToIPC } from "@uwdata/flechette";
import { describe, expect, test } from "vitest";
import { cellText, dateText, describeColumns, readColumns, type Table } from "../../../src/data/index.ts";
import { zip } from "../../fuzz/files.ts";
import { rows } from "./cells.ts";
import { fixture } from "./fixtures.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const named = (table: Table): string[] => table.columns.map((column) => column.name);
const kinds = (table: Table): string[] => table.columns.map((column) => `${column.name}: ${column.kind}`);
const codes = (table: Table): string[] => table.notes.map((note) => note.code);

describe("delimited text", () => {
  test("line breaks, quotes and delimiters inside quotes; duplicate, empty and numeric headers", async () => {
    const text = `a,a,,2019,2020\n${rows(30, (i) => `"line one\nline ""two"" ${i}",x${i % 3},y,${i * 1.5},${i * 2.5}\n`).join("")}`;
    const table = await readColumns(utf8(text));
    expect(named(table)).toEqual(["a", "a_2", "c2", "2019", "2020"]);
    expect(table.rows).toBe(30);
    expect(table.columns[0].cells![4]).toBe('line one\nline "two" 4');
    expect(codes(table)).toEqual(["unnamed-columns", "renamed-columns"]);
  });

  test("a file whose rows are read in pieces gives the same", async () => {
    const text = `id,when,x,t\n${rows(3000, (i) => `K${i},${1 + (i % 28)}/0${1 + (i % 9)}/2024,${i / 8},"a, ""b"" ${i % 7}"\r\n`).join("")}`;
    const bytes = utf8(text);
    async function* pieces(size: number): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
    const whole = await readColumns(bytes, { name: "t" });
    for (const size of [13, 4093]) expect(await readColumns(pieces(size), { name: "t" })).toEqual(whole);
    expect(await readColumns(new Uint8Array(gzipSync(bytes)), { name: "t" })).toEqual(whole);
    expect(whole.columns[1].missing).toBe(0);
  });

  test("no header", async () => {
    const table = await readColumns(
      utf8(rows(50, (i) => `${i / 4},${i * 2.5},${["red", "blue"][i % 2]}\n`).join("")),
    );
    expect(named(table)).toEqual(["c0", "c1", "c2"]);
    expect(table.rows).toBe(50);
    expect(codes(table)).toEqual(["no-header"]);
  });

  test("lines above the header, rows that are short", async () => {
    const table = await readColumns(
      utf8(
        `Report of March\n\nname;size\n${rows(20, (i) => `${["ax", "bo"][i % 2]};${i / 4}\n`).join("")}Total\n`,
      ),
    );
    expect(named(table)).toEqual(["name", "size"]);
    expect(table.rows).toBe(21);
    expect(codes(table)).toEqual(["short-rows", "skipped-lines"]);
  });

  test("a quoted decimal comma in a comma-separated file", async () => {
    const text = `name,x,y\n${rows(20, (i) => `n${i % 4},"0,${259 + i}",${i}\n`).join("")}`;
    for (const options of [{}, { decimal: "," } as const]) {
      const table = await readColumns(utf8(text), options);
      expect(named(table)).toEqual(["name", "x", "y"]);
      expect(table.columns[1].values![0]).toBe(0.259);
      expect(table.columns[2].values![7]).toBe(7);
    }
  });

  test("the bytes 128 to 159 of Windows-1252 are the euro sign, quotes and others, in every way of asking", async () => {
    const cells = [0x80, 0x82, 0x84, 0x8a, 0x8c, 0x8e, 0x91, 0x94, 0x96, 0x99, 0x9a, 0x9f];
    const bytes = Uint8Array.from([
      ..."word\n".split("").map((letter) => letter.charCodeAt(0)),
      ...cells.flatMap((byte) => [0xe4, byte, 0x0a]),
    ]);
    for (const encoding of [undefined, "windows-1252", "cp1252", "latin1"]) {
      const { columns } = await readColumns(bytes, { as: { word: "text" }, ...(encoding && { encoding }) });
      expect(columns[0].cells).toEqual([..."€‚„ŠŒŽ‘”–™šŸ"].map((letter) => `ä${letter}`));
    }
  });

  test("Windows-1252 is seen and told, another encoding can be named", async () => {
    const bytes = Uint8Array.from(
      `stadt,x\n${rows(30, (i) => `${["Köln", "Bern"][i % 2]},${i / 4}\n`).join("")}`,
      (c) => c.charCodeAt(0),
    );
    const table = await readColumns(bytes);
    expect(table.columns[0].levels).toEqual(["Bern", "Köln"]);
    expect(codes(table)).toEqual(["encoding"]);
    expect((await readColumns(bytes, { encoding: "latin1" })).notes).toEqual([]);
    await expect(readColumns(bytes, { encoding: "utf-8" })).rejects.toThrow(
      'is not UTF-8; try option "encoding" windows-1252',
    );
    await expect(readColumns(bytes, { encoding: "klingon" })).rejects.toThrow("name of an encoding");
  });

  test("vectors in cells, and in many columns with one prefix", async () => {
    const cell = await readColumns(utf8(`id,v\n${rows(20, (i) => `k${i},"[${i}.5, -2, 3e-1]"\n`).join("")}`));
    expect(kinds(cell)).toEqual(["id: id", "v: vector"]);
    expect(Array.from(cell.columns[1].vectors!.data.subarray(3, 6))).toEqual([1.5, -2, 0.3]);
    const names = rows(40, (j) => `emb_${j}`).join(",");
    const wide = utf8(
      `id,${names}\n${rows(50, (i) => `k${i},${rows(40, (j) => Math.sin(i * 40 + j).toFixed(4)).join(",")}\n`).join("")}`,
    );
    const table = await readColumns(wide);
    expect(kinds(table)).toEqual(["id: id", "emb: vector"]);
    expect(table.columns[1].vectors!.cols).toBe(40);
    expect(table.columns[1].vectors!.data[40]).toBe(Number(Math.sin(40).toFixed(4)));
    expect(codes(table)).toEqual(["vector-columns"]);
    expect((await readColumns(wide, { vector: "none" })).columns).toHaveLength(41);
    await expect(readColumns(wide, { vector: "vec" })).rejects.toThrow('option "vector" names "vec"');
  });

  test("names and units that every object has", async () => {
    const text = `constructor,__proto__,toString\n${rows(30, (i) => `${i / 4},${["a b", "c d"][i % 2]},${i} valueOf\n`).join("")}`;
    const table = await readColumns(utf8(text));
    expect(kinds(table)).toEqual(["constructor: number", "__proto__: category", "toString: number"]);
    expect(table.columns[2].values![5]).toBe(5);
    const lines = rows(30, (i) => `{"constructor":${i / 4},"__proto__":"${["a b", "c d"][i % 2]}"}\n`).join(
      "",
    );
    expect(kinds(await readColumns(utf8(lines), { format: "ndjson" }))).toEqual(kinds(table).slice(0, 2));
  });

  test("several files with the same columns are one table", async () => {
    const first = utf8("a,b\n1.5,x\n2.5,y\n3.5,x\n");
    const second = utf8("b,a\ny,4.5\nz,5.5\nx,6.5\n");
    const table = await readColumns([first, second]);
    expect(Array.from(table.columns[0].values!)).toEqual([1.5, 2.5, 3.5, 4.5, 5.5, 6.5]);
    expect(rows(6, (i) => cellText(table.columns[1], i))).toEqual(["x", "y", "x", "y", "z", "x"]);
    await expect(readColumns([first, utf8("a,c\n1,2\n")])).rejects.toThrow('lacks "b" and has "c"');
  });
});

describe("damaged files are told in words", () => {
  test.each([
    [
      "a row with more cells",
      "a,b\n1,2\n3,4,5\n6,7\n8,9,10\n11,12\n13,14\n15,16\n",
      /line 3: expected 2 cells, found 3, and so in 2 lines/,
    ],
    ["an open quote", 'a,b\n1,"x\n2,y\n', /line 2, column "b": the quote that opens here is never closed/],
    ["text after a quote", 'a,b\n1,"x"y\n', /text after the closing quote/],
    ["nothing", "", /is empty/],
    ["a header alone", "name,size\n", /has no rows of data/],
    ["a PDF", "%PDF-1.7\n", /is a PDF document/],
  ])("%s", async (_, text, message) => {
    await expect(readColumns(utf8(text))).rejects.toThrow(message);
  });

  test("arrays, workbooks and Parquet that were cut off", async () => {
    const npy = new Uint8Array((await import("node:zlib")).gunzipSync(fixture("c.npy")));
    await expect(readColumns(npy.subarray(0, 300))).rejects.toThrow(
      "declares 6 x 20 numbers, but holds only",
    );
    await expect(readColumns(fixture("book.xlsx").subarray(0, 3000), { name: "b.xlsx" })).rejects.toThrow(
      "b.xlsx is a damaged zip archive",
    );
    await expect(readColumns(fixture("all.parquet").subarray(0, 900), { name: "p.parquet" })).rejects.toThrow(
      "p.parquet cannot be read as Parquet",
    );
    await expect(readColumns(utf8('{"a":1}\n{"a":\n'), { format: "ndjson" })).rejects.toThrow(
      "line 2 is not JSON",
    );
  });

  test("options of other formats", async () => {
    await expect(readColumns(fixture("all.parquet"), { delimiter: ";" })).rejects.toThrow(
      '"delimiter" does not apply',
    );
    await expect(readColumns(fixture("book.xlsx"), { sheet: "Sales" })).rejects.toThrow(
      'the sheets are "Cover", "Data"',
    );
    await expect(readColumns(utf8("1 1:2 2:3\n-1 1:5\n"))).rejects.toThrow("readNumbers");
  });

  test("a table that does not fit is refused, and its largest column named", async () => {
    const text = utf8(
      `x,note\n${rows(5000, (i) => `${i / 8},this is the long note number ${i} of many\n`).join("")}`,
    );
    await expect(readColumns(text, { memory: 200_000 })).rejects.toThrow(
      /needs at least 1 MB .* column "note" .*option "as" note=ignore/,
    );
    const lines = utf8(
      rows(5000, (i) => `{"x":${i / 8},"note":"this is the long note number ${i} of many"}\n`).join(""),
    );
    await expect(readColumns(lines, { memory: 200_000, format: "ndjson" })).rejects.toThrow(/column "note"/);
  });
});

describe("JSON", () => {
  const objects = rows(30, (i) => ({
    id: `k${i}`,
    x: i / 4,
    tag: ["p", "q"][i % 2],
    v: [i, -i, i / 8],
    deep: { a: i * 2.5 },
  }));
  const expected = ["id: id", "x: number", "tag: category", "v: vector", "deep.a: number"];

  test("rows, lines, columns, and an object around them", async () => {
    const columns = Object.fromEntries(
      ["id", "x", "tag", "v"].map((key) => [key, objects.map((row) => row[key as "id"])]),
    );
    expect(kinds(await readColumns(utf8(JSON.stringify(objects))))).toEqual(expected);
    expect(kinds(await readColumns(utf8(JSON.stringify({ page: 1, data: objects }))))).toEqual(expected);
    expect(kinds(await readColumns(utf8(JSON.stringify(columns))))).toEqual(expected.slice(0, 4));
    const lines = await readColumns(utf8(objects.map((row) => `${JSON.stringify(row)}\n`).join("")));
    expect(kinds(lines)).toEqual(expected);
    expect(Array.from(lines.columns[3].vectors!.data.subarray(3, 6))).toEqual([1, -1, 0.125]);
  });

  test("long lines are read from their bytes to the same numbers", async () => {
    const values = rows(40, (i) => rows(64, (j) => Math.tan(i * 64 + j) * 10 ** ((j % 40) - 20)));
    const text = values
      .map(
        (v, i) => `{"t":"a \\"b\\" [1,2] ${i}","v":${JSON.stringify(v)},"w":[1, 2.5 ,-3e2],"s":["p","q"]}\n`,
      )
      .join("");
    const plain = values
      .map((v, i) => `{"t":"a \\"b\\" [1,2] ${i}","v":${JSON.stringify(v)},"w":[1,2.5,-300]}\n`)
      .join("");
    for (const lines of [text, plain]) {
      const table = await readColumns(utf8(lines), { format: "ndjson" });
      expect(table.columns.slice(0, 3).map((column) => column.kind)).toEqual(["id", "vector", "vector"]);
      expect(table.columns[0].cells![3]).toBe('a "b" [1,2] 3');
      expect(Array.from(table.columns[1].vectors!.data)).toEqual(values.flat());
      expect(Array.from(table.columns[2].vectors!.data.subarray(0, 3))).toEqual([1, 2.5, -300]);
    }
  });

  test("fields that come later, and vectors of another length", async () => {
    const lines = rows(40, (i) => ({
      a: i / 4,
      ...(i > 3 && { b: i * 1.5 }),
      v: i === 7 ? [1] : [i, 2.5, 3],
    }));
    const table = await readColumns(utf8(lines.map((row) => `${JSON.stringify(row)}\n`).join("")));
    expect(table.columns.find((column) => column.name === "b")!.missing).toBe(4);
    expect(table.columns.find((column) => column.name === "v")!.missing).toBe(1);
    expect(table.notes.map((note) => [note.code, note.row])).toEqual([["not-vector", 8]]);
  });
});

describe("columnar files", () => {
  test.each(["all.parquet", "v2.parquet", "all.arrow"])("%s", async (name) => {
    const table = await readColumns(fixture(name), { as: { s: "category" } });
    expect(kinds(table)).toEqual([
      "s: category",
      "i: number",
      "f: number",
      "b: category",
      "t: date",
      "d: date",
      "e: vector",
      "fx: vector",
      "nest: vector",
      "dict: category",
      "tags: text",
      "dec: number",
    ]);
    const cells = (column: string): string[] => {
      const found = table.columns.find((one) => one.name === column)!;
      return rows(table.rows, (row) => cellText(found, row));
    };
    expect(cells("s")).toEqual(["a", "b", "", "a", "c", "a"]);
    expect(cells("i")).toEqual(["1", "2", "", "4", "5", "60"]);
    expect(cells("b")).toEqual(["true", "false", "", "true", "true", "false"]);
    expect(cells("t")[0]).toBe("2024-03-01 12:00:00");
    expect(cells("d")[5]).toBe("2024-03-06");
    expect(cells("e")).toEqual(["[1, 2]", "[3, 4]", "", "[5, 6]", "[7, 8]", "[9, 10]"]);
    expect(cells("nest")[0]).toBe("[1, 2, 3, 4]");
    expect(cells("dict")).toEqual(["x", "y", "x", "x", "", "y"]);
    expect(cells("tags")[0]).toBe("p; q");
    expect(cells("dec")[3]).toBe("3.75");
    expect(table.columns[1].cells).toBeUndefined();
  });

  test("lists of whole numbers in Arrow, beyond doubles and not; records are no lists", async () => {
    const big = 2n ** 62n;
    const file = tableToIPC(
      tableFromArrays(
        {
          v: rows(40, (i) => [BigInt(i), BigInt(i % 3)]),
          codes: rows(40, (i) => [big + BigInt(i % 2), 1n]),
          record: rows(40, (i) => ({ a: i % 2, b: "x" })),
        },
        { types: { v: list(int64()), codes: list(int64()) } },
      ),
      { format: "file" },
    )!;
    const { columns } = await readColumns(file);
    expect(columns.map(({ kind, reading }) => [kind, reading.form])).toEqual([
      ["vector", undefined],
      ["category", "list"],
      ["category", undefined],
    ]);
    expect(Array.from(columns[0].vectors!.data.subarray(0, 4))).toEqual([0, 0, 1, 1]);
    expect(cellText(columns[1], 1)).toBe(`${big + 1n}; 1`);
    expect(columns[2].levels).toEqual(['{"a":0,"b":"x"}', '{"a":1,"b":"x"}']);
  });

  test("arrays of NumPy", async () => {
    const expected = rows(120, (k) => k / 8);
    for (const name of ["c.npy", "f.npy"]) {
      const { columns } = await readColumns(fixture(name));
      expect(Array.from(columns[0].vectors!.data)).toEqual(expected);
      expect(columns[0].vectors!.cols).toBe(20);
    }
    expect(Array.from((await readColumns(fixture("i.npy"))).columns[0].vectors!.data)).toEqual(
      expected.map(Math.floor),
    );
    expect(Array.from((await readColumns(fixture("one.npy"))).columns[0].values!)).toEqual([
      0, 1.5, 3, 4.5, 6,
    ]);
    expect(named(await readColumns(fixture("small.npy")))).toEqual(["c0", "c1"]);
    const two = await readColumns(fixture("two.npz"));
    expect(kinds(two)).toEqual(["emb: vector", "score: number"]);
    expect(Array.from(two.columns[0].vectors!.data)).toEqual(expected);
  });
});

describe("workbooks", () => {
  test("the first sheet with a table; dates by their format", async () => {
    const table = await readColumns(fixture("book.xlsx"));
    expect(kinds(table)).toEqual([
      "Customer: id",
      "When: date",
      "At: date",
      "Active: category",
      "Amount: number",
      "Note: category",
      "Took: number",
    ]);
    expect(dateText(table.columns[1].values![1])).toBe("2024-02-05");
    expect(dateText(table.columns[2].values![1])).toBe("2024-03-01 11:30:00");
    expect(cellText(table.columns[3], 1)).toBe("false");
    expect(Array.from(table.columns[4].values!.subarray(0, 5))).toEqual([0, 10.5, 21, Number.NaN, 42]);
    expect(rows(6, (i) => cellText(table.columns[5], i))).toEqual(["a & b", "<c>", '"d"', "ü", "a & b", ""]);
    expect(table.columns[6].values![1]).toBe(240);
    expect(codes(table)).toEqual(["sheet"]);
    expect((await readColumns(fixture("book.xlsx"), { sheet: 2 })).rows).toBe(12);
  });

  test("a hidden sheet is read only if it is asked for, or no other has cells", async () => {
    const xml = (text: string): Uint8Array => new TextEncoder().encode(`<?xml version="1.0"?>${text}`);
    const sheet = (name: string): Uint8Array =>
      xml(
        `<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>${name}</t></is></c></row>` +
          `${rows(9, (i) => `<row r="${i + 2}"><c r="A${i + 2}"><v>${i * 1.5}</v></c></row>`).join("")}</sheetData></worksheet>`,
      );
    const book = (shown: string): Uint8Array =>
      zip({
        "xl/workbook.xml": xml(
          '<workbook><sheets><sheet name="lists" sheetId="1" state="hidden" r:id="r1"/>' +
            `<sheet name="data" sheetId="2" ${shown} r:id="r2"/></sheets></workbook>`,
        ),
        "xl/worksheets/sheet1.xml": sheet("secret"),
        "xl/worksheets/sheet2.xml": sheet("price"),
        "xl/_rels/workbook.xml.rels": xml(
          '<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/>' +
            '<Relationship Id="r2" Target="worksheets/sheet2.xml"/></Relationships>',
        ),
      });
    expect(named(await readColumns(book("")))).toEqual(["price"]);
    expect(named(await readColumns(book(""), { sheet: 1 }))).toEqual(["secret"]);
    expect(named(await readColumns(book('state="veryHidden"')))).toEqual(["secret"]);
  });

  test("inline strings, formulas, errors, days since 1904", async () => {
    const table = await readColumns(fixture("inline.xlsx"));
    expect(kinds(table)).toEqual(["who: category", "day: date", "bad: empty", "f: category"]);
    expect(cellText(table.columns[0], 0)).toBe("name 2");
    expect(cellText(table.columns[1], 0)).toBe("2013-07-09");
  });
});

test("the decisions as a table", async () => {
  const table = await readColumns(
    utf8(`price,plan\n${rows(20, (i) => `$${i}.50,${["free", "pro"][i % 2]}\n`).join("")}`),
  );
  expect(describeColumns(table)).toBe(
    "column  taken as   why\nprice   number, $  amounts in $\nplan    category   2 levels",
  );
  expect(structuredClone(table)).toEqual(table);
});

test("many fields, each in one row, are refused before they fill the memory: the packed file is small", async () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `{"k${i}":1}\n`).join("");
  const before = process.memoryUsage().arrayBuffers;
  const reading = readColumns(new Uint8Array(gzipSync(lines)), { name: "keys.ndjson.gz" });
  await expect(reading).rejects.toThrow(
    /keys\.ndjson\.gz needs at least 1\.\d GB of memory, and at most 1\.0 GB/,
  );
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1e9);
});
