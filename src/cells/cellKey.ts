import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { engine } from "../matrix/index.ts";

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
