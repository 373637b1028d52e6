// Tests the explorer in JupyterLab under Chromium: a click on a cluster changes a value in Python.
//     node scripts/test-notebook.mjs PYTHON, the Python of an environment with the package and jupyterlab
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { requireChromium } from "./chromium.mjs";

const executablePath = requireChromium("notebook test");
const [python] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "kindred-notebook-"));
const LIMIT_MS = 90_000;
const cell = (source, k) => ({
  cell_type: "code",
  id: `cell${k}`,
  metadata: {},
  execution_count: null,
  outputs: [],
  source,
});
const cells = [
  "import numpy as np\nfrom kindred_clustering import Kindred, explore\n" +
    "group = np.arange(60) % 3\nX = np.random.default_rng(0).normal(size=(60, 2)) * 0.3 + 5 * np.eye(3)[group][:, :2]\n" +
    "shown = explore(X, height=640)\nshown",
  'print("cluster", shown.cluster, "of", len(shown.names), "rows", len(shown.labels), "method", shown.method)',
  "Kindred(3, method='kmeans').fit(X)",
];
writeFileSync(
  join(folder, "test.ipynb"),
  JSON.stringify({
    cells: cells.map(cell),
    metadata: { kernelspec: { name: "python3", display_name: "Python 3" } },
    nbformat: 4,
    nbformat_minor: 5,
  }),
);
const port = await freePort();
const options = [
  `--port=${port}`,
  "--no-browser",
  "--allow-root",
  "--IdentityProvider.token=test",
  `--notebook-dir=${folder}`,
];
const lab = spawn(python, ["-m", "jupyterlab", ...options], {
  cwd: folder,
  env: {
    ...process.env,
    JUPYTER_CONFIG_DIR: folder,
    JUPYTER_DATA_DIR: join(folder, "data"),
    IPYTHONDIR: folder,
  },
  stdio: ["ignore", "ignore", "pipe"],
});
let said = "";
lab.stderr.setEncoding("utf8").on("data", (text) => (said += text));
let browser;
try {
  await until(
    async () =>
      (await fetch(`http://127.0.0.1:${port}/api/status?token=test`).catch(() => ({ ok: false }))).ok,
  );
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  const page = await browser.newPage({ viewport: { width: 1500, height: 1200 } });
  page.setDefaultTimeout(LIMIT_MS);
  await page.goto(`http://127.0.0.1:${port}/lab/tree/test.ipynb?token=test`);
  const code = (k) => page.locator(".jp-CodeCell").nth(k);
  const run = async (k) => {
    await code(k).locator(".cm-content").click();
    await page.keyboard.press("Shift+Enter");
  };
  await code(2).waitFor();
  // JupyterLab drops a cell that is run before its kernel has answered, so the first one is run until it prints.
  await until(async () => {
    await run(0);
    const printed = code(0).locator(".jp-OutputArea-output").first();
    return printed.waitFor({ timeout: 20_000 }).then(
      () => true,
      () => false,
    );
  });
  const explorer = page.frameLocator('iframe[title="Kindred explorer"]');
  const legend = explorer.locator("ul.legend .legend-line button:first-child");
  await until(async () => (await legend.count()) === 3);
  await legend.nth(1).click();
  await until(async () => {
    await run(1);
    await page.waitForTimeout(1000);
    return (
      (
        await code(1)
          .locator(".jp-OutputArea-output")
          .innerText()
          .catch(() => "")
      ).match(/cluster [012] of 3 rows 60/) !== null
    );
  });
  console.log("ok: a click on a cluster changes a value in Python");
  await run(2);
  await until(async () => (await code(2).locator(".jp-OutputArea-output table").count()) > 0);
  console.log("ok: a clustering shows its clusters as a table");
  console.log("2 passed, 0 failed");
} catch (error) {
  const picture = process.env.KINDRED_SCREENSHOT;
  if (picture !== undefined) await browser?.contexts()[0]?.pages()[0]?.screenshot({ path: picture });
  console.log(`FAILED: ${error.message}\n${said.split("\n").slice(-15).join("\n")}\n0 passed, 1 failed`);
  process.exitCode = 1;
} finally {
  await browser?.close();
  lab.kill();
  await new Promise((ended) => (lab.exitCode === null ? lab.once("close", ended) : ended()));
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function until(holds) {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end;) {
    if (await holds()) return;
    await new Promise((next) => setTimeout(next, 300));
  }
  throw new Error(`not within ${LIMIT_MS / 1000} s: ${holds}`);
}

function freePort() {
  return new Promise((found) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port: free } = server.address();
      server.close(() => found(free));
    });
  });
}
