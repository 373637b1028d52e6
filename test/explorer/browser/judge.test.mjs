import assert from "node:assert/strict";
import { decoy } from "./decoy.mjs";
import { clusters, drop, labels, nextPair, saved, tab, nameCluster, namesOfClusters } from "./page.mjs";

/** Share of pairs of rows on which two partitions agree. */
function rand(a, b) {
  let same = 0;
  let all = 0;
  for (let i = 0; i < a.length; i++) {
    for (let j = i + 1; j < a.length; j++) {
      all++;
      if ((a[i] === a[j]) === (b[i] === b[j])) same++;
    }
  }
  return same / all;
}

export const tests = [
  {
    name: "pairs are judged by keyboard, the clusters follow, and the page says what changed",
    async body({ page, address, tell }) {
      const { text, truth } = decoy();
      await page.goto(address);
      await drop(page, "decoy.csv", text);
      await clusters(page);
      const before = rand(await labels(page), truth);
      await page.getByRole("button", { name: "Judge pairs of rows" }).click();
      let names = [];
      for (let k = 0; k < 10; k++) {
        names = await nextPair(page, names);
        const [a, b] = names.map((name) => truth[Number(name.split(" ")[1])]);
        await page.keyboard.press(a === b ? "s" : "d");
      }
      await page.keyboard.press("u");
      await page.getByText("9 hints so far").waitFor();
      await page.keyboard.press("Escape");
      await page.waitForURL(/method=hints/);
      await page.locator(".progress").waitFor({ state: "detached", timeout: 40_000 });
      await tab(page, "Result");
      await page.getByRole("heading", { name: "What your hints changed" }).waitFor();
      await page.locator(".progress").waitFor({ state: "detached", timeout: 40_000 });
      const after = rand(await labels(page), truth);
      tell(
        `Rand index with what was meant: ${before.toFixed(2)} before, ${after.toFixed(2)} after 9 answers`,
      );
      await tab(page, "Result");
      const words = (await page.locator(".taught").textContent()) ?? "";
      assert.match(words, /% of 9 hints when held out/);
      const guarded = /do not support a change/.test(words);
      assert.ok(after > before || guarded, words);
    },
  },
  {
    name: "clusters are named, and the names are in the labels and in the address",
    async body({ page, address }) {
      await page.goto(`${address}#data=iris&method=kmeans&k=3`);
      await clusters(page, 3);
      await nameCluster(page, 0, "large, late");
      await page.waitForURL(/name=large/);
      await tab(page, "Export");
      const text = await saved(page, () => page.getByRole("button", { name: "Labels CSV" }).click());
      const [header, ...lines] = text.trim().split("\n");
      assert.equal(header, "sepal_length,sepal_width,petal_length,petal_width,class,cluster,cluster_name");
      assert.ok(lines.some((line) => line.endsWith(',0,"large, late"')));
      const model = JSON.parse(
        await saved(page, () => page.getByRole("button", { name: "Model JSON" }).click()),
      );
      assert.equal(model.names[0], "large, late");
      await page.getByRole("button", { name: "One cluster more" }).click();
      await tab(page, "Result");
      await clusters(page, 4);
      const values = await namesOfClusters(page);
      assert.equal(values.filter((value) => value === "large, late").length, 1);
    },
  },
  {
    name: "how clear the groups are and the numbers of clusters are shown; rows in no cluster are grey",
    async body({ page, address }) {
      await page.goto(`${address}#data=iris&method=auto&own.outliers=mark`);
      await clusters(page);
      await page.getByText(/How clear the groups are/).waitFor();
      const strip = page.getByRole("group", { name: "How well each number of clusters fits" });
      await strip.getByRole("button", { name: /^3 clusters: support/ }).click();
      await clusters(page, 3);
      const found = await labels(page);
      await tab(page, "Result");
      const none = found.filter((label) => label < 0).length;
      if (none > 0) await page.getByText(new RegExp(`^\\s*${none} rows? in no cluster`)).waitFor();
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keys and gestures" }).waitFor();
    },
  },
];
