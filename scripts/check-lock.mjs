// Every package of package-lock.json must have a checksum, so that the installed code is the locked code.
// The exception are packages of other platforms that the registry did not offer when the lock was made: they
// are optional, named by their platform, and counted here; scripts/complete-lock.mjs requests them again.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const lock = JSON.parse(
  readFileSync(join(dirname(fileURLToPath(import.meta.url)), "..", "package-lock.json"), "utf8"),
);
const bare = Object.entries(lock.packages).filter(
  ([place, { link, integrity }]) => place !== "" && link !== true && !integrity?.startsWith("sha512-"),
);
const wrong = bare.filter(([, entry]) => entry.optional !== true || isForThis(entry));
for (const [place, { version }] of wrong) {
  console.error(
    `package-lock.json: ${place} ${version} has no checksum; node scripts/complete-lock.mjs adds it`,
  );
}
if (bare.length > wrong.length) {
  console.log(
    `package-lock.json: ${bare.length - wrong.length} packages of other platforms have no checksum`,
  );
}
process.exitCode = wrong.length > 0 ? 1 : 0;

function isForThis({ os, cpu, libc }) {
  const fits = (list, own) => list === undefined || list.includes(own);
  return fits(os, process.platform) && fits(cpu, process.arch) && fits(libc, "glibc");
}
