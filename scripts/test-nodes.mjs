// Runs the version-dependent tests under other versions of Node: `node scripts/test-nodes.mjs 22 24 26`. These
// are the entry points (test/runtime/entries.mjs) and the unit tests of the rooms close to the engine:
// numbers, files, models. The binaries come from the npm package `node` and are kept in .cache/, outside the
// dependencies.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const versions = process.argv.slice(2);
if (versions.length === 0 || versions.some((version) => !/^\d+$/.test(version))) {
  console.error("usage: node scripts/test-nodes.mjs VERSION... (major versions, such as 22 24 26)");
  process.exit(2);
}

/** Rooms whose code depends on features of Node. */
const ROOMS = ["test/core", "test/matrix", "test/data", "test/model", "test/cells", "test/run/everyMethod"];

const failures = [];
for (const version of versions) {
  const node = binary(version);
  const reported = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout?.trim() ?? "";
  if (!reported.startsWith(`v${version}.`)) {
    console.error(`${node} is ${reported || "not runnable"}, not Node ${version}`);
    failures.push(version);
    continue;
  }
  console.log(`Node ${reported}`);
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const run = (...args) =>
    spawnSync(node, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"], env }).status;
  const entries = run(join(root, "test", "runtime", "entries.mjs"));
  const units = run(join(root, "node_modules", "vitest", "vitest.mjs"), "run", ...ROOMS);
  const ok = entries === 0 && units === 0;
  console.log(`${ok ? "ok" : "FAILED"}: entry points and unit tests under Node ${reported}`);
  if (!ok) failures.push(version);
}
console.log(`${versions.length - failures.length} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;

/** The path of the binary, installed at first use. */
function binary(version) {
  const folder = join(root, ".cache", `node-${version}`);
  const path = join(
    folder,
    "node_modules",
    "node",
    "bin",
    process.platform === "win32" ? "node.exe" : "node",
  );
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  // Its own package.json stops npm from using ours; `allowScripts` is needed because the package installs its
  // binary with a script, which newer versions of npm run only on request.
  writeFileSync(
    join(folder, "package.json"),
    `${JSON.stringify({ name: `node-${version}`, private: true, allowScripts: { node: true } })}\n`,
  );
  const install = ["install", "--no-audit", "--no-fund", "--no-save", `node@${version}`];
  const { status } = spawnSync("npm", install, { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) console.error(`npm could not install node@${version}`);
  return path;
}
