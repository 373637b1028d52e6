import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { clusters, csvOf, drop, openRows, problem, tab } from "./page.mjs";

const columnar = JSON.parse(readFileSync(new URL("../../fixtures/columnar.json", import.meta.url), "utf8"));

const refused = (name, file, text, words) => ({
  name: `${name}: said in words, and the page goes on`,
  async body({ page, address }) {
    await page.goto(address);
    await drop(page, file, text);
    assert.match(await problem(page), words);
    await page.getByText("Not clustered yet").waitFor();
    await drop(page, "wine.csv", await csvOf("wine"));
    await clusters(page, 3);
  },
});

export const tests = [
  {
    name: "wine.csv is clustered when it is dropped",
    async body({ page, address, tell }) {
      await page.goto(address);
      await page.getByRole("heading", { name: "Which of these belong together?" }).waitFor();
      await page.waitForTimeout(500);
      await page.evaluate(() => {
        globalThis.addEventListener("drop", () => (globalThis.dropped = performance.now()), {
          capture: true,
        });
        new MutationObserver((_, observer) => {
          if (document.getElementById("clusters-title")?.textContent !== "3 clusters") return;
          globalThis.clustered = performance.now();
          observer.disconnect();
        }).observe(document.body, { childList: true, subtree: true, characterData: true });
      });
      await drop(page, "wine.csv", await csvOf("wine"));
      await clusters(page, 3);
      const waited = await page.evaluate(() => globalThis.clustered - globalThis.dropped);
      tell(`wine clustered ${Math.round(waited)} ms after it was dropped`);
      await page.getByText("178 rows, 14 columns").waitFor();
      assert.match(page.url(), /#dropped=wine\.csv&method=auto$/);
      await page.getByRole("combobox", { name: /^Known classes/ }).selectOption("class");
      const score = await page.locator(".scores dd").first().textContent();
      await clusters(page, 3);
      assert.ok(Number(score) > 0.8, `adjusted Rand ${score}`);
    },
  },
  {
    name: "a file is chosen by the button; every column is there, with what it is taken as",
    async body({ page, address }) {
      await page.goto(address);
      const lines = Array.from(
        { length: 60 },
        (_, i) => `n${i},${i % 3},${(i % 3) * 2 + (i % 7) / 10},k${i % 3},"Says, at length, ${i}"`,
      );
      await page
        .locator("input[type=file]")
        .first()
        .setInputFiles({
          name: "small.csv",
          mimeType: "text/csv",
          buffer: Buffer.from(["name,a,b,class,words", ...lines].join("\n")),
        });
      await clusters(page);
      // No column is set aside by its name; a person says which one holds the classes.
      const known = page.getByRole("combobox", { name: /^Known classes/ });
      assert.equal(await known.inputValue(), "");
      await known.selectOption("class");
      await clusters(page);
      assert.equal(await page.locator(".decisions > li").count(), 5);
      await openRows(page);
      await page.getByRole("button", { name: "n0", exact: true }).waitFor();
      await page.getByLabel("Search").fill("at length, 17");
      await page.getByText(/1 row holds/).waitFor();
      await page.getByRole("button", { name: "n17", exact: true }).click();
      await tab(page, "Point");
      await page.getByRole("heading", { name: "n17" }).waitFor();
      assert.match((await page.locator(".values").textContent()) ?? "", /Says, at length, 17/);
    },
  },
  {
    name: "JSON is read, too; what a column is taken as can be changed, and it can be left out",
    async body({ page, address }) {
      await page.goto(address);
      const rows = Array.from({ length: 60 }, (_, i) => ({
        a: i % 2 ? 10 + (i % 7) : i % 5,
        zip: 100 + (i % 2),
        colour: i % 2 ? "red" : "blue",
      }));
      await drop(page, "rows.json", JSON.stringify(rows));
      await clusters(page);
      await page.locator(".figure", { hasText: "60 rows, 3 columns" }).waitFor();
      await page.getByLabel("zip is taken as").selectOption("number");
      await page.waitForURL(/as=zip(=|%3D)number/);
      await clusters(page);
      assert.equal(await page.getByLabel("zip is taken as").inputValue(), "number");
      await page.getByRole("checkbox", { name: "colour" }).click();
      await page.waitForURL(/off=colour/);
      await clusters(page);
      await page.getByText(/left out by you/).waitFor();
    },
  },
  {
    name: "the known classes of a LIBSVM file are shown",
    async body({ page, address }) {
      await page.goto(address);
      const lines = Array.from(
        { length: 40 },
        (_, i) => `${i % 2} 1:${(i % 2) * 5 + i / 50} 3:${1 + (i % 3)}`,
      );
      await drop(page, "rows.libsvm", `${lines.join("\n")}\n`);
      await clusters(page);
      assert.equal(await page.getByLabel("Known classes").inputValue(), "label");
      await page.getByText("2 classes; used only to judge the result.").waitFor();
    },
  },
  ...["parquet", "arrow"].map((format) => ({
    name: `${format} files are read, whatever they are compressed by`,
    async body({ page, address }) {
      for (const [compression, encoded] of Object.entries(columnar[format])) {
        await page.goto(address);
        await drop(page, `table.${format}`, Buffer.from(encoded, "base64"));
        await page.locator(".figure", { hasText: `${columnar.table.f64.length} rows` }).waitFor();
        await clusters(page);
        assert.equal(await page.getByRole("alert").count(), 0, compression);
      }
    },
  })),
  refused("one row", "one.csv", "a,b\n1,2\n", /row/),
  refused("columns that are all constant", "flat.csv", `a,b\n${"1,2\n".repeat(20)}`, /flat\.csv/),
  refused("an empty file", "empty.csv", "", /empty\.csv is empty/),
  {
    name: "missing cells are filled, and that is said",
    async body({ page, address }) {
      await page.goto(address);
      const lines = Array.from(
        { length: 40 },
        (_, i) => `${i % 2 ? 10 + i / 100 : i / 100},${i === 5 ? "" : 3 * (i % 2) + (i % 5) / 10}`,
      );
      await drop(page, "gaps.csv", ["a,b", ...lines].join("\n"));
      await clusters(page);
      await page
        .getByText(/missing cell.* filled/)
        .first()
        .waitFor();
    },
  },
  {
    name: "a file of 200 MB is read in pieces, and the page stays alive",
    async body({ page, address, tell }) {
      await page.goto(address);
      await page.waitForTimeout(300);
      const start = performance.now();
      await page.evaluate(() => {
        const lines = Array.from({ length: 8000 }, (_, i) =>
          Array.from({ length: 10 }, (_, j) =>
            (Math.sin(i * 13 + j * 7) * 100 + (i % 4) * 300).toFixed(8),
          ).join(","),
        );
        const piece = new Blob([`${lines.join("\n")}\n`]);
        const pieces = Array.from({ length: Math.ceil(200e6 / piece.size) }, () => piece);
        const carried = new DataTransfer();
        carried.items.add(new File(["a,b,c,d,e,f,g,h,i,j\n", ...pieces], "large.csv"));
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: carried, bubbles: true }));
      });
      await page
        .getByText(/[\d,]+ rows, 10 columns|more memory/)
        .first()
        .waitFor({ timeout: 50_000 });
      tell(`200 MB of CSV answered after ${((performance.now() - start) / 1000).toFixed(1)} s`);
      tell((await page.locator(".figure").first().textContent()) ?? "");
      await page.getByRole("button", { name: /^Cluster [\d,]+ rows$/ }).waitFor();
    },
  },
];
