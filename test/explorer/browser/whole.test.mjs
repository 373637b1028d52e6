import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { accessible } from "./accessible.mjs";
import { decoy } from "./decoy.mjs";
import { clusters, drop, nextPair, openRows, saved, tab, nameCluster, namesOfClusters } from "./page.mjs";

/** Pictures of every stage, to be looked at: KINDRED_SCREENSHOTS names their folder. */
async function look(page, name) {
  const folder = process.env.KINDRED_SCREENSHOTS;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.waitForTimeout(600);
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

export const tests = [
  {
    name: "the whole way: open, search, judge, learn, name, merge, save, reload, open, export",
    page: { viewport: { width: 1400, height: 900 } },
    limit: 180_000,
    async body({ page, address, tell }) {
      const { text, truth } = decoy();
      await page.goto(address);
      await drop(page, "decoy.csv", text);
      await clusters(page);
      await look(page, "1-opened");

      // Two rows by search.
      await openRows(page);
      for (const item of ["17", "88"]) {
        await page.getByLabel("Search").fill(`about item ${item},`);
        await page.getByText(/1 row holds/).waitFor();
        await page.getByRole("button", { name: `item ${item}`, exact: true }).click();
        await tab(page, "Point");
        await page.getByRole("heading", { name: `item ${item}` }).waitFor();
        assert.match(
          (await page.locator(".values").textContent()) ?? "",
          new RegExp(`notes about item ${item}`),
        );
      }
      await look(page, "2-found");
      await page.getByLabel("Search").fill("");

      // Ten pairs by keyboard.
      await page.getByRole("button", { name: "Judge pairs of rows" }).click();
      let names = [];
      for (let k = 0; k < 10; k++) {
        names = await nextPair(page, names);
        if (k === 4) {
          await accessible(page, "judge");
          await look(page, "3-judge");
        }
        const [a, b] = names.map((name) => truth[Number(name.split(" ")[1])]);
        await page.keyboard.press(a === b ? "s" : "d");
      }
      await page.getByText("10 hints so far").waitFor();
      await page.keyboard.press("Escape");
      await page.waitForURL(/method=hints/);
      await tab(page, "Result");
      await page.getByRole("heading", { name: "What your hints changed" }).waitFor({ timeout: 40_000 });
      await page.locator(".progress").waitFor({ state: "detached", timeout: 40_000 });
      await page.getByText(/% of 10 hints when held out/).waitFor({ timeout: 40_000 });
      await look(page, "4-learned");

      // The metric has turned to the columns that the answers are about.
      const shares = await page.locator(".slopes tbody tr").evaluateAll((lines) =>
        lines.map((line) => {
          const [before, after] = line.querySelector(".number").textContent.split("→").map(Number.parseFloat);
          return { name: line.querySelector("th").textContent, before, after };
        }),
      );
      const told = shares.filter(({ name }) => ["taste", "smell"].includes(name));
      const sum = (list, when) => list.reduce((total, one) => total + one[when], 0);
      tell(
        `taste and smell: ${sum(told, "before")} % of the distance before, ${sum(told, "after")} % after ten answers`,
      );
      assert.ok(sum(told, "after") > sum(told, "before"), JSON.stringify(shares));

      // Names.
      const { length: count } = await namesOfClusters(page);
      for (let k = 0; k < count; k++) await nameCluster(page, k, `kind ${"abcdefghij"[k]}`);
      await page.waitForURL(/name=kind/);

      // Split one, merge two.
      await tab(page, "Clusters");
      await accessible(page, "clusters");
      await page.getByText("Rows and actions").first().click();
      await page.getByRole("button", { name: "Halve" }).first().click();
      await page.getByRole("heading", { name: `${count + 1} clusters, largest first` }).waitFor();
      await look(page, "5-split");
      const ticks = page.getByRole("checkbox", { name: /, to merge$/ });
      await ticks.nth(0).check();
      await ticks.nth(1).check();
      await page.getByRole("button", { name: "Merge 2 clusters" }).click();
      await page.getByRole("heading", { name: `${count} clusters, largest first` }).waitFor();
      await look(page, "6-merged");

      // The session survives a reload.
      await tab(page, "Export");
      const session = await saved(page, () => page.getByRole("button", { name: "Session" }).click());
      const labels = await saved(page, () => page.getByRole("button", { name: "Labels CSV" }).click());
      await page.goto("about:blank");
      await page.goto(address);
      await drop(page, "decoy.kindred.json", session);
      await page.getByText(/please drop it\s+again/).waitFor();
      await look(page, "7-session");
      await drop(page, "decoy.csv", text);
      await clusters(page, count);
      await tab(page, "Clusters");
      await page.getByText(/By hand: cluster \d+ split into 2, clusters \d+ and \d+ merged/).waitFor();
      await tab(page, "Export");
      const again = await saved(page, () => page.getByRole("button", { name: "Labels CSV" }).click());
      assert.equal(again, labels);
      assert.match(again.split("\n")[0], /^item,taste,smell,.*notes,cluster,cluster_name$/);
      assert.match(again, /,kind [a-c]$/m);
      const written = again.split("\n");
      for (const [i, line] of text.trim().split("\n").entries())
        assert.ok(written[i].startsWith(`${line},`), line);
      const report = await saved(page, () => page.getByRole("button", { name: "Report HTML" }).click());
      assert.match(report, /kind [a-c]/);
      assert.match(report, /merged/);
      await look(page, "8-exported");
    },
  },
];
