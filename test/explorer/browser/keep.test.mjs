import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cluster, readTable } from "../../../dist/index.js";
import { clusters, csvOf, drop, labels, problem, saved, tab, nameCluster, namesOfClusters } from "./page.mjs";

const wine = await csvOf("wine");
const served = join(mkdtempSync(join(tmpdir(), "kindred-explorer-")), "wine copy.csv");
writeFileSync(served, wine);

async function fourClusters(page, address) {
  await page.goto(address);
  await drop(page, "wine.csv", wine);
  await clusters(page, 3);
  await page.getByRole("button", { name: "One cluster more" }).click();
  await clusters(page, 4);
}

export const tests = [
  {
    name: "labels, model and report are saved; command and program are copied",
    page: { permissions: ["clipboard-read", "clipboard-write"] },
    async body({ page, address, context }) {
      await page.goto(address);
      await drop(page, "wine.csv", wine);
      await clusters(page, 3);
      const found = await labels(page);
      assert.equal(found.length, 178);
      const numbers = await saved(page, () =>
        page.getByRole("button", { name: "Numbers tried SVG" }).click(),
      );
      assert.match(numbers, /Numbers of clusters tried: wine\.csv/);
      const model = JSON.parse(
        await saved(page, () => page.getByRole("button", { name: "Model JSON" }).click()),
      );
      assert.equal(model.method, "auto");
      assert.equal(model.kind, "clustering");
      assert.deepEqual(
        model.sizes,
        [0, 1, 2].map((k) => found.filter((label) => label === k).length),
      );
      const report = await saved(page, () => page.getByRole("button", { name: "Report HTML" }).click());
      const paper = await context.newPage();
      await paper.setContent(report);
      assert.match((await paper.locator("h1").textContent()) ?? "", /3 clusters of wine/);
      await page.bringToFront();
      await page.getByRole("button", { name: "Copy", exact: true }).first().click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      const command = await page.evaluate(() => navigator.clipboard.readText());
      assert.equal(command, "kindred cluster wine.csv --method auto");
    },
  },
  {
    name: "a model file places the rows on the screen, and says why it cannot",
    async body({ page, address }) {
      const table = await readTable(served);
      const model = await cluster(table, { clusters: 5, method: "kmeans" });
      const text = JSON.stringify(model);
      await page.goto(address);
      await drop(page, "five.json", text);
      await page.getByText("five.json is a model. Open a table first").waitFor();
      await drop(page, "wine.csv", wine);
      await clusters(page, 3);
      await drop(page, "five.json", text);
      await page.getByText("By model five.json").waitFor();
      await page.getByRole("heading", { name: "Placed by five.json" }).waitFor();
      await tab(page, "Export");
      const csv = await saved(page, () => page.getByRole("button", { name: "Labels CSV" }).click());
      const [head, ...lines] = csv.trim().split("\n");
      assert.match(head, /,cluster,cluster_name,model_cluster,model_name$/);
      const placed = lines.map((line) => Number(/,(\d),(?:"[^"]*"|[^,"]*)$/.exec(line)[1]));
      assert.deepEqual(placed, [...model.assign(table).labels]);
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByText("By model five.json").waitFor({ state: "detached" });
      await drop(page, "cut.json", text.slice(0, 500));
      await page.getByText("cut.json cannot place these rows. The file is damaged").waitFor();
      await drop(page, "other.csv", "a,b\n1,2\n2,1\n9,8\n8,9\n");
      await page.getByText("other.csv").first().waitFor();
      await tab(page, "Result");
      await clusters(page);
      await drop(page, "five.json", text);
      await page.getByText(/five\.json cannot place these rows\. other\.csv lacks the columns/).waitFor();
    },
  },
  {
    name: "after a file that is no table, one step leads back",
    async body({ page, address }) {
      await page.goto(address);
      await drop(page, "wine.csv", wine);
      await clusters(page, 3);
      await drop(page, "paper.pdf", "%PDF-1.7\n");
      await page.getByText("paper.pdf is a PDF document; save the table as CSV.").first().waitFor();
      await drop(page, "letter.pdf", "%PDF-1.7\n");
      await page.getByText("letter.pdf is").first().waitFor();
      await page.getByRole("button", { name: "Back to wine.csv" }).click();
      await clusters(page, 3);
    },
  },
  {
    name: "hints are saved as one file",
    async body({ page, address }) {
      await page.goto(`${address}#data=iris&method=cop-kmeans&k=3&same=0-1&different=0-50.3-60`);
      await clusters(page, 3);
      await tab(page, "Export");
      const text = await saved(page, () => page.getByRole("button", { name: "Hints CSV" }).click());
      assert.equal(text, "a,b,hint\n0,1,same\n0,50,different\n3,60,different\n");
    },
  },
  {
    name: "the address restores settings, hints and the place on the path",
    async body({ page, address }) {
      await page.goto(`${address}#data=iris&method=cop-kmeans&k=4&seed=3&same=0-60`);
      await clusters(page, 4);
      const before = await labels(page);
      assert.equal(before[0], before[60]);
      await page.reload();
      await clusters(page, 4);
      assert.deepEqual(await labels(page), before);
      assert.equal(await page.locator("#clusters").inputValue(), "4");
      await page.goto(`${address}#data=iris&method=kmeans&k=3&gamma=1000000`);
      await page.reload();
      await page
        .getByText(/^1 group on the path$/)
        .or(page.locator("output", { hasText: "1 group" }))
        .first()
        .waitFor();
    },
  },
  {
    name: "after a reload a dropped file is asked for again, and everything else is as it was",
    async body({ page, address }) {
      await fourClusters(page, address);
      await page.reload();
      await page.getByText(/please drop it\s+again/).waitFor();
      await drop(page, "wine.csv", wine);
      await clusters(page, 4);
    },
  },
  {
    name: "back and forward walk through what was seen",
    async body({ page, address }) {
      await page.goto(`${address}#data=iris&method=kmeans&k=2`);
      await clusters(page, 2);
      await page.getByRole("button", { name: "One cluster more" }).click();
      await clusters(page, 3);
      await page.getByRole("combobox", { name: "Method" }).selectOption("ward");
      await page.waitForURL(/method=ward/);
      await page.goBack();
      await page.waitForURL(/method=kmeans&k=3/);
      await page.goBack();
      await clusters(page, 2);
      await page.goForward();
      await clusters(page, 3);
      await page.keyboard.press("Control+z");
      await clusters(page, 2);
    },
  },
  {
    name: "a session is saved and opened again; other data under its name are noticed",
    async body({ page, address }) {
      await fourClusters(page, address);
      await nameCluster(page, 1, "strong ones");
      await page.waitForURL(/name=strong/);
      await tab(page, "Export");
      const text = await saved(page, () => page.getByRole("button", { name: "Session" }).click());
      const session = JSON.parse(text);
      assert.equal(session.kind, "kindred-session");
      assert.equal(session.data.rows, 178);
      assert.match(session.data.fingerprint, /^\d+-[0-9a-f]{16}$/);
      await page.goto("about:blank");
      await page.goto(address);
      await drop(page, "kept.kindred.json", text);
      await page.getByText(/please drop it\s+again/).waitFor();
      await drop(page, "renamed.csv", wine);
      await tab(page, "Result");
      await clusters(page, 4);
      assert.equal((await namesOfClusters(page))[1], "strong ones");
      assert.equal(await page.getByRole("alert").count(), 0);
      await page.goto("about:blank");
      await page.goto(address);
      await drop(page, "kept.kindred.json", text);
      await page.getByText(/please drop it\s+again/).waitFor();
      await drop(page, "wine.csv", wine.split("\n").slice(0, 150).join("\n"));
      assert.match(await problem(page), /wine\.csv has changed since the session was saved.*178 rows.*149/);
      await drop(page, "broken.kindred.json", "{}");
      await page.getByText("broken.kindred.json is not a session of the explorer.").first().waitFor();
    },
  },
  {
    name: "on consent the file is kept in the browser for a reload, and can be forgotten",
    async body({ page, address }) {
      await page.goto(address);
      await drop(page, "wine.csv", wine);
      await clusters(page, 3);
      await page.getByLabel(/Keep this file in this browser/).check();
      await page.getByText("wine.csv is kept in this browser.").waitFor({ state: "attached" });
      await page.reload();
      await clusters(page, 3);
      await page.getByRole("button", { name: "Kindred: to the start" }).click();
      await page.getByRole("button", { name: "wine.csv", exact: true }).click();
      await clusters(page, 3);
      await page.getByLabel(/Keep this file in this browser/).uncheck();
      await page.getByText("wine.csv is forgotten.").waitFor({ state: "attached" });
      await page.reload();
      await page.getByText(/please drop it\s+again/).waitFor();
    },
  },
  {
    name: "kindred explore data.csv opens the file, also after a reload",
    data: () => served,
    async body({ page, address }) {
      await page.goto(address);
      await clusters(page, 3);
      await page.getByText("wine copy.csv").waitFor();
      await page.reload();
      await clusters(page, 3);
      await tab(page, "Export");
      const command = await page.locator("pre").first().textContent();
      assert.match(command ?? "", /^kindred cluster 'wine copy\.csv' --method auto/);
    },
  },
  {
    name: "an address of nonsense opens the start page or says what is wrong",
    async body({ page, address }) {
      await page.goto(`${address}#data=nosuchset&k=-3&same=x&scale=huge`);
      assert.match(await problem(page), /there is no data set "nosuchset"/i);
      await page.goto(`${address}#data=iris&method=nosuchmethod&k=3`);
      await page.reload();
      assert.match(await problem(page), /no method "nosuchmethod"/i);
      await page.goto(`${address}#data=iris&method=kmeans&k=9999`);
      await page.reload();
      assert.match(await problem(page), /“Clusters” is 9999, but iris has only 150 rows/);
    },
  },
];
