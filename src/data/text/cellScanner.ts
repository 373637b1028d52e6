import { inputError } from "../../core/internal.ts";
import { afterLineEnd, emptyCell, NEWLINE, readCell, RETURN } from "./dialect.ts";
import { mayBeMissingWord } from "../kinds/scales.ts";

const SPACE = 32;
const QUOTE = 34;
const PLUS = 43;
const MINUS = 45;
const ZERO = 48;
/** Means "no decimal mark": no byte has this value. */
const NONE = 999;

interface ScannerOptions {
  readonly source: string;
  readonly names: readonly string[];
  readonly delimiter: number;
  /** The decimal mark. If it is also the delimiter, numbers with a fraction are quoted. */
  readonly point: number;
  /** Whether 1.234 is a number, not perhaps a thousand and more. */
  readonly isMarkSure: boolean;
  /** Columns that are not read. */
  readonly ignored: (column: number) => boolean;
  /** Columns whose cells are kept as text. */
  readonly isText: (column: number) => boolean;
  /** Whether cells are kept as they are written: only a number that is printed in the same way goes to a double. */
  readonly asWritten: boolean;
  /** Whether equal texts are stored again. */
  readonly storesAll: boolean;
  /** Whether empty cells beyond the last column make a row too long. */
  readonly isExact: boolean;
}

/** Rows whose number of cells is another one. */
interface Ragged {
  count: number;
  line: number;
  width: number;
}

/** Values of a tile: it stays in the cache while its rows are distributed. */
const TILE = 1 << 16;

/** The rows that were read and not yet taken. */
export interface CellScanner {
  /** The line that the next row starts on, from 1. */
  line: number;
  readonly rows: number;
  /** The most rows that it holds. */
  readonly capacity: number;
  /** Row by row; NaN where a cell is no number. */
  readonly numbers: Float64Array;
  /** By column the place of each row's text in its store, -1 if there is none. */
  readonly codes: readonly (Int32Array | undefined)[];
  readonly stores: (TextStore | undefined)[];
  readonly short: Ragged;
  readonly long: Ragged;
  /** The line of each row. */
  readonly lines: Int32Array;
  /**
   * Reads the complete rows of `bytes[from .. to)`, as many as there is room for, and returns the start of the first row
   * that was not read. The byte at `to` must be a line end that is not part of the data (see `Section`).
   */
  scan(bytes: Uint8Array, from: number, to: number, final: boolean): number;
  /** Makes room for other rows, without the texts of earlier ones if `fresh`. */
  clear(fresh: boolean): void;
}

/**
 * The hot loop of delimited text: a cell that is a number in plain notation goes from bytes to a double, every other one
 * through `readCell` to the store of its column. Words, ids with leading zeros, amounts, and 1.234 where the point may
 * separate thousands, are texts.
 */
export function cellScanner(options: ScannerOptions): CellScanner {
  const { source, names, delimiter, asWritten, storesAll, isExact } = options;
  const point = options.point === delimiter ? NONE : options.point;
  const columns = names.length;
  const capacity = Math.max(1, Math.floor(TILE / columns));
  const numbers = new Float64Array(capacity * columns);
  const skipped = Uint8Array.from(names, (_, j) => Number(options.ignored(j)));
  // Columns whose cells may become numbers.
  const numeric = Uint8Array.from(names, (_, j) => Number(skipped[j] === 0 && !options.isText(j)));
  const sure = new Uint8Array(columns).fill(options.isMarkSure ? 1 : 0);
  const codes: (Int32Array | undefined)[] = Array.from({ length: columns }, () => undefined);
  const stores: (TextStore | undefined)[] = Array.from({ length: columns }, () => undefined);
  const lines = new Int32Array(capacity);
  const short: Ragged = { count: 0, line: 0, width: 0 };
  const long: Ragged = { count: 0, line: 0, width: 0 };
  const cell = emptyCell();
  let scratch = new Uint8Array(1 << 8);
  let rows = 0;
  let line = 1;
  let cellLine = 1;
  let cellColumn = 0;
  const where = (): string => `${source} line ${cellLine}, column "${names[cellColumn] ?? cellColumn + 1}"`;

  const textCell = (bytes: Uint8Array, column: number): void => {
    let { start, end } = cell;
    if (!asWritten) {
      while (start < end && bytes[start] === SPACE) start++;
      while (end > start && bytes[end - 1] === SPACE) end--;
    }
    if (start === end) return;
    let from = bytes;
    if (cell.escaped) {
      if (scratch.length < end - start) scratch = new Uint8Array((end - start) * 2);
      let q = 0;
      for (let p = start; p < end; p++) {
        scratch[q++] = bytes[p];
        if (bytes[p] === QUOTE) p++; // doubled
      }
      from = scratch;
      start = 0;
      end = q;
    }
    const store = (stores[column] ??= textStore(storesAll));
    const into = (codes[column] ??= new Int32Array(capacity).fill(-1));
    into[rows] = store.add(from, start, end);
  };

  const count = (ragged: Ragged, width: number): void => {
    if (ragged.count++ > 0) return;
    ragged.line = line;
    ragged.width = width;
  };

  const scan = (bytes: Uint8Array, from: number, to: number, final: boolean): number => {
    const section = { bytes, to, final, delimiter };
    const tile = numbers;
    const isNumeric = numeric;
    const width = columns;
    let p = from;
    while (p < to && rows < capacity) {
      const rowStart = p;
      let c = bytes[p];
      if (c === NEWLINE || c === RETURN) {
        if (c === RETURN && p + 1 === to && !final) return rowStart; // half a line end
        p = afterLineEnd(bytes, p, to);
        line++;
        continue;
      }
      const base = rows * width;
      let inside = 0; // line ends inside the row so far
      let column = 0;
      let extra = false;
      for (;;) {
        let q = p;
        let isNumber = false;
        if (isNumeric[column] === 1) {
          c = bytes[q];
          while (c === SPACE) c = bytes[++q];
          const negative = c === MINUS;
          if (negative || c === PLUS) c = bytes[++q];
          // Nine digits each fit an integer, which is twice as fast here as a double.
          let mantissa = 0;
          let low = 0;
          const whole = q;
          let d = c - ZERO;
          while (d >= 0 && d <= 9) {
            mantissa = (Math.imul(mantissa, 10) + d) | 0;
            d = bytes[++q] - ZERO;
          }
          const wholeDigits = q - whole;
          let fraction = q;
          let fractionDigits = 0;
          if (d === point - ZERO) {
            fraction = ++q;
            const room = fraction + 9 - wholeDigits;
            d = bytes[q] - ZERO;
            while (d >= 0 && d <= 9 && q < room) {
              mantissa = (Math.imul(mantissa, 10) + d) | 0;
              d = bytes[++q] - ZERO;
            }
            while (d >= 0 && d <= 9) {
              low = (Math.imul(low, 10) + d) | 0;
              d = bytes[++q] - ZERO;
            }
            fractionDigits = q - fraction;
          }
          const digitsEnd = q;
          c = bytes[q];
          if (wholeDigits + fractionDigits > 0) {
            let exponent = 0;
            const scientific = (c | 32) === 101;
            if (scientific) {
              c = bytes[++q];
              const down = c === MINUS;
              if (down || c === PLUS) c = bytes[++q];
              const first = q;
              while (c >= 48 && c <= 57) {
                exponent = Math.min(exponent * 10 + c - 48, 99999);
                c = bytes[++q];
              }
              if (down) exponent = -exponent;
              if (q === first) c = 0; // no digits: not a number
            }
            while (c === SPACE) c = bytes[++q];
            const isPadded = wholeDigits > 1 && bytes[whole] === ZERO;
            const isEnd = (c === delimiter || c === NEWLINE || c === RETURN) && (q < to || final);
            if (isEnd && !isPadded && wholeDigits <= 15) {
              let isPlain = true;
              if (fractionDigits > 0 && sure[column] === 0) {
                isPlain =
                  fractionDigits !== 3 ||
                  wholeDigits > 3 ||
                  wholeDigits === 0 ||
                  bytes[whole] === ZERO ||
                  scientific;
                if (isPlain) sure[column] = 1;
              }
              if (isPlain) {
                const value = decimalValue(
                  bytes,
                  mantissa,
                  low,
                  whole,
                  wholeDigits,
                  fraction,
                  fractionDigits,
                  exponent,
                );
                tile[base + column] = negative ? -value : value;
                isNumber =
                  value < Infinity &&
                  (!asWritten ||
                    (q === digitsEnd &&
                      whole === p + (negative ? 1 : 0) &&
                      isPrintedAlike(bytes, value, negative, wholeDigits, fraction, digitsEnd)));
              }
            }
          }
        }
        if (isNumber) {
          p = q;
        } else {
          cellColumn = column;
          cellLine = line + inside;
          if (!readCell(section, p, cell, where)) return rowStart;
          if (column < columns) {
            numbers[base + column] = Number.NaN;
            if (skipped[column] === 0) textCell(bytes, column);
          } else if (cell.end > cell.start) extra = true;
          inside += cell.lines;
          p = cell.stop;
        }
        if (p >= to && !final) return rowStart;
        column++;
        c = bytes[p];
        if (p < to && c === delimiter) {
          p++;
          continue;
        }
        break;
      }
      if (c === RETURN && p + 1 === to && !final) return rowStart;
      p = p < to ? afterLineEnd(bytes, p, to) : to;
      if (column < columns) {
        count(short, column);
        numbers.fill(Number.NaN, base + column, base + columns);
      } else if (column > columns && (extra || isExact)) count(long, column);
      lines[rows++] = line;
      line += inside + 1;
    }
    return p;
  };

  return {
    capacity,
    numbers,
    codes,
    stores,
    short,
    long,
    scan,
    lines,
    clear(fresh) {
      rows = 0;
      if (fresh) stores.fill(undefined);
      for (const own of codes) own?.fill(-1);
    },
    get rows() {
      return rows;
    },
    get line() {
      return line;
    },
    set line(value) {
      line = value;
    },
  };
}

/**
 * Whether `String` prints a decimal number as it is written: a point with digits on both sides, the last of them not 0, and
 * no exponent. Up to 15 digits identify a double.
 */
function isPrintedAlike(
  bytes: Uint8Array,
  value: number,
  negative: boolean,
  wholeDigits: number,
  fraction: number,
  end: number,
): boolean {
  const digits = end - fraction;
  if (value === 0) return !negative && wholeDigits === 1 && digits === 0 && bytes[end - 1] === ZERO;
  const isWhole = digits === 0 && bytes[end - 1] !== 46;
  const hasPoint = digits > 0 && bytes[fraction - 1] === 46 && bytes[end - 1] !== ZERO;
  return wholeDigits > 0 && wholeDigits + digits <= 15 && (isWhole || hasPoint) && value >= 1e-6;
}

/** The error of rows with another number of cells. */
export function raggedError(source: string, expected: number, ragged: Ragged, remedy = ""): Error {
  const often = ragged.count > 1 ? `, and so in ${ragged.count} lines` : "";
  return inputError(
    `${source} line ${ragged.line}: expected ${expected} cells, found ${ragged.width}${often}${remedy}`,
  );
}

/**
 * Distinct texts by their bytes: a text that occurs a million times is stored once, and no string is made
 * before the end. Open addressing with linear probing; the bytes of all texts lie in one array. If nearly all
 * of the first texts are new, looking them up costs more than it saves: from then on each text is stored
 * without lookup.
 */
export interface TextStore {
  /** The index of the text among the distinct ones. */
  add(bytes: Uint8Array, start: number, end: number): number;
  readonly count: number;
  /** Whether a text may be stored twice. */
  readonly repeats: boolean;
  /** Bytes taken. */
  readonly bytes: number;
  /** All bytes in sequence, for detecting their encoding. */
  readonly all: Uint8Array;
  strings(decoder: TextDecoder): string[];
  /** The indices of possible words for a missing value, by their length and first byte. */
  maybeMissing(): number[];
}

/** @param repeats whether texts are stored without lookup from the first on */
function textStore(repeats = false): TextStore {
  let arena: Uint8Array = new Uint8Array(1 << 10);
  let used = 0;
  let starts = new Float64Array(1 << 6);
  let hashes = new Int32Array(1 << 6);
  let table = new Int32Array(1 << 7).fill(-1);
  let count = 0;
  let adds = 0;

  const append = (bytes: Uint8Array, start: number, end: number): number => {
    const length = end - start;
    if (used + length > arena.length) {
      const larger = new Uint8Array(Math.max(arena.length * 2, used + length));
      larger.set(arena.subarray(0, used));
      arena = larger;
    }
    if (length < 32) for (let p = start, q = used; p < end; p++) arena[q++] = bytes[p];
    else arena.set(bytes.subarray(start, end), used);
    starts[count] = used;
    used += length;
    if (++count === starts.length) grow();
    return count - 1;
  };

  const grow = (): void => {
    const moreStarts = new Float64Array(starts.length * 2);
    moreStarts.set(starts);
    starts = moreStarts;
    if (repeats) return;
    if (count >= SURE && count > NEW * adds) {
      repeats = true;
      hashes = table = new Int32Array(0);
      return;
    }
    const moreHashes = new Int32Array(hashes.length * 2);
    moreHashes.set(hashes);
    hashes = moreHashes;
    table = new Int32Array(table.length * 2).fill(-1);
    const mask = table.length - 1;
    for (let code = 0; code < count; code++) {
      let at = hashes[code] & mask;
      while (table[at] >= 0) at = (at + 1) & mask;
      table[at] = code;
    }
  };

  const same = (code: number, bytes: Uint8Array, start: number, end: number): boolean => {
    let at = starts[code];
    const stop = code + 1 < count ? starts[code + 1] : used;
    if (stop - at !== end - start) return false;
    for (let p = start; p < end; p++) if (arena[at++] !== bytes[p]) return false;
    return true;
  };

  return {
    add(bytes, start, end) {
      if (repeats) return append(bytes, start, end);
      adds++;
      let hash = end - start;
      let p = start;
      for (; p + 4 <= end; p += 4) {
        const four = bytes[p] | (bytes[p + 1] << 8) | (bytes[p + 2] << 16) | (bytes[p + 3] << 24);
        hash = Math.imul(hash ^ four, 0x9e3779b1);
        hash ^= hash >>> 15;
      }
      for (; p < end; p++) hash = Math.imul(hash ^ bytes[p], 0x01000193);
      hash ^= hash >>> 15;
      hash = Math.imul(hash, 0x2c1b3c6d);
      hash ^= hash >>> 13;
      const mask = table.length - 1;
      let at = hash & mask;
      for (let code = table[at]; code >= 0; code = table[at]) {
        if (hashes[code] === hash && same(code, bytes, start, end)) return code;
        at = (at + 1) & mask;
      }
      hashes[count] = hash;
      table[at] = count;
      return append(bytes, start, end);
    },
    get count() {
      return count;
    },
    get repeats() {
      return repeats;
    },
    get bytes() {
      return arena.length + starts.length * 8 + (hashes.length + table.length) * 4;
    },
    get all() {
      return arena.subarray(0, used);
    },
    strings(decoder) {
      const strings: string[] = [];
      strings.length = count;
      const stop = (code: number): number => (code < count ? starts[code] : used);
      // One call of the decoder for many texts; in an ASCII block bytes and characters agree.
      for (let from = 0; from < count;) {
        let to = from + 1;
        while (to < count && stop(to + 1) - starts[from] < BLOCK) to++;
        const bytes = arena.subarray(starts[from], stop(to));
        const text = decoder.decode(bytes);
        const plain = isAscii(bytes);
        for (let code = from; code < to; code++) {
          const start = starts[code] - starts[from];
          const end = stop(code + 1) - starts[from];
          strings[code] = plain ? text.slice(start, end) : decoder.decode(bytes.subarray(start, end));
        }
        from = to;
      }
      return strings;
    },
    maybeMissing() {
      const found: number[] = [];
      for (let code = 0; code < count; code++) {
        const length = (code + 1 < count ? starts[code + 1] : used) - starts[code];
        if (mayBeMissingWord(arena[starts[code]], length)) found.push(code);
      }
      return found;
    },
  };
}

const BLOCK = 1 << 14;
/** Number of texts after which this is decided, and the share of new ones among them. */
const SURE = 1 << 15;
const NEW = 0.8;

function isAscii(bytes: Uint8Array): boolean {
  for (let p = 0; p < bytes.length; p++) if (bytes[p] > 127) return false;
  return true;
}

/**
 * Decimal text to the nearest double.
 *
 * Up to 2^53 and 10^22 one multiplication or division of exact doubles is correctly rounded (Clinger 1990). Up to 18
 * digits the result is formed in double-double arithmetic (Dekker 1971), whose error is below 2^-90 relative; the
 * rounded sum is the nearest double unless the remainder is that close to half a unit, and only then, or beyond
 * these ranges, `Number` decides.
 */
const POWERS: Float64Array = Float64Array.from({ length: 23 }, (_, k) => Number(`1e${k}`));

/** 10^-k as a double; `inverseRest` is what it lacks. */
const INVERSES = POWERS.map((power) => 1 / power);
const EXACT = 2 ** 53;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The number that `text` spells in full, or undefined. Infinite only if it is too large for a double. */
export function parseNumber(text: string): number | undefined {
  return NUMBER.test(text) ? Number(text) : undefined;
}

/**
 * The number found by a scanner: its first nine digits in `mantissa` (invalid for more integer digits) and
 * the further fraction digits in `low`; their positions, in the form of `longNumber`. Never negative.
 */
function decimalValue(
  bytes: Uint8Array,
  mantissa: number,
  low: number,
  whole: number,
  wholeDigits: number,
  fraction: number,
  fractionDigits: number,
  exponent: number,
): number {
  const digits = wholeDigits + fractionDigits;
  const scale = exponent - fractionDigits;
  if (digits <= 9 && scale >= -22 && scale <= 22) {
    return scale < 0 ? mantissa / POWERS[-scale] : mantissa * POWERS[scale];
  }
  if (digits > 9 && digits <= 18 && wholeDigits <= 9) {
    const value = joinDigits(mantissa, low, digits - 9, scale);
    if (value >= 0) return value;
  }
  return longNumber(bytes, whole, wholeDigits, fraction, fractionDigits, exponent);
}

/**
 * A number of many digits, found by the scanner: `wholeDigits` at `whole`, then `fractionDigits` at
 * `fraction`, and the written exponent. Never negative.
 */
function longNumber(
  bytes: Uint8Array,
  whole: number,
  wholeDigits: number,
  fraction: number,
  fractionDigits: number,
  exponent: number,
): number {
  let text = "0";
  for (let p = whole; p < whole + wholeDigits; p++) text += String.fromCharCode(bytes[p]);
  for (let p = fraction; p < fraction + fractionDigits; p++) text += String.fromCharCode(bytes[p]);
  return Number(`${text}e${exponent - fractionDigits}`);
}

/**
 * (high 10^lowDigits + low) 10^exponent correctly rounded, or -1 if double-double arithmetic cannot decide or
 * the exponent is out of range; both have at most 9 digits.
 */
function joinDigits(high: number, low: number, lowDigits: number, exponent: number): number {
  if (exponent < -44 || exponent > 22) return -1;
  const power = POWERS[lowDigits];
  const product = high * power;
  let h = product + low;
  if (h < EXACT && exponent >= -22) {
    return exponent < 0 ? h / POWERS[-exponent] : h * POWERS[exponent];
  }
  let l = low - (h - product) + productError(high, power, product);
  let e = exponent;
  while (e < 0) {
    const k = e < -22 ? 22 : -e;
    e += k;
    const inverse = INVERSES[k];
    const product = h * inverse;
    l = productError(h, inverse, product) + (h * inverseRest(k) + l * inverse);
    h = product;
  }
  if (e > 0) {
    const power = POWERS[e];
    const product = h * power;
    l = productError(h, power, product) + l * power;
    h = product;
  }
  const sum = h + l;
  const rest = l - (sum - h);
  // If stretching the remainder by 2^-30 moves the sum, it is too close to a tie.
  return sum + rest * (1 + 2 ** -30) === sum ? sum : -1;
}

let rests: Float64Array | undefined;

/** 10^-k less its double. */
function inverseRest(k: number): number {
  rests ??= POWERS.map((power, j) => {
    const product = INVERSES[j] * power;
    return (1 - product - productError(INVERSES[j], power, product)) / power;
  });
  return rests[k];
}

/** a b - product, exactly (Veltkamp splitting; no operand is near overflow here). */
function productError(a: number, b: number, product: number): number {
  const s = 134217729 * a;
  const ah = s - (s - a);
  const al = a - ah;
  const t = 134217729 * b;
  const bh = t - (t - b);
  const bl = b - bh;
  return al * bl - (product - ah * bh - al * bh - ah * bl);
}
