import { padded, rule, textWidth } from "../../core/internal.ts";
import { type Note, noteText, type OnProgress, type ToldNote, toldNotes } from "../../core/index.ts";

/**
 * Writes the parts in turn, waiting whenever the reader is slower than the writer. Reports and JSON, which
 * arrive as a list, hold no control characters; data, which arrive as they are computed, stay unchanged
 * unless a terminal reads them.
 */
export async function writeOut(parts: Iterable<string> | AsyncIterable<string>): Promise<void> {
  const shown = Array.isArray(parts) || process.stdout.isTTY;
  for await (const part of parts) await written(shown ? printable(part) : part);
}

async function written(text: string): Promise<void> {
  if (process.stdout.write(text)) return;
  await new Promise<void>((resolve) => {
    process.stdout.once("drain", resolve);
  });
}

let quiet = false;

/** From here on only errors are written to standard error. */
export function keepQuiet(): void {
  quiet = true;
}

function isQuiet(): boolean {
  return quiet;
}

/** A sentence for people, on standard error. */
export function tell(line: string): void {
  if (quiet) return;
  process.stderr.write(`${printable(line)}\n`);
}

/** Notes that come before the answer, on standard error. */
export function tellNotes(notes: readonly Note[]): void {
  for (const { text } of noteLines(notes)) tell(`note: ${text}`);
}

/**
 * Text in a form that is safe for a terminal. File contents, file names, column names and labels could move
 * the cursor, set colours or the title of a window, or change the direction of writing: such characters are
 * written as \uXXXX, which is also their form in JSON. Line ends and tabs stay.
 */
export function printable(text: string): string {
  return text.replace(
    UNPRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

// Controls except tab and line feed, line separators, and marks of the direction of writing.
const UNPRINTABLE = /[^\P{Cc}\t\n]|[\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

/** The width of the screen; what is written to a file or a pipe is not wrapped, unless COLUMNS is set. */
function screenWidth(): number {
  const { columns: own, isTTY } = process.stdout;
  return Number(process.env.COLUMNS) || (isTTY ? own || 80 : Infinity);
}

/** Parts of one line; on a screen the second begins a line of its own. */
export function apart(first: string, second: string): string {
  return `${first}${screenWidth() === Infinity ? ": " : "\n"}${second}`;
}

/** Text with an emphasis, which `writeText` shows where the terminal has one. */
export function strong(text: string): string {
  return `${STRONG}${text}${PLAIN}`;
}

// Private characters of Unicode, which no font shows.
const STRONG = "\uE010";
const PLAIN = "\uE011";

/** Text for people on standard output, with its emphases on a terminal (https://no-color.org). */
export async function writeText(text: string): Promise<void> {
  const { NO_COLOR = "", TERM } = process.env;
  const styled = process.stdout.isTTY && NO_COLOR === "" && TERM !== "dumb";
  const shown = printable(text)
    .replaceAll(STRONG, styled ? "\u001b[1m" : "")
    .replaceAll(PLAIN, styled ? "\u001b[22m" : "");
  await written(shown);
}

/**
 * Lines of a table for people: cells padded to their column, numbers to the right, no trailing spaces. Text is wrapped to the
 * width of the screen, in the last column first.
 */
export function columns(given: readonly (readonly string[])[], gap: string = "  "): string[] {
  // As they will be written, so that their widths are right.
  const rows = given.map((row) => row.map(printable));
  const widths: number[] = [];
  const numeric: boolean[] = [];
  rows.forEach((row, i) => {
    row.forEach((cell, j) => {
      widths[j] = Math.max(widths[j] ?? 0, ...cell.split("\n").map(textWidth));
      // The first row is the heading, which follows its column.
      if (i > 0) numeric[j] = (numeric[j] ?? true) && NUMBER.test(cell);
    });
  });
  narrow(widths, numeric, screenWidth() - gap.length * (widths.length - 1));
  return rows.flatMap((row) => {
    const cells = row.map((cell, j) => (numeric[j] ? [cell] : wrapped(cell, widths[j])));
    return Array.from({ length: Math.max(...cells.map((lines) => lines.length)) }, (_, i) =>
      cells
        .map((lines, j) => padded(lines[i] ?? "", widths[j], numeric[j] ? "left" : "right"))
        .join(gap)
        .trimEnd(),
    );
  });
}

/** Makes columns of text narrower until all have room: first the last one, then the widest. */
function narrow(widths: number[], numeric: readonly boolean[], room: number): void {
  const sum = (): number => widths.reduce((all, width) => all + width, 0);
  const last = widths.length - 1;
  if (!numeric[last]) widths[last] = Math.min(widths[last], Math.max(NARROW, widths[last] + room - sum()));
  while (sum() > room) {
    const texts = widths.map((width, j) => (numeric[j] ? 0 : width));
    const widest = texts.indexOf(Math.max(...texts));
    if (texts[widest] <= NARROWEST) return;
    widths[widest]--;
  }
}

/** The last column gets this much room before others give theirs, and no column of text gets less than the second. */
const NARROW = 24;
const NARROWEST = 14;

/** The lines of a text in `room` columns, broken between words. */
export function wrapped(text: string, room: number = screenWidth()): string[] {
  if (text.includes("\n")) return text.split("\n").flatMap((line) => wrapped(line, room));
  if (textWidth(text) <= room) return [text];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && textWidth(line) + 1 + textWidth(word) > room) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

const NUMBER = /^(?:[+-]?\d[\d.,]*(?:e[+-]?\d+)?\s?%?)?$/i;

/** Notes for people, with the options of the command line: many of one kind are one line. */
export function noteLines(notes: readonly Note[]): ToldNote[] {
  return toldNotes(notes, (note) => noteText(note, rule.flagOf));
}

/** The same as lines of a list of facts; a warning of the method is called one. */
export function noteFacts(notes: readonly Note[]): [string, string][] {
  return noteLines(notes).map(({ code, text }) => [code === "method" ? "warning" : "note", text]);
}

/** Facts as two columns, with the notes and warnings below. */
export function factLines(
  facts: readonly (readonly string[])[],
  notes: readonly Note[],
  warnings: readonly string[] = [],
): string[] {
  return columns([...facts, ...noteFacts(notes), ...warnings.map((text) => ["warning", text])], "   ");
}

/** One line on standard error that is overwritten during the work and cleared at the end. */
export interface ProgressLine {
  readonly onProgress: OnProgress;
  /** Wipes the line. */
  done(): void;
}

/** Only on a terminal: a log file or a pipe gets no progress. */
export function progressLine(stream: NodeJS.WriteStream = process.stderr): ProgressLine {
  if (!stream.isTTY || isQuiet()) return { onProgress: () => {}, done: () => {} };
  const start = performance.now();
  let shown = false;
  return {
    onProgress({ fraction, label, objective }) {
      const seconds = (performance.now() - start) / 1000;
      const parts = [bar(fraction), `${Math.floor(100 * fraction)} %`, label];
      if (objective !== undefined) parts.push(`objective ${objective.toPrecision(6)}`);
      parts.push(remaining(seconds, fraction));
      const line = parts.filter((part) => part !== "").join("  ");
      stream.write(
        `\r\u001b[K${printable(line)
          .replaceAll("\n", " ")
          .slice(0, Math.max(20, (stream.columns || 80) - 1))}`,
      );
      shown = true;
    },
    done() {
      if (shown) stream.write("\r\u001b[K");
      shown = false;
    },
  };
}

/** Work with such a line, which is wiped at its end. */
export async function withProgress<T>(work: (onProgress: OnProgress) => Promise<T> | T): Promise<T> {
  const progress = progressLine();
  try {
    return await work(progress.onProgress);
  } finally {
    progress.done();
  }
}

/** Ctrl-C ends the statement on the engine, which undoes its writing, and then the process. */
export function endingBySignal(engine: { close(): Promise<void> }): () => void {
  const stop = (_: NodeJS.Signals, number: number): void => {
    const ended = (): never => process.exit(128 + number);
    // Gives the statement time to fail and to be cleaned up.
    void engine.close().finally(() => setTimeout(ended, 100));
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  return () => process.off("SIGINT", stop).off("SIGTERM", stop);
}

function bar(fraction: number): string {
  const width = 20;
  const filled = Math.round(width * Math.min(1, Math.max(0, fraction)));
  return `[${"=".repeat(filled)}${" ".repeat(width - filled)}]`;
}

/** Shown once there is enough to extrapolate from. */
function remaining(seconds: number, fraction: number): string {
  if (seconds < 1 || fraction < 0.02 || fraction >= 1) return "";
  return `${Math.ceil((seconds * (1 - fraction)) / fraction)} s left`;
}

/** Why a file cannot be read or written, in words if possible. */
export function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? message : (IN_WORDS[code] ?? code);
}

const IN_WORDS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is exceeded",
  EFBIG: "the file would exceed the size limit of this system",
  EROFS: "the disk is read-only",
  ENXIO: "there is no such device",
  EBADF: "it is not open for writing",
  EIO: "the disk has failed",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
};
