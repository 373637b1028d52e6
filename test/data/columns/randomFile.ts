import { random as createRandom, type Random } from "../../../src/core/random.ts";

/** A valid delimited file, and what was written into each of its columns. */
export interface RandomFile {
  readonly bytes: Uint8Array;
  readonly rows: number;
  readonly columns: readonly RandomColumn[];
  readonly delimiter: string;
  readonly decimal: "." | ",";
  readonly encoding: string;
  /** The same file with its rows in another order. */
  reordered(order: readonly number[]): Uint8Array;
}

export interface RandomColumn {
  readonly name: string;
  readonly kind: "number" | "category" | "date" | "text" | "id";
  /** Numbers, days since 1970-01-01, or texts; undefined where missing. */
  readonly values: readonly (number | string | undefined)[];
}

const DELIMITERS = [",", ";", "\t", "|"];
const ENCODINGS = ["utf-8", "utf-8 with mark", "utf-16le", "utf-16be", "windows-1252"];
const MARKS = ["", "NA", "n/a", "null", "-", "?", "#N/A", "NaN"];
const PLACES = ["Köln", "Bern", "São Paulo", "Reims", "Łódź", "Graz", "Malmö", "Nîmes"];
const WORDS = ["river", "stone", "café", "winter", "über", "maison", "north", "señor", "field", "glass"];
const NAMES = [
  "größe",
  "city",
  "value, net",
  'so-called "x"',
  "date of entry",
  "speed",
  "temp",
  "kind",
  "note",
  "2019",
];

/** Everything but the rows follows from the seed. */
export function randomFile(seed: number): RandomFile {
  const random = createRandom(seed);
  const one = <T>(values: readonly T[]): T => values[Math.floor(random.uniform() * values.length)];
  const rows = 60 + Math.floor(random.uniform() * 200);
  const delimiter = one(DELIMITERS);
  const decimal = random.uniform() < 0.35 ? "," : ".";
  const encoding = one(ENCODINGS);
  const end = one(["\n", "\r\n"]);
  const mark = one(MARKS);
  const gaps = random.uniform() < 0.5 ? 0 : 0.15 * random.uniform();
  const width = 2 + Math.floor(random.uniform() * 6);
  const columns: RandomColumn[] = [];
  const cells: string[][] = [];
  const names = shuffled(NAMES, random).slice(0, width);
  for (let j = 0; j < width; j++) {
    const make = one(MAKERS);
    const made = make(random, rows, decimal, encoding === "windows-1252");
    const values: (number | string | undefined)[] = [];
    const column: string[] = [];
    for (let i = 0; i < rows; i++) {
      const gone = random.uniform() < gaps;
      values.push(gone ? undefined : made.values[i]);
      column.push(gone ? mark : made.cells[i]);
    }
    columns.push({ name: names[j], kind: made.kind, values });
    cells.push(column);
  }
  const always = random.uniform() < 0.2;
  const quote = (cell: string): string =>
    always || cell.includes(delimiter) || /["\n\r]/.test(cell) || cell !== cell.trim()
      ? `"${cell.replaceAll('"', '""')}"`
      : cell;
  const record = (line: readonly string[]): string => line.map(quote).join(delimiter);
  const records = Array.from({ length: rows }, (_, i) => record(cells.map((column) => column[i])));
  const last = random.uniform() < 0.5 ? end : "";
  const reordered = (order: readonly number[]): Uint8Array =>
    encoded([record(names), ...order.map((row) => records[row])].join(end) + last, encoding);
  const bytes = reordered([...records.keys()]);
  return { bytes, rows, columns, delimiter, decimal, encoding, reordered };
}

interface Made {
  readonly kind: RandomColumn["kind"];
  readonly values: readonly (number | string)[];
  readonly cells: readonly string[];
}

type Maker = (random: Random, rows: number, decimal: "." | ",", western: boolean) => Made;

function each(
  rows: number,
  of: (row: number) => readonly [number | string, string],
  kind: RandomColumn["kind"],
): Made {
  const pairs = Array.from({ length: rows }, (_, row) => of(row));
  return { kind, values: pairs.map(([value]) => value), cells: pairs.map(([, cell]) => cell) };
}

/** A number with a fixed number of decimals, its thousands set apart or not. */
function written(value: number, decimals: number, decimal: "." | ",", thousands: boolean): string {
  const [whole, fraction] = Math.abs(value).toFixed(decimals).split(".");
  const mark = decimal === "." ? "," : ".";
  const grouped = thousands ? whole.replaceAll(/\B(?=(?:\d{3})+$)/g, mark) : whole;
  return `${value < 0 ? "-" : ""}${grouped}${fraction === undefined ? "" : decimal + fraction}`;
}

const rounded = (value: number, decimals: number): number => Number(value.toFixed(decimals));

const MAKERS: readonly Maker[] = [
  (random, rows, decimal) =>
    each(
      rows,
      () => {
        const value = rounded((random.uniform() - 0.5) * 2000, 2);
        return [value, written(value, 2, decimal, false)];
      },
      "number",
    ),
  (random, rows) =>
    each(
      rows,
      () => {
        const value = Math.floor(random.uniform() * 5000) - 1000;
        return [value, String(value)];
      },
      "number",
    ),
  (random, rows, decimal) =>
    each(
      rows,
      () => {
        const value = rounded(Math.exp(4 + 6 * random.uniform()), 2);
        return [value, `${written(value, 2, decimal, true)} EUR`];
      },
      "number",
    ),
  (random, rows, decimal) =>
    each(
      rows,
      () => {
        const value = rounded(Math.exp(4 + 6 * random.uniform()), 2);
        return [value, `$${written(value, 2, decimal, true)}`];
      },
      "number",
    ),
  (random, rows, decimal) =>
    each(
      rows,
      () => {
        const value = rounded(100 * random.uniform(), 1);
        return [value, `${written(value, 1, decimal, false)} %`];
      },
      "number",
    ),
  (random, rows, decimal) =>
    each(
      rows,
      () => {
        const value = rounded(50 * random.uniform(), 2);
        return [value, `${written(value, 2, decimal, false)} kg`];
      },
      "number",
    ),
  (random, rows, decimal) =>
    each(
      rows,
      () => {
        const value = Number((random.uniform() * 1e-6).toExponential(4));
        return [value, value.toExponential(4).replace(".", decimal)];
      },
      "number",
    ),
  (random, rows, _, western) => {
    const places = western ? PLACES.filter((place) => !place.startsWith("Ł")) : PLACES;
    return each(
      rows,
      () => {
        const place = places[Math.floor(random.uniform() * places.length)];
        return [place, place];
      },
      "category",
    );
  },
  (random, rows) => {
    const pair = [
      ["yes", "no"],
      ["true", "false"],
      ["ja", "nein"],
    ][Math.floor(random.uniform() * 3)];
    return each(
      rows,
      () => {
        const word = pair[Math.floor(random.uniform() * 2)];
        return [word, word];
      },
      "category",
    );
  },
  (random, rows) =>
    each(
      rows,
      () => {
        const day = 15_000 + Math.floor(random.uniform() * 5000);
        return [day, iso(day)];
      },
      "date",
    ),
  (random, rows) => {
    const mark = ["/", ".", "-"][Math.floor(random.uniform() * 3)];
    const monthFirst = random.uniform() < 0.5 && mark === "/";
    return each(
      rows,
      () => {
        const day = 15_000 + Math.floor(random.uniform() * 5000);
        const [y, m, d] = iso(day).split("-");
        return [day, (monthFirst ? [m, d, y] : [d, m, y]).join(mark)];
      },
      "date",
    );
  },
  (random, rows) =>
    each(
      rows,
      () => {
        const seconds = Math.floor((19_000 + random.uniform() * 900) * 86_400);
        return [seconds / 86_400, new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ")];
      },
      "date",
    ),
  (random, rows) =>
    each(
      rows,
      () => {
        const words = Array.from({ length: 5 }, () => WORDS[Math.floor(random.uniform() * WORDS.length)]);
        const text = `${words.join(" ")}${random.uniform() < 0.1 ? ',\nsaid "she"; |' : ""}`;
        return [text, text];
      },
      "text",
    ),
  (random, rows) => {
    const order = shuffled(
      Array.from({ length: rows }, (_, i) => i),
      random,
    );
    return each(rows, (row) => [`K-${1000 + order[row]}`, `K-${1000 + order[row]}`], "id");
  },
];

function iso(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}

function shuffled<T>(values: readonly T[], random: Random): T[] {
  const order = [...values];
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(random.uniform() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

function encoded(text: string, encoding: string): Uint8Array {
  if (encoding === "windows-1252") return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  if (encoding === "utf-8") return new TextEncoder().encode(text);
  const marked = `\uFEFF${text}`;
  if (encoding === "utf-8 with mark") return new TextEncoder().encode(marked);
  const bytes = new Uint8Array(marked.length * 2);
  const view = new DataView(bytes.buffer);
  for (let k = 0; k < marked.length; k++)
    view.setUint16(k * 2, marked.charCodeAt(k), encoding === "utf-16le");
  return bytes;
}
