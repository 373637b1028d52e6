// Removes from dist/ what an earlier build left there and no source makes any more, so that it is never published.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
if (existsSync(dist)) {
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const built = join(entry.parentPath, entry.name);
    const source = join(root, "src", built.slice(dist.length)).replace(/(\.d\.ts|\.js)$/, ".ts");
    if (!existsSync(source)) rmSync(built);
  }
}
