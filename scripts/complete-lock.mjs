// Completes package-lock.json after a dependency was added. npm leaves out the optional packages of other
// platforms that it could not fetch, and `npm ci` then refuses the lock. The missing entries follow from the
// package that requests them (the version) and from their names (the platform), which makes other platforms
// skip them. Missing checksums come from the registry; scripts/check-lock.mjs lists those that the lock still
// lacks.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const path = join(dirname(fileURLToPath(import.meta.url)), "..", "package-lock.json");
const lock = JSON.parse(readFileSync(path, "utf8"));
let added = 0;
for (const [parent, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    if (isListed(parent, name)) continue;
    const platform = platformOf(name);
    if (platform === undefined || !/^\d+\.\d+\.\d+/.test(version)) {
      console.error(`${name}@${version}, optional for ${parent}, is not listed and its platform is unknown`);
      process.exitCode = 1;
      continue;
    }
    const { os, cpu, libc } = platform;
    // In npm's own order; undefined fields are not written.
    lock.packages[`node_modules/${name}`] = { version, cpu, dev, libc, optional: true, os };
    added++;
  }
}
let summed = 0;
const unknown = [];
for (const [place, entry] of Object.entries(lock.packages)) {
  if (place === "" || entry.link === true || entry.integrity !== undefined) continue;
  const name = `${place.slice(place.lastIndexOf("node_modules/") + 13)}@${entry.version}`;
  const { stdout } = spawnSync("npm", ["view", name, "dist.integrity"], { encoding: "utf8" });
  const [integrity] = /sha512-[\w+/=]+/.exec(stdout ?? "") ?? [];
  if (integrity === undefined) {
    unknown.push(name);
    continue;
  }
  const { version, ...rest } = entry;
  lock.packages[place] = { version, integrity, ...rest };
  summed++;
}
if (added + summed > 0) {
  const [self, ...others] = Object.entries(lock.packages);
  lock.packages = Object.fromEntries([self, ...others.sort(([a], [b]) => a.localeCompare(b, "en"))]);
  writeFileSync(path, `${JSON.stringify(lock, undefined, 2)}\n`);
}
console.log(`package-lock.json: ${added} packages of other platforms and ${summed} checksums added`);
if (unknown.length > 0) console.log(`the registry has no checksum of ${unknown.join(", ")}`);

/** Whether the lock has `name` where Node would look for it from `parent`. */
function isListed(parent, name) {
  for (let folder = parent; ;) {
    if (`${folder === "" ? "" : `${folder}/`}node_modules/${name}` in lock.packages) return true;
    if (folder === "") return false;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")));
  }
}

/** "binding-linux-arm64-musl" as { os: ["linux"], cpu: ["arm64"], libc: ["musl"] }. */
function platformOf(name) {
  if (name.endsWith("-wasm32-wasi")) return { cpu: ["wasm32"] };
  const match = /(aix|android|darwin|freebsd|linux|openharmony|win32)-([a-z0-9]+)(?:-(\w+))?$/.exec(name);
  if (match === null) return undefined;
  const [, os, cpu, abi = ""] = match;
  const libc = abi.startsWith("gnu") ? "glibc" : abi.startsWith("musl") ? "musl" : undefined;
  return { os: [os], cpu: [cpu], libc: libc && [libc] };
}
