// What every runtime must do with the package as it is built: each entry loads, plain arrays go in, models come back. Run by
// scripts/test-runtimes.mjs under Bun and Deno, and by the unit tests under Node.
import { readFileSync } from "node:fs";

const root = new URL("../../", import.meta.url);
const { exports } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
const entry = (name) => import(new URL(exports[name].default, root).href);

const failures = [];
let passed = 0;
async function check(name, body) {
  try {
    await body();
    passed++;
  } catch (error) {
    failures.push(`${name}: ${error?.message ?? error}`);
  }
}
function expect(condition, message) {
  if (!condition) throw new Error(message);
}

// What a worker runs is no entry for others.
const names = Object.keys(exports).filter((each) => exports[each].default && !each.endsWith("/thread"));
for (const name of names) {
  await check(`kindred${name.slice(1)} loads`, async () => {
    expect(Object.keys(await entry(name)).length > 0, "it exports nothing");
  });
}

await check("plain arrays, typed arrays with a shape and objects are rows", async () => {
  const { kmeans } = await entry("./cluster");
  const rows = [
    [1, 2],
    [1.1, 2.1],
    [8, 9],
    [8.2, 9.1],
  ];
  const shaped = { data: Float32Array.from(rows.flat()), shape: [4, 2] };
  const objects = rows.map(([x, y]) => ({ x, y }));
  for (const X of [rows, shaped, objects]) {
    const { labels } = kmeans(X, { clusters: 2, seed: 1 });
    expect(
      labels[0] === labels[1] && labels[2] === labels[3] && labels[0] !== labels[2],
      `labels ${labels.join()}`,
    );
  }
});

await check("what is no table is refused in words", async () => {
  const { kmeans } = await entry("./cluster");
  for (const X of [undefined, null, 7, "rows", [[1, 2], [3]], [["a"]]]) {
    let message = "";
    try {
      kmeans(X, { clusters: 1 });
    } catch (error) {
      message = `${error.name}: ${error.message}`;
    }
    expect(message.startsWith("KindredError"), `${JSON.stringify(X)}: ${message || "accepted"}`);
  }
});

await check("results pass through JSON and structuredClone", async () => {
  const { kmeans } = await entry("./cluster");
  const found = kmeans([[1], [2], [9]], { clusters: 2 });
  expect(Array.isArray(JSON.parse(JSON.stringify(found)).labels), "labels are no array in JSON");
  expect(structuredClone(found).labels.length === 3, "structuredClone lost the labels");
});

await check("a table in, clusters out, a model that places rows", async () => {
  const { asTable, cluster, loadModel, namedData, readTable } = await entry(".");
  const wine = asTable(await namedData("wine"));
  const found = await cluster(wine, { clusters: 3, method: "kmeans", label: "class" });
  const placed = loadModel(JSON.parse(JSON.stringify(found))).assign(wine);
  expect(
    placed.labels.every((label, i) => label === found.labels[i]),
    "rows are placed elsewhere",
  );
  const text = "name,plan,spend\na,free,$1.50\nb,pro,$900.10\nc,free,$2.10\nd,pro,$880.00\n";
  const table = await readTable(new TextEncoder().encode(text.repeat(1)));
  expect(table.columns.length === 3 && table.rows === 4, "the table has other columns or rows");
});

await check("the entry that only places rows does as a model of every kind", async () => {
  const { cluster } = await entry(".");
  const { loadScorer } = await entry("./place");
  const rows = Array.from({ length: 90 }, (_, i) => ({
    x: (i % 3) + Math.sin(i) / 9,
    y: Math.cos(i) / 9,
    kind: "abc"[i % 3],
  }));
  const ways = ["kmeans", "ward", "mixed", "gmm", "hdbscan", "kernel-kmeans", "cpd-uml"];
  for (const method of ways) {
    const found = await cluster(rows, { method, ...(method !== "hdbscan" && { clusters: 3 }) });
    const score = await loadScorer(JSON.parse(JSON.stringify(found)));
    const { labels } = found.assign(rows);
    expect(
      rows.every((row, i) => score(row).cluster === labels[i]),
      `rows of ${method} are placed elsewhere`,
    );
  }
});

await check("a thread clusters, with progress, and an abort ends it", async () => {
  const { cluster } = await entry("./worker");
  const rows = Array.from({ length: 600 }, (_, i) => [i % 3, Math.sin(i), Math.cos(3 * i) + (i % 3)]);
  let ticks = 0;
  const timer = setInterval(() => ticks++, 10);
  const found = await cluster(rows, { clusters: 3 });
  clearInterval(timer);
  expect(found.labels.length === 600 && ticks > 3, `${found.labels.length} labels, ${ticks} ticks`);
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 50);
  const ended = await cluster(rows, { signal: abort.signal }).catch(({ name }) => name);
  expect(ended === "AbortError", `it ended with ${ended.name ?? ended}`);
});

for (const failure of failures) console.error(`FAILED: ${failure}`);
console.log(`${passed} passed, ${failures.length} failed`);
if (failures.length > 0) process.exit(1);
