import assert from "node:assert/strict";
import { clusters, csvOf, drop, openRows, tab } from "./page.mjs";

const wine = await csvOf("wine");
const LONG = "Average_number_of_customers_who_entered_the_shop_per_working_day_excluding_public_holidays";

/** Two groups in three columns, the names of which cannot be broken at a space. */
const longNames = [
  `${LONG}_in_spring,${LONG}_in_autumn,Доля_повторных_покупателей_в_процентах_от_общего_числа_за_год`,
  ...Array.from({ length: 80 }, (_, i) => {
    const high = i % 2 === 0 ? 40 : 0;
    return [(i * 7) % 11, (i * 5) % 13, (i * 3) % 7].map((value) => value + high).join(",");
  }),
].join("\n");

/** Rows beyond those for which lines of density are drawn, with groups and a category. */
const many = [
  "power,torque,flow,site",
  ...Array.from({ length: 21_000 }, (_, i) => {
    const from = 30 * (i % 3);
    return `${from + ((i * 7919) % 1013) / 90},${from + ((i * 104_729) % 1009) / 90},${((i * 31) % 997) / 50},${["Oslo", "Bergen", "Molde"][i % 3]}`;
  }),
].join("\n");

/** What lies below each other in the plot's card: no part begins before the one above it ends. */
async function noOverlap(page) {
  const parts = await page.locator(".stage > *").evaluateAll((list) =>
    list.map((one) => {
      const { top, bottom, height } = one.getBoundingClientRect();
      return { name: one.className, top, bottom, height, inner: one.scrollHeight };
    }),
  );
  const shown = parts.filter(({ height }) => height > 0);
  shown.forEach((part, at) => {
    assert.ok(
      part.inner <= part.height + 2,
      `${part.name}: ${part.inner} px of content in ${part.height} px`,
    );
    if (at > 0) assert.ok(part.top >= shown[at - 1].bottom - 1, `${part.name} lies over the part above it`);
  });
}

export const tests = [
  {
    name: "on a laptop the method, the number of clusters and the hints are in sight",
    page: { viewport: { width: 1280, height: 720 } },
    async body({ page, address }) {
      await page.goto(address);
      await drop(page, "wine.csv", wine);
      await clusters(page, 3);
      for (const one of [
        page.getByLabel("Clusters", { exact: true }),
        page.getByRole("button", { name: "Judge pairs of rows" }),
        page.getByRole("heading", { name: "Data", exact: true }),
        page.getByRole("heading", { name: "3 clusters" }),
      ]) {
        const { y, height } = await one.boundingBox();
        assert.ok(y + height <= 720, `${y + height} px`);
      }
    },
  },
  {
    name: "long names of columns are wrapped, and the counts stay in sight",
    page: { viewport: { width: 390, height: 844 } },
    async body({ page, address }) {
      await page.goto(address);
      await drop(page, "shops.csv", longNames);
      await clusters(page);
      for (const name of ["Result", "Clusters", "Compare", "Export"]) {
        await tab(page, name);
        const [inner, outer] = await page
          .locator(".tab-panel")
          .evaluate((panel) => [panel.scrollWidth, panel.clientWidth]);
        assert.ok(inner <= outer, `${name}: ${inner} px of content in ${outer} px`);
      }
      await page.getByRole("button", { name: "Judge pairs of rows" }).click();
      const { height } = await page.locator(".pair tbody tr").first().boundingBox();
      assert.ok(height < 90, `a name takes at most three lines: ${height} px`);
    },
  },
  {
    name: "colours, two columns and lines of density do not cover the parts below the plot",
    page: { viewport: { width: 1280, height: 720 } },
    async body({ page, address }) {
      await page.goto(address);
      await drop(page, "many.csv", many);
      await clusters(page);
      await openRows(page);
      await page.getByRole("button", { name: "Colour by site" }).click();
      await page.getByRole("button", { name: "Two columns" }).click();
      await page.getByText("Colour by cluster").waitFor();
      await noOverlap(page);
    },
  },
  {
    name: "a laptop at 200 %: the tools of the plot can be used",
    page: { viewport: { width: 640, height: 360 }, deviceScaleFactor: 2 },
    async body({ page, address }) {
      await page.goto(address);
      await drop(page, "wine.csv", wine);
      await clusters(page, 3);
      await noOverlap(page);
      await page.getByRole("button", { name: "Lasso" }).click({ timeout: 3000 });
      const { height } = await page.locator(".plot").boundingBox();
      assert.ok(height >= 90, `${height} px for the points`);
    },
  },
  {
    name: "a brush across a histogram selects no text",
    async body({ page, address }) {
      await page.goto(address);
      await drop(page, "wine.csv", wine);
      await clusters(page, 3);
      const bars = page.locator(".histogram").first();
      await bars.scrollIntoViewIfNeeded();
      const { x, y, width } = await bars.boundingBox();
      await page.mouse.move(x + 0.2 * width, y + 10);
      await page.mouse.down();
      await page.mouse.move(x + 0.8 * width, y + 12, { steps: 5 });
      await page.mouse.up();
      await page.getByText(/^part of/).waitFor();
      assert.equal(await page.evaluate(() => String(getSelection())), "");
    },
  },
  {
    name: "a vector has no share of variance, and one cluster nothing that tells it apart",
    async body({ page, address }) {
      const part = (i, j) => ((i * 7919 + j * 104_729 + i * j * 31) % 1009) / 1009;
      const vectors = Array.from({ length: 120 }, (_, i) =>
        JSON.stringify({
          doc: `d${i}`,
          embedding: Array.from({ length: 32 }, (_, j) => part(i, j) + (j % 3 === i % 3 ? 3 : 0)),
        }),
      ).join("\n");
      await page.goto(address);
      await drop(page, "vectors.ndjson", vectors);
      await clusters(page);
      assert.equal(await page.getByText("What tells the clusters apart").count(), 0);
      // Two columns cannot be drawn, but neighbours can.
      await page.getByRole("button", { name: "Neighbours" }).click();
      await page
        .getByText(/neighbour/i)
        .first()
        .waitFor();
      assert.equal(await page.getByRole("button", { name: "Two columns" }).count(), 0);
      await page.goto(`${address}#data=iris&method=kmeans&k=1`);
      await clusters(page, 1);
      assert.equal(await page.getByText("What tells the clusters apart").count(), 0);
      await page.goto(`${address}#data=iris&method=kmeans&k=2`);
      await clusters(page, 2);
      await page.getByText("What tells the clusters apart").waitFor();
    },
  },
];
