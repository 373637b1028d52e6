import { printable } from "./printable.ts";
import { reason } from "./reason.ts";

/**
 * Data goes to standard output, messages to standard error. A reader that closes the pipe early (`| head`)
 * has all it needs, so the command ends silently; a full disk is reported.
 */
export function quietOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(process.exitCode ?? 0);
      if (stream === process.stdout) tell(`kindred: standard output cannot be written (${reason(error)})`);
      process.exit(1);
    });
  }
}

/**
 * Writes the parts in turn, waiting whenever the reader is slower than the writer. Reports and JSON, which
 * arrive as a list, hold no control characters; data, which arrive as they are computed, stay unchanged
 * unless a terminal reads them.
 */
export async function writeOut(parts: Iterable<string> | AsyncIterable<string>): Promise<void> {
  const shown = Array.isArray(parts) || process.stdout.isTTY;
  for await (const part of parts) {
    if (process.stdout.write(shown ? printable(part) : part)) continue;
    await new Promise<void>((resolve) => {
      process.stdout.once("drain", resolve);
    });
  }
}

let quiet = false;

/** From here on only errors are written to standard error. */
export function keepQuiet(): void {
  quiet = true;
}

export function isQuiet(): boolean {
  return quiet;
}

/** A sentence for people, on standard error. */
export function tell(line: string): void {
  if (quiet) return;
  process.stderr.write(`${printable(line)}\n`);
}
