// Runs test/runtime/entries.mjs under Bun and Deno. Their binaries come from packages of the npm registry and
// are kept in .cache/, outside the dependencies.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const program = join(root, "test", "runtime", "entries.mjs");
const bare = join(root, "test", "runtime", "bare.mjs");
const platform = `${process.platform}-${process.arch}`;
const RUNTIMES = [
  {
    name: "Bun",
    // The baseline build also runs on processors without AVX2.
    packages: {
      "linux-x64": "@oven/bun-linux-x64-baseline",
      "linux-arm64": "@oven/bun-linux-aarch64",
      "darwin-arm64": "@oven/bun-darwin-aarch64",
    },
    binary: "bin/bun",
    version: "1.4.4",
    args: [program],
  },
  {
    name: "Deno",
    packages: {
      "linux-x64": "@deno/linux-x64-glibc",
      "linux-arm64": "@deno/linux-arm64-glibc",
      "darwin-arm64": "@deno/darwin-arm64",
    },
    binary: "deno",
    version: "2.9.6",
    args: ["run", "--allow-all", "--no-config", program],
    // No file, variable, address or thread.
    further: ["run", "--no-prompt", "--no-config", bare],
  },
];

let failed = 0;
for (const { name, packages, binary, version, args, further } of RUNTIMES) {
  if (packages[platform] === undefined) {
    console.log(`skipped: ${name} has no package for ${platform}`);
    continue;
  }
  const runtime = installed(name, packages[platform], version, binary);
  const { status } = spawnSync(runtime, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  console.log(`${status === 0 ? "ok" : "FAILED"}: entry points under ${name} ${version}`);
  if (status !== 0) failed++;
  if (further === undefined) continue;
  const without = spawnSync(runtime, further, { cwd: root, stdio: ["ignore", "inherit", "inherit"] }).status;
  console.log(
    `${without === 0 ? "ok" : "FAILED"}: k-means and the default under ${name} without permissions`,
  );
  if (without !== 0) failed++;
}
console.log(`${RUNTIMES.length + 1 - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** The path of the binary, installed at first use. */
function installed(name, packageName, version, binary) {
  const folder = join(root, ".cache", `${name.toLowerCase()}-${version}`);
  const path = join(folder, "node_modules", packageName, binary);
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
    const npm = [
      "install",
      "--no-audit",
      "--no-fund",
      "--ignore-scripts",
      "--no-save",
      `${packageName}@${version}`,
    ];
    const { status } = spawnSync("npm", npm, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
    if (status !== 0) throw new Error(`${packageName}@${version} cannot be installed`);
    chmodSync(path, 0o755);
  }
  return path;
}
