// `npm run reproduce -- NAME`: bundles reproduction/ into .cache/, where it finds the built package by its name, and runs
// it. Paths are relative to the folder of the typed command, not to that of npm.
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const library = join(root, "dist", "index.js");
const newest = Math.max(...files(join(root, "src")).map((file) => statSync(file).mtimeMs));
if (!existsSync(library) || statSync(library).mtimeMs < newest) {
  console.error("reproduce: dist/ is missing or older than src/: run npm run build");
  process.exit(1);
}
const main = pathToFileURL(join(await bundled(), "main.js"));
if (process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
await import(main.href);

/** The folder of the bundle, named by the digest of its sources: a resumed run keeps its own. */
async function bundled() {
  const source = join(root, "reproduction");
  const digest = createHash("sha256");
  for (const file of files(source).toSorted()) digest.update(file).update(readFileSync(file));
  const cache = join(root, ".cache");
  const folder = join(cache, `reproduction-${digest.digest("hex").slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const { build } = await import("rolldown");
  const made = mkdtempSync(join(cache, "bundle-"));
  await build({
    input: { main: join(source, "main.ts"), worker: join(source, "worker.ts") },
    platform: "node",
    external: (id) => !/^[./]/.test(id) && !id.startsWith(root),
    output: {
      dir: made,
      format: "esm",
      entryFileNames: "[name].js",
      // Resumable grids are no entry of the package.
      paths: { "kindred/cells": pathToFileURL(join(root, "dist", "cells", "index.js")).href },
    },
  });
  try {
    renameSync(made, folder);
  } catch {
    rmSync(made, { recursive: true, force: true }); // another process was faster
  }
  return folder;
}

function files(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
