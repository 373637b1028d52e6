import { inputError, option, optionError } from "../../core/internal.ts";
import { MOST_COLUMNS } from "./budget.ts";
import { afterLineEnd, decodedCell, emptyCell, NEWLINE, readCell, RETURN } from "./cell.ts";
import type { ReadOptions } from "../table.ts";

/** The first rows of a delimited file, which decide its dialect and the kinds of its columns. */
export interface Sample {
  readonly delimiter: number;
  readonly records: readonly (readonly string[])[];
  /** Where the second record begins. */
  readonly afterFirst: number;
  readonly secondLine: number;
  /** Why the sample ends early; the scanner will meet the same problem and can name the column. */
  readonly failure?: unknown;
}

/** Enough to distinguish numbers from text if required, otherwise only the header matters. */
const TEXT_RECORDS = 1000;
const HEADER_RECORDS = 1;
/** Number of cells after which the sample of a wide table ends. */
const CELLS = 2 ** 21;

/** Finds the delimiter, unless the options give it, and splits the first complete records. */
export function sampleRecords(
  bytes: Uint8Array,
  from: number,
  to: number,
  final: boolean,
  source: string,
  options: ReadOptions,
): Sample {
  const sample = (delimiter: string, count: number): Sample =>
    firstRecords(bytes, from, to, final, source, delimiterByte(delimiter), count);
  const asked = options.categorical === "onehot" || options.roles !== undefined;
  const count = asked ? TEXT_RECORDS : HEADER_RECORDS;
  const given = options.delimiter ?? (options.format === "tsv" ? "\t" : undefined);
  if (given !== undefined) return sample(given, count);
  // A semicolon file may hold a decimal comma in every cell, so the comma comes late; if the comma is both,
  // cells with a decimal comma are quoted.
  const candidates = options.decimal === "," ? ["\t", ";", "|", ","] : ["\t", ";", ",", "|"];
  let widest = ",";
  let most = 1;
  for (const candidate of candidates) {
    // Quotes that make no sense with one candidate may be valid with the next.
    const { records, failure } = sample(candidate, 10);
    const width = records[0]?.length ?? 0;
    if (failure === undefined && width > 1 && records.every((record) => record.length === width)) {
      return sample(candidate, count);
    }
    if (width > most) {
      widest = candidate;
      most = width;
    }
  }
  // All candidates are ragged: the error should describe the one that splits the first record most.
  return sample(widest, count);
}

function delimiterByte(delimiter: string): number {
  const byte = delimiter.charCodeAt(0);
  if (delimiter.length !== 1 || byte > 127 || /[\s"\w.+-]/.test(delimiter.replace("\t", ","))) {
    throw optionError(
      `${option("delimiter")} must be one character such as "," ";" "|" or a tab, got ${JSON.stringify(delimiter)}`,
    );
  }
  return byte;
}

function firstRecords(
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
  const sample = (): Sample => ({ delimiter, records: found, afterFirst, secondLine });
  let p = from;
  let seen = 0;
  while (p < to && found.length < count && (seen < CELLS || found.length === 0)) {
    if (bytes[p] === NEWLINE || bytes[p] === RETURN) {
      p = afterLineEnd(bytes, p, to);
      line++;
      continue;
    }
    const record: string[] = [];
    const where = (): string => `${source} line ${line}`;
    for (;;) {
      try {
        if (!readCell(bytes, p, to, final, delimiter, cell, where)) return sample();
      } catch (failure) {
        return { ...sample(), failure };
      }
      if (record.length === MOST_COLUMNS) throw inputError(`${source} has more than ${MOST_COLUMNS} columns`);
      record.push(decodedCell(bytes, cell));
      line += cell.lines;
      p = cell.stop;
      if (p >= to || bytes[p] !== delimiter) break;
      p++;
    }
    if (bytes[p] === RETURN && p + 1 === to && !final) break;
    p = p < to ? afterLineEnd(bytes, p, to) : to;
    line++;
    seen += record.length;
    found.push(record);
    if (found.length === 1) {
      afterFirst = p;
      secondLine = line;
    }
  }
  return sample();
}
