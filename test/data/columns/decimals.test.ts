import { expect, test } from "vitest";
import { random } from "../../../src/core/random.ts";
import { readColumns } from "../../../src/data/columns/readColumns.ts";
import { numberArrayOf } from "../../../src/data/json/decimals.ts";
import { lineVectors } from "../../../src/data/json/jsonVectors.ts";

const utf8 = new TextEncoder();

/** The texts of which the kernel reads something else than `Number` does; those that it leaves to others are counted. */
function wrong(texts: readonly string[]): { wrong: string[]; left: number } {
  const bytes = utf8.encode(`[${texts.join(",")}]`);
  const found = numberArrayOf(bytes, 1, bytes.length);
  if (found !== undefined) {
    if (found.bytes !== bytes.length - 1 || found.values.length !== texts.length)
      return { wrong: [...texts], left: 0 };
    return { wrong: texts.filter((text, i) => !Object.is(found.values[i], Number(text))), left: 0 };
  }
  if (texts.length === 1) return { wrong: [], left: 1 };
  const half = texts.length >> 1;
  const [a, b] = [wrong(texts.slice(0, half)), wrong(texts.slice(half))];
  return { wrong: [...a.wrong, ...b.wrong], left: a.left + b.left };
}

/** Every double by its bits. */
function anyDouble(draw: ReturnType<typeof random>): number {
  const words = new Uint32Array([draw.integer(2 ** 32), draw.integer(2 ** 32)]);
  const [value] = new Float64Array(words.buffer);
  return Number.isFinite(value) ? value : 0.1;
}

test("shortest, 17 and 19 digits of random doubles: the nearest double, all within the table", () => {
  const draw = random(11);
  const texts: string[] = [];
  for (let i = 0; i < 100_000; i++) {
    const x = (draw.uniform() * 2 - 1) * 10 ** (draw.integer(60) - 30);
    texts.push(String(x), x.toPrecision(17), x.toPrecision(1 + draw.integer(19)).replace(/^(-?)\./, "$10."));
  }
  const valid = texts.filter((text) => /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/.test(text));
  expect(valid.length).toBeGreaterThan(250_000);
  const found = wrong(valid);
  expect(found.wrong).toEqual([]);
  expect(found.left).toBeLessThan(valid.length / 50);
});

test("half-way between two doubles, and one beside it", () => {
  const draw = random(5);
  const texts: string[] = [];
  for (let i = 0; i < 40_000; i++) {
    // Odd multiples of half a unit of numbers from 2^53 to 2^62 have up to 19 digits.
    const shift = 1 + draw.integer(9);
    const mantissa = 2n ** 52n + BigInt(draw.integer(2 ** 30)) * 4194304n + BigInt(draw.integer(4194304));
    const middle = (2n * mantissa + 1n) << BigInt(shift - 1);
    for (const near of [middle - 1n, middle, middle + 1n]) {
      if (String(near).length <= 19)
        texts.push(String(near), `${near}e-${draw.integer(25)}`, `${near}e${draw.integer(25)}`);
    }
  }
  expect(texts.length).toBeGreaterThan(300_000);
  expect(wrong(texts).wrong).toEqual([]);
});

test("any double by its bits, and decimals that are known to be hard", () => {
  const draw = random(3);
  const texts = Array.from({ length: 100_000 }, () =>
    String(anyDouble(draw)).replace("e+", draw.uniform() < 0.5 ? "e+" : "E"),
  );
  const hard = [
    "0",
    "-0",
    "0.0",
    "-0.000",
    "1e-5",
    "9007199254740993",
    "9007199254740992.5",
    "1.7976931348623157e308",
    "2.2250738585072011e-308",
    "2.2250738585072014e-308",
    "5e-324",
    "1e400",
    "1e-400",
    "0.1",
    "0.3",
    "1e22",
    "1e23",
    "8.44291197326099e-309",
    "7.3177701707893310e15",
    "3.2378839133029013e23",
    "6.9294956446009195e15",
    "123456789.123456789",
    "0.000000000000000000000000001234567890123456789",
    "1.0000000000000000001",
    "12345678901234567890",
    "18446744073709551616",
    "0.5e-1",
    "9999999999999999999",
    "1e-80",
    "1e80",
    "1e-81",
    "1e81",
  ];
  expect(wrong([...texts, ...hard]).wrong).toEqual([]);
});

test.each([
  "[01]",
  "[1.]",
  "[.5]",
  "[1,]",
  "[,1]",
  "[1 2]",
  "[--1]",
  "[+1]",
  "[1e]",
  "[1e+]",
  "[NaN]",
  "[null]",
  '["1"]',
  "[1",
  "[[1]]",
  "[]",
  "[0x1]",
  "[1_0]",
])("what is no array of JSON numbers is left to others: %s", (text) => {
  const bytes = utf8.encode(text);
  expect(numberArrayOf(bytes, 1, bytes.length)).toBeUndefined();
});

test("a line with several arrays, spaces and other fields", () => {
  const line = `{"id": "a[1]", "v": [1, -2.5 ,3e2\t], "w": [0.1234567890123456, 7], "n": 5, "pad": "${"x".repeat(200)}"}`;
  const bytes = utf8.encode(line);
  const found = lineVectors(bytes, 0, bytes.length)!;
  expect(found.keys).toEqual(["v", "w"]);
  expect(found.vectors.map((vector) => Array.from(vector))).toEqual([
    [1, -2.5, 300],
    [0.1234567890123456, 7],
  ]);
  expect(JSON.parse(found.rest)).toMatchObject({ id: "a[1]", v: null, w: null, n: 5 });
  // A number of more digits than the kernel reads: the line is parsed whole.
  const long = utf8.encode(line.replace("0.1234567890123456", "0.12345678901234567890123"));
  expect(lineVectors(long, 0, long.length)).toBeUndefined();
});

test("lines of vectors, with and without other fields, gaps, blank lines and spaces, in blocks of any length", async () => {
  const draw = random(8);
  const rows: { id: string; v: number[] | null; w?: number[] }[] = [];
  const lines: string[] = [];
  for (let i = 0; i < 3000; i++) {
    const v = Array.from({ length: 64 }, () => draw.normal() * 10 ** -draw.integer(6));
    if (draw.uniform() < 0.1) v[3] = Number(`${draw.integer(1e9)}.${"123456789".repeat(2)}`);
    const row = {
      id: `a "${i}" [${i}]\n`,
      v: draw.uniform() < 0.02 ? null : v,
      ...(draw.uniform() < 0.3 && { w: [1, -2, i] }),
    };
    rows.push(row);
    const text = JSON.stringify(row);
    lines.push(
      i % 7 === 0 ? text.replaceAll(",", " ,\t ") : i % 7 === 1 ? text.replaceAll(/,(?=[-\d])/g, ", ") : text,
    );
    if (draw.uniform() < 0.01) lines.push("   ");
  }
  const bytes = utf8.encode(lines.join("\r\n"));
  async function* parts(size: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  for (const source of [bytes, parts(bytes.length), parts(100_003), parts(977)]) {
    const { columns } = await readColumns(source, { format: "ndjson" });
    for (const [name, width] of [
      ["v", 64],
      ["w", 3],
    ] as const) {
      const column = columns.find((one) => one.name === name)!;
      if (column.kind !== "vector") throw new Error(`${name} is ${column.kind}`);
      const { data, cols } = column.vectors!;
      expect(cols).toBe(width);
      expect(data.length).toBe(width * rows.length);
      rows.forEach((row, i) => {
        for (let f = 0; f < width; f++) {
          const own = row[name]?.[f] ?? Number.NaN;
          if (!Object.is(data[i * width + f], own)) throw new Error(`row ${i}, ${name}${f}`);
        }
      });
    }
  }
});
