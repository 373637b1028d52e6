import { fileError, inputError } from "./messages.ts";

/**
 * Node's own modules, loaded in a way that also works in a browser: there `undefined` is returned, and no
 * bundler sees an import to resolve.
 */
export function nodeModule<T>(name: string): T | undefined {
  const host = globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } };
  return host.process?.getBuiltinModule?.(`node:${name}`) as T | undefined;
}

/** The synchronous file system, as far as the library needs it; undefined in a browser. */
export function fileSystem(): FileSystem | undefined {
  return nodeModule<FileSystem>("fs");
}

/** Whether a path leads to a file or a folder; never in a browser. */
export function pathExists(path: string): boolean {
  return fileSystem()?.existsSync(path) === true;
}

interface FileSystem {
  existsSync(path: string): boolean;
  statSync(path: string): { readonly size: number; readonly mtimeMs: number; isFile(): boolean };
  createReadStream(path: string): AsyncIterable<Uint8Array>;
  openSync(path: string, flags: "r"): number;
  readSync(file: number, into: Uint8Array, offset: number, length: number, position: null): number;
  closeSync(file: number): void;
}

/** What the system answers; undefined if the program may not ask (Deno), or there is no such thing. */
export function allowed<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}

/** A variable of the environment; undefined if it is empty or not set, and in a browser. */
export function environment(name: string): string | undefined {
  const host = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return allowed(() => host.process?.env?.[name]) || undefined;
}

/**
 * Bytes of memory that this process can use: the machine's or, if the system sets one, its container's
 * limit.
 */
export function machineMemory(): number {
  const os = nodeModule<{ totalmem(): number }>("os");
  if (os === undefined) return BROWSER;
  const host = globalThis as { process?: { constrainedMemory?: () => number } };
  const constrained = host.process?.constrainedMemory?.() ?? 0;
  const total = Math.min(allowed(() => os.totalmem()) ?? BROWSER, (addressSpace ??= addressLimit()));
  return constrained > 0 && constrained < total ? constrained : total;
}

let addressSpace: number | undefined;

/**
 * Bytes of addresses left for this process, if it has a limit (`ulimit -v`): a thread or an engine beyond it
 * would end the process.
 */
export function addressRoom(): number {
  const limit = (addressSpace ??= addressLimit());
  const size = limit === Infinity ? null : /^VmSize:\s+(\d+) kB/m.exec(ownFile("status"));
  return size === null ? Infinity : limit - 1024 * Number(size[1]);
}

/** Memory of a Node thread: a heap, room for code, and the C library's own. */
export const THREAD_ADDRESSES: number = 1.2e9;

function addressLimit(): number {
  const limit = /^Max address space\s+(\d+)/m.exec(ownFile("limits"));
  return limit === null ? Infinity : Number(limit[1]);
}

/** The facts that Linux reports about this process; empty elsewhere. */
function ownFile(name: string): string {
  const fs = nodeModule<{ readFileSync(path: string, encoding: "utf8"): string }>("fs");
  return allowed(() => fs?.readFileSync(`/proc/self/${name}`, "utf8")) ?? "";
}

/** Maximum of a browser tab for array buffers, on any machine. */
const BROWSER = 4 * 2 ** 30;

/** "1.5 GB", "20 MB", "300 kB". */
export function bytesText(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB", "PB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value >= 10 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

interface Entry {
  readonly name: string;
  isDirectory(): boolean;
}

interface Folders {
  readdir(path: string, options: { withFileTypes: true }): Promise<Entry[]>;
  stat(path: string): Promise<unknown>;
}

/** Whether a path has wildcards: `*`, `?`, `[abc]`. */
export function hasWildcard(path: string): boolean {
  return /[*?[]/.test(path);
}

/**
 * The files of a source: paths unchanged, and for a path with wildcards (`data/*.parquet`; `**` for folders
 * of any depth) all matching files, sorted by name, so that the order of the rows does not depend on the file
 * system.
 */
export async function sourceFiles<S>(
  source: S | string | readonly string[],
): Promise<readonly (S | string)[]> {
  if (Array.isArray(source)) {
    if (source.length === 0) throw inputError("the list of files is empty");
    return (await Promise.all((source as readonly string[]).map(sourceFiles))).flat();
  }
  if (typeof source !== "string" || !hasWildcard(source)) return [source as S];
  const fs = nodeModule<Folders>("fs/promises");
  if (fs === undefined) throw fileError(`"${source}": wildcards need Node; pass the files themselves`);
  const literal = await fs.stat(source).then(
    () => true,
    () => false,
  );
  if (literal) return [source]; // a file may have such a name
  const segments = source.split("/");
  const from = segments[0] === "" ? "/" : "";
  const found = await matching(fs, from, from === "" ? segments : segments.slice(1));
  if (found.length === 0) throw fileError(`no file matches ${source}`);
  return [...new Set(found)].sort();
}

/** Paths under `folder` (with its last slash, or empty) that match the segments of the pattern. */
async function matching(fs: Folders, folder: string, segments: readonly string[]): Promise<string[]> {
  const [segment, ...rest] = segments;
  if (segment !== "**" && !hasWildcard(segment)) {
    const path = folder + segment;
    if (rest.length > 0) return matching(fs, `${path}/`, rest);
    return fs.stat(path).then(
      () => [path],
      () => [],
    );
  }
  const entries = await fs.readdir(folder === "" ? "." : folder, { withFileTypes: true }).catch(() => []);
  const visible = entries.filter(({ name }) => !name.startsWith(".") || segment.startsWith("."));
  if (segment === "**") {
    const here = rest.length === 0 ? visible.filter((e) => !e.isDirectory()).map((e) => folder + e.name) : [];
    const below = rest.length === 0 ? [] : await matching(fs, folder, rest);
    const deeper = visible
      .filter((entry) => entry.isDirectory())
      .map((entry) => matching(fs, `${folder}${entry.name}/`, segments));
    return [...here, ...below, ...(await Promise.all(deeper)).flat()];
  }
  const pattern = new RegExp(`^${asExpression(segment)}$`);
  const matched = visible.filter(({ name }) => pattern.test(name));
  if (rest.length === 0) return matched.filter((e) => !e.isDirectory()).map((e) => folder + e.name);
  const inside = matched
    .filter((entry) => entry.isDirectory())
    .map((entry) => matching(fs, `${folder}${entry.name}/`, rest));
  return (await Promise.all(inside)).flat();
}

function asExpression(segment: string): string {
  return segment.replace(/\[(!?)([^\]]+)\]|[*?]|[.+^${}()|[\]\\]/g, (part, not?: string, set?: string) => {
    if (part === "*") return ".*";
    if (part === "?") return ".";
    if (set !== undefined) return `[${not === "!" ? "^" : ""}${set.replace(/[\\^]/g, "\\$&")}]`;
    return `\\${part}`;
  });
}
