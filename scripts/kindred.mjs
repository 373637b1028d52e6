// The command in a checkout: builds missing parts once, then runs. Without arguments: a first demonstration.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const main = join(root, "dist", "cli", "main.js");
const given = process.argv.slice(2);

if (!existsSync(main)) {
  console.error("Building Kindred: once, about 20 s.");
  run("npm", ["run", "-s", "build"], root);
}
if (given.length > 0) run(process.execPath, [main, ...given]);
else {
  console.error(
    "A first look: 178 wines of three growers. The column of growers is only compared with the result.\n",
  );
  run(process.execPath, [main, ..."cluster wine --label class --report wine.html".split(" ")]);
  console.log("\nOpen wine.html in a browser. Your own table: npm run -s kindred -- cluster FILE");
}

/** Ends with the exit code of a failing command. */
function run(command, args, cwd) {
  const { status, signal } = spawnSync(command, args, { stdio: "inherit", cwd });
  if (signal !== null) process.kill(process.pid, signal);
  if (status !== 0) process.exit(status ?? 1);
}
