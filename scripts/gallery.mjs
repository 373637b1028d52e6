// Draws the pictures of the gallery (docs/images/gallery) with the commands on the pages. Needs Chromium and
// a build.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { requireChromium } from "./chromium.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const out = join(root, "docs", "images", "gallery");
const folder = mkdtempSync(join(tmpdir(), "gallery-"));
mkdirSync(out, { recursive: true });

/** A picture: the data and the options of `cluster`, one or several side by side. */
const PICTURES = {
  customers: [["customers"]],
  articles: [["articles", "--label", "title"]],
  sensors: [["sensors", "--ignore", "time"]],
  hints: [["tasting"], ["tasting", "--hints", "hints.csv"]],
  blocks: [["board", "--method", "biclusters", "--scale", "none", "--weights", "equal"]],
  moons: [["moons", "--label", "class", "--method", "spectral", "--clusters", "2"]],
};

// The table of the page on biclustering is made by its own example.
const board = /node -e '\n([^]*?)'\nkindred/.exec(
  readFileSync(join(root, "docs", "methods", "biclustering.md"), "utf8"),
)[1];
execFileSync(process.execPath, ["-e", board], { cwd: folder });
const page = readFileSync(join(root, "docs", "how-to", "known-pairs.md"), "utf8");
writeFileSync(join(folder, "hints.csv"), /a,b,hint\n[^]*?(?=END)/.exec(page)[0]);
const browser = await chromium.launch({
  executablePath: requireChromium("the gallery"),
  args: ["--no-sandbox"],
});
try {
  run("path", "iris", "--label", "class", "--svg", join(out, "clusterpath.svg"));
  const tab = await browser.newPage({ viewport: { width: 1200, height: 700 } });
  for (const [name, runs] of Object.entries(PICTURES)) {
    const shown = [];
    for (const [data, ...options] of runs) {
      if (data !== "board") run("data", data, "--out", `${data}.csv`);
      run("cluster", `${data}.csv`, ...options, "--report", "report.html");
      await tab.goto(pathToFileURL(join(folder, "report.html")).href);
      const kind = name === "blocks" ? "svg.blocks" : 'svg[role="img"]';
      const picture = await tab.locator(kind).first().screenshot();
      shown.push(
        `<img width="${runs.length === 1 ? 720 : 560}" src="data:image/png;base64,${picture.toString("base64")}">`,
      );
    }
    await tab.setContent(
      `<body style="margin:0"><div style="display:inline-flex;background:#fff">${shown.join("")}</div>`,
    );
    await tab.locator("div").screenshot({ path: join(out, `${name}.png`) });
    console.log(name);
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}

function run(...args) {
  execFileSync(process.execPath, [join(root, "dist", "cli", "main.js"), ...args], {
    cwd: folder,
    stdio: "pipe",
  });
}
