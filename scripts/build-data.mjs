// Writes every src/**/NAME.json that modules import as a module NAME.json.ts beside it, so that the sources run wherever
// TypeScript does: an import of JSON itself needs an attribute, which not every tool passes on.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const source = join(root, "src");
for (const name of readdirSync(source, { recursive: true, encoding: "utf8" })) {
  if (!name.endsWith(".json") || name.endsWith(".schema.json")) continue;
  const file = join(source, name);
  const text =
    `// Made by scripts/build-data.mjs from ${relative(dirname(file), file)}; do not edit.\n` +
    `export default ${JSON.stringify(JSON.parse(readFileSync(file, "utf8")))};\n`;
  const target = `${file}.ts`;
  if (!existsSync(target) || readFileSync(target, "utf8") !== text) writeFileSync(target, text);
}
