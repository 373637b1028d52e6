import { describe, expect, test } from "vitest";
import { cellText, readColumns, readNumbers, type Column, type Table } from "../../../src/data/index.ts";
import { conform } from "../../../src/data/columns/typeLike.ts";
import { writtenRows } from "../../../src/data/columns/writtenRows.ts";
import fixture from "../../fixtures/exact-cells.json" with { type: "json" };
import { zip } from "../../fuzz/files.ts";

const bytes = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, "base64"));
const text = (source: string): Uint8Array => new TextEncoder().encode(source);

function column(table: Table, name: string): Column {
  const found = table.columns.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no column ${name}`);
  return found;
}

function cells(table: Table, name: string): string[] {
  const own = column(table, name);
  return Array.from({ length: table.rows }, (_, i) => cellText(own, i));
}

describe.each(["parquet", "parquetPlain", "arrow"] as const)("%s, written by pyarrow", (key) => {
  const file = bytes(fixture[key]);

  test("integers beyond 2^53 keep their digits and are ids", async () => {
    const table = await readColumns(file);
    for (const [name, texts] of Object.entries(fixture.texts)) {
      expect(column(table, name).kind).toBe("id");
      expect(cells(table, name)).toEqual(texts.map((value) => value ?? ""));
    }
  });

  test("large integers that a number holds are numbers; decimals are the nearest doubles", async () => {
    const table = await readColumns(file, {
      as: { nanoseconds: "number", price: "number", large: "number" },
    });
    for (const [name, values] of Object.entries(fixture.numbers)) {
      expect(Array.from(column(table, name).values!)).toEqual(values);
    }
  });

  test("infinite numbers are missing", async () => {
    const { missing, values } = column(await readColumns(file), "infinite");
    expect(missing).toBe(3);
    expect(Array.from(values!.subarray(0, 4))).toEqual([Number.NaN, Number.NaN, Number.NaN, 0.75]);
  });

  test("bytes are codes, never vectors or numbers", async () => {
    const table = await readColumns(file);
    for (const name of ["uuid", "hash", "fixed"] as const) {
      expect(column(table, name).kind).toBe("id");
      expect(cells(table, name)).toEqual(fixture[name]);
    }
  });

  test("a table of numbers has the same ids", async () => {
    const ignore = ["uuid", "hash", "fixed", "infinite", "id", "negative", "decimalId"];
    const { ids, X, names } = await readNumbers(file, { id: "unsigned", ignore });
    expect(ids!.values).toEqual(fixture.texts.unsigned);
    expect(names).toEqual(["nanoseconds", "price", "large"]);
    expect(Array.from((X as { data: Float64Array }).data.subarray(0, 3))).toEqual([
      fixture.numbers.nanoseconds[0],
      fixture.numbers.price[0],
      fixture.numbers.large[0],
    ]);
  });
});

describe("JSON", () => {
  const { id } = fixture.texts;
  const rows = id.map((value, i) => `{"id": ${value ?? "null"}, "x": ${i % 3}, "s": "a ${value}, b"}`);

  test.each([
    ["an array", `[${rows.join(", ")}]`],
    ["lines", rows.join("\n")],
    ["columns", `{"id": [${id.map((value) => value ?? "null").join(",")}]}`],
  ])("integers beyond 2^53 keep their digits: %s", async (_, source) => {
    const table = await readColumns(text(source));
    expect(cells(table, "id")).toEqual(id.map((value) => value ?? ""));
  });

  test("other numbers stay numbers", async () => {
    const source = "[[1700000000000000000, 0.1234567890123456789], [9007199254740992, 1e300], [-12, 2.5]]";
    const table = await readColumns(text(source), { as: { c0: "number", c1: "number" } });
    expect(Array.from(column(table, "c0").values!)).toEqual([1.7e18, 2 ** 53, -12]);
    expect(Array.from(column(table, "c1").values!)).toEqual([Number("0.1234567890123456789"), 1e300, 2.5]);
  });

  test("NaN, as Python writes it, is told what to write", async () => {
    await expect(readColumns(text('[{"a": NaN}, {"a": 1}]'), { name: "t.json" })).rejects.toThrow(
      /^t\.json is not JSON: .*; if it is NaN or Infinity, write null$/,
    );
  });

  test("UTF-16 is converted, in JSON and in NDJSON", async () => {
    for (const source of [`[${rows.join(",")}]`, rows.join("\r\n")]) {
      const wide = new Uint8Array(Buffer.from(`\ufeff${source}`, "utf16le"));
      expect(cells(await readColumns(wide), "x")).toEqual(rows.map((_, i) => String(i % 3)));
    }
  });
});

describe("workbooks", () => {
  const book = (sheet: string, styles = ""): Uint8Array =>
    zip({
      "xl/workbook.xml": text('<workbook><sheets><sheet name="s" sheetId="1"/></sheets></workbook>'),
      "xl/styles.xml": text(`<styleSheet>${styles}</styleSheet>`),
      "xl/worksheets/sheet1.xml": text(`<worksheet><sheetData>${sheet}</sheetData></worksheet>`),
    });
  const head = '<row><c t="str"><v>a</v></c><c t="str"><v>b</v></c></row>';

  test("a formula without a stored value is missing, with a note", async () => {
    const body = Array.from(
      { length: 9 },
      (_, i) => `<row><c><v>${i}</v></c><c><f>A1*2</f><v></v></c></row>`,
    );
    const table = await readColumns(book(head + body.join("")));
    expect(column(table, "b")).toMatchObject({ kind: "empty", missing: 9 });
    expect(table.notes.map(({ message }) => message)).toContain(
      "9 formulas have no stored value and count as missing; open the file in a spreadsheet program and save it there",
    );
  });

  test("days before March 1900 are counted without the leap day that never was", async () => {
    const styles = '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>';
    const days = [1, 59, 61, 62, 63, 64];
    const body = days.map((day, i) => `<row><c s="1"><v>${day}</v></c><c><v>${i}</v></c></row>`);
    const table = await readColumns(book(head + body.join(""), styles));
    expect(cells(table, "a").slice(0, 3)).toEqual(["1900-01-01", "1900-02-28", "1900-03-01"]);
  });
});

describe("files that are no tables", () => {
  const noise = Uint8Array.from({ length: 3000 }, (_, i) => (i * i * 31 + (i >> 3) * 7) & 255);

  test("bytes that are not text are refused, whatever they are called", async () => {
    for (const name of ["model.pkl", "photo.csv", "rows.json", "rows.libsvm"]) {
      const told = `${name} is not text, and no other kind of file that can be read; export the table as CSV`;
      await expect(readColumns(noise, { name })).rejects.toThrow(told);
      await expect(readNumbers(noise, { name })).rejects.toThrow(told);
    }
    const archive = new Uint8Array(2048);
    archive.set(text("rows.csv"));
    await expect(readColumns(archive, { name: "rows.tar" })).rejects.toThrow("rows.tar is not text");
    const wide = Uint8Array.from([...text("\ufeffa,b\n1,2\n3,4\n")].flatMap((byte) => [byte, 0, 0, 0]));
    await expect(readColumns(wide, { name: "wide.csv" })).rejects.toThrow("wide.csv is not text");
  });

  test("stray control characters and fields that end with one are text", async () => {
    const rows = Array.from({ length: 20 }, (_, i) => `${i}\u0001r\u0002${i % 3}\u0003x`);
    const table = await readColumns(text(`a\u0001b\n${rows.join("\n")}\n`), { delimiter: "\u0001" });
    expect(table.columns).toHaveLength(2);
    expect((await readColumns(text("a,b\n1,x\0y\n2,\u001b[2Jz\n3,w\n"))).rows).toBe(3);
  });

  test("pages of the web and XML are named", async () => {
    const page = text("\n<!DOCTYPE html>\n<html><body>Sign in, please</body></html>");
    await expect(readColumns(page, { name: "t.csv" })).rejects.toThrow("t.csv is a page of the web");
    const xml = text('<?xml version="1.0"?>\n<rows/>');
    await expect(readColumns(xml, { name: "t.xml" })).rejects.toThrow("t.xml is an XML document");
  });
});

test("a table of an Arrow message with half a slot is refused at once", async () => {
  const file = bytes(fixture.arrow);
  const view = new DataView(file.buffer);
  // The schema is the first message: behind the magic bytes, its mark and length.
  const message = 16 + view.getUint32(16, true);
  const schema = message + view.getUint16(message - view.getInt32(message, true) + 8, true);
  const fields = schema + view.getUint32(schema, true);
  const slots = fields - view.getInt32(fields, true);
  view.setUint16(slots, view.getUint16(slots, true) + 1, true);
  await expect(readColumns(file, { name: "t.arrow" })).rejects.toThrow(
    "a table of a message has half a slot",
  );
});

test("a copy of the rows has all digits, also of integers that are doubles", async () => {
  const source = text('[{"a": 1234567890123456768, "b": 1}, {"a": 1152921504606846976, "b": 2}]');
  const copied: string[] = [];
  for await (const { rows, cell } of writtenRows([source], undefined)) {
    for (let i = 0; i < rows; i++) copied.push(cell(i, 0));
  }
  expect(copied).toEqual(["1234567890123456768", "1152921504606846976"]);
});

test("a column without any cell is missing in a model of levels, not a level of its own", async () => {
  const train = await readColumns(text(`c,x\n${"a,1\nb,2\nc,5\n".repeat(9)}`));
  const empty = conform(await readColumns(text(`c,x\n${",1\n,2\n,4\n".repeat(3)}`)), train.columns);
  expect(column(empty, "c")).toMatchObject({ kind: "category", missing: 9, levels: ["a", "b", "c"] });
  expect(empty.notes.map(({ code }) => code)).not.toContain("unknown-level");
});
