import { createHash } from "node:crypto";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "rolldown";

const ROOMS =
  "matrix graph score cluster data optimize metric convex embed select classify scale engine".split(" ");

/**
 * Everything that the rooms export, and these modules of src/, for benchmarks of functions that no entry exports. They are
 * loaded together, so that there is one engine and one pool of threads.
 */
export async function sources(...more) {
  const modules = ["core/random.ts", ...ROOMS.map((room) => `${room}/index.ts`), ...more];
  const root = join(import.meta.dirname, "..");
  const name = createHash("sha256").update(modules.join()).digest("hex").slice(0, 8);
  const file = join(root, ".cache", "bench", `${name}.mjs`);
  const lines = modules.map((module) => `export * from ${JSON.stringify(join(root, "src", module))};`);
  await build({
    input: "sources",
    platform: "neutral",
    external: (id) => id !== "sources" && !/^[./]/.test(id),
    plugins: [
      {
        name: "sources",
        resolveId: (id) => (id === "sources" ? id : undefined),
        load: (id) => (id === "sources" ? lines.join("\n") : undefined),
      },
    ],
    output: { file, format: "esm", codeSplitting: false },
  });
  return import(pathToFileURL(file).href);
}
