import { openSource, putBack, readAll, readHead, gunzip, isGzip } from "../files/bytes.ts";
import { HEAD, textDecoderFor, utf16Of } from "../files/formats.ts";
import type { Source } from "../table.ts";
import {
  afterLineEnd,
  decodedCell,
  emptyCell,
  NEWLINE,
  readCell,
  RETURN,
  type Cell,
  type Section,
} from "./dialect.ts";

/** A record of delimited text (RFC 4180), before its cells are decoded. */
export interface TextRecord {
  /** Where it starts, from 1. */
  readonly line: number;
  readonly nextLine: number;
  /** The position after it. */
  readonly end: number;
  readonly cells: readonly Readonly<Cell>[];
}

/** The complete records of a section from `from` on, blank lines left out. */
export function* textRecords(
  section: Section,
  from: number,
  firstLine: number,
  where: (line: number) => string,
  mostCells: number = Infinity,
): Generator<TextRecord, undefined> {
  const { bytes, to, final, delimiter } = section;
  let line = firstLine;
  for (let p = from; p < to;) {
    if (bytes[p] === NEWLINE || bytes[p] === RETURN) {
      p = afterLineEnd(bytes, p, to);
      line++;
      continue;
    }
    const start = line;
    const cells: Cell[] = [];
    for (;;) {
      const cell = emptyCell();
      if (!readCell(section, p, cell, () => where(line))) return;
      cells.push(cell);
      line += cell.lines;
      p = cell.stop;
      if (p >= to || bytes[p] !== delimiter || cells.length > mostCells) break;
      p++;
    }
    if (bytes[p] === RETURN && p + 1 === to && !final) return;
    p = p < to ? afterLineEnd(bytes, p, to) : to;
    yield { line: start, nextLine: ++line, end: p, cells };
  }
}

export interface TextLine {
  /** Where it starts, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** Maximum length of a file of hints, pairs or labels, which is read at once. */
const LONGEST = 2 ** 28;
const DELIMITERS = [44, 59, 9, 124];

/** All bytes of a source, unpacked, as UTF-8, and its name in errors. */
export async function wholeText(
  source: Source,
  name?: string,
): Promise<{ readonly bytes: Uint8Array; readonly name: string }> {
  const open = await openSource(source, name);
  try {
    const head = await readHead(open.reader, HEAD);
    const whole = putBack(head, open.reader);
    const reader = isGzip(head) ? gunzip(whole, open.name) : whole;
    const bytes = await readAll(reader, open.name, LONGEST);
    const wide = utf16Of(bytes, undefined);
    const decoder =
      wide === undefined ? textDecoderFor([bytes], undefined, open.name).decoder : new TextDecoder(wide);
    if (decoder.encoding === "utf-8") return { bytes, name: open.name };
    return { bytes: new TextEncoder().encode(decoder.decode(bytes)), name: open.name };
  } finally {
    await open.reader.close();
  }
}

/**
 * The records of a whole text, cell by cell. Of comma, semicolon, tab and bar the one separates the cells that splits the
 * first record into most.
 */
export function* delimitedLines(text: Uint8Array, name: string): Generator<TextLine, undefined> {
  const bytes = new Uint8Array(text.length + 1);
  bytes.set(text);
  bytes[text.length] = NEWLINE; // stops the last cell
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const records = (delimiter: number): Generator<TextRecord, undefined> => {
    const section = { bytes, to: text.length, final: true, delimiter };
    return textRecords(section, start, 1, (line) => `${name} line ${line}`);
  };
  const widths = DELIMITERS.map((delimiter) => {
    try {
      return records(delimiter).next().value?.cells.length ?? 0;
    } catch {
      return 0; // quotes that make no sense with this delimiter
    }
  });
  const most = Math.max(...widths);
  const widest = DELIMITERS[most > 1 ? widths.indexOf(most) : 0];
  for (const { line, cells } of records(widest)) {
    yield { line, cells: cells.map((cell) => decodedCell(bytes, cell)) };
  }
}
