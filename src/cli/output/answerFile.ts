import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { fileError } from "../../core/internal.ts";
import { reason } from "./terminal.ts";

/** A file to which answers are added, one line each. What stands in it is never written again. */
export interface AnswerFile {
  readonly path: string;
  /** The file then has this line, or is as it was. */
  add(line: string): void;
  /** Takes back the last line that was added. */
  undo(): void;
}

/** @param head the lines of a new file before its first answer; without an answer no file is made */
export function answerFile(path: string, head: readonly string[]): AnswerFile {
  /** The length of the file before each line that was added. */
  const before: number[] = [];
  const isNew = !existsSync(path);
  const within = <T>(work: (file: number) => T): T => {
    try {
      const file = openSync(path, existsSync(path) ? "r+" : "wx+");
      try {
        return work(file);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      throw fileError(`--hints ${path}: the answer cannot be written (${reason(error)})`, error);
    }
  };
  return {
    path,
    add: (line) =>
      within((file) => {
        const { size } = fstatSync(file);
        const start = size === 0 ? head.map((one) => `${one}\n`).join("") : endsLine(path) ? "" : "\n";
        try {
          write(file, Buffer.from(`${start}${line}\n`), size);
        } catch (error) {
          ftruncateSync(file, size);
          throw error;
        }
        before.push(size);
      }),
    undo: () =>
      within((file) => {
        const size = before.pop();
        if (size !== undefined) ftruncateSync(file, size);
        // Without an answer there is no new file.
        if (size === 0 && isNew) rmSync(path);
      }),
  };
}

function write(file: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length;)
    done += writeSync(file, bytes, done, bytes.length - done, at + done);
}

function endsLine(path: string): boolean {
  const bytes = readFileSync(path);
  return bytes[bytes.length - 1] === 10;
}
