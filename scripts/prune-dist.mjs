// Removes from dist/ what an earlier build left there and no source makes any more, so that it is never published.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
const explorer = join(dist, "explorer");
const built = (entry) => join(entry.parentPath, entry.name);
if (existsSync(dist)) {
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    // The explorer's folder is emptied by its own build.
    if (!entry.isFile() || built(entry).startsWith(explorer)) continue;
    const source = join(root, "src", built(entry).slice(dist.length)).replace(/(\.d\.ts|\.js)$/, ".ts");
    if (!existsSync(source)) rmSync(built(entry));
  }
}
