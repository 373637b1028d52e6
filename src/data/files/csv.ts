import { inputError } from "../../core/errors.ts";
import { isNumeric, tableBuilder, type Filling, type TableBuilder } from "./tableBuilder.ts";
import type { ByteReader } from "./bytes.ts";
import { NEWLINE } from "./cell.ts";
import { sampleRecords } from "./csvSample.ts";
import { csvScanner, type CsvScanner } from "./csvScanner.ts";
import { parseNumber } from "./number.ts";
import { assignRoles, columnNames } from "./roles.ts";
import type { FillOptions, ReadOptions } from "../table.ts";

const BUFFER = 1 << 20;
const LONGEST_ROW = 1 << 26;

/**
 * Reads delimited text (RFC 4180) from bytes as they come. The buffer holds whole rows: what is left of it after the
 * last complete row moves to its front, and it grows only for a row longer than itself.
 */
export async function* fillFromCsv(
  reader: ByteReader,
  source: string,
  options: FillOptions,
  bufferBytes: number = BUFFER,
): Filling {
  const notes: string[] = [];
  let buffer = new Uint8Array(bufferBytes + 1); // one more for the line end that stops every scan
  let length = 0;
  let scanner: CsvScanner | undefined;
  let builder: TableBuilder | undefined;
  for (;;) {
    const final = await fill();
    buffer[length] = NEWLINE;
    let from = 0;
    if (scanner === undefined) {
      from = bom(buffer, length, source);
      const sample = sampleRecords(buffer, from, length, final, source, options);
      if (sample.records.length === 0) {
        if (sample.failure !== undefined) throw sample.failure;
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
      const roles = assignRoles(source, names, options, textColumns(rows, options));
      builder = tableBuilder({ source, unit: "line", notes, options }, roles);
      const point = (options.decimal ?? ".").charCodeAt(0);
      scanner = csvScanner(source, { delimiter, point }, builder);
      if (header) {
        from = sample.afterFirst;
        scanner.line = sample.secondLine;
      }
    }
    const done = scanner.scan(buffer, from, length, final);
    if (final) return builder!;
    yield builder!;
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

function looksLikeHeader(first: readonly string[], options: ReadOptions): boolean {
  const named = [options.label, options.id, options.batch, ...(options.ignore ?? [])];
  if (Array.isArray(options.categorical)) named.push(...options.categorical);
  if (named.some((name) => name !== undefined && first.includes(name))) return true;
  const decimal = options.decimal ?? ".";
  return first.every((cell) => parseNumber(cell.replace(decimal, ".")) === undefined);
}

function textColumns(rows: readonly (readonly string[])[], options: ReadOptions): Set<number> {
  const decimal = options.decimal ?? ".";
  const found = new Set<number>();
  for (const row of rows) {
    row.forEach((cell, column) => {
      if (!isNumeric(cell.replace(decimal, "."))) found.add(column);
    });
  }
  return found;
}
