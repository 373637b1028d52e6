import type { OnProgress } from "../../core/index.ts";
import { printable } from "./printable.ts";
import { isQuiet } from "./stdout.ts";

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
