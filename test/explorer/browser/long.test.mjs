import assert from "node:assert/strict";
import { clusters, problem } from "./page.mjs";

export const tests = [
  {
    name: "a long solve is stopped, and nothing is lost",
    async body({ page, address, tell }) {
      await page.goto(
        `${address}#data=blobs&data.rows=4000&data.features=12&data.clusters=6&method=kmeans&k=6`,
      );
      await clusters(page, 6);
      await page.getByRole("combobox", { name: "Method" }).selectOption("ccml");
      await page.getByRole("button", { name: "Stop" }).waitFor();
      await page.waitForTimeout(700);
      const start = performance.now();
      await page.getByRole("button", { name: "Stop" }).click();
      await page.getByText("Stopped. The last result is still shown").first().waitFor();
      tell(`stopped after ${Math.round(performance.now() - start)} ms`);
      assert.equal(await page.locator(".progress").count(), 0);
      await page.getByRole("combobox", { name: "Method" }).selectOption("kmeans");
      await page.getByRole("button", { name: "One cluster fewer" }).click();
      await clusters(page, 5);
    },
  },
  {
    name: "a new wish takes the place of one that is under way",
    async body({ page, address }) {
      await page.goto(`${address}#data=blobs&data.rows=3000&data.features=10&method=ccml&k=3`);
      await page.getByRole("button", { name: "Stop" }).waitFor();
      await page.getByRole("combobox", { name: "Method" }).selectOption("kmeans");
      await clusters(page, 3);
      assert.equal(await page.getByRole("alert").count(), 0);
    },
  },
  {
    name: "a worker that cannot be loaded is a problem, and the next try starts another",
    allowed: /ERR_FAILED/,
    async body({ page, address }) {
      await page.goto(
        `${address}#data=blobs&data.rows=4000&data.features=12&data.clusters=6&method=kmeans&k=6`,
      );
      await clusters(page, 6);
      await page.route(/worker.*\.js$/, (route) => route.abort());
      const method = page.getByRole("combobox", { name: "Method" });
      await method.selectOption("ccml");
      await page.getByRole("button", { name: "Stop" }).waitFor();
      // Withdraws ccml, and with it the worker that was at it.
      await page.getByRole("button", { name: "One cluster fewer" }).click();
      assert.match(await problem(page), /could not start.*Nothing is lost/);
      assert.equal(await page.locator(".progress").count(), 0);
      await page.unroute(/worker.*\.js$/);
      await method.selectOption("kmeans");
      await clusters(page, 5);
      assert.equal(await page.getByRole("alert").count(), 0);
    },
  },
  {
    name: "a method that takes long waits to be asked for; one that cannot have all rows fits a sample",
    async body({ page, address }) {
      await page.goto(`${address}#data=blobs&data.rows=100000&data.features=2&method=spectral&k=3`);
      await page.getByText(/this method may take minutes/).waitFor();
      await page.getByRole("button", { name: "Cluster 100,000 rows" }).waitFor();
      await page.getByRole("combobox", { name: "Method" }).selectOption("average");
      await clusters(page, 3);
      await page
        .getByText(/fitted on a random sample of 10000 of 100000/)
        .first()
        .waitFor();
    },
  },
  {
    name: "data that do not fit into memory are said in words, and the page goes on",
    async body({ page, address }) {
      await page.goto(`${address}#data=blobs&data.rows=4000000000&data.features=4`);
      await page.reload();
      assert.match(await problem(page), /does not fit into memory|more memory than the browser allows/);
      await page.getByRole("button", { name: "Open something else" }).click();
      await page.getByRole("button", { name: /^Iris 150/ }).click();
      await clusters(page);
    },
  },
];
