import assert from "node:assert/strict";
import { decoy } from "./decoy.mjs";
import { chooseFile, enter, focusSeen, goTo, press, showTab, tabTo, write } from "./keys.mjs";
import { clusters, csvOf, nextPair, saved } from "./page.mjs";

export const tests = [
  {
    name: "by keyboard alone, the whole way: open, search, judge, learn, name, split, merge, save, reload, export",
    page: { viewport: { width: 1400, height: 900 } },
    limit: 180_000,
    async body({ page, address, tell }) {
      const { text, truth } = decoy();
      await page.goto(address);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await chooseFile(page, "decoy.csv", text);
      await clusters(page);
      await focusSeen(page, "opening a table");

      // Two rows by search.
      for (const item of ["17", "88"]) {
        await goTo(page, ".table-panel", page.getByLabel("Search"));
        await write(page, `about item ${item},`);
        await page.getByText(/1 row holds/).waitFor();
        await tabTo(page, page.getByRole("button", { name: `item ${item}`, exact: true }));
        await press(page, "Enter");
        await page.getByRole("heading", { name: `item ${item}` }).waitFor();
      }
      await tabTo(page, page.getByLabel("Search"), "Shift+Tab");
      await write(page, "");

      // Ten pairs: some by the letters, some by the buttons.
      await enter(page, ".card[aria-labelledby=hints-title]", page.locator(".judge-start"));
      let names = [];
      for (let k = 0; k < 10; k++) {
        names = await nextPair(page, names);
        const [a, b] = names.map((name) => truth[Number(name.split(" ")[1])]);
        if (k % 3 === 2) {
          await tabTo(page, page.locator(".judge-keys button", { hasText: a === b ? "Same" : "Different" }));
          await press(page, "Enter");
        } else await press(page, a === b ? "s" : "d");
      }
      await page.getByText("10 hints so far").waitFor();
      await press(page, "Escape");
      assert.ok(await page.locator(".judge-start").evaluate((one) => one === document.activeElement));
      await showTab(page, "Result");
      await page.getByText(/% of 10 hints when held out/).waitFor();
      await page.locator(".progress").waitFor({ state: "detached" });
      await focusSeen(page, "learning");

      // The metric has turned to the columns that the answers are about.
      const [before, after] = await page.locator(".slopes tbody tr").evaluateAll((lines) => {
        const told = lines.filter((line) => /^(taste|smell)$/.test(line.querySelector("th").textContent));
        const parts = told.map((line) =>
          line.querySelector(".number").textContent.split("→").map(Number.parseFloat),
        );
        return [0, 1].map((at) => parts.reduce((sum, part) => sum + part[at], 0));
      });
      tell(`taste and smell: ${before} % of the distance before, ${after} % after ten answers`);
      assert.ok(after > before);

      // Names.
      const pencils = page.locator(".legend-line .bare");
      const count = await pencils.count();
      for (let k = 0; k < count; k++) {
        await tabTo(page, pencils.nth(k));
        await press(page, "Enter");
        await write(page, `kind ${"abcdefghij"[k]}`);
        await press(page, "Enter");
      }
      await page.waitForURL(/name=kind/);

      // One cluster by itself, and back; then in halves, and two made one.
      const shown = (many) =>
        page.getByRole("heading", { name: `${many} clusters, largest first` }).waitFor();
      await showTab(page, "Clusters");
      await enter(page, ".side", page.locator(".objects summary").first());
      await tabTo(page, page.getByRole("button", { name: "Split", exact: true }).first());
      await press(page, "Enter");
      await page.getByText(/^By hand/).waitFor();
      await page.locator(".progress").waitFor({ state: "detached" });
      await tabTo(page, page.getByRole("button", { name: "Back to the clusters found" }), "Shift+Tab");
      await press(page, "Enter");
      await page.getByText(/^By hand/).waitFor({ state: "detached" });
      await focusSeen(page, "the way back");
      await shown(count);
      await tabTo(page, page.getByRole("button", { name: "Halve" }).first());
      await press(page, "Enter");
      await shown(count + 1);
      const ticks = page.getByRole("checkbox", { name: /, to merge$/ });
      await tabTo(page, ticks.nth(0), "Shift+Tab");
      await press(page, "Space");
      await tabTo(page, ticks.nth(1));
      await press(page, "Space");
      await tabTo(page, page.getByRole("button", { name: "Merge 2 clusters" }));
      await press(page, "Enter");
      await shown(count);
      await focusSeen(page, "merging");

      // Saved, opened again, exported.
      const save = async (name) => {
        await goTo(page, ".side", page.getByRole("button", { name }));
        return saved(page, () => press(page, "Enter"));
      };
      await showTab(page, "Export");
      const session = await save("Session");
      const labels = await save("Labels CSV");
      await page.goto("about:blank");
      await page.goto(address);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await chooseFile(page, "decoy.kindred.json", session);
      await page.getByText(/please drop it\s+again/).waitFor();
      await chooseFile(page, "decoy.csv", text);
      await clusters(page, count);
      await showTab(page, "Clusters");
      await page.getByText(/By hand: cluster \d+ split into 2, clusters \d+ and \d+ merged/).waitFor();
      await showTab(page, "Export");
      assert.equal(await save("Labels CSV"), labels);
      assert.match(labels, /,kind [a-c]$/m);
      assert.match(await save("Report HTML"), /kind [a-c]/);
    },
  },
  {
    name: "by keyboard alone: numbers of clusters, the path, columns, brushes, views, comparisons; no trap",
    page: { viewport: { width: 1400, height: 900 } },
    limit: 180_000,
    async body({ page, address, tell }) {
      const data = ".card[aria-labelledby=data-title]";
      await page.goto(address);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await chooseFile(page, "wine.csv", await csvOf("wine"));
      await clusters(page, 3);

      // The column of known classes.
      await goTo(page, data, page.getByRole("combobox", { name: /^Known classes/ }));
      await page.keyboard.type("class");
      await page.waitForURL(/label=class/);
      await clusters(page, 3);

      // Along the numbers of clusters, and back to the one that the method takes.
      await enter(page, ".side", page.locator(".strip-bars").getByRole("button", { name: /^4 clusters/ }));
      await page.waitForURL(/k=4/);
      await clusters(page, 4);
      await focusSeen(page, "four clusters");
      await press(page, "Shift+Tab");
      await press(page, "Enter");
      await clusters(page, 3);
      await enter(page, ".card[aria-labelledby=method-title]", page.getByText("let the method find it"));
      await clusters(page, 3);
      await focusSeen(page, "letting the method find it");

      // The path.
      await enter(page, ".stage", page.getByRole("button", { name: "Watch the points fuse" }));
      await page.getByRole("slider").waitFor();
      await focusSeen(page, "the path");
      await tabTo(page, page.getByRole("slider"));
      await press(page, "Home");
      await press(page, "ArrowRight");
      await press(page, "End");
      await page.getByText("1 group", { exact: false }).first().waitFor();
      await enter(page, ".stage", page.getByRole("button", { name: "Leave the clusterpath" }));
      await clusters(page, 3);
      await focusSeen(page, "leaving the path");

      // Columns: left out, coloured by, brushed.
      await goTo(page, data, page.getByRole("checkbox", { name: "ash", exact: true }));
      await press(page, "Space");
      await page.waitForURL(/off=ash/);
      await clusters(page);
      await focusSeen(page, "a column left out");
      await press(page, "Control+z");
      await page.waitForURL((url) => !url.hash.includes("off"));
      await enter(page, data, page.getByRole("button", { name: "Colour by proline" }));
      await page.getByRole("button", { name: "Colour by cluster" }).waitFor();
      await press(page, "Tab");
      await press(page, "Enter");
      await tabTo(page, page.getByLabel("proline from"));
      await write(page, "1000");
      await press(page, "Enter");
      await page.locator(".table-bar", { hasText: /\d+ of 178/ }).waitFor();
      await enter(page, ".table-panel", page.getByRole("button", { name: "No longer part of proline" }));
      await page.getByText("all 178").waitFor();
      await focusSeen(page, "a brush taken away");
      await enter(page, ".stage", page.getByRole("button", { name: "Colour by cluster" }));
      await focusSeen(page, "colours by cluster");

      // The table: one stop of Tab, the arrow keys walk on.
      await goTo(page, ".table-panel", page.locator(".rows tbody th button[tabindex='0']"));
      await press(page, "End");
      await page.getByRole("button", { name: "row 177", exact: true }).waitFor();
      await press(page, "ArrowUp");
      await press(page, "Enter");
      await page.getByRole("heading", { name: "row 176" }).waitFor();
      await press(page, "Home");
      await press(page, "ArrowDown");
      assert.equal(await page.evaluate(() => document.activeElement.textContent), "row 1");
      await press(page, "Shift+Tab");
      await press(page, "Space");
      await page.getByText("Group 2: 1 row").waitFor();
      await press(page, "Space");

      // Views.
      for (const name of ["Neighbours", "Two columns"]) {
        await enter(page, ".stage", page.getByRole("button", { name, exact: true }));
        await page.locator(".progress").waitFor({ state: "detached" });
        await focusSeen(page, name);
      }
      await tabTo(page, page.getByLabel("Up"));
      await press(page, "ArrowDown");
      await page.waitForURL(/axes=|y=|view=columns/);
      await enter(page, ".stage", page.getByRole("button", { name: "Plain", exact: true }));

      // Side by side, and what other methods find.
      await showTab(page, "Compare");
      await enter(page, ".side", page.getByRole("button", { name: "Known classes" }));
      await page.getByRole("button", { name: "Stop comparing" }).waitFor();
      await enter(page, ".side", page.getByRole("button", { name: "Stop comparing" }));
      await focusSeen(page, "no longer comparing");

      // From here to the last control, on from the first, and back the same way.
      const [there, back] = [await walked(page, "Tab"), await walked(page, "Shift+Tab")];
      tell(`${there} stops of Tab, ${back} of Shift + Tab`);
      for (const part of ["header", ".panels", ".plot", ".table-panel", ".side"]) {
        assert.ok(await page.evaluate((css) => globalThis.seen.has(css), part), `Tab never comes to ${part}`);
      }
    },
  },
  {
    name: "by keyboard alone: levels of a category, all methods compared, two partitions side by side",
    page: { viewport: { width: 1400, height: 900 } },
    limit: 180_000,
    async body({ page, address }) {
      const data = ".card[aria-labelledby=data-title]";
      const lines = Array.from({ length: 90 }, (_, i) => {
        const at = [0, 6, 14][i % 3];
        return `${at + ((i * 7) % 11) / 6},${(at * 3) % 10},t${i % 5}`;
      });
      await page.goto(address);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await chooseFile(page, "mixed.csv", `x,y,tone\n${lines.join("\n")}\n`);
      await clusters(page);

      // Levels: one, two, one that shows when the brush is open, none.
      const level = (name) => page.getByRole("button", { name: new RegExp(`tone: ${name}\\b`) });
      const left = (rows) => page.locator(".table-bar", { hasText: rows }).waitFor();
      await enter(page, data, level("t1"));
      await left("18 of 90");
      assert.equal(await level("t1").getAttribute("aria-pressed"), "true");
      await tabTo(page, level("t2"));
      await press(page, "Space");
      await left("36 of 90");
      await tabTo(page, page.getByRole("button", { name: "Brush tone" }), "Shift+Tab");
      await press(page, "Enter");
      await tabTo(page, level("t4"));
      await press(page, "Enter");
      await left("54 of 90");
      for (const name of ["t4", "t2", "t1"]) {
        await tabTo(page, level(name), "Shift+Tab");
        await press(page, "Enter");
      }
      await left("all 90");

      // All methods; one of their results on the screen, another beside it.
      await showTab(page, "Compare");
      await enter(page, ".side", page.getByRole("button", { name: "Compare all methods" }));
      await page.locator(".partitions li").nth(1).waitFor();
      await focusSeen(page, "comparing all methods");
      const found = page.locator(".partitions li");
      await enter(page, ".side", found.nth(0).getByRole("button", { name: /^Show/ }));
      await page.locator(".progress").waitFor({ state: "detached" });
      await focusSeen(page, "showing a result");
      await enter(page, ".side", found.nth(1).getByRole("button", { name: /^Pin/ }));
      await page.locator(".plots.two").waitFor();
      await page.locator(".progress").waitFor({ state: "detached" });
      await focusSeen(page, "pinning a result");
      await enter(page, ".side", page.getByRole("button", { name: "Where they differ" }));
      await enter(page, ".side", page.locator(".meeting td button:not(:disabled)"));
      await page.getByText(/^Group 1: [1-9]\d* rows?$/).waitFor();
      for (const plot of [0, 1]) {
        await goTo(page, ".stage", page.locator(".plot").nth(plot));
        await press(page, "ArrowRight");
        await press(page, "Enter");
      }
      await enter(page, ".side", page.getByRole("button", { name: "Stop comparing" }));
      await page.locator(".plots.two").waitFor({ state: "detached" });
      await focusSeen(page, "no longer comparing");
    },
  },
];

/** Stops of a key until the focus is where it began. */
async function walked(page, key) {
  await page.evaluate(() => {
    globalThis.begin = document.activeElement;
    globalThis.seen = new Set();
  });
  for (let k = 1; k < 400; k++) {
    await page.keyboard.press(key);
    const at = await page.evaluate(() => {
      const now = document.activeElement;
      for (const css of ["header", ".panels", ".plot", ".table-panel", ".side"]) {
        if (now.closest(css) !== null) globalThis.seen.add(css);
      }
      return now === document.body ? "between" : now === globalThis.begin ? "begin" : "on";
    });
    if (at === "begin") return k;
    if (at === "on") await focusSeen(page, key);
  }
  throw new Error(`${key} never comes around`);
}
