// Adjusted Rand on whole tables, from the file to the clusters: the tables of a folder (index.json, truth/,
// baselines.json) and generated ones (messyTables.mjs), with the number of clusters given and found.
//
//     node bench/tables.mjs [--folder ../shared/tables] [--seeds 1,2,3] [--only customers,wines]
//
// careless: columns of numbers, rows with gaps left out, z-scores, k-means. known columns: only those that carry the
// grouping, all counting the same. The folder may also be given by KINDRED_SHARED (its subfolder `tables`).
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { settings, timed } from "./measure.mjs";
import { messyTables } from "./messyTables.mjs";
import { shared } from "./shared.mjs";
import { sources } from "./sources.mjs";

const values = settings({ folder: undefined, seeds: "1", only: undefined });
const folder = values.folder ?? shared("tables");
const {
  adjustedRand,
  followsColumn,
  kmeans,
  learnFeatures,
  mixedMixture,
  readColumns,
  spectral,
  splitKinds,
} = await sources("features/index.ts");

const only = values.only?.split(",");
const rounded = (value) => (value === undefined ? "" : value.toFixed(3));

console.log("table,rows,K,careless,known,k-means,mixture,no K,found,careful,s".replaceAll(",", "\t"));
await shownMean("folder", folderTables());
for (const seed of values.seeds.split(",").map(Number)) {
  await shownMean(`generated, seed ${seed}`, messyTables(seed));
}

async function shownMean(name, tables) {
  const rows = [];
  for (const entry of tables) {
    if (only !== undefined && !only.includes(entry.name)) continue;
    rows.push(await measured(entry));
  }
  if (rows.length === 0) return;
  const mean = (key) => rounded(rows.reduce((sum, row) => sum + (row[key] ?? 0), 0) / rows.length);
  const means = ["careless", "known", "near", "given", "free"].map(mean);
  console.log([`mean, ${name}`, "", "", ...means, "", mean("careful")].join("\t"));
}

async function measured({ name, file, text, truth, groups, relevant, careful, careless, adjust }) {
  const { result, wall: seconds } = await timed(async () => {
    const table = await readColumns(file ?? new TextEncoder().encode(text), { name });
    const features = learnFeatures(table);
    return { table, features, ...clustered(features, groups) };
  });
  const { table, features, labels, near } = result;
  const free = clustered(features, undefined);
  const use = relevant.filter((column) => table.columns.some((own) => own.name === column));
  const row = {
    careless: careless ?? adjustedRandOf(carelessLabels(table, groups), truth),
    known: adjustedRand(clustered(learnFeatures(table, { use, weights: "equal" }), groups).labels, truth),
    near: adjustedRand(near, truth),
    given: adjustedRand(labels, truth),
    free: adjustedRand(free.labels, truth),
    careful,
  };
  const figures = [row.careless, row.known, row.near, row.given, row.free].map(rounded);
  console.log(
    [name, table.rows, groups, ...figures, free.clusters, rounded(careful), seconds.toFixed(1)].join("\t"),
  );
  const said = [labels, free.labels].flatMap((own) => followsColumn(own, table, features));
  for (const message of new Set(said.map((note) => note.message))) console.log(`\t! ${message}`);
  if (adjust !== undefined) {
    const own = learnFeatures(table, { adjust });
    const [given, found] = [clustered(own, groups), clustered(own, undefined)];
    const rand = [given, found].map(({ labels: own }) => rounded(adjustedRand(own, truth)));
    console.log(`\tadjusted for ${adjust.join(", ")}: ${rand[0]}, no K: ${rand[1]} (${found.clusters})`);
  }
  return row;
}

/** The mixture; rows that are mostly vectors by their neighbours instead. */
function clustered({ X, record }, given) {
  const near = given === undefined ? undefined : kmeans(X, { clusters: given, restarts: 10 }).labels;
  const { X: numbers, codes } = splitKinds(record, X);
  if (mostlyVectors(record)) {
    const clusters = given ?? gap(numbers);
    return { labels: spectral(numbers, { clusters }).labels, near, clusters };
  }
  const options = given === undefined ? {} : { clusters: given };
  const { labels, clusters } = mixedMixture(numbers, codes, { ...options, space: X });
  return { labels, near, clusters };
}

/** The K of the largest relative gap between eigenvalues of the graph (von Luxburg 2007, section 8.3). */
function gap(X) {
  const { eigenvalues: l } = spectral(X, { clusters: 30 });
  const gaps = Array.from(l.subarray(1, -1), (value, k) => (value - l[k + 2]) / (1 - l[k + 2]));
  return gaps.indexOf(Math.max(...gaps)) + 2;
}

/** Whether vectors carry at least half of all weight: then the neighbours of a row say more than its mean. */
function mostlyVectors({ parts }) {
  const sum = (own) => own.reduce((total, { weight }) => total + weight, 0);
  return sum(parts.filter(({ kind }) => kind === "vector")) >= sum(parts) / 2;
}

function carelessLabels(table, clusters) {
  const use = table.columns
    .filter(
      ({ kind, values: numbers }) =>
        (kind === "number" || kind === "id" || kind === "ordered") && numbers !== undefined,
    )
    .map(({ name }) => name);
  if (use.length === 0) return undefined;
  try {
    const { X, rows } = learnFeatures(table, { use, weights: "equal", scale: "zscore", missing: "drop" });
    return { labels: kmeans(X, { clusters, restarts: 10 }).labels, rows };
  } catch {
    return undefined;
  }
}

/** Rows that were left out are one more cluster. */
function adjustedRandOf(found, truth) {
  if (found === undefined) return 0;
  const labels = new Int32Array(truth.length).fill(999);
  found.labels.forEach((label, i) => (labels[found.rows === undefined ? i : found.rows[i]] = label));
  return adjustedRand(labels, truth);
}

function folderTables() {
  const index = join(folder, "index.json");
  if (!existsSync(index)) {
    console.log(`(no tables in ${folder}: only generated ones)`);
    return [];
  }
  const baselines = join(folder, "baselines.json");
  const known = existsSync(baselines) ? JSON.parse(readFileSync(baselines, "utf8")) : {};
  return JSON.parse(readFileSync(index, "utf8")).map((entry) => ({
    name: entry.name,
    file: join(folder, entry.file),
    truth: readFileSync(join(folder, entry.truth), "utf8")
      .trim()
      .split(/\r?\n/)
      .slice(1)
      .map((line) => line.split(",")[1]),
    groups: entry.groups,
    relevant: entry.relevant,
    careful: known[entry.name]?.careful,
    careless: known[entry.name]?.careless,
  }));
}
