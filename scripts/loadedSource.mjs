// The exports of a module of src/, for scripts that write pages and tables from them.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "rolldown";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Bundled first, because Node does not read TypeScript everywhere. */
export async function loadedSource(source) {
  const cache = join(root, ".cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "loaded-"));
  try {
    await build({
      input: join(root, source),
      platform: "node",
      external: (id) => !/^[./]/.test(id) && !id.startsWith(root),
      output: { dir: folder, format: "esm", entryFileNames: "loaded.mjs", codeSplitting: false },
      logLevel: "silent",
    });
    return await import(pathToFileURL(join(folder, "loaded.mjs")).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
