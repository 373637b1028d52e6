import type { Note } from "../../../core/index.ts";
import { inputError, note, option } from "../../../core/internal.ts";
import type { ByteReader } from "../../files/bytes.ts";
import { afterLineEnd, emptyCell, NEWLINE, readCell, RETURN } from "../../files/cell.ts";
import { tooManyColumns } from "../../files/budget.ts";
import { decimalValue } from "../../files/number.ts";
import { rowWindow } from "../../files/rowWindow.ts";
import { csvDialect, type CsvDialect } from "./csvDialect.ts";
import { uniqueNames } from "./columnNames.ts";
import { refuseTooLarge } from "./memoryLimit.ts";
import type { CellOptions, RawColumn, RawTable } from "./rawColumn.ts";
import { textDecoderFor } from "./textEncoding.ts";
import { textStore, type TextStore } from "./textStore.ts";

const SPACE = 32;
const MINUS = 45;
const QUOTE = 34;
const ZERO = 48;
/** Means "no decimal mark": no byte has this value. */
const NONE = 999;

/**
 * Reads delimited text (RFC 4180) into columns. A cell that is a number in plain notation goes from bytes to a double;
 * every other cell is kept as text, each distinct one once. Text is decoded at the end, when it is known
 * whether everything is UTF-8. Yields tables of about `most` rows as soon as they are read.
 */
export async function* csvBatches(
  reader: ByteReader,
  source: string,
  options: CellOptions,
  most: number,
): AsyncGenerator<RawTable, void, undefined> {
  const window = rowWindow(reader, source);
  let dialect: CsvDialect | undefined;
  let scanner: Scanner | undefined;
  let given = false;
  for (;;) {
    const final = await window.fill();
    const { bytes, length } = window;
    let from = 0;
    if (dialect === undefined || scanner === undefined) {
      if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) from = 3;
      const found = csvDialect(bytes, from, length, final, options);
      if (found === "wide") throw tooManyColumns(source);
      dialect = found;
      if (dialect === undefined) {
        if (final) {
          // The scanner reports what is wrong with the first record.
          cellScanner(source, ["1"], 44, NONE, options).scan(bytes, from, length, true);
          throw inputError(`${source} is empty`);
        }
        window.advance(0, 1);
        continue;
      }
      from = dialect.from;
      scanner = another(dialect, dialect.line);
    }
    const done = scanner.scan(bytes, from, length, final);
    if (final) break;
    window.advance(done, scanner.line);
    if (scanner.rows >= most) {
      yield finish(source, dialect, scanner, options);
      given = true;
      scanner = another(dialect, scanner.line);
    }
  }
  if (scanner.rows > 0 || !given) yield finish(source, dialect, scanner, options);

  function another(own: CsvDialect, line: number): Scanner {
    const mark = own.decimal === "," ? 44 : 46;
    const point = mark === own.delimiter ? NONE : mark;
    const made = cellScanner(source, columnNames(own, source, []), own.delimiter, point, options);
    made.line = line;
    return made;
  }
}

function finish(source: string, dialect: CsvDialect, scanner: Scanner, options: CellOptions): RawTable {
  const { rows, short, long } = scanner;
  if (long.count > 0) {
    throw inputError(
      `${source} line ${long.first}: ${long.width} cells where ${dialect.width} are expected` +
        `${long.count > 1 ? `, and so in ${long.count} lines` : ""}; is a delimiter inside a cell not quoted, ` +
        `or is the delimiter another one (${option("delimiter")})?`,
    );
  }
  if (options.strict === true && short.count > 0) {
    throw inputError(
      `${source} line ${short.first}: ${short.width} cells where ${dialect.width} are expected` +
        `${short.count > 1 ? `, and so in ${short.count} lines` : ""}`,
    );
  }
  if (rows === 0) throw inputError(`${source} has no rows of data`);
  const notes: Note[] = [];
  const about = { file: source };
  if (short.count > 0) {
    notes.push(
      note(
        "short-rows",
        `${short.count} ${short.count === 1 ? "row has" : "rows have"} too few cells (first: line ${short.first}); ` +
          `the missing ones count as empty`,
        { ...about, row: short.first },
      ),
    );
  }
  if (dialect.skipped > 0) {
    const lines =
      dialect.skipped === 1
        ? "1 line before the header was"
        : `${dialect.skipped} lines before the header were`;
    notes.push(note("skipped-lines", `${lines} left out`, about));
  }
  const {
    decoder,
    name: encoding,
    unsure,
  } = textDecoderFor(
    [...dialect.names, ...scanner.stores.map((store) => store?.all ?? new Uint8Array(0))],
    options.encoding,
    source,
    options.asWritten?.encoding,
  );
  if (unsure) {
    const message = `text is read as ${encoding}, because it is not UTF-8; ${option("encoding")} gives another one`;
    notes.push(note("encoding", message, { ...about, option: "encoding" }));
  }
  if (!dialect.header) {
    const message = `no header found: the columns are called c0 to c${dialect.width - 1}; ${option("header")} says otherwise`;
    notes.push(note("no-header", message, { ...about, option: "header" }));
  }
  const names = columnNames(dialect, source, notes, decoder);
  const columns = names.map((name, j): RawColumn => {
    const numbers = cut(scanner.numbers[j], rows);
    const codes = cut(scanner.codes[j], rows);
    const texts = scanner.stores[j]?.strings(decoder);
    const maybeMissing = scanner.stores[j]?.maybeMissing();
    const repeats = scanner.stores[j]?.repeats === true;
    scanner.numbers[j] = scanner.codes[j] = scanner.stores[j] = undefined;
    return {
      name,
      ...(numbers && { numbers }),
      ...(codes && texts && { codes, texts, maybeMissing }),
      ...(repeats && { repeats }),
    };
  });
  return {
    source,
    rows,
    columns,
    notes,
    encoding: decoder.encoding,
    ...(dialect.header && { headings: headerCells(dialect, decoder) }),
    ...(dialect.decimal && { decimal: dialect.decimal }),
  };
}

/** The first `rows` values; copied only if much unused memory would be kept. */
function cut<T extends Float64Array | Int32Array>(values: T | undefined, rows: number): T | undefined {
  return (rows > 0.9 * (values?.length ?? 0) ? values?.subarray(0, rows) : values?.slice(0, rows)) as T;
}

function columnNames(dialect: CsvDialect, source: string, notes: Note[], decoder?: TextDecoder): string[] {
  if (!dialect.header) return Array.from({ length: dialect.width }, (_, j) => `c${j}`);
  const decoded = decoder ?? textDecoderFor(dialect.names, undefined, source).decoder;
  return uniqueNames(headerCells(dialect, decoded), notes, source);
}

function headerCells({ names }: CsvDialect, decoder: TextDecoder): string[] {
  return names.map((bytes) => decoder.decode(bytes).replaceAll('""', '"'));
}

interface Ragged {
  count: number;
  first: number;
  width: number;
}

interface Scanner {
  line: number;
  readonly rows: number;
  readonly numbers: (Float64Array | undefined)[];
  readonly codes: (Int32Array | undefined)[];
  readonly stores: (TextStore | undefined)[];
  readonly short: Ragged;
  readonly long: Ragged;
  /**
   * As in `csvScanner`: the complete rows of bytes[from .. to); returns the start of the first incomplete
   * one.
   */
  scan(bytes: Uint8Array, from: number, to: number, final: boolean): number;
}

/**
 * A number such as 1.234 stays text unless its column has other evidence for the decimal mark or the mark is
 * given, because the point may separate thousands.
 */
function cellScanner(
  source: string,
  names: readonly string[],
  delimiter: number,
  point: number,
  { decimal, ignore, memory, asWritten }: CellOptions,
): Scanner {
  const columns = names.length;
  const ignored = Uint8Array.from(names, (name) => (ignore?.has(name) === true ? 1 : 0));
  // Columns whose cells may become numbers.
  const read = Uint8Array.from(ignored, (not) => (not === 1 || asWritten !== undefined ? 0 : 1));
  // Number of rows with allocated memory; few for a very wide table, because every column has its own.
  let capacity = Math.max(4, Math.min(1 << 10, 2 ** Math.floor(Math.log2((1 << 24) / columns))));
  let rows = 0;
  let line = 1;
  const numbers: (Float64Array | undefined)[] = Array.from({ length: columns }, () => undefined);
  const codes: (Int32Array | undefined)[] = Array.from({ length: columns }, () => undefined);
  const stores: (TextStore | undefined)[] = Array.from({ length: columns }, () => undefined);
  const clear = new Uint8Array(columns).fill(decimal === undefined ? 0 : 1);
  const short: Ragged = { count: 0, first: 0, width: 0 };
  const long: Ragged = { count: 0, first: 0, width: 0 };
  const cell = emptyCell();
  let scratch = new Uint8Array(1 << 8);
  let cellLine = 1;
  let cellColumn = 0;
  const where = (): string => `${source} line ${cellLine}, cell ${cellColumn + 1}`;

  const grow = (): void => {
    let held = 0;
    let most = 0;
    let largest = 0;
    for (let j = 0; j < columns; j++) {
      const kept = (numbers[j]?.byteLength ?? 0) + (codes[j]?.byteLength ?? 0);
      const bytes = kept * 2 + (stores[j]?.bytes ?? 0) * 2;
      held += bytes;
      if (bytes > most) {
        most = bytes;
        largest = j;
      }
    }
    refuseTooLarge(source, held, memory, names[largest]);
    capacity *= 2;
    for (let j = 0; j < columns; j++) {
      const oldNumbers = numbers[j];
      if (oldNumbers !== undefined) {
        const larger = new Float64Array(capacity);
        larger.set(oldNumbers);
        numbers[j] = larger.fill(Number.NaN, oldNumbers.length);
      }
      const oldCodes = codes[j];
      if (oldCodes !== undefined) {
        const larger = new Int32Array(capacity);
        larger.set(oldCodes);
        codes[j] = larger.fill(-1, oldCodes.length);
      }
    }
  };

  const newNumbers = (column: number): Float64Array =>
    (numbers[column] = new Float64Array(capacity).fill(Number.NaN));

  const textCell = (bytes: Uint8Array, column: number): void => {
    let { start, end } = cell;
    if (asWritten === undefined) {
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
    const store = (stores[column] ??= textStore(asWritten !== undefined));
    const into = (codes[column] ??= new Int32Array(capacity).fill(-1));
    into[rows] = store.add(from, start, end);
  };

  const scan = (bytes: Uint8Array, from: number, to: number, final: boolean): number => {
    let p = from;
    while (p < to) {
      const rowStart = p;
      let c = bytes[p];
      if (c === NEWLINE || c === RETURN) {
        if (c === RETURN && p + 1 === to && !final) return rowStart; // half a line end
        p = afterLineEnd(bytes, p, to);
        line++;
        continue;
      }
      if (rows === capacity) grow();
      let lines = 0; // line ends inside the row so far
      let column = 0;
      let extra = false;
      for (;;) {
        let q = p;
        let found = false;
        if (column < columns && read[column] === 1) {
          c = bytes[q];
          while (c === SPACE) c = bytes[++q];
          const negative = c === MINUS;
          if (negative) c = bytes[++q];
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
          if (d === point - ZERO && wholeDigits > 0) {
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
          c = bytes[q];
          if (wholeDigits > 0) {
            let exponent = 0;
            const scientific = (c | 32) === 101;
            if (scientific) {
              c = bytes[++q];
              const down = c === MINUS;
              if (down || c === 43) c = bytes[++q];
              const first = q;
              while (c >= 48 && c <= 57) {
                exponent = Math.min(exponent * 10 + c - 48, 99999);
                c = bytes[++q];
              }
              if (down) exponent = -exponent;
              if (q === first) c = 0; // no digits: not a number
            }
            while (c === SPACE) c = bytes[++q];
            const padded = wholeDigits > 1 && bytes[whole] === ZERO;
            const ended = (c === delimiter || c === NEWLINE || c === RETURN) && (q < to || final);
            if (ended && !padded && wholeDigits <= 15) {
              // 1.234 may mean a thousand and more, unless the column shows that its mark is a decimal one.
              let sure = true;
              if (fractionDigits > 0 && clear[column] === 0) {
                sure = fractionDigits !== 3 || wholeDigits > 3 || bytes[whole] === ZERO || scientific;
                if (sure) clear[column] = 1;
              }
              if (sure) {
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
                if (value < Infinity) {
                  (numbers[column] ?? newNumbers(column))[rows] = negative ? -value : value;
                  found = true;
                }
              }
            }
          }
        }
        if (found) {
          p = q;
        } else {
          cellColumn = column;
          cellLine = line + lines;
          if (!readCell(bytes, p, to, final, delimiter, cell, where)) return rowStart;
          if (column < columns) {
            if (ignored[column] === 0) textCell(bytes, column);
          } else if (cell.end > cell.start) extra = true;
          lines += cell.lines;
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
      if (column < columns) count(short, column);
      else if (extra) count(long, column);
      rows++;
      line += lines + 1;
    }
    return p;
  };

  const count = (ragged: Ragged, width: number): void => {
    if (ragged.count++ === 0) {
      ragged.first = line;
      ragged.width = width;
    }
  };

  return {
    scan,
    numbers,
    codes,
    stores,
    short,
    long,
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
