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
import { basename, dirname, join, resolve, sep } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Command } from "commander";
import { fileError, hasWildcard, optionError, rule, sourceFiles } from "../../core/internal.ts";
import { writeCsv, type WritableTable, type WriteOptions } from "../../data/index.ts";
import type { Plan } from "../../run/index.ts";
import { reason, tell, writeOut, writeText } from "./terminal.ts";

type Parts = Iterable<string> | AsyncIterable<string>;

/** What a command writes: its files, and its answer on standard output. */
export interface Outputs {
  /** How CSV is written. */
  readonly csv: WriteOptions;
  /** Whether an option names a file, or standard output. */
  has(option: string): boolean;
  /** Writes the content of an option; nothing if it is not given. */
  write(option: string, parts: Parts): Promise<void>;
  /** The same for a table as CSV. */
  writeTable(option: string, table: WritableTable): Promise<void>;
  /**
   * One JSON object, or the text for people, which makes room for data on standard output.
   *
   * @param written what an engine has written, beside the files
   */
  answer(
    answer: { readonly json: () => object; readonly text: () => string },
    ...written: readonly (string | undefined)[]
  ): Promise<void>;
}

/** The options of a command that name an output, with those that say how it is written. */
export interface OutputFlags {
  readonly json?: boolean;
  readonly out?: string;
  readonly spreadsheetSafe?: boolean;
  readonly engine?: string;
}

/**
 * Checks the outputs of a command before anything is read: that every file can be written, that none of them is an
 * input or named twice, and that standard output gets one thing.
 *
 * @param names the options that name an output; `-` is standard output for `out` alone
 * @param data the option whose data go to standard output if neither it nor --json is given
 * @param target where an engine writes what --out or --write-table names
 */
export async function openOutputs(
  command: Command,
  names: readonly string[],
  { data, target }: { readonly data?: string; readonly target?: Plan["target"] } = {},
): Promise<Outputs> {
  const flags = command.opts<OutputFlags & Readonly<Record<string, unknown>>>();
  const { json, spreadsheetSafe = false, engine } = flags;
  const out = flags.out ?? (data === "out" && json !== true ? "-" : undefined);
  const pathOf = (name: string): string | undefined =>
    name === "out" ? out : (flags[name] as string | undefined);
  if (json === true && out === "-") {
    throw optionError("--json and --out - both write to standard output; give one of them a file");
  }
  if (spreadsheetSafe && engine !== undefined) {
    throw optionError(
      `--spreadsheet-safe: with --engine ${engine} the engine writes the file; leave one of them out`,
    );
  }
  if (out !== undefined && names.includes("out") && OTHER_FORMATS.test(out)) {
    throw optionError(
      `--out ${out}: tables are written as text; name the file .csv or .tsv (--engine duckdb writes .parquet)`,
    );
  }
  const files = new Map<string, OutputFile>();
  const there = target === undefined ? [] : ["out"];
  const asked = [...names, ...there].filter((name) => pathOf(name) !== undefined);
  if (asked.length > 0) {
    requireDifferent(Object.fromEntries(asked.map((name) => [rule.flagOf(name), pathOf(name)])));
    await noteInputs(command);
  }
  for (const name of names) {
    const path = pathOf(name);
    if (path === undefined) continue;
    if (path !== "-" || name !== "out") files.set(name, outputFile(path, rule.flagOf(name)));
  }
  if (target !== undefined && "file" in target.to) outputFile(target.to.file, "--out");
  const csv: WriteOptions = {
    delimiter: out !== undefined && /\.(?:tsv|tab)$/i.test(out) ? "\t" : ",",
    spreadsheetSafe,
  };
  const write = async (name: string, parts: Parts): Promise<void> => {
    const file = files.get(name);
    if (file !== undefined) await file.write(parts);
    else if (pathOf(name) === "-") await writeOut(parts);
  };
  return {
    csv,
    has: (name) => names.includes(name) && pathOf(name) !== undefined,
    write,
    writeTable: (name, table) => write(name, writeCsv(table, csv)),
    async answer(answer, ...written) {
      if (json === true) {
        const report = { command: command.name(), version: REPORT_VERSION };
        return writeOut([`${JSON.stringify({ report, ...answer.json() })}\n`]);
      }
      if (out === "-") tell(answer.text().trimEnd());
      else await writeText(answer.text());
      const paths = [...files.values()].map(({ path }) => path);
      for (const path of [...written, ...paths]) if (path !== undefined) tell(`wrote ${path}`);
    },
  };
}

/** Names of files that would promise another format than text. */
const OTHER_FORMATS = /\.(?:parquet|arrow|feather|ipc|xlsx?)$/i;

/** The version of what `--json` prints (reportForms.ts). */
export const REPORT_VERSION = 1;

/** A file that a command writes at its end. */
export interface OutputFile {
  readonly path: string;
  /** Writes the whole content at once: a reader sees the old file or the new one, never a part. */
  write(parts: Parts): Promise<void>;
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

async function replace(target: string, parts: Parts, existing: Stats | undefined): Promise<void> {
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

async function append(target: string, parts: Parts): Promise<void> {
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

async function writeTo(file: number, parts: Parts): Promise<void> {
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

/**
 * The input files of the command line, by option: an output must not be one of them, because the input would
 * be lost. Files are compared by device and inode, so links do not hide them.
 */
const named: { readonly by: string; readonly path: string; readonly file: Stats }[] = [];
let folder: string | undefined;

/** Called with a command before its outputs are opened. */
export async function noteInputs(command: Command): Promise<void> {
  named.length = 0;
  const note = (by: string, path: string): void => {
    const file = path === "-" ? fstatSync(0) : statSync(path, { throwIfNoEntry: false });
    if (file?.isFile() === true) named.push({ by, path, file });
  };
  const tried = (by: string, path: string): void => {
    try {
      note(by, path);
    } catch {
      // A path that cannot be checked cannot be read either: its reader reports it
    }
  };
  for (const argument of command.args) {
    const paths = hasWildcard(argument) ? await sourceFiles(argument).catch(() => []) : [argument];
    for (const path of paths) if (typeof path === "string") tried("", path);
  }
  const values = command.opts<Record<string, unknown>>();
  for (const { long, attributeName } of command.options.map((option) => ({
    long: option.long ?? "",
    attributeName: option.attributeName(),
  }))) {
    const value = values[attributeName];
    if (typeof value === "string" && value !== "-") tried(long, value);
  }
  if (typeof values.query === "string") {
    for (const path of await pathsIn(values.query)) tried("--query", path);
  }
  const given = typeof values.data === "string" ? values.data : process.env.KINDRED_DATA;
  folder = given === "" ? undefined : given;
}

/** Possible file names in an SQL query: its quoted parts and words, with wildcards as in paths. */
async function pathsIn(query: string): Promise<string[]> {
  const quoted = Array.from(query.matchAll(/'((?:[^']|'')*)'|"((?:[^"]|"")*)"|\$\$(.*?)\$\$/gs), (found) =>
    (found[1] ?? found[2] ?? found[3]).replaceAll("''", "'").replaceAll('""', '"'),
  );
  const words = query.split(/[\s'"(),;=[\]]+/).filter((word) => /[./]/.test(word));
  const paths = await Promise.all(
    [...new Set([...quoted, ...words])].slice(0, MOST_PATHS).map((text) => {
      const path = text.replace(/^file:(?:\/\/)?/, "");
      return hasWildcard(path) ? sourceFiles(path).catch(() => []) : [path];
    }),
  );
  return paths.flat().filter((path) => typeof path === "string" && path !== "");
}

const MOST_PATHS = 1000;

/**
 * Refuses an output that is also an input or another output.
 *
 * @param target what the path leads to
 */
function requireNotRead(target: string, path: string, option: string): void {
  const file = statSync(target, { throwIfNoEntry: false });
  if (file === undefined || !file.isFile()) return;
  const same = named.find(
    ({ by, file: { dev, ino } }) => by !== option && dev === file.dev && ino === file.ino,
  );
  if (same !== undefined) {
    const other = same.by === "" ? "the data that are read" : `the file of ${same.by}`;
    throw optionError(
      `${option} ${path} is ${other}${path === same.path ? "" : ` (${same.path})`}; give another file`,
    );
  }
  if (folder !== undefined && resolve(target).startsWith(resolve(folder) + sep)) {
    throw optionError(`${option} ${path} is a file of the folder of data sets, ${folder}; give another file`);
  }
}
