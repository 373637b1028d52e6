// npm run build:site [-- FOLDER]: the pages that any static host can serve, from any folder, into site/ or FOLDER.
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const site = resolve(process.argv[2] ?? `${root}/site`);

const steps = { explorer };
for (const [name, step] of Object.entries(steps)) {
  await step();
  console.log(`built ${name}`);
}

/** The explorer, in a folder of its own: its addresses are relative. */
function explorer() {
  const vite = fileURLToPath(new URL("bin/vite.js", import.meta.resolve("vite/package.json")));
  const args = ["build", "-c", "explorer/vite.config.ts", "--logLevel", "warn"];
  execFileSync(process.execPath, [vite, ...args, "--outDir", resolve(site, "explorer"), "--emptyOutDir"], {
    cwd: root,
    stdio: "inherit",
  });
}
