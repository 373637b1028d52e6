import { fstatSync, statSync, type Stats } from "node:fs";
import { resolve, sep } from "node:path";
import type { Command } from "commander";
import { hasWildcard, optionError, sourceFiles } from "../../core/internal.ts";

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
export function requireNotRead(target: string, path: string, option: string): void {
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
