import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chunkReader, type ByteReader } from "../../src/data/files/bytes.ts";
import { readingBudget } from "../../src/data/files/budget.ts";
import { joinedParts, numberRows } from "../../src/data/files/numberRows.ts";
import { csvBatches } from "../../src/data/text/csvBatches.ts";
import { readNumbers, writeCsv, type ReadOptions, type NumberTable } from "../../src/data/index.ts";
import { fromRows, toRows, type Matrix } from "../../src/matrix/index.ts";

async function readCsv(
  reader: ByteReader,
  name: string,
  options: ReadOptions,
  bufferBytes: number,
): Promise<NumberTable> {
  const rows = numberRows(name, options, readingBudget(undefined), true);
  const cells = { ...options, ignore: undefined, memory: Infinity, numbers: rows.plan };
  const parts = [];
  for await (const raw of csvBatches(reader, name, cells, Infinity, undefined, bufferBytes))
    parts.push(rows.read(raw));
  rows.requireWhole("");
  return joinedParts(parts);
}

const encoder = new TextEncoder();
const read = (text: string, options: ReadOptions = {}): Promise<NumberTable> =>
  readNumbers(encoder.encode(text), { name: "t.csv", ...options });
const rows = (table: NumberTable): number[][] => toRows(table.X as Matrix);

describe("dialects", () => {
  test("quotes, doubled quotes, line ends inside quotes, CRLF, a byte order mark", async () => {
    const text = '\uFEFFa,"b ""x""",class\r\n1,"2.5","two\r\nlines"\r\n-3e2, 4 ,"y ""q"""\r\n';
    const table = await read(text, { label: "class" });
    expect(table.names).toEqual(["a", 'b "x"']);
    expect(rows(table)).toEqual([
      [1, 2.5],
      [-300, 4],
    ]);
    expect(table.label).toEqual({ name: "class", values: ["two\r\nlines", 'y "q"'] });
  });

  test.each([",", ";", "\t", "|"])("the delimiter %j is found", async (delimiter) => {
    const table = await read(["a", "b", "c"].join(delimiter) + "\n" + ["1", "2", "3"].join(delimiter) + "\n");
    expect(table.names).toEqual(["a", "b", "c"]);
    expect(rows(table)).toEqual([[1, 2, 3]]);
  });

  test("quoted cells do not mislead the search for the delimiter", async () => {
    expect((await read('"a, b";"c"\n"1";2\n')).names).toEqual(["a, b", "c"]);
    expect((await read('"a;b","c"\n1,"2"\n')).names).toEqual(["a;b", "c"]);
    expect((await read('"a"\n1\n')).names).toEqual(["a"]);
    await expect(read('"a"b,c\n1,2\n')).rejects.toThrow("line 1: there is text after the closing quote");
  });

  test("a decimal comma in quotes where cells are separated by commas", async () => {
    const text = 'a,b,c\n"0,259",2,"1,5"\n"-1,25",4,"7"\n';
    for (const options of [{ decimal: "," } as const, { decimal: ",", delimiter: "," } as const]) {
      expect(rows(await read(text, options))).toEqual([
        [0.259, 2, 1.5],
        [-1.25, 4, 7],
      ]);
    }
    await expect(read('a,b,c\n"0,259",2,x\n', { decimal: "," })).rejects.toThrow('column "c"');
  });

  test("a decimal comma, on request", async () => {
    const text = 'a;b\n1,5;2\n-0,25;"3,5"\n';
    expect(rows(await read(text, { decimal: "," }))).toEqual([
      [1.5, 2],
      [-0.25, 3.5],
    ]);
    await expect(read(text)).rejects.toThrow('t.csv line 2, column "a": "1,5" is not a number');
  });

  test("bare carriage returns end lines, blank lines are passed over, the last line needs no end", async () => {
    expect(rows(await read("a,b\r\r1,2\r3,4"))).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  test("without a header the columns are numbered", async () => {
    const table = await read("5.1,3.5,setosa\n4.9,3,setosa\n", { label: "c2" });
    expect(table.names).toEqual(["c0", "c1"]);
    expect(table.notes).toEqual([
      'no header found: the columns are called c0 to c2; option "header" says otherwise',
    ]);
    expect(rows(await read("1,2\n3,4\n", { header: true }))).toEqual([[3, 4]]);
    expect((await read("a,b\n1,2\n", { header: true })).names).toEqual(["a", "b"]);
    await expect(read("a,b\n1,2\n", { header: false })).rejects.toThrow('t.csv line 1, column "c0": "a"');
  });

  test("two numbers are no header: any two lie in equal steps; three in equal steps are, with a note", async () => {
    expect(rows(await read("1,3\n2,6\n3,2\n"))).toHaveLength(3);
    const years = await read("2019,2020,2021\n10,20,35\n11,22,31\n");
    expect(years.names).toEqual(["2019", "2020", "2021"]);
    expect(years.notes).toEqual([
      'the first row (2019, 2020, 2021) is taken for the names of the columns; option "header" says otherwise',
    ]);
  });

  test("a header of numbers is known by the column that an option names", async () => {
    expect((await read("2019,2020,class\n1,2,x\n", { label: "class" })).names).toEqual(["2019", "2020"]);
  });

  test("empty names are filled in, equal ones refused", async () => {
    const table = await read(",a\n1,2\n");
    expect(table.names).toEqual(["c0", "a"]);
    expect(table.notes).toEqual(["the column without a name is called c0"]);
    await expect(read("a,b,a\n1,2,3\n")).rejects.toThrow('columns 1 and 3 are both named "a"');
  });

  test("text that is not ASCII", async () => {
    const table = await read("größe,class\n1,日本語の長い長いラベル\n2,é\n", { label: "class" });
    expect(table.names).toEqual(["größe"]);
    expect(table.label!.values).toEqual(["日本語の長い長いラベル", "é"]);
  });
});

describe("columns", () => {
  const text = "id,x,color,day,class\nr1,1,red,mon,A\nr2,2,blue,tue,B\nr3,3,red,mon,A\n";

  test("label, id, batch and ignored columns never reach X", async () => {
    const table = await read(text, { label: "class", id: "id", batch: "day", ignore: ["color"] });
    expect(table.names).toEqual(["x"]);
    expect(rows(table)).toEqual([[1], [2], [3]]);
    expect(table.label).toEqual({ name: "class", values: ["A", "B", "A"] });
    expect(table.ids).toEqual({ name: "id", values: ["r1", "r2", "r3"] });
    expect(table.batch).toEqual({ name: "day", values: ["mon", "tue", "mon"] });
  });

  test("a text column is refused by name, with the options that would accept it", async () => {
    await expect(read(text, { label: "class", id: "id" })).rejects.toThrow(
      't.csv line 2, column "color": "red" is not a number; ' +
        'give the column to option "label" or option "ignore" if it is meant to be text',
    );
  });

  test("text that comes later than the sample is refused by line", async () => {
    const long = "x,y\n" + "1,2\n".repeat(2000) + "1,late\n";
    await expect(read(long)).rejects.toThrow('line 2002, column "y": "late"');
  });

  test("unknown and twice-named columns", async () => {
    await expect(read(text, { label: "klass" })).rejects.toThrow(
      'option "label" names the column "klass", which t.csv does not have; did you mean "class"? The columns are "id", "x", "color", "day", "class"',
    );
    await expect(read(text, { label: "class", ignore: ["class"] })).rejects.toThrow(
      'column "class" is named by both option "label" and option "ignore"',
    );
    await expect(read("class\nA\n", { label: "class" })).rejects.toThrow("no column is left to be a feature");
  });
});

describe("missing values", () => {
  const text = "x,y\n1,10\n,20\n3,NA\n5,?\n7,nan\n8,null\n";

  test("are refused with their positions and their number", async () => {
    await expect(read(text)).rejects.toThrow(
      't.csv: 5 missing values: line 3, column "x"; line 4, column "y"; line 5, column "y"; line 6, column "y"; ' +
        'line 7, column "y"; option "missing" can drop their rows or fill the cells',
    );
    await expect(read(`${text},\n`)).rejects.toThrow(
      'line 7, column "y" and 2 more; option "missing" can drop',
    );
  });

  test("mean, drop", async () => {
    const mean = await read(text, { missing: "mean" });
    expect(rows(mean).map((row) => row[0])).toEqual([1, 4.8, 3, 5, 7, 8]);
    expect(rows(mean).map((row) => row[1])).toEqual([10, 20, 15, 15, 15, 15]);
    expect(mean.notes).toEqual([
      '1 missing value in column "x" set to its mean, 4.8',
      '4 missing values in column "y" set to its mean, 15',
    ]);
    const kept = await read(text, { missing: "drop" });
    expect(rows(kept)).toEqual([[1, 10]]);
    expect(kept.notes).toEqual(["5 rows with missing values dropped"]);
  });

  test("labels follow the dropped rows, an empty label is unknown, not missing", async () => {
    const table = await read("x,class\n1,A\n,B\n3,\n", { label: "class", missing: "drop" });
    expect(rows(table)).toEqual([[1], [3]]);
    expect(table.label!.values).toEqual(["A", ""]);
  });

  test("a column or a table of nothing else is an error", async () => {
    await expect(read("x,y\n1,\n2,\n", { missing: "mean" })).rejects.toThrow(
      'column "y" has no value at all',
    );
    await expect(read("x,y\n1,\n2,\n", { missing: "drop" })).rejects.toThrow("every row has a missing value");
  });

  test("the mean of huge values does not overflow", async () => {
    const table = await read("x\n1.7e308\n1.7e308\nNA\n", { missing: "mean" });
    expect(rows(table)[2][0] / 1.7e308).toBeCloseTo(1, 12);
  });
});

describe("bad input", () => {
  test.each([
    ["", "t.csv is empty"],
    ["\n\n", "t.csv is empty"],
    ["a,b\n", "t.csv has no rows of data"],
    ["a,b\n1,2\n3\n", "t.csv line 3: expected 2 cells, found 1"],
    ["a,b\n1,2\n\n3,4,5,6\n", "t.csv line 4: expected 2 cells, found 4"],
    ['a,class\n1,"x\ny"\n2\n', "t.csv line 4: expected 2 cells, found 1"],
    ["a,b\n1,Infinity\n", 't.csv line 2, column "b": Infinity is not a finite number'],
    ["a,b\n1,-inf\n", 't.csv line 2, column "b": -inf is not a finite number'],
    ["a,b\n1,1e999\n", 't.csv line 2, column "b": 1e999 is not a finite number'],
    ["a,b\n1,two\n", 't.csv line 2, column "b": "two" is not a number'],
    ["a,b\n1,1.2.3\n", '"1.2.3" is not a number'],
    ["a,b\n1,1e\n", '"1e" is not a number'],
    ["a,b\n1,-\n", '1 missing value: line 2, column "b"'],
    ["a,b\n1,+-2\n", '"+-2" is not a number'],
    ["title\na,b\n1,2\n3,4\n", "t.csv line 1: expected 2 cells, found 1"],
    ['a,b\n1,"2\n', 't.csv line 2, column "b": the quote that opens here is never closed'],
    ['a,b\n1,"2"3\n', 't.csv line 2, column "b": there is text after the closing quote'],
  ])("%j", async (text, message) => {
    const options: ReadOptions = text.includes("class") ? { label: "class" } : {};
    await expect(read(text, options)).rejects.toThrow(message);
  });

  test("text in UTF-16 and Windows-1252 is read", async () => {
    const wide = Uint8Array.of(0xff, 0xfe, ..."é,x\n1,2\n".split("").flatMap((c) => [c.charCodeAt(0), 0]));
    expect((await readNumbers(wide, { name: "t.csv" })).names).toEqual(["é", "x"]);
    const narrow = Uint8Array.from("é,x\n1,2\n", (c) => c.charCodeAt(0));
    const { names, notes } = await readNumbers(narrow);
    expect(names).toEqual(["é", "x"]);
    expect(notes.join()).toMatch("text is read as Windows-1252");
  });

  test("options are checked", async () => {
    await expect(read("a\n1\n", { delimiter: " " })).rejects.toThrow(
      'option "delimiter" must be one character',
    );
    await expect(read("a\n1\n", { features: 3 })).rejects.toThrow(
      'option "features" does not apply to t.csv',
    );
    await expect(read("a\n1\n", { heeder: true } as ReadOptions)).rejects.toThrow('no option "heeder"');
    await expect(read("a\n1\n", { missing: "zero" as "mean" })).rejects.toThrow(
      'option "missing" must be one of',
    );
  });

  test("a quote left open does not swallow the memory", async () => {
    const endless = (async function* () {
      yield encoder.encode('a,b\n1,"');
      const megabyte = new Uint8Array(1 << 20).fill(120);
      for (;;) yield megabyte;
    })();
    await expect(readNumbers(endless, { name: "t.csv", format: "csv" })).rejects.toThrow(
      "is a quote left open?",
    );
  });
});

describe("properties", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 12 }).map((value) => value.trim());
  const double = fc.double({ noNaN: true, noDefaultInfinity: true });
  const table = fc.integer({ min: 1, max: 6 }).chain((cols) =>
    fc.record({
      values: fc.array(fc.array(double, { minLength: cols, maxLength: cols }), {
        minLength: 1,
        maxLength: 30,
      }),
      labels: fc.array(text, { minLength: 30, maxLength: 30 }),
      delimiter: fc.constantFrom(",", ";", "\t"),
    }),
  );

  test("what was written is read back", async () => {
    await fc.assert(
      fc.asyncProperty(table, async ({ values, labels, delimiter }) => {
        const X = fromRows(values);
        const label = { name: "the class", values: labels.slice(0, values.length) };
        const written = [...writeCsv({ X, label }, { delimiter: delimiter as "," })].join("");
        const back = await read(written, { label: "the class", delimiter, format: "csv" });
        expect(back.X).toEqual(X);
        expect(back.label).toEqual(label);
      }),
      { numRuns: 200 },
    );
  });

  const raw =
    '\uFEFFx,"y, z",c,class\r\n1.25,"3",red,A\r\n\r\n-17.123456789012345,4e-3,"bl""ue","B\r\nB"\r\n,5,red,é\r\n6,7,blue,"A"';
  const options: ReadOptions = { label: "class", batch: "c", missing: "mean" };

  test("the cuts of the stream make no difference", async () => {
    const bytes = encoder.encode(raw);
    const whole = await read(raw, options);
    expect(whole.X.rows).toBe(4);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: bytes.length }), { maxLength: 12 }), async (cuts) => {
        const ends = [...cuts, bytes.length].sort((a, b) => a - b);
        const parts = ends.map((end, k) => bytes.slice(k === 0 ? 0 : ends[k - 1], end));
        const stream = (async function* () {
          yield* parts;
        })();
        expect(await readNumbers(stream, { name: "t.csv", ...options })).toEqual(whole);
      }),
      { numRuns: 100 },
    );
  });

  test("the size of the buffer makes no difference", async () => {
    const bytes = encoder.encode(raw);
    const whole = await read(raw, options);
    for (let size = 1; size <= bytes.length + 1; size++) {
      const stream = (async function* () {
        yield bytes;
      })();
      const reader = chunkReader(stream, "t.csv");
      // The sample is what the buffer holds at first, so what it decides is given here.
      const given = { ...options, delimiter: ",", header: true };
      expect(await readCsv(reader, "t.csv", given, size)).toEqual(whole);
    }
  });

  test("errors do not depend on the size of the buffer either", async () => {
    for (const [bad, message] of [
      ["a,b\n1,2\n3,4\n5,x\n", 'line 4, column "b"'],
      ["a,b\n1,2\n3,4\n5\n", "line 4: expected 2 cells, found 1"],
      ['a,b\n1,2\n"3",4\n"5,6\n', 'line 4, column "a": the quote'],
      ["a,b\n1,2\n3,\n,5\n", "2 missing values: line 3"],
    ]) {
      const bytes = encoder.encode(bad);
      for (let size = 1; size <= bytes.length; size++) {
        const stream = (async function* () {
          yield bytes;
        })();
        const reading = readCsv(
          chunkReader(stream, "t.csv"),
          "t.csv",
          { delimiter: ",", header: true },
          size,
        );
        await expect(reading).rejects.toThrow(message);
      }
    }
  });
});

test("more rows than one block of the store", async () => {
  const count = 60_000;
  let text = "a,b\n";
  for (let i = 0; i < count; i++) text += `${i},${-i / 8}\n`;
  const { X } = await read(text);
  const { data } = X as Matrix;
  expect(X.rows).toBe(count);
  expect(data.every((value, p) => value === (p % 2 === 0 ? p / 2 : -(p - 1) / 16))).toBe(true);
});

test.each([
  ["=1+1", "'=1+1"],
  ["  @sum", "'  @sum"],
  ["\t=x", "'\t'=x"],
  ["\r5", '"\r5"'],
  ["-5", "-5"],
  ["+1e3", "+1e3"],
  ["-5+cmd|' /C calc'!A0", "'-5+cmd|' /C calc'!A0"],
  ["\uFF1Dx", "'\uFF1Dx"],
  ["\uFE62x", "'\uFE62x"],
  ["\0=x", "'\0=x"],
  ["\u200B=x", "'\u200B=x"],
  ['"=x', '"\'""=x"'],
  ["'=x", "'=x"],
  ["a;=x", "a;'=x"],
  ["a\n=x;-3;-y", "\"a\n'=x;-3;'-y\""],
  ["a = b, c", '"a = b, c"'],
  ["x-y", "x-y"],
  ["", ""],
])("%j is written as %j where no text may be a formula", (given, expected) => {
  const table = {
    columns: [
      { name: "a", values: [given] },
      { name: given, values: ["b"] },
    ],
  };
  const written = [...writeCsv(table, { spreadsheetSafe: true })].join("");
  expect(written).toBe(`a,${expected}\n${expected},b\n`);
});
