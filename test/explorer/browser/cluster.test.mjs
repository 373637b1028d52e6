import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  clusters,
  labels,
  mouseLasso,
  namesOfClusters,
  openRows,
  placesOf,
  ring,
  saved,
  tab,
} from "./page.mjs";

/** Three groups of vectors, and what they are about in another file. */
const folder = mkdtempSync(join(tmpdir(), "kindred-vectors-"));
const [vectors, topics] = [join(folder, "vectors.json"), join(folder, "topics.csv")];
const ABOUT = ["rivers", "engines", "gardens"];
const rows = Array.from({ length: 300 }, (_, i) => i);
const cells = (i) =>
  Array.from({ length: 12 }, (_, f) => Math.sin(5 * (i % 3) + f) + 0.3 * Math.sin(i * (f + 1) * 7.13));
writeFileSync(vectors, JSON.stringify(rows.map((i) => ({ vector: cells(i) }))));
writeFileSync(topics, `about,size\n${rows.map((i) => `${ABOUT[i % 3]},${i % 7}`).join("\n")}\n`);

/** The first rows that are, and are not, in the same cluster as row 0. */
function partners(found) {
  return {
    kin: found.findIndex((k, i) => i > 0 && k === found[0]),
    stranger: found.findIndex((k) => k !== found[0]),
  };
}

export const tests = [
  {
    name: "clusters, features and scaling change the result; undo and redo go back and forth",
    async body({ page, address }) {
      await page.goto(`${address}#data=wine&method=kmeans&k=3`);
      await clusters(page, 3);
      const first = await labels(page);
      await page.getByRole("button", { name: "One cluster more" }).click();
      await tab(page, "Result");
      await clusters(page, 4);
      await page.getByText("Columns in use: 13 of 13").waitFor();
      await page.getByRole("checkbox", { name: "proline" }).uncheck();
      await page.getByText("Columns in use: 12 of 13").waitFor();
      await page.getByText("Scaling and weights").click();
      await page.getByLabel("Scaling").selectOption("minmax");
      await clusters(page, 4);
      assert.match(page.url(), /off=proline.*scale=minmax.*k=4/);
      for (let i = 0; i < 3; i++) await page.keyboard.press("Control+z");
      await clusters(page, 3);
      assert.deepEqual(await labels(page), first);
      await page.getByRole("button", { name: "Redo" }).click();
      await tab(page, "Result");
      await clusters(page, 4);
    },
  },
  {
    name: "each cluster is drawn against the rest, a cluster filters the histograms, and the map is saved with its legend",
    async body({ page, address }) {
      await page.goto(`${address}#data=iris&method=kmeans&k=3`);
      await clusters(page, 3);
      await tab(page, "Clusters");
      const drawn = page.getByRole("img", { name: /^the cluster against the rest: .*petal/ });
      await drawn.first().waitFor();
      // The middle of three groups may differ by other columns.
      assert.ok((await drawn.count()) >= 2);
      const bars = page.locator(".columns .histogram path");
      assert.equal(await bars.count(), 4);
      await page.getByText("Rows and actions").first().click();
      await page.getByRole("button", { name: "Show only these" }).first().click();
      await page.locator(".chip", { hasText: "cluster" }).waitFor();
      await page.waitForFunction(() => document.querySelectorAll(".columns .histogram path").length === 8);
      const picture = (kind) => page.getByRole("button", { name: `Picture ${kind}` }).first();
      const texts = (svg) =>
        page.evaluate((text) => {
          const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
          if (parsed.querySelector("parsererror") !== null) return ["broken"];
          return [...parsed.querySelectorAll("text")].map((one) => one.textContent);
        }, svg);
      const card = await texts(await saved(page, () => picture("SVG").click()));
      assert.match(card[1], /^\d+ of 150 rows of iris; all others in grey$/);
      assert.ok(card.some((text) => /^(?:petal|sepal)_(?:length|width)$/.test(text)));
      const pixels = await saved(page, () => picture("PNG").click());
      assert.match(pixels.slice(0, 8), /PNG/);
      await tab(page, "Export");
      const map = await saved(page, () => page.getByRole("button", { name: "Map SVG" }).click());
      const parsed = await page.evaluate((text) => {
        const svg = new DOMParser().parseFromString(text, "image/svg+xml");
        const points = [...svg.querySelectorAll("path")].map(
          (path) => path.getAttribute("d").split("M").length - 1,
        );
        return {
          broken: svg.querySelector("parsererror") !== null,
          points: points.reduce((sum, count) => sum + count, 0),
          legend: svg.querySelectorAll("circle").length,
          caption: [...svg.querySelectorAll("text")].at(-1).textContent,
        };
      }, map);
      assert.deepEqual(
        { ...parsed, caption: undefined },
        { broken: false, points: 150, legend: 3, caption: undefined },
      );
      assert.match(parsed.caption, /^iris: 150 rows, 3 groups/);
      const png = await saved(page, () => page.getByRole("button", { name: "Map PNG" }).click());
      assert.match(png.slice(0, 8), /PNG/);
    },
  },
  {
    name: "an answer that agrees moves no point, and no weight is shown; colours stay after a reload",
    async body({ page, address }) {
      await page.goto(`${address}#data=iris`);
      await clusters(page);
      await openRows(page);
      const found = await labels(page);
      const { stranger } = partners(found);
      const before = await placesOf(page, [stranger, 0]);
      const axes = await page.locator(".axes").textContent();
      await page.getByRole("checkbox", { name: "row 0 in group 1" }).check();
      await page.getByLabel("Go to row").fill(String(stranger));
      await page.keyboard.press("Enter");
      await page.getByRole("checkbox", { name: `row ${stranger} in group 2` }).check();
      await page.getByRole("button", { name: "Different", exact: true }).click();
      await page.waitForURL(/method=hints/);
      await tab(page, "Result");
      await page.getByRole("heading", { name: "What your hints changed" }).waitFor();
      await page.locator(".progress").waitFor({ state: "detached" });
      assert.equal(await page.locator(".axes").textContent(), axes);
      const told = await page.locator(".taught dd").nth(1).textContent();
      assert.equal(await page.locator(".slopes").count(), told.startsWith("0 rows are") ? 0 : 1);
      assert.deepEqual(await placesOf(page, [stranger, 0]), before);
      await page.goto(`${address}#data=iris&method=kmeans&k=3`);
      await page.reload();
      await clusters(page, 3);
      for (const count of [4, 5, 4, 3]) {
        await page.getByLabel("Clusters", { exact: true }).fill(String(count));
        await page.keyboard.press("Enter");
        await tab(page, "Result");
        await clusters(page, count);
      }
      await page.getByLabel("Clusters", { exact: true }).fill("5");
      await page.keyboard.press("Enter");
      await clusters(page, 5);
      const dots = () =>
        page.locator(".legend .dot").evaluateAll((all) => all.map(({ className }) => className));
      const colors = await dots();
      await page.reload();
      await clusters(page, 5);
      assert.deepEqual(await dots(), colors);
    },
  },
  {
    name: "all columns over the map: leaving one out is tried, and taken or not",
    async body({ page, address }) {
      await page.goto(`${address}#data=wine`);
      await clusters(page, 3);
      await page.getByRole("button", { name: "Wide" }).click();
      const sheet = page.getByRole("region", { name: "All columns" });
      await sheet.getByRole("checkbox", { name: "proline" }).uncheck();
      await sheet
        .getByRole("status")
        .filter({ hasText: /Still 3 clusters|instead of 3/ })
        .waitFor();
      assert.doesNotMatch(page.url(), /off=/);
      await sheet.getByRole("button", { name: "As before" }).click();
      assert.ok(await sheet.getByRole("checkbox", { name: "proline" }).isChecked());
      await sheet.getByRole("checkbox", { name: "hue" }).uncheck();
      await sheet.getByRole("button", { name: "Take these columns" }).click();
      await page.waitForURL(/off=hue/);
      await sheet.waitFor({ state: "detached" });
      await clusters(page);
      await page.getByText("Columns in use: 12 of 13").waitFor();
    },
  },
  {
    name: "columns from another file describe vectors; a colour of a column shows only its rows",
    data: () => [vectors, topics],
    async body({ page, address }) {
      await page.goto(address);
      await clusters(page, 3);
      assert.match((await namesOfClusters(page)).join(), /rivers/);
      await page.getByText("Columns in use: 1 of 3").waitFor();
      await page.reload();
      await clusters(page, 3);
      await page.getByRole("button", { name: "Colour by about" }).click();
      await page.getByRole("button", { name: "Only rivers of about" }).click();
      await page.getByText("100 of 300").waitFor();
      await page.getByRole("button", { name: "Only rivers of about" }).click();
      await page.getByText("all 300").waitFor();
      await tab(page, "Export");
      assert.match(await page.getByLabel("The same by command").textContent(), /--with topics\.csv/);
    },
  },
  {
    name: "a learned metric shows what it weighs, and the points move into its view",
    async body({ page, address }) {
      await page.goto(`${address}#data=wine&method=ccscml&k=3`);
      await clusters(page, 3);
      await page.getByRole("heading", { name: "What the metric weighs" }).waitFor();
      const bars = await page.locator(".bars .name").allTextContents();
      assert.equal(bars.length, 13);
      assert.match((await page.locator(".axes").textContent()) ?? "", /Direction 1/);
      await page.getByRole("button", { name: "Plain" }).click();
      await page.getByText(/Principal component 1/).waitFor();
    },
  },
  {
    name: "every method that needs no hints runs on iris",
    async body({ page, address }) {
      await page.goto(`${address}#data=iris&method=kmeans&k=3`);
      await clusters(page, 3);
      const list = page.getByRole("combobox", { name: "Method" });
      const names = await list
        .locator("optgroup:not([label='From hints']) option:not(:disabled)")
        .evaluateAll((options) => options.map((option) => option.value));
      assert.ok(
        names.includes("auto") && names.includes("ccml") && names.includes("k-medoids"),
        names.join(" "),
      );
      for (const name of names) {
        await list.selectOption(name);
        await page.waitForURL(new RegExp(`method=${name}&`));
        await page.locator(".progress").waitFor({ state: "detached" });
        await clusters(page);
        // Latent classes are made of levels, and iris has none.
        assert.equal(await page.getByRole("alert").count(), name === "latent-classes" ? 1 : 0, name);
      }
    },
  },
  {
    name: "the slider moves along the clusterpath and the points fuse",
    async body({ page, address }) {
      await page.goto(`${address}#data=iris&method=kmeans&k=3`);
      await clusters(page, 3);
      const [apart] = await placesOf(page, [0]);
      const [partner] = await placesOf(page, [1]);
      await page.getByRole("button", { name: "Watch the points fuse" }).click();
      const slider = page.getByRole("slider", { name: "Along the clusterpath" });
      await slider.waitFor();
      const last = Number(await slider.getAttribute("max"));
      assert.ok(last > 5);
      await slider.fill(String(Math.floor(last / 2)));
      assert.match(
        (await slider.getAttribute("aria-valuetext")) ?? "",
        /^\d+ groups?( and \d+ single rows?)? at/,
      );
      await slider.fill(String(last));
      assert.match((await slider.getAttribute("aria-valuetext")) ?? "", /^1 group at/);
      const [a, b] = await placesOf(page, [0, 1]);
      assert.ok(Math.hypot(a.x - b.x, a.y - b.y) < 1, "the two are one point");
      assert.ok(
        Math.hypot(a.x - apart.x, a.y - apart.y) > 5 || Math.hypot(b.x - partner.x, b.y - partner.y) > 5,
      );
      assert.match(page.url(), /gamma=\d/);
      await slider.focus();
      await page.keyboard.press("Home");
      await page.getByText("150 single rows", { exact: false }).first().waitFor();
      await page.getByRole("button", { name: "Leave the clusterpath" }).click();
      await tab(page, "Result");
      await clusters(page, 3);
    },
  },
  {
    name: "points marked the same and different are kept apart and together at once",
    async body({ page, address }) {
      await page.goto(`${address}#data=wine&method=kmeans&k=3&view=plain`);
      await clusters(page, 3);
      const { kin, stranger } = partners(await labels(page));
      const [zero, near] = await placesOf(page, [0, kin]);
      const shift = { modifiers: ["Shift"] };
      const plot = page.locator(".plot");
      // The plot moves when its tools need a second line.
      const mark = async ({ x, y }) => {
        const box = await plot.boundingBox();
        await plot.click({ position: { x: x - box.x, y: y - box.y }, ...shift });
      };
      await mark(zero);
      await mark(near);
      await page.getByText("Group 1: 2 rows").waitFor();
      await page.getByRole("button", { name: "Different", exact: true }).click();
      await page.waitForURL(/method=hints.*different=0-/);
      await page.locator(".progress").waitFor({ state: "detached" });
      let found = await labels(page);
      assert.notEqual(found[0], found[kin]);
      // What the hints taught has moved the points.
      const [zeroNow, farNow] = await placesOf(page, [0, stranger]);
      await mark(zeroNow);
      await mark(farNow);
      await page.getByRole("button", { name: "Same", exact: true }).click();
      await page.waitForURL(/same=/);
      await page.locator(".progress").waitFor({ state: "detached" });
      found = await labels(page);
      assert.equal(found[0], found[stranger]);
      assert.equal(await page.locator(".hints li").count(), 2);
      await page.getByRole("button", { name: /^Remove: row 0 .* are different$/ }).click();
      assert.equal(await page.locator(".hints li").count(), 1);
    },
  },
  {
    name: "hints that contradict each other are named, the result stays, and one can be removed",
    async body({ page, address }) {
      await page.goto(`${address}#data=iris&method=cop-kmeans&k=3&same=0-1.1-2&different=0-2`);
      await clusters(page, 3);
      assert.equal(await page.getByRole("alert").count(), 0);
      const conflicts = page.getByRole("list", { name: "Hints that contradict each other" });
      assert.match((await conflicts.textContent()) ?? "", /0 and 2 are said to be different/);
      await conflicts.getByRole("button", { name: /Remove the hint/ }).click();
      await conflicts.waitFor({ state: "detached" });
      assert.equal(await page.locator(".hints li").count(), 2);
      await clusters(page, 3);
    },
  },
  {
    name: "a lasso picks points, with Shift a second group, and both kinds of hints reach every pair method",
    async body({ page, address }) {
      await page.goto(`${address}#data=moons&method=kmeans&k=2&view=plain`);
      await clusters(page, 2);
      await page.getByRole("button", { name: "Lasso" }).click();
      let box = await page.locator(".plot").boundingBox();
      const corner = (u, v) => ({ x: box.x + u * box.width, y: box.y + v * box.height });
      await mouseLasso(page, [corner(0.01, 0.01), corner(0.4, 0.01), corner(0.4, 0.99), corner(0.01, 0.99)]);
      await page.keyboard.down("Shift");
      await mouseLasso(page, [corner(0.6, 0.01), corner(0.99, 0.01), corner(0.99, 0.99), corner(0.6, 0.99)]);
      await page.keyboard.up("Shift");
      const groups = await page.locator(".group").allTextContents();
      assert.ok(
        groups.every((text) => Number(/(\d+) rows/.exec(text)?.[1]) > 1),
        groups.join(),
      );
      await page.getByRole("button", { name: "Different", exact: true }).click();
      await page.waitForURL(/say=apart/);
      await page.locator(".progress").waitFor({ state: "detached" });
      assert.equal(await page.locator(".hints li").count(), 1, "one statement is one line");
      box = await page.locator(".plot").boundingBox();
      await mouseLasso(page, [
        corner(0.01, 0.01),
        corner(0.35, 0.01),
        corner(0.35, 0.99),
        corner(0.01, 0.99),
      ]);
      await page.getByRole("button", { name: "Same", exact: true }).click();
      await page.waitForURL(/say=together/);
      for (const method of ["pck-means", "mpck-means", "bregman-kmeans", "cop-kmeans"]) {
        await page.getByRole("combobox", { name: "Method" }).selectOption(method);
        await page.waitForURL(new RegExp(`method=${method}`));
        await page.locator(".progress").waitFor({ state: "detached" });
        assert.equal(await page.getByRole("alert").count(), 0, method);
      }
    },
  },
  {
    name: "rows are laid out by their neighbours, which can be stopped; many clusters have shapes and numbers",
    async body({ page, address }) {
      await page.goto(
        `${address}#data=blobs&data.rows=2500&data.features=6&data.clusters=20&method=kmeans&k=20`,
      );
      await clusters(page, 20);
      assert.ok((await page.locator(".cluster-label").count()) > 8);
      assert.equal(await page.locator(".legend .shape1").count(), 8);
      await page.getByRole("button", { name: "Neighbours" }).click();
      await page.getByRole("button", { name: "Stop" }).click();
      await page.waitForURL((url) => !url.hash.includes("view=layout"));
      await page.getByText(/^Principal component 1/).waitFor();
      await page.getByRole("button", { name: "Neighbours" }).click();
      await page.getByText(/^Neighbour layout/).waitFor();
      await page.locator(".progress").waitFor({ state: "detached" });
      assert.match(page.url(), /view=layout/);
      // Another number of clusters leaves the points where they are.
      await placesOf(page, [10]);
      const before = await ring(page);
      await page.locator("#clusters").fill("4");
      await page.keyboard.press("Enter");
      await page.locator(".plot-title", { hasText: "4 clusters" }).waitFor();
      assert.deepEqual(await ring(page), before);
    },
  },
  {
    name: "a point shows its values, its nearest kin and why",
    async body({ page, address }) {
      await page.goto(`${address}#data=wine&method=kmeans&k=3`);
      await clusters(page, 3);
      await placesOf(page, [10]);
      await tab(page, "Point");
      await page.getByRole("heading", { name: "row 10" }).waitFor();
      assert.equal(await page.locator(".kin li").count(), 5);
      assert.match((await page.locator(".kin small").first().textContent()) ?? "", /apart mostly by \w+/);
      assert.equal(await page.locator(".overlay line.kin").count(), 5);
      const place = await ring(page);
      await page.mouse.move(place.x, place.y);
      await page.locator(".tip").waitFor();
      // All rows by their nearness: the row itself, then its kin.
      const kin = await page.locator(".kin li button").allTextContents();
      await page.getByRole("button", { name: "All rows, the nearest first" }).click();
      const chip = page.locator(".chip", { hasText: "nearest to row 10 first" });
      await chip.waitFor();
      await page.waitForFunction(() => document.querySelector(".rows tbody th")?.textContent === "row 10");
      const names = await page.locator(".rows tbody th").allTextContents();
      assert.deepEqual(names.slice(0, 6), ["row 10", ...kin.map((one) => one.trim())]);
      await chip.getByRole("button").click();
      await page.waitForFunction(() => document.querySelector(".rows tbody th")?.textContent !== "row 10");
    },
  },
  {
    name: "two partitions side by side: a pinned result and the known classes",
    async body({ page, address }) {
      await page.goto(`${address}#data=wine&method=kmeans&k=3`);
      await clusters(page, 3);
      await tab(page, "Compare");
      await page.getByRole("button", { name: "Known classes" }).click();
      await page.locator(".meeting").waitFor();
      assert.equal(await page.locator(".plot").count(), 2);
      const cells = await page.locator(".meeting td button").allTextContents();
      assert.equal(
        cells.reduce((sum, cell) => sum + Number(cell), 0),
        178,
      );
      await page.getByRole("button", { name: "Pin this result" }).click();
      await page.getByRole("button", { name: "One cluster more" }).click();
      await page.waitForURL(/k=4.*with\.k=3/);
      await page.locator(".meeting tbody tr td:nth-child(5)").first().waitFor();
      await page.locator(".meeting td button:not(:disabled)").first().click();
      await page.getByText(/^Group 1: [1-9]\d* rows?$/).waitFor();
      await page.getByRole("button", { name: "Stop comparing" }).click();
      assert.equal(await page.locator(".plot").count(), 1);
    },
  },
  {
    name: "the same points from a worker, from one with a graphics card, and from the page itself",
    page: { reducedMotion: "reduce" },
    async body({ page, address, context, tell }) {
      const open = async () => {
        await page.goto("about:blank");
        await page.goto(`${address}#data=iris&method=kmeans&k=3`);
        await clusters(page, 3);
        await page.waitForTimeout(500);
        await page.getByRole("button", { name: "See all points" }).click();
        await page.waitForTimeout(500);
      };
      // Without a change of size; colours are multiplied by opacity.
      const picture = () =>
        page.locator(".plot canvas").evaluate((canvas) => {
          const { width, height } = canvas;
          const copy = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d");
          copy.drawImage(canvas, 0, 0);
          const { data } = copy.getImageData(0, 0, width, height);
          return Array.from(data, (value, p) =>
            p % 4 === 3 ? value : Math.round((value * data[p | 3]) / 255),
          );
        });
      // The mean difference of a value where there is ink, as a part of its range.
      const difference = (a, b) => {
        assert.equal(a.length, b.length, "the canvases have one size");
        const inked = a.filter((value, p) => p % 4 === 3 && (value > 0 || b[p] > 0)).length;
        assert.ok(inked > 1000);
        return a.reduce((sum, value, p) => sum + Math.abs(value - b[p]), 0) / (4 * 255 * inked);
      };
      await open();
      const worker = await picture();
      // SwiftShader, which plays the card in these tests, does not tell its name: it is taken for one.
      await context.route(/\/painter-/, async (route) => {
        const response = await route.fetch();
        const hide = "WebGL2RenderingContext.prototype.getExtension = () => null;";
        await route.fulfill({ response, body: `${hide}${await response.text()}` });
      });
      await open();
      // The card takes over when it is found.
      let card = 0;
      for (let t = 0; t < 60 && card === 0; t++) {
        await page.waitForTimeout(300);
        card = difference(worker, await picture());
      }
      await context.unroute(/\/painter-/);
      await page.addInitScript("delete globalThis.OffscreenCanvas");
      await open();
      const own = difference(worker, await picture());
      tell(`apart by ${(100 * card).toFixed(1)} % (a card) and ${(100 * own).toFixed(1)} % (the page)`);
      assert.ok(card > 0 && card < 0.1, `${card}`);
      assert.equal(own, 0);
    },
  },
];
