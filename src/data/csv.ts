import { inputError, optionError } from "../core/errors.ts";
import { isNumeric, tableBuilder } from "./builder.ts";
import type { ByteReader } from "./bytes.ts";
import { afterLineEnd, cellText, emptyCell, NEWLINE, readCell, RETURN } from "./cell.ts";
import { csvScanner, type CsvScanner } from "./csvscan.ts";
import { parseNumber } from "./number.ts";
import { assignRoles, columnNames } from "./roles.ts";
import type { ReadOptions, Table } from "./table.ts";

const BUFFER = 1 << 20;
const LONGEST_ROW = 1 << 26;
/** Records looked at to find the delimiter and the columns of text. */
const SAMPLE = 1000;

/**
 * Reads delimited text (RFC 4180) from bytes as they come. The buffer holds whole rows: what is left of it after the
 * last complete row moves to its front, and it grows only for a row longer than itself.
 */
export async function readCsv(
  reader: ByteReader,
  source: string,
  options: ReadOptions,
  bufferBytes: number = BUFFER,
): Promise<Table> {
  const notes: string[] = [];
  let buffer = new Uint8Array(bufferBytes + 1); // one more for the line end that stops every scan
  let length = 0;
  let scanner: CsvScanner | undefined;
  let finish: (() => Table) | undefined;
  for (;;) {
    const final = await fill();
    buffer[length] = NEWLINE;
    let from = 0;
    if (scanner === undefined) {
      from = bom(buffer, length, source);
      const sample = sampleRecords(buffer, from, length, final, source, options);
      if (sample.records.length === 0) {
        if (final) throw inputError(`${source} is empty`);
        enlarge();
        continue;
      }
      const delimiter = sample.delimiter;
      const header = options.header ?? looksLikeHeader(sample.records[0], options);
      const first = sample.records[0];
      const names = header ? columnNames(source, first, notes) : first.map((_, column) => `c${column}`);
      if (!header) notes.push(`no header found: the columns are called c0 to c${names.length - 1}`);
      const rows = header ? sample.records.slice(1) : sample.records;
      const roles = assignRoles(source, names, options, textColumns(rows, names.length, options));
      const missing = options.missing ?? "refuse";
      const builder = tableBuilder({ source, unit: "line", missing, notes }, roles);
      const point = (options.decimal ?? ".").charCodeAt(0);
      scanner = csvScanner(source, { delimiter, point }, builder);
      finish = builder.finish;
      if (header) {
        from = sample.afterFirst;
        scanner.line = sample.secondLine;
      }
    }
    const done = scanner.scan(buffer, from, length, final);
    if (final) return finish!();
    if (done === 0) enlarge();
    buffer.copyWithin(0, done, length);
    length -= done;
  }

  async function fill(): Promise<boolean> {
    while (length < buffer.length - 1) {
      const count = await reader.read(buffer.subarray(length, buffer.length - 1));
      if (count === 0) return true;
      length += count;
    }
    return false;
  }

  function enlarge(): void {
    if (buffer.length > LONGEST_ROW) {
      const line = scanner?.line ?? 1;
      throw inputError(`${source} line ${line}: a row of more than 64 MB; is a quote left open?`);
    }
    const larger = new Uint8Array((buffer.length - 1) * 2 + 1);
    larger.set(buffer);
    buffer = larger;
  }
}

function bom(bytes: Uint8Array, length: number, source: string): number {
  if (length >= 2 && ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff))) {
    throw inputError(`${source} is UTF-16 text; save it as UTF-8`);
  }
  return length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

interface Sample {
  readonly delimiter: number;
  readonly records: readonly (readonly string[])[];
  /** Where the second record begins. */
  readonly afterFirst: number;
  readonly secondLine: number;
}

function sampleRecords(
  bytes: Uint8Array,
  from: number,
  to: number,
  final: boolean,
  source: string,
  options: ReadOptions,
): Sample {
  const sample = (delimiter: number, count: number): Sample =>
    records(bytes, from, to, final, source, delimiter, count);
  const given = options.delimiter ?? (options.format === "tsv" ? "\t" : undefined);
  if (given !== undefined) return sample(delimiterByte(given), SAMPLE);
  // A semicolon file may hold a decimal comma in every cell, so the comma comes late.
  const candidates = ["\t", ";", ",", "|"].filter((candidate) => candidate !== options.decimal);
  // Quotes that make no sense with one candidate may with the next.
  const attempt = (delimiter: number, count: number): Sample["records"] => {
    try {
      return sample(delimiter, count).records;
    } catch {
      return [];
    }
  };
  for (const candidate of candidates) {
    const delimiter = delimiterByte(candidate);
    const widths = attempt(delimiter, 10).map((record) => record.length);
    if (widths.length > 0 && widths[0] > 1 && widths.every((width) => width === widths[0])) {
      return sample(delimiter, SAMPLE);
    }
  }
  // Ragged whichever it is: the one that splits the first record most is what the error should speak about.
  const splits = candidates.map((candidate) => attempt(delimiterByte(candidate), 1)[0]?.length ?? 0);
  const widest = candidates[splits.indexOf(Math.max(...splits))];
  return sample(delimiterByte(Math.max(...splits) > 1 ? widest : ","), SAMPLE);
}

function delimiterByte(delimiter: string): number {
  const byte = delimiter.charCodeAt(0);
  if (delimiter.length !== 1 || byte > 127 || /[\s"\w.+-]/.test(delimiter.replace("\t", ","))) {
    throw optionError(
      `option "delimiter" must be one character such as "," ";" "|" or a tab, got ${JSON.stringify(delimiter)}`,
    );
  }
  return byte;
}

/** The first complete records, as text. */
function records(
  bytes: Uint8Array,
  from: number,
  to: number,
  final: boolean,
  source: string,
  delimiter: number,
  count: number,
): Sample {
  const found: string[][] = [];
  const cell = emptyCell();
  let line = 1;
  let afterFirst = to;
  let secondLine = 1;
  let p = from;
  while (p < to && found.length < count) {
    if (bytes[p] === NEWLINE || bytes[p] === RETURN) {
      p = afterLineEnd(bytes, p, to);
      line++;
      continue;
    }
    const record: string[] = [];
    const where = (): string => `${source} line ${line}`;
    for (;;) {
      if (!readCell(bytes, p, to, final, delimiter, cell, where)) {
        return { delimiter, records: found, afterFirst, secondLine };
      }
      record.push(cellText(bytes, cell));
      line += cell.lines;
      p = cell.stop;
      if (p >= to || bytes[p] !== delimiter) break;
      p++;
    }
    if (bytes[p] === RETURN && p + 1 === to && !final) break;
    p = p < to ? afterLineEnd(bytes, p, to) : to;
    line++;
    found.push(record);
    if (found.length === 1) {
      afterFirst = p;
      secondLine = line;
    }
  }
  return { delimiter, records: found, afterFirst, secondLine };
}

function looksLikeHeader(first: readonly string[], options: ReadOptions): boolean {
  const named = [options.label, options.id, options.batch, ...(options.ignore ?? [])];
  if (Array.isArray(options.categorical)) named.push(...options.categorical);
  if (named.some((name) => name !== undefined && first.includes(name))) return true;
  const decimal = options.decimal ?? ".";
  return first.every((cell) => parseNumber(cell.replace(decimal, ".")) === undefined);
}

function textColumns(
  rows: readonly (readonly string[])[],
  columns: number,
  options: ReadOptions,
): Set<number> {
  const decimal = options.decimal ?? ".";
  const found = new Set<number>();
  for (const row of rows) {
    for (let column = 0; column < columns; column++) {
      if (row[column] !== undefined && !isNumeric(row[column].replace(decimal, "."))) found.add(column);
    }
  }
  return found;
}
