// How well ordinary methods with the number of clusters given find the classes of real tables in each space that Kindred makes
// of the columns (src/judge/spaces.ts), and in the features of the default: adjusted Rand, means over the tables. Labels are
// looked at for the scores alone.
//
//     node bench/spaces.mjs [--folder ../shared/real] [--rows 600] [--half 1|2] [--each] [name ...]
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { shared } from "./shared.mjs";
import { sources } from "./sources.mjs";

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    folder: { type: "string", default: shared("real") },
    rows: { type: "string", default: "600" },
    half: { type: "string" },
    each: { type: "boolean", default: false },
  },
});
const {
  adjustedRand,
  agglomerative,
  gaussianMixture,
  kmeans,
  mixedMixture,
  readColumns,
  drawnRows,
  spacesOf,
  splitKinds,
  tableFeatures,
  takeTableRows,
  textsOf,
} = await sources(
  "features/index.ts",
  "features/drawnRows.ts",
  "judge/spaces.ts",
  "data/columns/takeTableRows.ts",
  "model/space.ts",
);

const METHODS = {
  kmeans: (X, clusters) => kmeans(X, { clusters, restarts: 10, seed: 0 }).labels,
  ward: (X, clusters) => agglomerative(X, { linkage: "ward", clusters }).labels,
  tied: (X, clusters) =>
    gaussianMixture(X, { clusters, seed: 0, restarts: 2, covariance: "tied", tolerance: 1e-4 }).labels,
};
const sums = new Map();
const index = JSON.parse(readFileSync(join(values.folder, "index.json"), "utf8"));
const chosen = index
  .filter((entry) => entry.class && (wanted.length === 0 || wanted.includes(entry.name)))
  .filter((_, i) => values.half === undefined || i % 2 === Number(values.half) - 1);
for (const entry of chosen) {
  const whole = await readColumns(join(values.folder, entry.file));
  const rows = drawnRows(whole, Number(values.rows));
  const table = takeTableRows(whole, rows);
  const truth = textsOf(table.columns.find(({ name }) => name === entry.class));
  const own = tableFeatures(table, { ignore: [entry.class] });
  const equal = tableFeatures(table, { ignore: [entry.class], weights: "equal" });
  const spaces = spacesOf(own.X, own.record).all.map(({ name, X }) => ({ name, X }));
  spaces.push({ name: "default", X: own.X }, { name: "default equal", X: equal.X });
  const said = [];
  const add = (space, method, run) => {
    let score = 0;
    try {
      score = adjustedRand(run(), truth);
    } catch (error) {
      said.push(`${space} ${method}: ${error.message}`);
    }
    const key = `${space}\t${method}`;
    sums.set(key, [...(sums.get(key) ?? []), score]);
    return score;
  };
  // A space that a table does not have counts with what stands for it.
  for (const name of ["numbers", "related", "factors"]) {
    const power = spaces.find((space) => space.name === "power");
    if (power && !spaces.some((space) => space.name === name)) spaces.push({ ...power, name });
  }
  const line = spaces.map(({ name, X }) => {
    const scores = Object.entries(METHODS).map(([method, run]) => add(name, method, () => run(X, entry.K)));
    return `${name} ${scores.map((score) => score.toFixed(2)).join(" ")}`;
  });
  const mixture = ({ X, record }) => {
    const { X: numbers, codes } = splitKinds(record, X);
    return mixedMixture(numbers, codes, { clusters: entry.K, space: X }).labels;
  };
  add("default", "mixture", () => mixture(own));
  add("default equal", "mixture", () => mixture(equal));
  if (values.each) console.log(`${entry.name.padEnd(16)} ${line.join(" | ")}`);
  for (const message of said) console.log(`  ! ${message}`);
}
const mean = (scores) => (scores.reduce((sum, x) => sum + x, 0) / scores.length).toFixed(3);
const methods = [...Object.keys(METHODS), "mixture"];
console.log(["space".padEnd(16), ...methods, "sets"].join("\t"));
for (const name of new Set([...sums.keys()].map((key) => key.split("\t")[0]))) {
  const own = methods.map((method) => sums.get(`${name}\t${method}`));
  console.log(
    [name.padEnd(16), ...own.map((scores) => (scores ? mean(scores) : "")), own[0].length].join("\t"),
  );
}
