import assert from "node:assert/strict";
import { clusters, labels, openRows, placesOf, tab } from "./page.mjs";

const settled = (page) => page.locator(".progress").waitFor({ state: "detached", timeout: 40_000 });

export const tests = [
  {
    name: "columns are brushed by dragging, by fields and by levels; plot and table follow; any two are axes",
    async body({ page, address }) {
      await page.goto(`${address}#data=wine&method=kmeans&k=3`);
      await clusters(page, 3);
      await openRows(page);
      const count = page.locator(".table-bar .remark");
      const box = await page.locator(".histogram").first().boundingBox();
      await page.mouse.move(box.x + 0.2 * box.width, box.y + 9);
      await page.mouse.down();
      await page.mouse.move(box.x + 0.6 * box.width, box.y + 9, { steps: 5 });
      await page.mouse.up();
      await page.getByText(/^\d+ of 178$/).waitFor();
      const [from, to] = await page
        .locator(".range input")
        .evaluateAll((fields) => fields.map(({ value }) => Number(value)));
      const shown = await page.locator(".rows tbody .number:nth-child(5)").allTextContents();
      assert.ok(
        shown.length > 0 && shown.every((cell) => Number(cell) > from - 0.02 && Number(cell) < to + 0.02),
      );
      await page.locator(".range input").first().fill("13");
      await page.keyboard.press("Tab");
      await page.getByRole("button", { name: /class: 1\s*\d+ rows/ }).click();
      await page.waitForFunction(() => document.querySelectorAll(".chip").length === 2);
      assert.match((await count.textContent()) ?? "", /^[1-9]\d* of 178/);
      await page.getByRole("button", { name: "No longer part of alcohol" }).click();
      await page.getByText(/^59 of 178$/).waitFor();
      await page.getByRole("button", { name: "No longer part of class" }).click();
      await page.getByText("all 178").waitFor();
      await page.getByRole("button", { name: "Colour by proline" }).click();
      await page.waitForURL(/color=proline/);
      await page.getByRole("button", { name: "Two columns" }).click();
      await page.getByLabel("Up", { exact: true }).selectOption("flavanoids");
      await page.locator(".axes", { hasText: "alcohol across · flavanoids up" }).waitFor();
      await page.getByRole("button", { name: "alcohol", exact: true }).click();
      await page.getByRole("button", { name: "row 115", exact: true }).waitFor();
    },
  },
  {
    name: "a point is dragged onto a cluster, or said not to be in here: one statement each",
    limit: 120_000,
    async body({ page, address }) {
      await page.goto(`${address}#data=iris&method=kmeans&k=3&view=plain`);
      await clusters(page, 3);
      const before = await labels(page);
      const stranger = before.findIndex((label) => label !== before[0]);
      const [a, b] = await placesOf(page, [0, stranger]);
      await page.getByRole("button", { name: "Put" }).click();
      await page.mouse.move(a.x, a.y);
      await page.mouse.down();
      await page.mouse.move(b.x, b.y, { steps: 4 });
      await page.mouse.up();
      await page.waitForURL(/say=together/);
      await settled(page);
      assert.equal(await page.locator(".hints li").count(), 1);
      assert.match(page.url(), /k=3/);
      const rows = /say=together%3A([\d.]+)/.exec(page.url())[1].split(".").map(Number);
      const after = await labels(page);
      assert.ok(rows.includes(0) && rows.every((row) => after[row] === after[0]));
      await placesOf(page, [10]);
      await tab(page, "Point");
      await page.getByRole("tabpanel").getByRole("button", { name: "Not in here" }).click();
      await page.waitForURL(/say=apart/);
      await settled(page);
      assert.equal(await page.locator(".hints li").count(), 2);
    },
  },
  {
    name: "the distinct partitions of all methods are shown; one is pinned and seen where it differs",
    limit: 120_000,
    async body({ page, address }) {
      await page.goto(`${address}#data=iris&method=kmeans&k=3`);
      await clusters(page, 3);
      await tab(page, "Compare");
      await page.getByRole("button", { name: "Compare all methods" }).click();
      await page.getByRole("heading", { name: /^\d+ distinct partitions$/ }).waitFor({ timeout: 80_000 });
      assert.ok((await page.locator(".partitions li").count()) > 1);
      await page.getByRole("button", { name: /^Pin / }).last().click();
      await page.locator(".meeting").waitFor();
      await page.getByRole("button", { name: "Where they differ" }).click();
      assert.equal(await page.locator(".plot").count(), 2);
      await page.getByRole("heading", { name: /^\d+ distinct partitions$/ }).waitFor();
    },
  },
];
