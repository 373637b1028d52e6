import {
  afterLineEnd,
  decodedCell,
  emptyCell,
  gunzip,
  HEAD,
  isGzip,
  NEWLINE,
  openSource,
  putBack,
  readAll,
  readCell,
  readHead,
  RETURN,
} from "../../data/internal.ts";

export interface DelimitedRecord {
  /** Where it starts, counted from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** Maximum length of a file of hints; it is read at once. */
const LONGEST = 2 ** 29;

/** All bytes of a file (`-` is standard input), unzipped if necessary, and its name for errors. */
export async function wholeFile(path: string): Promise<{ bytes: Uint8Array; name: string }> {
  const { name, reader } = await openSource(path, undefined);
  try {
    const head = await readHead(reader, HEAD);
    const all = putBack(head, reader);
    return { bytes: await readAll(isGzip(head) ? gunzip(all, name) : all, name, LONGEST), name };
  } finally {
    await reader.close();
  }
}

/** The rows of delimited text, cell by cell as text; the delimiter is found from the first row. */
export function delimitedRecords(bytes: Uint8Array, name: string): Iterable<DelimitedRecord> {
  const text = new Uint8Array(bytes.length + 1);
  text.set(bytes);
  text[bytes.length] = NEWLINE; // stops the last cell
  const start = text[0] === 0xef && text[1] === 0xbb && text[2] === 0xbf ? 3 : 0;
  return records(text, start, name, widestDelimiter(text, start, name));
}

/** Among tab, semicolon, comma and bar the one that splits the first row into most cells. */
function widestDelimiter(text: Uint8Array, start: number, name: string): number {
  const widths = [9, 59, 44, 124].map((candidate) => {
    try {
      return { candidate, width: records(text, start, name, candidate).next().value?.cells.length ?? 0 };
    } catch {
      return { candidate, width: 0 }; // quotes that make no sense with this delimiter
    }
  });
  const { candidate, width } = widths.reduce((best, one) => (one.width > best.width ? one : best));
  return width > 1 ? candidate : 44;
}

function* records(
  text: Uint8Array,
  start: number,
  name: string,
  delimiter: number,
): Generator<DelimitedRecord, undefined> {
  const end = text.length - 1;
  const cell = emptyCell();
  let line = 1;
  for (let p = start; p < end;) {
    if (text[p] === NEWLINE || text[p] === RETURN) {
      p = afterLineEnd(text, p, end);
      line++;
      continue;
    }
    const first = line;
    const cells: string[] = [];
    for (;;) {
      readCell(text, p, end, true, delimiter, cell, () => `${name} line ${line}`);
      cells.push(decodedCell(text, cell));
      line += cell.lines;
      p = cell.stop;
      if (p >= end || text[p] !== delimiter) break;
      p++;
    }
    if (p < end) p = afterLineEnd(text, p, end);
    yield { line: first, cells };
    line++;
  }
}
