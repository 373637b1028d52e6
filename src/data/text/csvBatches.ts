import type { Note } from "../../core/index.ts";
import { inputError, note, option } from "../../core/internal.ts";
import { uniqueNames, type CellOptions, type RawColumn, type RawTable } from "../cells/rawColumn.ts";
import { refuseMoreRows, tooManyColumns } from "../files/budget.ts";
import type { ByteReader } from "../files/bytes.ts";
import {
  afterLineEnd,
  emptyCell,
  NEWLINE,
  readCell,
  RETURN,
  csvDialect,
  type CsvDialect,
} from "./dialect.ts";
import { cellScanner, raggedError, type CellScanner, type TextStore } from "./cellScanner.ts";
import { textDecoderFor } from "../files/formats.ts";

/**
 * Reads delimited text (RFC 4180) into columns, as tables of about `most` rows. Text is decoded at the end of each, when
 * it is known whether everything is UTF-8.
 *
 * @param total bytes of the text, where they are known
 */
export async function* csvBatches(
  reader: ByteReader,
  source: string,
  options: CellOptions,
  most: number,
  total?: number,
  bufferBytes?: number,
): AsyncGenerator<RawTable, void, undefined> {
  const window = rowWindow(reader, source, bufferBytes);
  let dialect: CsvDialect | undefined;
  let scanner: CellScanner | undefined;
  let columns: GrowingColumns | undefined;
  let given = false;
  for (;;) {
    const final = await window.fill();
    const { bytes, length } = window;
    let at = 0;
    if (dialect === undefined || scanner === undefined || columns === undefined) {
      if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) at = 3;
      const found = csvDialect({ bytes, to: length, final }, at, options);
      if (found === "wide") throw tooManyColumns(source);
      dialect = found;
      if (dialect === undefined) {
        if (final) throw firstProblem(bytes, at, length, source);
        window.advance(0, 1);
        continue;
      }
      if (options.numbers !== undefined && dialect.skipped > 0) {
        throw raggedError(source, dialect.width, { count: 1, line: 1, width: dialect.firstWidth });
      }
      at = dialect.from;
      scanner = scannerOf(source, dialect, options);
      scanner.line = dialect.line;
      columns = growingColumns(source, dialect, options);
    }
    for (;;) {
      const to = scanner.scan(bytes, at, length, final);
      const isFull = scanner.rows === scanner.capacity;
      if (columns.rows === 0 && total !== undefined && most === Infinity)
        columns.expect(Math.ceil((SLACK * total * scanner.rows) / Math.max(1, to - at)));
      columns.add(scanner);
      scanner.clear(false);
      at = to;
      if (!isFull) break;
    }
    if (final) break;
    window.advance(at, scanner.line);
    if (columns.rows >= most) {
      yield finish(source, dialect, scanner, columns.finish(), options);
      given = true;
      scanner.clear(true);
      columns = growingColumns(source, dialect, options);
    }
  }
  if (columns.rows > 0 || !given) yield finish(source, dialect, scanner, columns.finish(), options);
}

const BUFFER = 1 << 20;
const LONGEST_ROW = 1 << 26;

/** A section of delimited text with whole rows, which moves along as they are read. */
interface RowWindow {
  readonly bytes: Uint8Array;
  /** Bytes of text; after them is a line end that is not part of it and stops every scan. */
  readonly length: number;
  /** Reads until the window is full; returns whether the text has ended. */
  fill(): Promise<boolean>;
  /** The rest after `done` bytes moves to the front; if nothing is done, the window grows. */
  advance(done: number, line: number): void;
}

/** The window grows only for a row longer than itself. */
function rowWindow(reader: ByteReader, source: string, bufferBytes: number = BUFFER): RowWindow {
  let bytes = new Uint8Array(bufferBytes + 1);
  let length = 0;
  return {
    get bytes() {
      return bytes;
    },
    get length() {
      return length;
    },
    async fill() {
      let ended = false;
      while (!ended && length < bytes.length - 1) {
        const count = await reader.read(bytes.subarray(length, bytes.length - 1));
        length += count;
        ended = count === 0;
      }
      bytes[length] = NEWLINE;
      return ended;
    },
    advance(done, line) {
      if (done > 0) {
        bytes.copyWithin(0, done, length);
        length -= done;
        return;
      }
      if (bytes.length > LONGEST_ROW) {
        throw inputError(`${source} line ${line}: a row of more than 64 MB; is a quote left open?`);
      }
      const larger = new Uint8Array((bytes.length - 1) * 2 + 1);
      larger.set(bytes);
      bytes = larger;
    },
  };
}

/** Rows that are expected by the length of the first ones, and a few more. */
const SLACK = 1.03;

/** Why a text has no first record. */
function firstProblem(bytes: Uint8Array, from: number, to: number, source: string): Error {
  let line = 1;
  let p = from;
  for (; p < to && (bytes[p] === NEWLINE || bytes[p] === RETURN); line++) p = afterLineEnd(bytes, p, to);
  try {
    const section = { bytes, to, final: true, delimiter: 44 };
    if (p < to) readCell(section, p, emptyCell(), () => `${source} line ${line}`);
  } catch (error) {
    return error as Error;
  }
  return inputError(`${source} is empty`);
}

function scannerOf(source: string, dialect: CsvDialect, options: CellOptions): CellScanner {
  const { asWritten, decimal, ignore, numbers } = options;
  const names = columnNames(dialect, source, []);
  const plan = numbers?.plan(names, dialect.header ? headerCells(dialect) : names);
  return cellScanner({
    source,
    names,
    delimiter: dialect.delimiter,
    point: dialect.decimal === "," ? 44 : 46,
    isMarkSure: decimal !== undefined || numbers !== undefined,
    ignored: (j) => (plan?.ignore ?? ignore)?.has(names[j]) === true,
    isText: (j) => plan?.texts.has(names[j]) === true,
    asWritten: asWritten !== undefined,
    storesAll: asWritten !== undefined && asWritten.isWhole !== true,
    isExact: numbers !== undefined,
  });
}

interface BatchColumns {
  readonly rows: number;
  readonly numbers: (Float64Array | undefined)[];
  readonly codes: readonly (Int32Array | undefined)[];
  /** The line of each row. */
  readonly lines: Int32Array;
}

/** Columns of the rows of several tiles. */
interface GrowingColumns {
  readonly rows: number;
  /** Makes room for this many rows, if there is as much memory. */
  expect(rows: number): void;
  add(tile: CellScanner): void;
  finish(): BatchColumns;
}

function growingColumns(
  source: string,
  { width, names: bytes }: CsvDialect,
  options: CellOptions,
): GrowingColumns {
  const numbers: (Float64Array | undefined)[] = Array.from({ length: width }, () => undefined);
  const codes: (Int32Array | undefined)[] = Array.from({ length: width }, () => undefined);
  let lines = new Int32Array(1);
  let capacity = 1;
  let expected = 0;
  let rows = 0;
  const grow = (needed: number, stores: readonly (TextStore | undefined)[], line: number): void => {
    let held = 0;
    let most = 0;
    let largest = 0;
    for (let j = 0; j < width; j++) {
      const own = (numbers[j]?.byteLength ?? 0) + (codes[j]?.byteLength ?? 0) + (stores[j]?.bytes ?? 0);
      held += 2 * own;
      if (own <= most) continue;
      most = own;
      largest = j;
    }
    const name = bytes[largest] === undefined ? `c${largest}` : new TextDecoder().decode(bytes[largest]);
    refuseMoreRows(source, `line ${line}`, held, options, name);
    capacity = Math.max(needed, capacity < expected ? expected : 2 * capacity);
    const longer = new Int32Array(capacity);
    longer.set(lines.subarray(0, rows));
    lines = longer;
    for (let j = 0; j < width; j++) {
      const [own, texts] = [numbers[j], codes[j]];
      if (own !== undefined) (numbers[j] = new Float64Array(capacity)).set(own.subarray(0, rows));
      if (texts !== undefined) (codes[j] = new Int32Array(capacity)).set(texts.subarray(0, rows));
    }
  };
  return {
    get rows() {
      return rows;
    },
    expect(all) {
      if (12 * all * width <= options.memory) expected = all;
    },
    add({ rows: count, numbers: tile, codes: own, stores, lines: ofTile }) {
      if (rows + count > capacity) grow(rows + count, stores, ofTile[0]);
      lines.set(ofTile.subarray(0, count), rows);
      for (let j = 0; j < width; j++) {
        let column = numbers[j];
        let i = 0;
        // A column of texts has no numbers; one that begins with texts has none before.
        if (column === undefined) {
          while (i < count && Number.isNaN(tile[i * width + j])) i++;
          if (i < count) column = numbers[j] = new Float64Array(capacity).fill(Number.NaN, 0, rows + i);
        }
        for (let p = i * width + j; i < count; i++, p += width) column![rows + i] = tile[p];
        if (own[j] !== undefined) {
          codes[j] ??= new Int32Array(capacity).fill(-1, 0, rows);
          codes[j]!.set(own[j]!.subarray(0, count), rows);
        } else codes[j]?.fill(-1, rows, rows + count);
      }
      rows += count;
    },
    finish: () => ({
      rows,
      numbers: numbers.map((own) => cut(own, rows)),
      codes: codes.map((own) => cut(own, rows)),
      lines,
    }),
  };
}

/** The first `rows` values; copied only if much unused memory would be kept. */
function cut<T extends Float64Array | Int32Array>(values: T | undefined, rows: number): T | undefined {
  return (rows > 0.9 * (values?.length ?? 0) ? values?.subarray(0, rows) : values?.slice(0, rows)) as T;
}

function finish(
  source: string,
  dialect: CsvDialect,
  { short, long, stores }: CellScanner,
  { rows, numbers, codes, lines }: BatchColumns,
  options: CellOptions,
): RawTable {
  const isStrict = options.strict === true || options.numbers !== undefined;
  if (long.count > 0) {
    const remedy = `; is a delimiter inside a cell not quoted, or is the delimiter another one (${option("delimiter")})?`;
    throw raggedError(source, dialect.width, long, isStrict ? "" : remedy);
  }
  if (isStrict && short.count > 0) throw raggedError(source, dialect.width, short);
  if (rows === 0) throw inputError(`${source} has no rows of data`);
  const notes: Note[] = [];
  const about = { file: source };
  if (short.count > 0) {
    const which = short.count === 1 ? "1 row has" : `${short.count} rows have`;
    const message = `${which} too few cells (first: line ${short.line}); the missing ones count as empty`;
    notes.push(note("short-rows", message, { ...about, row: short.line }));
  }
  if (dialect.skipped > 0) {
    const { skipped } = dialect;
    const lines = skipped === 1 ? "1 line before the header was" : `${skipped} lines before the header were`;
    notes.push(note("skipped-lines", `${lines} left out`, about));
  }
  const {
    decoder,
    name: encoding,
    unsure,
  } = textDecoderFor(
    [...dialect.names, ...stores.map((store) => store?.all ?? new Uint8Array(0))],
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
  } else if (headerCells(dialect).every((cell) => /^[-+.\d]+$/.test(cell))) {
    const cells = headerCells(dialect).slice(0, 3).join(", ");
    const message = `the first row (${cells}${dialect.width > 3 ? ", ..." : ""}) is taken for the names of the columns; ${option("header")} says otherwise`;
    notes.push(note("number-header", message, { ...about, option: "header" }));
  }
  const columns = columnNames(dialect, source, notes, decoder).map((name, j): RawColumn => {
    const [own, store] = [codes[j], stores[j]];
    const values = numbers[j];
    numbers[j] = undefined;
    return {
      name,
      ...(values && { numbers: values }),
      ...(own && store && { codes: own, texts: store.strings(decoder), maybeMissing: store.maybeMissing() }),
      ...(store?.repeats === true && { repeats: true }),
    };
  });
  return {
    source,
    rows,
    columns,
    notes,
    encoding: decoder.encoding,
    lineOf: (row) => lines[row],
    ...(dialect.header && { headings: headerCells(dialect, decoder) }),
    ...(dialect.decimal && { decimal: dialect.decimal }),
  };
}

function columnNames(dialect: CsvDialect, source: string, notes: Note[], decoder?: TextDecoder): string[] {
  if (!dialect.header) return Array.from({ length: dialect.width }, (_, j) => `c${j}`);
  return uniqueNames(headerCells(dialect, decoder), notes, source);
}

function headerCells({ names }: CsvDialect, decoder?: TextDecoder): string[] {
  const text = decoder ?? textDecoderFor(names, undefined, "").decoder;
  return names.map((bytes) => text.decode(bytes).replaceAll('""', '"'));
}
