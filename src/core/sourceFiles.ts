import { fileError, inputError } from "./errors.ts";
import { nodeModule } from "./node.ts";

interface Entry {
  readonly name: string;
  isDirectory(): boolean;
}

interface FileSystem {
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
  const fs = nodeModule<FileSystem>("fs/promises");
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
async function matching(fs: FileSystem, folder: string, segments: readonly string[]): Promise<string[]> {
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
