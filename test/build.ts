import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The tests that run what is built: the command, the explorer, the examples of the documentation, clients of Spark. */
const BUILT = /test[/\\](?:benchmarks|cli|docs|explorer|reproduction|worker|engine[/\\]sparkCluster)/;

/** Builds before the tests if a source is newer than what is built and such a test may run. */
export default function build(): void {
  const filters = process.argv.slice(2).filter((arg) => arg.includes("test"));
  if (filters.length > 0 && !filters.some((filter) => BUILT.test(filter))) return;
  const root = fileURLToPath(new URL("..", import.meta.url));
  const built = join(root, "dist", "index.js");
  if (existsSync(built) && statSync(built).mtimeMs >= newest(join(root, "src"))) return;
  execFileSync("npm", ["run", "-s", "build"], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
}

function newest(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Math.max(...files.map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs));
}
