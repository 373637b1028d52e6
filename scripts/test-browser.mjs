// Runs test/browser/ in Chromium: serves the checkout on this machine only, with the headers that shared memory needs,
// opens the page without a window and waits for the report that the page posts back.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { requireChromium } from "./chromium.mjs";

const LIMIT_SECONDS = 120;
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".json": "application/json" };
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
];

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const chromium = requireChromium("browser tests");

await bundle();
await writeModels();
const profile = mkdtempSync(join(tmpdir(), "kindred-chromium-"));
const { server, reported } = serve();
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const page = `http://127.0.0.1:${server.address().port}/test/browser/index.html`;
const browser = spawn(chromium, [...FLAGS, `--user-data-dir=${profile}`, page], {
  stdio: ["ignore", "ignore", "pipe"],
  detached: true,
});
let talk = "";
browser.stderr.on("data", (chunk) => {
  talk = (talk + chunk).slice(-4000);
});
const ended = new Promise((resolve) => {
  browser.once("exit", resolve).once("error", ({ message }) => resolve(message));
});
process.once("SIGINT", () => {
  endBrowser();
  process.exit(130);
});

const report = await Promise.race([
  reported,
  ended.then((code) => ({ broken: `Chromium ended (${code}) without a report\n${talk}` })),
  new Promise((resolve) => {
    setTimeout(
      () => resolve({ broken: `no report within ${LIMIT_SECONDS} s\n${talk}` }),
      LIMIT_SECONDS * 1000,
    ).unref();
  }),
]);
endBrowser();
await ended;
server.closeAllConnections();
server.close();
rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });

const results = report.results ?? [{ name: "the page", error: report.broken }];
for (const { name, error } of results) {
  console.log(error === undefined ? `ok: ${name}` : `FAILED: ${name}: ${error}`);
}
const failed = results.filter(({ error }) => error !== undefined).length;
console.log(`${report.agent ?? chromium}`);
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** test/browser/bundled.js as bundled for a page. */
async function bundle() {
  const { build } = await import("rolldown");
  await build({
    input: join(root, "test", "browser", "bundled.js"),
    platform: "browser",
    resolve: { alias: { kindred: join(root, "dist", "index.js") } },
    logLevel: "silent",
    output: { dir: join(root, ".cache", "browser"), entryFileNames: "[name].js", cleanDir: true },
  });
}

/** A clustering of iris by every method, with the placement of the rows in Node. */
async function writeModels() {
  const { asTable, cluster, loadModel, methods, namedData } = await import("../dist/index.js");
  const iris = await namedData("iris");
  const table = asTable(iris);
  const models = {};
  for (const { name, needs } of methods) {
    if (name === "latent-classes") continue; // Iris has no levels.
    const pairs = {
      mustLink: [[0, 1]],
      cannotLink: [
        [0, 50],
        [50, 100],
        [0, 100],
      ],
    };
    const labels = iris.label.values.map((label, i) => (i % 10 === 0 ? label : ""));
    const found = await cluster(table, {
      method: name,
      clusters: 3,
      label: "class",
      ...((needs.pairs === "required" || name === "hints") && pairs),
      ...(needs.labels === "required" && { labels }),
    });
    const model = JSON.parse(JSON.stringify(found));
    models[name] = { model, labels: Array.from(loadModel(model).assign(table).labels) };
  }
  writeFileSync(join(root, ".cache", "browser", "models.json"), JSON.stringify(models));
}

/** Ends Chromium with all its processes, which would otherwise write to the profile for a moment. */
function endBrowser() {
  try {
    process.kill(-browser.pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

function serve() {
  let report;
  const reported = new Promise((resolve) => {
    report = resolve;
  });
  const server = createServer((request, response) => {
    response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
    response.setHeader("Cross-Origin-Embedder-Policy", "require-corp");
    response.setHeader("Cache-Control", "no-store");
    const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    if (request.method === "POST" && path === "/report") {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        response.end();
        report(JSON.parse(body));
      });
      return;
    }
    const file = join(root, path);
    if (!/^\/(dist|test\/browser|\.cache\/browser)\//.test(path) || !existsSync(file)) {
      response.writeHead(404).end(`no ${path}`);
      return;
    }
    response.setHeader("Content-Type", TYPES[extname(file)] ?? "application/octet-stream");
    response.end(readFileSync(file));
  });
  return { server, reported };
}
