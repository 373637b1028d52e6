// Prepares a release: `node scripts/release.mjs 1.2.0`. It checks that the tree is clean and that
// "Unreleased" in CHANGELOG.md is not empty, runs every test, writes the version into package.json, the lock
// and the changelog, commits, tags, and packs. It publishes nothing: its last lines are the commands for
// that, with provenance where a build service signs it. `--check` stops before anything is written.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [version = ""] = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
const manifest = join(root, "package.json");
const lock = join(root, "package-lock.json");
const changelog = join(root, "CHANGELOG.md");
const { name, version: current } = JSON.parse(readFileSync(manifest, "utf8"));

if (!/^\d+\.\d+\.\d+(-[0-9a-z.]+)?$/.test(version)) fail(`usage: node scripts/release.mjs VERSION [--check]`);
if (!isNewer(version, current)) fail(`${version} is not newer than ${current}`);
if (git("status", "--porcelain") !== "") fail("the tree has changes that are not committed");
if (git("tag", "--list", `v${version}`) !== "") fail(`the tag v${version} exists`);
const changes = readFileSync(changelog, "utf8");
const unreleased = /^## Unreleased\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(changes)?.[1].trim() ?? "";
if (unreleased === "") fail('CHANGELOG.md says nothing under "Unreleased"');

console.log("checks: every test, about fifteen minutes");
run("npm", "ci", "--no-audit", "--no-fund");
run("npm", "test");
if (process.argv.includes("--check")) {
  console.log(`${name} ${version} can be released`);
  process.exit(0);
}

const day = new Date().toISOString().slice(0, 10);
writeFileSync(changelog, changes.replace("## Unreleased\n", `## Unreleased\n\n## ${version} - ${day}\n`));
for (const file of [manifest, lock]) {
  const text = readFileSync(file, "utf8");
  const places = file === lock ? 2 : 1;
  let left = places;
  const own = text.replace(new RegExp(`"version": "${current.replaceAll(".", "\\.")}"`, "g"), (found) =>
    left-- > 0 ? `"version": "${version}"` : found,
  );
  writeFileSync(file, own);
}
run("git", "commit", "--all", "--message", `Kindred ${version}`);
run("git", "tag", "--annotate", `v${version}`, "--message", `Kindred ${version}`);
run("npm", "pack");
console.log(`\n${name} ${version} is committed, tagged and packed. To publish it:`);
console.log(`  git push --follow-tags`);
console.log(
  `  npm publish ${name}-${version}.tgz --provenance   # in a build service that signs; elsewhere without`,
);

function isNewer(next, before) {
  const [a, b] = [next, before].map((text) => text.split(/[.-]/).map((part) => Number(part) || 0));
  for (let i = 0; i < 3; i++) if (a[i] !== b[i]) return a[i] > b[i];
  return !next.includes("-") && before.includes("-");
}

function git(...args) {
  return spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout.trim();
}

function run(command, ...args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) fail(`${command} ${args.join(" ")} failed`);
}

function fail(message) {
  console.error(`release: ${message}`);
  process.exit(1);
}
