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

/** A variable of the environment; undefined if it is empty or not set, and in a browser. */
export function environment(name: string): string | undefined {
  const host = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return host.process?.env?.[name] || undefined;
}
