import { randomBytes } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  type Stats,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileError, optionError } from "../core/errors.ts";

/** A file that a command will write at its end. */
export interface OutputFile {
  readonly path: string;
  /** Puts the whole content in place at once: a reader sees the old file or the new one, never a part. */
  write(parts: Iterable<string>): void;
  /** The same for parts that are computed while they are written. */
  writeFrom(parts: AsyncIterable<string>): Promise<void>;
}

/**
 * Checks, before anything is computed, that `path` can be written. The content is written to a temporary file in the
 * same folder and renamed; if that fails or is interrupted, the temporary file is removed and an older file stays.
 */
export function outputFile(path: string, option: string): OutputFile {
  const existing = status(path);
  if (existing?.isDirectory()) throw fileError(`${option} ${path}: this is a folder, not a file`);
  const target = existing === undefined ? path : realpathSync(path);
  // A device or a pipe (/dev/null, /dev/stdout) is written to; replacing it by a file would break it.
  const replaced = existing === undefined || existing.isFile();
  const place = replaced ? dirname(target) : target;
  if (replaced && !status(place)?.isDirectory()) {
    throw fileError(`${option} ${path}: the folder ${place} does not exist`);
  }
  requireWritable(place, path, option);
  const failed = (error: unknown): Error =>
    error instanceof Error && error.name === "KindredError"
      ? error // what was to be written could not be computed
      : fileError(`${option} ${path}: cannot be written (${reason(error)})`, error);
  return {
    path,
    write(parts) {
      try {
        if (replaced) replace(target, parts, existing);
        else append(target, parts);
      } catch (error) {
        throw failed(error);
      }
    },
    async writeFrom(parts) {
      try {
        if (replaced) await replaceFrom(target, parts, existing);
        else for await (const part of parts) append(target, [part]);
      } catch (error) {
        throw failed(error);
      }
    },
  };
}

function temporaryFor(target: string): string {
  return join(dirname(target), `.${basename(target)}.${randomBytes(6).toString("hex")}.tmp`);
}

/** As `replace`, but a signal may come between two parts: then the temporary file is removed before the process ends. */
async function replaceFrom(
  target: string,
  parts: AsyncIterable<string>,
  existing: Stats | undefined,
): Promise<void> {
  const temporary = temporaryFor(target);
  const stop = (_: NodeJS.Signals, number: number): void => {
    rmSync(temporary, { force: true });
    process.exit(128 + number);
  };
  process.on("SIGINT", stop).on("SIGTERM", stop);
  try {
    const file = openSync(temporary, "wx");
    try {
      for await (const part of parts) writeFileSync(file, part);
      if (existing !== undefined) fchmodSync(file, existing.mode);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
  }
}

/** Makes the folder now, before long work, and checks that files can be written there. */
export function madeFolder(folder: string, option: string): void {
  if (status(folder)?.isFile()) throw fileError(`${option} ${folder}: this is a file, not a folder`);
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw fileError(`${option} ${folder}: the folder cannot be made (${reason(error)})`, error);
  }
  requireWritable(folder, folder, option);
}

/** Refuses one file for two outputs, of which only the last would be left. */
export function requireDifferent(outputs: Readonly<Record<string, string | undefined>>): void {
  const taken = new Map<string, string>();
  for (const [option, path] of Object.entries(outputs)) {
    if (path === undefined || path === "-") continue;
    const before = taken.get(resolve(path));
    if (before !== undefined) throw optionError(`${before} and ${option} are the same file, ${path}`);
    taken.set(resolve(path), option);
  }
}

function replace(target: string, parts: Iterable<string>, existing: Stats | undefined): void {
  const temporary = temporaryFor(target);
  whileSignalsWait(() => {
    try {
      const file = openSync(temporary, "wx");
      try {
        for (const part of parts) writeFileSync(file, part);
        if (existing !== undefined) fchmodSync(file, existing.mode);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(temporary, target);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  });
}

function append(target: string, parts: Iterable<string>): void {
  const file = openSync(target, "a");
  try {
    for (const part of parts) writeFileSync(file, part);
  } finally {
    closeSync(file);
  }
}

/**
 * Everything here is synchronous, so a signal that arrives meanwhile is seen by its listener only afterwards, when the
 * file is whole and the temporary one is gone. Outside of this a signal ends the process at once, as it should.
 */
function whileSignalsWait(work: () => void): void {
  const stop = (_: NodeJS.Signals, number: number): void => process.exit(128 + number);
  process.on("SIGINT", stop).on("SIGTERM", stop);
  try {
    work();
  } finally {
    // Signals that are waiting are delivered in the next turn of the event loop.
    setImmediate(() => process.off("SIGINT", stop).off("SIGTERM", stop));
  }
}

function requireWritable(place: string, path: string, option: string): void {
  try {
    accessSync(place, constants.W_OK);
  } catch (error) {
    throw fileError(`${option} ${path}: ${place} is not writable (${reason(error)})`, error);
  }
}

function status(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // a part of the path is a file, or may not be entered: reported as a missing folder
  }
}

export function reason(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? (error as Error).message;
}

/** Refuses two answers for one standard output. */
export function requireOneToStdout({ json, out }: { readonly json?: boolean; readonly out?: string }): void {
  if (json === true && out === "-") {
    throw optionError("--json and --out - both write to standard output; give one of them a file");
  }
}
