// Every check of the project in turn, each one run even when an earlier one failed; the last line is the sum.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const record = join(root, ".cache", "vitest.json");
let passed = 0;
let failed = 0;

step("build", ["npm", "run", "-s", "build"]);
if (failed === 0) {
  step("types", ["npm", "run", "-s", "typecheck"]);
  step("lint", ["npm", "run", "-s", "lint"]);
  step("format", ["npm", "run", "-s", "format:check"]);
  units();
  counted("browser", ["npm", "run", "-s", "test:browser"]);
  counted("explorer", ["npm", "run", "-s", "test:explorer"]);
  counted("site", ["npm", "run", "-s", "test:site"]);
  counted("package", ["npm", "run", "-s", "test:package"]);
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** A check that either passes or fails. */
function step(name, command) {
  const { ok, seconds } = run(command, "inherit");
  if (ok) passed++;
  else failed++;
  say(name, ok, seconds);
}

/** The unit tests, counted from vitest's own record. */
function units() {
  mkdirSync(dirname(record), { recursive: true });
  rmSync(record, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${record}`];
  const { ok, seconds } = run(["npx", "--no-install", "vitest", "run", ...reporters], "inherit");
  let counts = { numPassedTests: 0, numFailedTests: 0 };
  try {
    counts = JSON.parse(readFileSync(record, "utf8"));
  } catch {
    // No record: vitest itself did not start, which `ok` shows.
  }
  passed += counts.numPassedTests;
  // A file that fails to load has no tests to fail, but the run is not a success.
  failed += Math.max(counts.numFailedTests, ok ? 0 : 1);
  say("unit", ok, seconds);
}

/** A script whose last line is "N passed, N failed". */
function counted(name, command) {
  const { ok, seconds, output } = run(command, "pipe");
  process.stdout.write(output);
  const counts = /(\d+) passed, (\d+) failed\s*$/.exec(output);
  passed += counts === null ? 0 : Number(counts[1]);
  failed += Math.max(counts === null ? 0 : Number(counts[2]), ok ? 0 : 1);
  say(name, ok, seconds);
}

function run(command, stdout) {
  const start = performance.now();
  const { status, stdout: output } = spawnSync(command[0], command.slice(1), {
    cwd: root,
    stdio: ["ignore", stdout, "inherit"],
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  return { ok: status === 0, seconds: (performance.now() - start) / 1000, output: output ?? "" };
}

function say(name, ok, seconds) {
  console.log(`${ok ? "ok" : "FAILED"}: ${name} (${seconds.toFixed(1)} s)`);
}
