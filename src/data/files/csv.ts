import { inputError } from "../../core/internal.ts";
import { isNumeric, tableBuilder, type Filling, type TableBuilder } from "./tableBuilder.ts";
import type { ByteReader } from "./bytes.ts";
import { sampleRecords } from "./csvSample.ts";
import { csvScanner, type CsvScanner } from "./csvScanner.ts";
import { parseNumber } from "./number.ts";
import { assignRoles, columnNames } from "./roles.ts";
import { rowWindow } from "./rowWindow.ts";
import type { FillOptions, ReadOptions } from "../table.ts";

/**
 * Reads delimited text (RFC 4180) from bytes as they come.
 */
export async function* fillFromCsv(
  reader: ByteReader,
  source: string,
  options: FillOptions,
  bufferBytes?: number,
): Filling {
  const notes: string[] = [];
  const window = rowWindow(reader, source, bufferBytes);
  let scanner: CsvScanner | undefined;
  let builder: TableBuilder | undefined;
  for (;;) {
    const final = await window.fill();
    const { bytes, length } = window;
    let from = 0;
    if (scanner === undefined) {
      from = bom(bytes, length, source);
      const sample = sampleRecords(bytes, from, length, final, source, options);
      if (sample.records.length === 0) {
        if (sample.failure !== undefined) throw sample.failure;
        if (final) throw inputError(`${source} is empty`);
        window.advance(0, 1);
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
    const done = scanner.scan(bytes, from, length, final);
    if (final) return builder!;
    yield builder!;
    window.advance(done, scanner.line);
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
