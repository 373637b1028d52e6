// Tests the site from the disk: builds it, follows every link, then opens it in Chromium in light and dark,
// on a desktop and on a phone, uses the search, and checks accessibility.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { requireChromium } from "./chromium.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const executablePath = requireChromium("the tests of the site");
const axe = readFileSync(join(root, "node_modules", "axe-core", "axe.min.js"), "utf8");
const PAGES = ["index.html", "how-to/gallery.html", "how-to/known-pairs.html", "reference/api.html"];
let passed = 0;
let failed = 0;

const build = spawnSync(process.execPath, [join(root, "scripts", "build-site.mjs")], { encoding: "utf8" });
report(
  "is built, and every link leads somewhere",
  build.status === 0 ? undefined : build.stdout + build.stderr,
);

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  for (const [name, settings] of [
    ["light, desk", { viewport: { width: 1280, height: 800 }, colorScheme: "light" }],
    ["dark, phone", { viewport: { width: 390, height: 844 }, colorScheme: "dark" }],
  ]) {
    const context = await browser.newContext(settings);
    for (const address of PAGES) await read(context, address, name);
    await context.close();
  }
  const context = await browser.newContext();
  const tab = await open(context, "methods/kmeans.html");
  await tab.keyboard.press("/");
  await tab.keyboard.type("biggest embeddings cluster");
  await tab.waitForSelector("#hits a");
  await tab.getByLabel("Search the documentation").fill("cluster embeddings");
  const [first] = await tab.locator("#hits a").allTextContents();
  report("finds a page by its words", /embeddings/i.test(first) ? undefined : `the first hit is ${first}`);
  await tab.keyboard.press("ArrowDown");
  await tab.keyboard.press("Enter");
  await tab.waitForURL(/embeddings\.html/);
  report("a hit opens by the keyboard");
} catch (error) {
  report("runs", error.message);
} finally {
  await browser.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function read(context, address, name) {
  const tab = await open(context, address);
  const wide = await tab.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  report(`${address}, ${name}: no part is wider than the page`, wide <= 0 ? undefined : `by ${wide} px`);
  const broken = await tab.evaluate(() =>
    [...document.images].filter((image) => image.complete && image.naturalWidth === 0).map(({ src }) => src),
  );
  report(`${address}, ${name}: every picture is there`, broken.length === 0 ? undefined : broken.join(", "));
  await tab.evaluate(axe);
  const { violations } = await tab.evaluate(() => window.axe.run());
  const told = violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`);
  report(`${address}, ${name}: accessible`, told.length === 0 ? undefined : told.join("\n"));
  await tab.close();
}

async function open(context, address) {
  const tab = await context.newPage();
  tab.on("pageerror", (error) => report(`${address}: scripts run`, error.message));
  await tab.goto(pathToFileURL(join(root, "dist-site", address)).href);
  return tab;
}

function report(name, problem) {
  if (problem === undefined) passed++;
  else failed++;
  console.log(problem === undefined ? `ok: the site ${name}` : `FAILED: the site ${name}\n${problem}`);
}
