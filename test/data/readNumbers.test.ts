import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readNumbers, type Format, type Source, type NumberTable } from "../../src/data/index.ts";
import { detectFormat } from "../../src/data/files/formats.ts";
import { toRows, type Matrix } from "../../src/matrix/index.ts";

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const rows = (table: NumberTable): number[][] => toRows(table.X as Matrix);
const text = "a,b,class\n1,2,x\n3,4,y\n";
const label = "class";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "kindred-test-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe("sources", () => {
  const sources: Record<string, () => Source> = {
    path: () => file("t.csv", text),
    URL: () => pathToFileURL(file("t.csv", text)),
    bytes: () => encode(text),
    Blob: () => new Blob([encode(text)]),
    File: () => new File([encode(text)], "t.csv"),
    ReadableStream: () => new Blob([encode(text)]).stream(),
    "async iterable": () =>
      (async function* () {
        for (const byte of encode(text)) yield Uint8Array.of(byte);
      })(),
    "gzipped path": () => file("t.csv.gz", gzipSync(text)),
    "gzipped bytes": () => gzipSync(text),
    "two gzip members": () => Buffer.concat([gzipSync(text.slice(0, 13)), gzipSync(text.slice(13))]),
  };
  test.each(Object.entries(sources))("%s", async (_, source) => {
    const table = await readNumbers(source(), { label });
    expect(rows(table)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(table.label).toEqual({ name: "class", values: ["x", "y"] });
  });

  test("a URL of another machine is told how to be read", async () => {
    const url = new URL("https://example.org/rows.csv");
    await expect(readNumbers(url)).rejects.toThrow(`cannot read ${url.href}: fetch it, and pass the Blob`);
  });

  test("a file of many buffers, and its progress", async () => {
    const lines = 400_000;
    const path = file("long.csv", "a,b\n" + "1.5,-2\n".repeat(lines));
    const fractions: number[] = [];
    const table = await readNumbers(path, { onProgress: ({ fraction }) => void fractions.push(fraction) });
    expect(table.X.rows).toBe(lines);
    expect(fractions.at(-1)).toBe(1);
    await expect(readNumbers(path, { onProgress: () => false })).rejects.toThrow(
      `reading ${path} was stopped`,
    );
  });

  test("standard input", async () => {
    const own = Object.getOwnPropertyDescriptor(process, "stdin")!;
    Object.defineProperty(process, "stdin", { value: Readable.from([gzipSync(text)]), configurable: true });
    try {
      const table = await readNumbers("-", { label });
      expect(table.source).toBe("standard input");
      expect(rows(table)).toEqual([
        [1, 2],
        [3, 4],
      ]);
    } finally {
      Object.defineProperty(process, "stdin", own);
    }
  });

  test("names in errors: the path, the File's name, or the option", async () => {
    const bad = "a\nx1\n";
    const path = file("bad.csv", bad);
    await expect(readNumbers(path)).rejects.toThrow(`${path} line 2`);
    await expect(readNumbers(new File([encode(bad)], "bad.csv"))).rejects.toThrow(/^bad\.csv line 2/);
    await expect(readNumbers(encode(bad))).rejects.toThrow(/^the data line 2/);
    await expect(readNumbers(encode(bad), { name: "upload" })).rejects.toThrow(/^upload line 2/);
  });

  test("what cannot be read is named with the reason", async () => {
    const nowhere = join(folder, "nowhere.csv");
    await expect(readNumbers(nowhere)).rejects.toThrow(`cannot read ${nowhere}: there is no such file`);
    await expect(readNumbers(folder)).rejects.toThrow(`cannot read ${folder}: it is a folder`);
    await expect(readNumbers(file("empty.csv", ""))).rejects.toThrow("empty.csv is empty");
    const broken = new ReadableStream<Uint8Array>({
      start: (controller) => controller.error(new Error("cable")),
    });
    await expect(readNumbers(broken, { name: "socket" })).rejects.toThrow("cannot read socket: cable");
    const strings = (async function* () {
      yield "a,b" as unknown as Uint8Array;
    })();
    await expect(readNumbers(strings)).rejects.toThrow("the stream gives string, not bytes");
  });

  test("gzip that ends early or is damaged", async () => {
    const whole = gzipSync(text.repeat(50));
    const message = "cannot unpack cut.csv.gz: the gzip data is damaged or ends too early";
    for (const length of [5, 12, whole.length >> 1, whole.length - 1]) {
      const cut = whole.subarray(0, length);
      await expect(readNumbers(new Uint8Array(cut), { name: "cut.csv.gz" })).rejects.toThrow(message);
    }
    const flipped = Uint8Array.from(whole);
    flipped[flipped.length - 6] ^= 1; // the checksum
    await expect(readNumbers(flipped, { name: "cut.csv.gz" })).rejects.toThrow(message);
  });
});

describe("format", () => {
  const cases: [Format, string, string][] = [
    ["csv", "a,b\n1,2\n", "x"],
    ["csv", "[a],[b]\n1,2\n", "x.csv"],
    ["tsv", "a\tb\n1\t2\n", "x.tsv"],
    ["json", ' [{"a":1}]', "x"],
    ["json", '{"a":[1,2]}', "x"],
    ["json", "[[1,2],\n[3,4]]", "x"],
    ["json", '[{"a":1}]', "-"],
    ["ndjson", '{"a":1}\n{"a":2}\n', "x"],
    ["ndjson", "[1,2]\n[3,4]\n", "x"],
    ["ndjson", '{"a":1}', "x.jsonl"],
    ["libsvm", "-1 3:1 11:0.5\n", "x"],
    ["libsvm", "1\n", "x.libsvm.gz"],
    ["csv", "12:30,12:45\n", "x"],
  ];
  test.each(cases)("%s: %j named %s", (format, head, name) => {
    expect(detectFormat(encode(head), name)).toBe(format);
  });

  test.each([
    ["%PDF-1.4", "a PDF document"],
    ["BZh9", "compressed by bzip2"],
    ['{"kindred":2,"kind":"clustering"}', "a model; kindred apply takes it together with a table"],
    ['{\n "kindred": "0.1.0",\n "kind": "metric"', "a model"],
  ])("%j is refused as what it is", (head, kind) => {
    expect(() => detectFormat(encode(head), "x.csv")).toThrow(`x.csv is ${kind}`);
  });

  test("an extension that the content contradicts", async () => {
    await expect(readNumbers(encode("a,b\n1,2\n"), { name: "x.parquet" })).rejects.toThrow(
      "not a Parquet file",
    );
    await expect(readNumbers(encode("a,b\n1,2\n"), { name: "x.arrow" })).rejects.toThrow(
      "cannot be read as Arrow",
    );
    await expect(readNumbers(encode("a,b\n1,2\n"), { name: "x.json" })).rejects.toThrow("x.json is not JSON");
    expect((await readNumbers(encode("a,b\n1,2\n"), { name: "x.json", format: "csv" })).names).toEqual([
      "a",
      "b",
    ]);
  });
});

describe("JSON", () => {
  test.each([
    ["objects", '[{"a":1,"b":2,"class":"x"},{"b":4,"a":3,"class":"y"}]'],
    ["columns", '{"a":[1,3],"b":[2,4],"class":["x","y"]}'],
    ["lines", '{"a":1,"b":2,"class":"x"}\n\n{"b":4,"a":3,"class":"y"}\n'],
  ])("%s", async (_, json) => {
    const table = await readNumbers(encode(json), { label });
    expect(table.names).toEqual(["a", "b"]);
    expect(rows(table)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(table.label!.values).toEqual(["x", "y"]);
  });

  test.each(["[[1,2],[3,4]]", "[1,2]\n[3,4]\n"])("arrays: %j", async (json) => {
    const table = await readNumbers(encode(json));
    expect(table.names).toEqual(["c0", "c1"]);
    expect(rows(table)).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  test("a field that some objects lack is a missing value", async () => {
    const json = encode('[{"a":1},{"a":2,"b":3},{"a":null,"b":5}]');
    await expect(readNumbers(json, { name: "t.json" })).rejects.toThrow(
      't.json: 2 missing values: row 1, column "b"; row 3, column "a"',
    );
    expect(rows(await readNumbers(json, { missing: "mean" }))).toEqual([
      [1, 4],
      [2, 3],
      [1.5, 5],
    ]);
  });

  test.each([
    ["[]", "t.json has no rows of data"],
    ["{}", "t.json has no rows of data"],
    ['{"a":[]}', "t.json has no rows of data"],
    ["[1,2]", "t.json row 1: expected an object or an array"],
    ["[[1],[2,3]]", "t.json row 2: expected 1 values, found 2"],
    ['[[1],{"a":2}]', "t.json row 2: objects and arrays are mixed"],
    ['{"a":[1],"b":[1,2]}', 'column "a" has 1 values, but column "b" has 2'],
    ['{"a":1}', 'column "a" is not an array'],
    ['[{"a":[1]}]', 't.json row 1, column "a": a nested value'],
    ['[{"a":"x"}]', 't.json row 1, column "a": "x" is not a number'],
    ['[{"a":1e999}]', 't.json row 1, column "a": Infinity is not a finite number'],
    ["[1,", "t.json is not JSON"],
    ["12", "t.json: expected an array of rows or an object of columns"],
  ])("bad input: %s", async (json, message) => {
    await expect(readNumbers(encode(json), { name: "t.json" })).rejects.toThrow(message);
  });

  test.each([
    ['{"a":1}\n{"a":', "t.ndjson line 2 is not JSON"],
    ['{"a":1}\n\n{"a":2,"b":3}\n', '1 missing value: line 1, column "b"'],
    ["[1]\n[1,2]\n", "t.ndjson line 2: expected 1 values, found 2"],
    ["[1]\n7\n", "t.ndjson line 2: expected an object or an array"],
    ["\n\n", "t.ndjson has no rows of data"],
  ])("bad line: %j", async (json, message) => {
    await expect(readNumbers(encode(json), { name: "t.ndjson" })).rejects.toThrow(message);
  });
});

describe("LIBSVM", () => {
  test("sparse rows, comments, empty rows, the number of features", async () => {
    const svm = encode("+1 1:0.5 3:-2 # first\n-1\n\n+1 qid:4 2:1e3 4:0\n");
    const table = await readNumbers(svm, { format: "libsvm" });
    expect(table.names).toEqual(["f1", "f2", "f3", "f4"]);
    expect(table.X).toEqual({
      rows: 3,
      cols: 4,
      offsets: Int32Array.of(0, 2, 2, 3),
      indices: Int32Array.of(0, 2, 1),
      values: Float64Array.of(0.5, -2, 1000),
    });
    expect(table.label).toEqual({ name: "label", values: ["+1", "-1", "+1"] });
    expect((await readNumbers(svm, { format: "libsvm", features: 9, label })).X.cols).toBe(9);
  });

  test.each([
    ["1 2:1 1:1\n", "t.svm line 1: index 1 comes after 2; indices must ascend"],
    ["1 0:1\n", "t.svm line 1: index 0; LIBSVM counts features from 1"],
    ["1 1:x\n", 't.svm line 1, feature 1: "x" is not a finite number'],
    ["1 1:inf\n", 't.svm line 1, feature 1: "inf" is not a finite number'],
    ["1 a\n", 't.svm line 1: "a" is not "index:value"'],
    ["1 1:1\n2:1 3:1\n", 't.svm line 2: the label is missing before "2:1"'],
    ["1 5:1\n", 't.svm line 1: index 5, but option "features" says 4'],
    ["# nothing\n", "t.svm has no rows of data"],
  ])("bad input: %j", async (svm, message) => {
    const features = message.includes("features") && message.includes("4") ? 4 : undefined;
    await expect(readNumbers(encode(svm), { name: "t.svm", features })).rejects.toThrow(message);
  });

  test("options that it cannot have", async () => {
    await expect(readNumbers(encode("1 1:1\n"), { label: "y" })).rejects.toThrow('LIBSVM has only "label"');
    await expect(readNumbers(encode("1 1:1\n"), { id: "y" })).rejects.toThrow('option "id" does not apply');
  });
});
