import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { accessible } from "./accessible.mjs";
import { clusters, csvOf, drop, openRows, tab } from "./page.mjs";

const FIRST_LOAD = 250_000;
/** With a table clustered: layout and results are loaded then. */
const CLUSTERED = 253_000;
const SCATTER = /\/(livePlot|painter|renderer|webgl|pixels)-/;

const audit = (name, settings) => ({
  name: `axe finds nothing: ${name}`,
  page: settings,
  async body({ page, address }) {
    await page.goto(address);
    await accessible(page, "start");
    await page.goto(`${address}#data=wine&method=cop-kmeans&k=3&same=0-1&different=0-100`);
    await page.reload();
    await clusters(page, 3);
    await page.getByText("Options", { exact: true }).click();
    await page.getByText("Scaling and weights").click();
    await openRows(page);
    await page.getByRole("button", { name: "Brush alcohol" }).click();
    await page.getByRole("button", { name: "Colour by proline" }).click();
    for (const name of ["Result", "Clusters", "Point", "Compare", "Export"]) {
      await tab(page, name);
      if (name === "Compare") await page.getByRole("button", { name: "Known classes" }).click();
      await accessible(page, name);
      if (name === "Compare") await page.getByRole("button", { name: "Stop comparing" }).click();
    }
    await page.getByRole("button", { name: "Watch the points fuse" }).click();
    await page.getByRole("slider").waitFor();
    await accessible(page, "path");
    await page.getByRole("button", { name: "Leave the clusterpath" }).click();
    await page.getByRole("button", { name: "Judge pairs of rows" }).click();
    await page.getByRole("region", { name: "The two rows" }).waitFor();
    await accessible(page, "judge");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Help" }).click();
    await accessible(page, "help");
    await page.keyboard.press("Escape");
    await drop(page, "bad.csv", "");
    await page.getByRole("alert").waitFor();
    await accessible(page, "problem");
  },
});

export const tests = [
  audit("light", { colorScheme: "light" }),
  audit("dark, on a phone", { colorScheme: "dark", viewport: { width: 390, height: 844 } }),
  audit("forced colours", { forcedColors: "active" }),
  audit("at 200 %", { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }),
  {
    name: "by keyboard alone: open, walk to points, mark them, undo",
    async body({ page, address }) {
      const until = async (wanted) => {
        for (let i = 0; i < 60; i++) {
          await page.keyboard.press("Tab");
          if (await page.evaluate(wanted)) return;
        }
        throw new Error(`Tab never reaches ${wanted}`);
      };
      await page.goto(address);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await until('document.activeElement.textContent.startsWith("Iris")');
      await page.keyboard.press("Enter");
      await clusters(page, 3);
      await until('document.activeElement.classList.contains("plot")');
      const said = page.getByRole("status");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowRight");
      assert.match((await said.textContent()) ?? "", /^row \d+: cluster \d, class/);
      await page.keyboard.press("Enter");
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.getByText("Group 1: 2 rows").waitFor();
      await page.keyboard.press("d");
      await page.waitForURL(/method=hints.*different=\d+-\d+/);
      await page.locator(".progress").waitFor({ state: "detached" });
      await page.keyboard.press("Control+z");
      await page.waitForURL((url) => !url.hash.includes("different"));
      await page.keyboard.press("?");
      await page.getByRole("dialog").waitFor();
      await page.keyboard.press("Escape");
      await until('document.activeElement.textContent === "Watch the points fuse"');
      await page.keyboard.press("Enter");
      await page.getByRole("slider").waitFor();
      await page.getByRole("slider").focus();
      await page.keyboard.press("End");
      await page.getByText("1 group", { exact: false }).first().waitFor();
    },
  },
  {
    name: "the first load is small, and the page talks to its own server only",
    async body({ page, address, tell }) {
      let bytes = 0;
      let scatter = 0;
      const strangers = [];
      page.on("response", async (response) => {
        const url = response.url();
        if (!url.startsWith(address) && !url.startsWith("blob:")) strangers.push(url);
        if (url === `${address}data`) return;
        const size = gzipSync(await response.body().catch(() => Buffer.alloc(0))).length;
        if (SCATTER.test(url)) scatter += size;
        else bytes += size;
      });
      await page.goto(address);
      await page.waitForLoadState("networkidle");
      const start = bytes;
      await drop(page, "wine.csv", await csvOf("wine"));
      await clusters(page, 3);
      await page.waitForLoadState("networkidle");
      tell(
        `first load ${(start / 1000).toFixed(0)} kB gzipped, with wine clustered ${(bytes / 1000).toFixed(0)} kB`,
      );
      tell(`scatter chunk ${(scatter / 1000).toFixed(1)} kB`);
      assert.ok(scatter > 0, "the scatter chunk is loaded when there are points to draw");
      assert.ok(start < FIRST_LOAD, `${start} bytes`);
      assert.ok(bytes < CLUSTERED, `${bytes} bytes`);
      assert.deepEqual(strangers, []);
      await page.getByText("Nothing leaves your browser").first().waitFor();
      const reached = await page.evaluate(() =>
        fetch("http://127.0.0.1:9/").then(
          () => "reached",
          () => "refused",
        ),
      );
      assert.equal(reached, "refused");
    },
    allowed: /Content Security Policy|127\.0\.0\.1:9/,
  },
];
