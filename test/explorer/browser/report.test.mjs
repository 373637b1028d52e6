// The pages that --report writes: they open from disk without a word in the console, in light and dark, on a desk and
// on a phone, and axe finds nothing serious.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { accessible } from "./accessible.mjs";

const main = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
const REPORTS = {
  "a clustering by auto": ["cluster", "wine", "-k", "3", "-l", "class"],
  "a clustering by ward": ["cluster", "iris", "-k", "3", "-m", "ward"],
  "a clustering by cpd-uml": ["cluster", "moons", "-k", "2", "-m", "cpd-uml"],
  "a comparison": [
    "compare",
    "iris",
    "-k",
    "3",
    "-l",
    "class",
    "--methods",
    "kmeans,ward,single",
    "--resamples",
    "2",
  ],
};

export const tests = Object.entries(REPORTS).flatMap(([name, args]) =>
  [
    { width: 1440, height: 900, colorScheme: "light" },
    { width: 390, height: 800, colorScheme: "dark" },
  ].map(({ width, height, colorScheme }) => ({
    name: `the report of ${name}, ${width} wide, ${colorScheme}`,
    page: { viewport: { width, height }, colorScheme },
    async body({ page }) {
      const folder = mkdtempSync(join(tmpdir(), "kindred-report-"));
      try {
        const file = join(folder, "report.html");
        execFileSync(process.execPath, [main, ...args, "--report", file], { stdio: "ignore" });
        await page.goto(pathToFileURL(file).href);
        const shown = await page.evaluate(() => ({
          title: document.title,
          pictures: document.querySelectorAll("svg[role=img]").length,
          across: document.documentElement.scrollWidth,
        }));
        assert.match(shown.title, /Kindred$/);
        assert.ok(shown.pictures >= 1, "there is no picture");
        assert.ok(shown.across <= width, `the page is ${shown.across} wide`);
        await accessible(page, name);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  })),
);
