import { inputError } from "../../core/internal.ts";

export const NEWLINE = 10;
export const RETURN = 13;
const QUOTE = 34;
const SPACE = 32;
const TAB = 9;

/**
 * One cell of a delimited file, as a range of bytes: RFC 4180, with either line end and spaces around
 * unquoted cells.
 */
export interface Cell {
  /** The text: inside the quotes, or trimmed. */
  start: number;
  end: number;
  /** Holds doubled quotes. */
  escaped: boolean;
  /** The byte after the cell: the delimiter or the line end. */
  stop: number;
  /** Line ends inside the quotes. */
  lines: number;
}

export function emptyCell(): Cell {
  return { start: 0, end: 0, escaped: false, stop: 0, lines: 0 };
}

/** Delimited text up to `to`. The byte there must be a line end: it stops a cell, and ends the last line of the data. */
export interface Section {
  readonly bytes: Uint8Array;
  readonly to: number;
  /** Whether nothing follows. */
  readonly final: boolean;
  readonly delimiter: number;
}

/** Reads the cell that begins at `from` into `cell`; false if it may continue beyond the section. */
export function readCell(section: Section, from: number, cell: Cell, where: () => string): boolean {
  const { bytes, to, final, delimiter } = section;
  cell.escaped = false;
  cell.lines = 0;
  let p = from;
  const tab = delimiter === TAB ? SPACE : TAB;
  while (bytes[p] === SPACE || bytes[p] === tab) p++;
  if (bytes[p] === QUOTE) return readQuoted(section, p + 1, cell, where);
  cell.start = p;
  while (bytes[p] !== delimiter && bytes[p] !== NEWLINE && bytes[p] !== RETURN) p++;
  cell.stop = p;
  while (p > cell.start && (bytes[p - 1] === SPACE || bytes[p - 1] === tab)) p--;
  cell.end = p;
  return cell.stop < to || final;
}

function readQuoted(section: Section, from: number, cell: Cell, where: () => string): boolean {
  const { bytes, to, final, delimiter } = section;
  cell.start = from;
  let p = from;
  for (;;) {
    while (p < to && bytes[p] !== QUOTE) {
      if (bytes[p] === NEWLINE || (bytes[p] === RETURN && bytes[p + 1] !== NEWLINE)) cell.lines++;
      p++;
    }
    if (p >= to) {
      if (final) throw inputError(`${where()}: the quote that opens here is never closed`);
      return false;
    }
    if (p + 1 < to && bytes[p + 1] === QUOTE) {
      cell.escaped = true;
      p += 2;
      continue;
    }
    break;
  }
  cell.end = p++;
  const tab = delimiter === TAB ? SPACE : TAB;
  while (p < to && (bytes[p] === SPACE || bytes[p] === tab)) p++;
  cell.stop = p;
  if (p >= to) return final;
  if (bytes[p] !== delimiter && bytes[p] !== NEWLINE && bytes[p] !== RETURN) {
    throw inputError(`${where()}: there is text after the closing quote; a quote inside quotes is doubled`);
  }
  return true;
}

const utf8 = new TextDecoder();

export function decodedCell(bytes: Uint8Array, cell: Cell): string {
  const text = decode(bytes, cell.start, cell.end);
  return cell.escaped ? text.replaceAll('""', '"') : text;
}

function decode(bytes: Uint8Array, start: number, end: number): string {
  // A decoder call costs more than a short cell.
  if (end - start <= 24) {
    let text = "";
    let p = start;
    for (; p < end && bytes[p] < 128; p++) text += String.fromCharCode(bytes[p]);
    if (p === end) return text;
  }
  return utf8.decode(bytes.subarray(start, end));
}

/** The position after a line end at `p`. */
export function afterLineEnd(bytes: Uint8Array, p: number, to: number): number {
  return Math.min(to, bytes[p] === RETURN && bytes[p + 1] === NEWLINE ? p + 2 : p + 1);
}
