import { randomBytes, createHash } from "node:crypto";
import {
  accessSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileError } from "../core/internal.ts";
import { fileURLToPath } from "node:url";
import { engine } from "../matrix/index.ts";

/** The finished cells of a grid, on disk: a stopped run leaves them for the next one. */
export interface CellStore {
  readonly folder: string;
  /** The result of the cell with these facts, or undefined if it is absent. */
  find(cell: object): unknown;
  add(cell: object, result: unknown): void;
}

export interface CellStoreOptions {
  /** The name of the folder in errors, for example an option of a command. Default: "folder". */
  readonly option?: string;
  /**
   * Receives notes about damaged lines and about a folder that can no longer be written. Default:
   * console.warn.
   */
  warn?(message: string): void;
}

/** A line of a journal, without its digest. */
interface Entry {
  readonly key: string;
  /** For readers of the file; the key covers it. */
  readonly cell: object;
  readonly result: unknown;
}

/**
 * Every process appends to its own journal, one line per cell, so processes cannot mix their lines. A process
 * that is killed while it writes leaves an unfinished last line, which is ignored.
 */
export function cellStore(
  folder: string,
  { option = "folder", warn = console.warn }: CellStoreOptions = {},
): CellStore {
  makeFolder(folder, option);
  const entries = new Map<string, string>();
  for (const name of journals(folder, option)) readJournal(join(folder, name), entries, option, warn);
  let file: number | undefined;
  let broken = false;
  return {
    folder,
    find(cell) {
      const line = entries.get(cellKey(cell));
      return line === undefined ? undefined : entryOf(line).result;
    },
    add(cell, result) {
      if (broken) return;
      const entry = encode({ key: cellKey(cell), cell, result } satisfies Entry);
      try {
        file ??= openSync(join(folder, `cells-${Date.now()}-${randomBytes(4).toString("hex")}.ndjson`), "ax");
        writeFileSync(file, `{"check":"${contentHash(entry)}","entry":${entry}}\n`);
      } catch (error) {
        // Results are still worth printing; a line after an unfinished line would be lost with it.
        broken = true;
        warn(`${option} ${folder}: cannot be written (${reason(error)}); later cells are not kept`);
      }
    },
  };
}

/** Now, before long work. */
function makeFolder(folder: string, option: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const code = reason(error);
    const why =
      code === "EEXIST" ? "this is a file, not a folder" : `the folder cannot be made or written (${code})`;
    throw fileError(`${option} ${folder}: ${why}`, error);
  }
}

function journals(folder: string, option: string): string[] {
  return readable(folder, option, () => readdirSync(folder))
    .filter((name) => /^cells-.*\.ndjson$/.test(name))
    .toSorted();
}

function readable<T>(path: string, option: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw fileError(`${option}: ${path} cannot be read (${reason(error)})`, error);
  }
}

function reason(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? (error as Error).message;
}

function readJournal(
  path: string,
  entries: Map<string, string>,
  option: string,
  warn: (message: string) => void,
): void {
  const text = readable(path, option, () => readFileSync(path, "utf8"));
  const written = text.split("\n").slice(0, -1); // behind the last end of a line: nothing, or half a line
  const damaged: number[] = [];
  for (const [i, line] of written.entries()) {
    try {
      const { key } = entryOf(line);
      if (!entries.has(key)) entries.set(key, line);
    } catch {
      damaged.push(i + 1);
    }
  }
  if (damaged.length === 0) return;
  const which =
    damaged.length === 1 ? `line ${damaged[0]} is` : `${damaged.length} lines, the first ${damaged[0]}, are`;
  warn(`${path}: ${which} damaged and not used`);
}

/** Throws if the line is not what was written. */
function entryOf(line: string): Entry {
  const { check, entry } = JSON.parse(line, revived) as { check: string; entry: Entry };
  if (contentHash(encode(entry)) !== check) throw new Error("the digest is another");
  return entry;
}

/** JSON that restores every number and typed array exactly. */
function encode(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === "number" && (!Number.isFinite(part) || Object.is(part, -0))) {
      return { $number: Object.is(part, -0) ? "-0" : String(part) };
    }
    if (part instanceof Int32Array) return { $int32: Array.from(part) };
    if (part instanceof Float64Array) return { $float64: Array.from(part) };
    if (typeof part === "object" && part !== null && !Array.isArray(part) && !isPlain(part)) {
      throw new TypeError(`a result of type ${part.constructor.name} cannot be kept in a file`);
    }
    return part;
  });
}

function revived(_: string, part: unknown): unknown {
  if (typeof part !== "object" || part === null) return part;
  if ("$number" in part) return Number(part.$number);
  if ("$int32" in part) return Int32Array.from(part.$int32 as number[]);
  if ("$float64" in part) return Float64Array.from(part.$float64 as number[]);
  return part;
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as unknown;
  return prototype === Object.prototype || prototype === null;
}

/**
 * The key of a cell: the digest of its facts and of the program that computes it. The facts contain data as
 * digests of their content, so a path does not matter and a changed file does.
 */
export function cellKey(cell: object): string {
  return contentHash(JSON.stringify({ program: program(), engine: engine().name, cell }, sorted));
}

/** The digest of some contents. */
export function contentHash(...parts: readonly (string | Uint8Array | Float64Array | Int32Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) {
    const bytes =
      typeof part === "string"
        ? Buffer.from(part)
        : new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
    // The lengths separate parts that would otherwise join to the same bytes.
    hash.update(`${bytes.length} `).update(bytes);
  }
  return hash.digest("hex");
}

let known: string | undefined;

/** The files of the library themselves: two builds of one version may differ. */
function program(): string {
  if (known !== undefined) return known;
  const folder = fileURLToPath(new URL("..", import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /(?<!\.d)\.[jt]s$/.test(name))
    .toSorted();
  known = contentHash(...files.flatMap((name) => [name, readFileSync(join(folder, name))]));
  return known;
}

/** The same facts in another order are the same cell. */
function sorted(_: string, part: unknown): unknown {
  if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
  return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
