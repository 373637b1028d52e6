// How good the recommendation of `kindred compare` is, which is the default of `kindred cluster`, beside every method: all
// labelled sets of the data folder with at most 3000 rows, the number of classes given. Every method runs with its
// defaults; classes are looked at for the scores alone.
//
//   npm run build && node bench/compare-quality.mjs [--keep folder] [--budget seconds] [--methods a,b] [name ...]
//
// Data: KINDRED_DATA, by default ../shared/datasets. With --keep the comparison of each set is kept as JSON and not
// run again. Every second set is marked *, in the order of their names.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { listData, namedData } from "./library.mjs";
import { shared } from "./shared.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    keep: { type: "string" },
    budget: { type: "string", default: "300" },
    methods: { type: "string" },
  },
});
const folder = shared("datasets");
if (!existsSync(folder)) {
  console.log(`${folder} is not there: nothing to measure`);
  process.exit(0);
}
const MOST_ROWS = 3000;
const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const entries = (await listData({ folder }))
  .filter(({ rows, classes, from }) => from !== "generated" && rows <= MOST_ROWS && classes > 1)
  .toSorted((a, b) => a.name.localeCompare(b.name));
if (values.keep !== undefined) mkdirSync(values.keep, { recursive: true });

console.log(`${"set".padEnd(30)}recommended       ARI   k-means    mean    best`);
const rows = [];
for (const [e, { name }] of entries.entries()) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const result = await comparison(name);
  const scores = result.partitions.flatMap(({ methods: made }) =>
    made.map(({ name: method, scores: { adjustedRand } }) => ({ method, adjustedRand })),
  );
  const best = scores.reduce((a, b) => (b.adjustedRand > a.adjustedRand ? b : a));
  const row = {
    tuning: e % 2 === 0,
    chosen: scores[0].adjustedRand,
    kmeans: scores.find(({ method }) => method === "kmeans")?.adjustedRand ?? NaN,
    mean: scores.reduce((sum, { adjustedRand }) => sum + adjustedRand, 0) / scores.length,
    best: best.adjustedRand,
    scores,
  };
  rows.push(row);
  const title = `${row.tuning ? "* " : "  "}${name}`.padEnd(30);
  const failed = result.failed.map(({ name: method, message }) => `${method}: ${message}`).join("; ");
  console.log(
    `${title}${scores[0].method.padEnd(15)}${numbers(row)}  ${best.method}${failed && `  (${failed})`}`,
  );
}
for (const [title, part] of [
  [`mean of ${rows.length} sets`, rows],
  ["those marked *", rows.filter(({ tuning }) => tuning)],
  ["the other sets", rows.filter(({ tuning }) => !tuning)],
]) {
  if (part.length === 0) continue;
  const mean = (key) => part.reduce((sum, row) => sum + row[key], 0) / part.length;
  const means = { chosen: mean("chosen"), kmeans: mean("kmeans"), mean: mean("mean"), best: mean("best") };
  console.log(`${title.padEnd(45)}${numbers(means)}`);
}
const methods = [...new Set(rows.flatMap(({ scores }) => scores.map(({ method }) => method)))];
console.log("\nmean adjusted Rand of single methods, over the sets that each was done on");
for (const method of methods) {
  const own = rows.flatMap(({ scores }) => scores.filter((score) => score.method === method));
  const mean = own.reduce((sum, { adjustedRand }) => sum + adjustedRand, 0) / own.length;
  console.log(`${method.padEnd(16)}${mean.toFixed(3)}  ${own.length} sets`);
}

async function comparison(name) {
  const kept = values.keep === undefined ? undefined : join(values.keep, `${name}.json`);
  if (kept !== undefined && existsSync(kept)) return JSON.parse(readFileSync(kept, "utf8"));
  const { label, filled } = await labelOf(name);
  const clusters = new Set(label.values).size;
  const args = ["compare", name, "--data", folder, ...filled, "--clusters", String(clusters)];
  if (values.methods !== undefined) args.push("--methods", values.methods);
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [main, ...args, "--label", label.name, "--resamples", "0", "--budget", values.budget, "--json"],
    { encoding: "utf8", maxBuffer: 1 << 28 },
  );
  if (status !== 0) throw new Error(`${name}: ${stderr}`);
  if (kept !== undefined) writeFileSync(kept, stdout);
  return JSON.parse(stdout);
}

/** The classes, and how missing cells are filled where there are any. */
async function labelOf(name) {
  try {
    return { label: (await namedData(name, { folder })).label, filled: [] };
  } catch {
    return {
      label: (await namedData(name, { folder, missing: "mean" })).label,
      filled: ["--missing", "fill"],
    };
  }
}

function numbers({ chosen, kmeans, mean, best }) {
  return [chosen, kmeans, mean, best].map((value) => value.toFixed(3).padStart(8)).join("");
}
