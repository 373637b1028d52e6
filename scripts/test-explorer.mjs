// Runs test/explorer/browser/ against the built explorer in Chromium: each test in its own page, served as by
// `kindred explore`. Two tests run at a time, and those that measure (`alone`) run one by one after them. Some
// start a browser of their own (`fresh`). A word on the command line selects the tests whose name contains it.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { explorerServer } from "../dist/cli/explorerServer.js";
import { requireChromium } from "./chromium.mjs";

const FLAGS = [
  "--no-sandbox",
  "--disable-dev-shm-usage",
  // WebGL without a graphics card.
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--ignore-gpu-blocklist",
  // Only WebGL needs one; without one, the page itself is put together in half the time.
  "--disable-gpu-compositing",
  // The page's own measure of its memory answers at once.
  "--enable-blink-features=ForceEagerMeasureMemory",
];
const LIMIT_MS = 90_000;
const LANES = 2;

const executablePath = requireChromium("explorer tests");
const folder = join(dirname(fileURLToPath(import.meta.url)), "..", "test", "explorer", "browser");
const [wanted = ""] = process.argv.slice(2);
const launch = () => chromium.launch({ executablePath, args: FLAGS });
const browser = await launch();
let passed = 0;
let failed = 0;
try {
  const chosen = [];
  for (const file of readdirSync(folder).toSorted()) {
    if (!file.endsWith(".test.mjs")) continue;
    const { tests } = await import(pathToFileURL(join(folder, file)).href);
    chosen.push(...tests.filter(({ name }) => name.includes(wanted) || file.includes(wanted)));
  }
  const together = chosen.filter(({ alone }) => alone !== true);
  const lane = async () => {
    for (let test = together.shift(); test !== undefined; test = together.shift()) await run(test);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  for (const test of chosen) if (test.alone === true) await run(test);
} finally {
  await browser.close();
}
console.log(`Chromium ${browser.version()}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/**
 * A test may print lines (`tell`), and fails on an error, an unexpected console message or the time limit.
 */
async function run({
  name,
  data,
  page: settings = {},
  allowed = /^$/,
  limit = LIMIT_MS,
  fresh = false,
  body,
}) {
  const [file, beside] = [data?.()].flat();
  const server = explorerServer(file, undefined, undefined, beside);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${server.address().port}/`;
  const own = fresh ? await launch() : undefined;
  const context = await (own ?? browser).newContext({ viewport: { width: 1280, height: 800 }, ...settings });
  context.setDefaultTimeout(LIMIT_MS / 2);
  const page = await context.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !allowed.test(message.text())) {
      complaints.push(message.text());
    }
  });
  const told = [];
  const start = performance.now();
  try {
    await within(limit, body({ page, address, context, tell: (text) => told.push(text) }));
    if (complaints.length > 0) throw new Error(`the console says: ${complaints.join("; ")}`);
    passed++;
    console.log(`ok: ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed++;
    console.log(`FAILED: ${name}: ${error.stack}\n${complaints.join("\n")}`);
  } finally {
    for (const text of told) console.log(`    ${text}`);
    await context.close();
    await own?.close();
    server.closeAllConnections();
    server.close();
  }
}

function within(milliseconds, work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${milliseconds / 1000} s`)), milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
