import { inputError } from "../../core/internal.ts";
import type { TableBuilder } from "./tableBuilder.ts";
import { afterLineEnd, decodedCell, emptyCell, interner, NEWLINE, readCell, RETURN } from "./cell.ts";
import { decimalValue } from "./number.ts";
import { BATCH, IGNORED, LABEL, NUMERIC } from "./roles.ts";

const SPACE = 32;
const MINUS = 45;
const PLUS = 43;
const NO_BYTE = 999;

export interface CsvDialect {
  readonly delimiter: number;
  /** The decimal mark. */
  readonly point: number;
}

export interface CsvScanner {
  /** The line that the next row starts on, from 1. */
  line: number;
  /**
   * Reads the complete rows of `bytes[from .. to)` and returns the start of the first incomplete one. The
   * byte at `to` must be a line end that is not part of the data (see `readCell`).
   */
  scan(bytes: Uint8Array, from: number, to: number, final: boolean): number;
}

/**
 * The hot loop of the CSV reader: plain numbers go from bytes to the row store, everything else through
 * `readCell`.
 */
export function csvScanner(source: string, dialect: CsvDialect, builder: TableBuilder): CsvScanner {
  const { delimiter } = dialect;
  // If the delimiter is also the decimal mark, numbers with a fraction are quoted.
  const point = dialect.point === delimiter ? NO_BYTE : dialect.point;
  const { kinds, slots, names } = builder.roles;
  const { store } = builder;
  const columns = kinds.length;
  const cell = emptyCell();
  const intern = interner();
  let line = 1;
  // The cell for errors; the loop keeps its own count.
  let cellColumn = 0;
  let cellLine = 1;
  const where = (): string => `${source} line ${cellLine}, column "${names[cellColumn] ?? cellColumn + 1}"`;

  const slowCell = (bytes: Uint8Array): void => {
    const kind = kinds[cellColumn];
    if (kind === IGNORED) return;
    // A decimal comma becomes a point from here on, where the builder reads the text.
    let text = kind === LABEL || kind === BATCH ? intern(bytes, cell) : decodedCell(bytes, cell);
    if (kind === NUMERIC && dialect.point !== 46)
      text = text.replace(String.fromCharCode(dialect.point), ".");
    builder.text(cellColumn, text);
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
      builder.begin(line);
      const block = store.block;
      const base = store.used;
      let lines = 0; // line ends inside the row so far
      let column = 0;
      for (;;) {
        let q = p;
        let read = false;
        if (kinds[column] === NUMERIC) {
          c = bytes[q];
          while (c === SPACE) c = bytes[++q];
          const negative = c === MINUS;
          if (negative || c === PLUS) c = bytes[++q];
          // Nine digits each fit an integer, which is twice as fast here as a double.
          let mantissa = 0;
          let low = 0;
          const whole = q;
          let d = c - 48;
          while (d >= 0 && d <= 9) {
            mantissa = (Math.imul(mantissa, 10) + d) | 0;
            d = bytes[++q] - 48;
          }
          const wholeDigits = q - whole;
          let fraction = q;
          let fractionDigits = 0;
          if (d === point - 48) {
            fraction = ++q;
            const room = fraction + 9 - wholeDigits;
            d = bytes[q] - 48;
            while (d >= 0 && d <= 9 && q < room) {
              mantissa = (Math.imul(mantissa, 10) + d) | 0;
              d = bytes[++q] - 48;
            }
            while (d >= 0 && d <= 9) {
              low = (Math.imul(low, 10) + d) | 0;
              d = bytes[++q] - 48;
            }
            fractionDigits = q - fraction;
          }
          const digits = wholeDigits + fractionDigits;
          c = bytes[q];
          if (digits > 0) {
            let exponent = 0;
            if ((c | 32) === 101) {
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
            if (c === delimiter || c === NEWLINE || c === RETURN) {
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
              block[base + slots[column]] = negative ? -value : value;
              read = value < Infinity; // an overflow is left to the builder to refuse
            }
          }
        }
        if (read) {
          p = q;
        } else {
          cellColumn = column;
          cellLine = line + lines;
          if (!readCell(bytes, p, to, final, delimiter, cell, where)) return rowStart;
          if (column < columns) slowCell(bytes);
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
      if (column !== columns) {
        throw inputError(`${source} line ${line}: expected ${columns} cells, found ${column}`);
      }
      builder.end();
      line += lines + 1;
    }
    return p;
  };

  return {
    scan,
    get line() {
      return line;
    },
    set line(value) {
      line = value;
    },
  };
}
