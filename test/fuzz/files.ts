import { deflateRawSync, gzipSync } from "node:zlib";
import { joinedBytes } from "../../src/data/files/bytes.ts";
import { readColumns, readNumbers } from "../../src/data/index.ts";
import { isSparse } from "../../src/matrix/sparse.ts";
import columnar from "../fixtures/columnar.json" with { type: "json" };
import dictionaries from "../fixtures/arrow-dictionaries.json" with { type: "json" };
import numbers from "../fixtures/parquet-numbers.json" with { type: "json" };
import { dice, fault, notFinite, type Dice, type Outcome } from "./dice.ts";

/** Files of every format, damaged: bytes flipped, cut, doubled, moved, and numbers put in their place. */
export async function fileCase(seed: number, announce?: (tried: string) => void): Promise<Outcome> {
  const roll = dice(seed);
  const [name, whole] = roll.pick(bases());
  let bytes = damaged(whole, roll);
  const zipped = roll.chance(0.1);
  if (zipped) bytes = new Uint8Array(gzipSync(bytes));
  if (zipped && roll.chance(0.3)) bytes = damaged(bytes, roll);
  const asColumns = roll.chance(0.5);
  const tried = `${asColumns ? "readColumns" : "readNumbers"} of ${name}, ${bytes.length} bytes`;
  announce?.(tried);
  try {
    const wrong = asColumns ? await columns(bytes, name) : await table(bytes, name, roll);
    return { tried, wrong };
  } catch (error) {
    return { tried, wrong: fault(error) };
  }
}

async function columns(bytes: Uint8Array, name: string): Promise<string | undefined> {
  const read = await readColumns(bytes, { name });
  if (!(read.rows > 0)) return `${read.rows} rows`;
  const lengths = read.columns.map((column) =>
    "values" in column ? (column.values as ArrayLike<unknown>).length : read.rows,
  );
  return lengths.some((length) => length % read.rows !== 0)
    ? `${read.rows} rows, columns of ${lengths.join(" ")}`
    : undefined;
}

async function table(bytes: Uint8Array, name: string, roll: Dice): Promise<string | undefined> {
  const read = await readNumbers(bytes, {
    name,
    ...(!name.endsWith(".libsvm") && roll.chance(0.7) && { missing: roll.pick(["mean", "drop"] as const) }),
  });
  const { X, names } = read;
  if (names.length !== X.cols || X.rows === 0) return `${names.length} names for ${X.rows} x ${X.cols}`;
  return notFinite(isSparse(X) ? X.values : X.data, "X");
}

function damaged(whole: Uint8Array, roll: Dice): Uint8Array {
  let bytes = whole.slice();
  for (let times = roll.pick([0, 1, 1, 1, 2, 3, 8, 30]); times > 0 && bytes.length > 0; times--) {
    const at = roll.below(bytes.length);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    switch (roll.below(9)) {
      case 0:
        bytes[at] ^= 1 << roll.below(8);
        break;
      case 1:
        bytes[at] = roll.below(256);
        break;
      case 2:
        if (at + 4 <= bytes.length) view.setInt32(at, roll.pick(WORDS), roll.chance(0.9));
        break;
      case 3:
        if (at + 8 <= bytes.length) view.setBigInt64(at, roll.pick(LONG_WORDS), roll.chance(0.9));
        break;
      case 4:
        bytes = bytes.slice(0, at);
        break;
      case 5: {
        const end = Math.min(bytes.length, at + roll.pick([1, 2, 8, 100]));
        bytes = joined(bytes.subarray(0, at), bytes.subarray(end));
        break;
      }
      case 6: {
        const part = bytes.subarray(at, Math.min(bytes.length, at + roll.pick([1, 4, 64, 1000])));
        bytes = joined(
          bytes.subarray(0, at),
          ...Array<Uint8Array>(roll.pick([2, 3, 50])).fill(part),
          bytes.subarray(at),
        );
        break;
      }
      case 7:
        bytes.fill(
          roll.pick([0, 255, 128, 34, 44, 10]),
          at,
          Math.min(bytes.length, at + roll.pick([2, 16, 200])),
        );
        break;
      case 8:
        bytes = joined(
          bytes.subarray(0, at),
          new TextEncoder().encode(roll.pick(WORDS_OF_TEXT)),
          bytes.subarray(at),
        );
    }
  }
  return bytes;
}

const WORDS = [0, -1, 1, 2, 127, 255, 65_535, 2 ** 30, 2 ** 31 - 1, -(2 ** 31), 1000, 8];
const LONG_WORDS = [
  0n,
  -1n,
  1n,
  2n ** 31n,
  2n ** 32n,
  2n ** 40n,
  2n ** 53n,
  2n ** 62n,
  2n ** 63n - 1n,
  -(2n ** 63n),
];
const WORDS_OF_TEXT = [
  "1e999",
  "NaN",
  "-Infinity",
  '"',
  '""',
  "\r",
  "\n\n\n",
  "\0",
  "\u001b[2J",
  "{",
  "[[[[[[",
  "}",
  "null",
  "2000000000:1",
  "1e-400",
  "999999999999999999999999999999",
  "__proto__",
  "=cmd()",
  ",,,,,,",
  "\ufeff",
  "\ud800",
];

const joined = (...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => joinedBytes(parts);

let made: readonly (readonly [string, Uint8Array])[] | undefined;

function bases(): readonly (readonly [string, Uint8Array])[] {
  return (made ??= [
    ...TEXTS.map(([name, text]) => [name, new TextEncoder().encode(text)] as const),
    ...Object.entries(columnar.parquet).map(([kind, text]) => [`${kind}.parquet`, decoded(text)] as const),
    ...Object.entries(numbers.files).map(
      ([kind, text]) => [`numbers-${kind}.parquet`, decoded(text)] as const,
    ),
    ...Object.entries(columnar.arrow).map(([kind, text]) => [`${kind}.arrow`, decoded(text)] as const),
    ...(["holes", "nested", "when"] as const).flatMap((kind) => [
      [`${kind}.parquet`, decoded(columnar[kind].parquet)] as const,
      [`${kind}.arrow`, decoded(columnar[kind].arrow)] as const,
    ]),
    ["replaced.arrow", decoded(dictionaries.replaced)],
    ["deltas.arrow", decoded(dictionaries.deltas)],
    ["array.npy", npy()],
    ["arrays.npz", zip({ "a.npy": npy(), "b.npy": npy() })],
    ["book.xlsx", zip(workbook())],
  ]);
}

function decoded(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, "base64"));
}

const ROWS = Array.from(
  { length: 30 },
  (_, i) => [i, (i * 7) % 11, i / 3, ["red", "green", "blue"][i % 3]] as const,
);

const TEXTS: readonly (readonly [string, string])[] = [
  ["table.csv", `id,a,b,color\n${ROWS.map((row) => row.join(",")).join("\n")}\n`],
  [
    "quoted.csv",
    `"i""d";"a";b;c\r\n${ROWS.map((row) => `${row[0]};"${row[1]}";${row[2]};"x;${row[3]}"`).join("\r\n")}`,
  ],
  ["table.tsv", `a\tb\tc\n${ROWS.map((row) => row.slice(0, 3).join("\t")).join("\n")}\n`],
  [
    "wide.csv",
    `${Array.from({ length: 300 }, (_, j) => `c${j}`).join(",")}\n${Array.from({ length: 4 }, (_, i) => Array.from({ length: 300 }, (__, j) => i * j).join(",")).join("\n")}\n`,
  ],
  ["rows.json", JSON.stringify(ROWS.map(([id, a, b, color]) => ({ id, a, b, color, v: [a, b, id] })))],
  ["arrays.json", JSON.stringify(ROWS)],
  ["columns.json", JSON.stringify({ a: ROWS.map((row) => row[1]), b: ROWS.map((row) => row[2]) })],
  ["rows.ndjson", ROWS.map(([id, a, b, color]) => JSON.stringify({ id, a, b, color })).join("\n")],
  ["table.libsvm", ROWS.map(([id, a, b]) => `${id % 2} 1:${a} 3:${b} 7:${id + 1}`).join("\n")],
];

function npy(): Uint8Array {
  const header = "{'descr': '<f8', 'fortran_order': False, 'shape': (10, 3), }".padEnd(117) + "\n";
  const bytes = new Uint8Array(10 + header.length + 240);
  bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, header.length & 255, header.length >> 8]);
  bytes.set(new TextEncoder().encode(header), 10);
  const view = new DataView(bytes.buffer);
  for (let k = 0; k < 30; k++) view.setFloat64(10 + header.length + 8 * k, k % 7, true);
  return bytes;
}

function workbook(): Record<string, Uint8Array> {
  const text = (xml: string): Uint8Array => new TextEncoder().encode(`<?xml version="1.0"?>${xml}`);
  const cell = (value: string | number, i: number, j: number): string =>
    typeof value === "number"
      ? `<c r="${"ABCD"[j]}${i + 2}"><v>${value}</v></c>`
      : `<c r="${"ABCD"[j]}${i + 2}" t="s"><v>${["red", "green", "blue"].indexOf(value)}</v></c>`;
  const head = ["id", "a", "b", "color"].map(
    (name, j) => `<c r="${"ABCD"[j]}1" t="inlineStr"><is><t>${name}</t></is></c>`,
  );
  const rows = ROWS.map(
    (row, i) => `<row r="${i + 2}">${row.map((value, j) => cell(value, i, j)).join("")}</row>`,
  );
  return {
    "xl/workbook.xml": text('<workbook><sheets><sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>'),
    "xl/_rels/workbook.xml.rels": text(
      '<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>',
    ),
    "xl/sharedStrings.xml": text(
      "<sst><si><t>red</t></si><si><t>green</t></si><si><r><t>bl</t></r><r><t>ue</t></r></si></sst>",
    ),
    "xl/styles.xml": text('<styleSheet><cellXfs><xf numFmtId="0"/></cellXfs></styleSheet>'),
    "xl/worksheets/sheet1.xml": text(
      `<worksheet><sheetData><row r="1">${head.join("")}</row>${rows.join("")}</sheetData></worksheet>`,
    ),
  };
}

/** A zip archive (PKWARE APPNOTE 6.3) without checksums, which its reader does not look at. */
export function zip(parts: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const bodies: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(parts)) {
    const packed = new Uint8Array(deflateRawSync(content));
    const called = new TextEncoder().encode(name);
    const local = new DataView(new ArrayBuffer(30));
    local.setUint32(0, 0x04034b50, true);
    local.setUint16(8, 8, true);
    local.setUint32(18, packed.length, true);
    local.setUint32(22, content.length, true);
    local.setUint16(26, called.length, true);
    const entry = new DataView(new ArrayBuffer(46));
    entry.setUint32(0, 0x02014b50, true);
    entry.setUint16(10, 8, true);
    entry.setUint32(20, packed.length, true);
    entry.setUint32(24, content.length, true);
    entry.setUint16(28, called.length, true);
    entry.setUint32(42, at, true);
    const body = joined(new Uint8Array(local.buffer), called, packed);
    bodies.push(body);
    directory.push(joined(new Uint8Array(entry.buffer), called));
    at += body.length;
  }
  const central = joined(...directory);
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, directory.length, true);
  end.setUint16(10, directory.length, true);
  end.setUint32(12, central.length, true);
  end.setUint32(16, at, true);
  return joined(...bodies, central, new Uint8Array(end.buffer));
}
