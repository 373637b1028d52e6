import { inputError } from "../../core/internal.ts";
import type { ByteReader } from "../files/bytes.ts";
import { NEWLINE } from "./cell.ts";

const BUFFER = 1 << 20;
const LONGEST_ROW = 1 << 26;

/** A section of delimited text with whole rows, which moves along as they are read. */
export interface RowWindow {
  readonly bytes: Uint8Array;
  /** Bytes of text; after them is a line end that is not part of it and stops every scan. */
  readonly length: number;
  /** Reads until the window is full; returns whether the text has ended. */
  fill(): Promise<boolean>;
  /** The rest after `done` bytes moves to the front; if nothing is done, the window grows. */
  advance(done: number, line: number): void;
}

/** The window grows only for a row longer than itself. */
export function rowWindow(reader: ByteReader, source: string, bufferBytes: number = BUFFER): RowWindow {
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
