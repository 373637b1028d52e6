import assert from "node:assert/strict";
import { clusters, drop, openRows, problem, saved, tab, nameCluster, namesOfClusters } from "./page.mjs";

/** Names that a page, a shell or a spreadsheet would act on if they were taken for more than text. */
const NASTY = [
  "</script><script>document.title='run'</script>",
  "<img src=x onerror=\"document.title='run'\">",
  "javascript:document.title='run'",
  '"><svg onload="document.title=\'run\'">',
  "$(touch run) `touch run`",
  "=cmd()|' /C calc'!A0",
  "\u001b[2J\u202Eabc",
  "__proto__",
];
const FILE = `${NASTY[0].replaceAll("/", "")}.csv`;
const quoted = (text) => `"${text.replaceAll('"', '""')}"`;
const rows = Array.from({ length: 60 }, (_, i) => [
  ...NASTY.map((_, j) => 10 * (i % 3) * ((j % 2) + 1) + ((i * 7 + j) % 11) / 5),
  quoted(NASTY[i % 3]),
  quoted(
    [
      "javascript:document.title='run'",
      "data:text/html,<script>document.title='run'</script>",
      "data:image/svg+xml,<svg onload=\"document.title='run'\"/>",
      "https://example.invalid/\"onmouseover=\"document.title='run'",
    ][i % 4],
  ),
]);
const table = `${[...NASTY, "kind", "link"].map(quoted).join(",")}\n${rows.map((row) => row.join(",")).join("\n")}\n`;

/** Waits for the place on a clusterpath that an address with a gamma leads to. */
async function onPath(page) {
  await page.getByText(/^\d+ groups?.* on the path$/).waitFor();
}

/** Nothing of a file has become an element that the page did not make. */
async function nothingRan(page) {
  assert.notEqual(await page.title(), "run");
  const made = await page.evaluate(() => ({
    scripts: [...document.scripts].filter(({ src }) => src === "").length,
    handlers: document.querySelectorAll("[onerror],[onload],[onmouseover]").length,
    links: [...document.querySelectorAll("a[href]")].filter(({ href }) => /^(?:javascript|data):/.test(href))
      .length,
    images: [...document.images].filter(({ src }) => !/^data:image\/(?:png|jpeg|gif|webp);/.test(src)).length,
  }));
  assert.deepEqual(made, { scripts: 0, handlers: 0, links: 0, images: 0 });
}

export const tests = [
  {
    name: "names and cells that hold markup, links and commands stay text, in the page and in its report",
    async body({ page, address, context }) {
      await page.goto(address);
      await drop(page, FILE, table);
      await clusters(page);
      await openRows(page);
      await nothingRan(page);
      await nameCluster(page, 1, NASTY[1]);
      await page.waitForURL(/name=/);
      await nothingRan(page);
      for (const one of ["Clusters", "Point", "Compare", "Export"]) {
        const found = page.getByRole("tab", { name: one });
        if ((await found.count()) > 0) await found.click();
        await nothingRan(page);
      }
      await tab(page, "Export");
      const session = await saved(page, () => page.getByRole("button", { name: "Session" }).click());
      const report = await saved(page, () => page.getByRole("button", { name: "Report HTML" }).click());
      const paper = await context.newPage();
      await paper.setContent(report);
      await nothingRan(paper);
      await paper.close();
      await page.goto("about:blank");
      await page.goto(address);
      await drop(page, FILE, table);
      await drop(page, "again.kindred.json", session);
      await clusters(page);
      assert.equal((await namesOfClusters(page))[1], NASTY[1]);
      await nothingRan(page);
    },
  },
  {
    name: "addresses and sessions from elsewhere open, or say what is wrong",
    limit: 240_000,
    async body({ page, address }) {
      const huge = "9".repeat(400);
      const odd = [
        "say=together:9007199254740992-9007199254740994",
        `say=apart:1-${huge}/2&same=${huge}-1&different=1-99999999`,
        "same=0-99999999&method=cop-kmeans",
        "k=1000000000&method=kmeans",
        `own.${encodeURIComponent("x;touch run")}=true&method=kmeans`,
        "own.__proto__=1&own.constructor=2&method=kmeans",
        "edit=split:0.1000000000&edit=merge:0.99999999&edit=split:99",
        `off=${encodeURIComponent(NASTY[0])}&as=${encodeURIComponent(`${NASTY[1]}=category`)}&label=${encodeURIComponent(NASTY[1])}`,
        `name=${encodeURIComponent(NASTY[1])}&color=${encodeURIComponent(NASTY[0])}&axis=__proto__&axis=toString&view=columns`,
        `method=${encodeURIComponent(NASTY[0])}`,
        "method=__proto__&with.method=constructor",
        "method=cc&gamma=1e308",
        "seed=1e308&method=kmeans&k=2",
        "own.restarts=1e9&method=kmeans&k=2",
        "say=together:0-99999&method=hints",
      ];
      for (const part of odd) {
        await page.goto("about:blank");
        await page.goto(`${address}#data=iris&${part.includes("k=") ? "" : "k=3&"}${part}`);
        await Promise.race([clusters(page), onPath(page), problem(page)]);
        await nothingRan(page);
      }
      for (const data of ["<img src=x onerror=\"document.title='run'\">", "__proto__", "../../etc/passwd"]) {
        await page.goto("about:blank");
        await page.goto(`${address}#data=${encodeURIComponent(data)}`);
        await problem(page);
        await nothingRan(page);
      }
      await page.goto("about:blank");
      await page.goto(`${address}#data=blobs&data.rows=1e9&data.features=1e6`);
      await Promise.race([clusters(page), problem(page)]);
      await page.goto("about:blank");
      await page.goto(address);
      const lengthy = { kind: "together", rows: { length: 2e9 } };
      const session = {
        kind: "kindred-session",
        version: 1,
        data: { kind: "named", name: "iris" },
        hints: { statements: [lengthy] },
      };
      await drop(page, `${NASTY[1].replaceAll("/", "")}.kindred.json`, JSON.stringify(session));
      await page
        .getByText(/is damaged: its settings cannot be read/)
        .first()
        .waitFor();
      await nothingRan(page);
    },
  },
];
