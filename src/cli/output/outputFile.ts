import { createHash, randomBytes } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
  type Stats,
} from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileError, optionError } from "../../core/internal.ts";
import { reason } from "./terminal.ts";
import { requireNotRead } from "./inputFiles.ts";

/** A file that a command writes at its end. */
export interface OutputFile {
  readonly path: string;
  /** Writes the whole content at once: a reader sees the old file or the new one, never a part. */
  write(parts: Iterable<string> | AsyncIterable<string>): Promise<void>;
}

/**
 * Checks, before any computation, that `path` can be written and is not an input file. The content is written
 * to a temporary file in the same folder and renamed; if that fails or is interrupted, the temporary file is
 * removed and an older file stays.
 */
export function outputFile(path: string, option: string): OutputFile {
  const failed = (error: unknown): Error =>
    error instanceof Error && error.name === "KindredError"
      ? error // what was to be written could not be computed
      : fileError(`${option} ${path}: cannot be written (${reason(error)})`, error);
  if (path === "") throw optionError(`${option} needs the name of a file`);
  if (path === "-")
    throw optionError(`${option} -: this goes to a file, not to standard output; give its name`);
  const open = openedAlready(path);
  if (open !== undefined) {
    requireOpen(open, path, option);
    return {
      path,
      write: (parts) => writeTo(open, parts).catch((error: unknown) => Promise.reject(failed(error))),
    };
  }
  const target = linkedTo(path, option);
  const existing = status(target, path, option);
  if (existing?.isDirectory()) throw fileError(`${option} ${path}: this is a folder, not a file`);
  // A device or a pipe (/dev/null, /dev/tty) is written to; a rename would break it.
  const replaced = existing === undefined || existing.isFile();
  const place = replaced ? dirname(target) : target;
  if (replaced && !status(place, path, option)?.isDirectory()) {
    const folder = dirname(path);
    const told = resolve(folder) === place ? folder : place;
    throw fileError(`${option} ${path}: the folder ${told} does not exist`);
  }
  requireWritable(place, path, option);
  // Renaming would replace a file that its owner has protected.
  if (existing?.isFile() === true) requireWritable(target, path, option);
  requireNotRead(target, path, option);
  return {
    path,
    async write(parts) {
      try {
        if (replaced) await replace(target, parts, existing);
        else await append(target, parts);
      } catch (error) {
        throw failed(error);
      }
    },
  };
}

/** Refuses one file for two outputs, because only the last would remain; links are followed. */
export function requireDifferent(outputs: Readonly<Record<string, string | undefined>>): void {
  const taken = new Map<string, string>();
  for (const [option, path] of Object.entries(outputs)) {
    if (path === undefined || path === "-") continue;
    const target = linkedTo(path, option);
    const key = join(existingFolder(dirname(target)), basename(target));
    const before = taken.get(key);
    if (before !== undefined) throw optionError(`${before} and ${option} are the same file, ${path}`);
    taken.set(key, option);
  }
}

function existingFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** The standard streams have names in the file system; these are written to directly. */
function openedAlready(path: string): number | undefined {
  const found = /^\/dev\/(?:(stdout)|(stderr)|fd\/(\d+))$|^\/proc\/self\/fd\/(\d+)$/.exec(path);
  if (found === null) return undefined;
  if (found[1] !== undefined) return 1;
  return found[2] === undefined ? Number(found[3] ?? found[4]) : 2;
}

/** A number without a file, or one of the runtime's own. */
function requireOpen(file: number, path: string, option: string): void {
  try {
    const found = fstatSync(file);
    if (found.isFile() || found.isFIFO() || found.isSocket() || found.isCharacterDevice()) return;
  } catch {
    // told below
  }
  throw fileError(`${option} ${path}: no file is open under that number`);
}

/** The path behind links, also if the last of them leads to a missing file. */
function linkedTo(path: string, option: string): string {
  let target = resolve(path);
  for (let links = 0; links < 40; links++) {
    let link: Stats | undefined;
    try {
      link = lstatSync(target, { throwIfNoEntry: false });
    } catch (error) {
      if (reason(error) === "ENOTDIR" || reason(error) === "EACCES") return target; // a folder on the way: told below
      throw unusable(error, path, option);
    }
    if (link?.isSymbolicLink() !== true) return target;
    target = resolve(dirname(target), readlinkSync(target));
  }
  throw fileError(`${option} ${path}: its links lead nowhere`);
}

/**
 * The names of temporary files contain machine and process, so those of killed processes can be recognised.
 */
const OWN = `.kindred-${createHash("sha256").update(hostname()).digest("hex").slice(0, 8)}-`;

function temporaryFor(target: string): string {
  return join(dirname(target), `${OWN}${process.pid}-${randomBytes(6).toString("hex")}.tmp`);
}

/** Removes files left behind by dead processes of this machine. */
function sweep(folder: string): void {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => name.startsWith(OWN) && name.endsWith(".tmp"));
  } catch {
    return; // a folder may be written to and not be listed
  }
  for (const name of names) {
    const owner = Number(name.slice(OWN.length).split("-")[0]);
    if (!isAlive(owner)) rmSync(join(folder, name), { force: true });
  }
}

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return reason(error) !== "ESRCH";
  }
}

async function replace(
  target: string,
  parts: Iterable<string> | AsyncIterable<string>,
  existing: Stats | undefined,
): Promise<void> {
  sweep(dirname(target));
  const temporary = temporaryFor(target);
  const stop = (_: NodeJS.Signals, number: number): void => {
    rmSync(temporary, { force: true });
    process.exit(128 + number);
  };
  process.on("SIGINT", stop).on("SIGTERM", stop).on("SIGHUP", stop);
  try {
    const file = openSync(temporary, "wx");
    try {
      await writeTo(file, parts);
      if (existing !== undefined) fchmodSync(file, existing.mode);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    await signalsSeen();
    renameSync(temporary, target);
    await signalsSeen();
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop).off("SIGHUP", stop);
  }
}

async function append(target: string, parts: Iterable<string> | AsyncIterable<string>): Promise<void> {
  const file = openSync(target, "a");
  try {
    await writeTo(file, parts);
  } finally {
    closeSync(file);
  }
}

/** A signal that arrived during work is handled after one turn of the event loop. */
async function signalsSeen(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

/** Number of characters written without a check for signals. */
const PIECE = 1 << 20;

async function writeTo(file: number, parts: Iterable<string> | AsyncIterable<string>): Promise<void> {
  let since = 0;
  for await (const part of parts) {
    for (let at = 0; at < part.length || at === 0;) {
      const end = pieceEnd(part, at);
      await writeWhole(file, Buffer.from(part.slice(at, end), "utf8"));
      since += end - at;
      at = Math.max(end, 1);
      if (since >= PIECE) {
        since = 0;
        await nextTurn();
      }
    }
  }
}

/** A surrogate pair is not split. */
function pieceEnd(text: string, from: number): number {
  const end = Math.min(text.length, from + PIECE);
  const code = text.charCodeAt(end - 1);
  return end < text.length && code >= 0xd800 && code < 0xdc00 ? end - 1 : end;
}

/** A pipe with a slow reader accepts a part at a time, or nothing for a while. */
async function writeWhole(file: number, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(file, bytes, at);
    } catch (error) {
      if (reason(error) !== "EAGAIN") throw error;
      await new Promise((resume) => setTimeout(resume, 5));
    }
  }
}

function requireWritable(place: string, path: string, option: string): void {
  try {
    accessSync(place, constants.W_OK);
  } catch (error) {
    const told = resolve(path) === place ? "it" : place;
    throw fileError(`${option} ${path}: ${told} is not writable (${reason(error)})`, error);
  }
}

function status(file: string, path: string, option: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    if (reason(error) === "ENAMETOOLONG") throw unusable(error, path, option);
    return undefined; // a part of the path is a file, or may not be entered: reported as a missing folder
  }
}

function unusable(error: unknown, path: string, option: string): Error {
  const long = reason(error) === "ENAMETOOLONG";
  const name = path.length > 60 ? `${path.slice(0, 60)}...` : path;
  return fileError(
    `${option} ${name}: ${long ? "the name is too long" : `cannot be written (${reason(error)})`}`,
    error,
  );
}
