// The browser of the browser tests, and the message if there is none.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** CHROME_PATH, else the first browser of the family on the PATH. */
export function findChromium() {
  if (process.env.CHROME_PATH) return process.env.CHROME_PATH;
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}

/** Chromium, or the end of the script: a failure only if a browser is required. */
export function requireChromium(tests) {
  const chromium = findChromium();
  if (chromium !== undefined) return chromium;
  const needed = Boolean(process.env.CI) || process.env.KINDRED_REQUIRE_BROWSER === "1";
  console.log(`${tests} not run: no Chromium (install it, or set CHROME_PATH)`);
  console.log(`0 passed, ${needed ? 1 : 0} failed`);
  process.exit(needed ? 1 : 0);
}
