// How good the default of `kindred cluster` is: all labelled sets of the data folder with at most 3000 rows, the number
// of classes given, against k-means here and against the peers' scores in test/fixtures/default-peers.json.
//
//   npm run build && node bench/default-quality.mjs [name ...]
//
// Data: KINDRED_DATA, by default ../shared/datasets. Missing cells become the column's mean. Labels are looked at for
// the scores alone.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  adjustedRand,
  isSparse,
  kindredCluster,
  kmeans,
  listData,
  namedData,
  rand,
  scale,
  toDense,
} from "../dist/index.js";

const folder = process.env.KINDRED_DATA ?? "../shared/datasets";
if (!existsSync(folder)) {
  console.log(`${folder} is not there: nothing to measure`);
  process.exit(0);
}
const peers = JSON.parse(
  readFileSync(fileURLToPath(new URL("../test/fixtures/default-peers.json", import.meta.url)), "utf8"),
);
const METHODS = ["auto", "kmeans", ...peers.methods];
const wanted = process.argv.slice(2);
const entries = (await listData({ folder })).filter(
  ({ name, rows }) =>
    rows <= 3000 && peers.scores[name] !== undefined && (wanted.length === 0 || wanted.includes(name)),
);
console.log(
  `Rand / adjusted Rand\n${"set".padEnd(28)}${METHODS.map((method) => method.padStart(16)).join("")}`,
);
const rows = [];
for (const { name } of entries) {
  const table = await namedData(name, { folder, ...(peers.missing.includes(name) && { missing: "mean" }) });
  const X = isSparse(table.X) ? toDense(table.X) : table.X;
  const classes = table.label.values;
  const clusters = new Set(classes).size;
  const start = process.cpuUsage().user;
  const found = kindredCluster(X, { clusters, scale: "zscore" });
  const seconds = (process.cpuUsage().user - start) / 1e6;
  const Z = scale(X, "zscore").X;
  const score = (labels) => [
    rand(labels, classes, { unknown: "class" }),
    adjustedRand(labels, classes, { unknown: "class" }),
  ];
  const scores = [
    score(found.labels),
    score(kmeans(Z, { clusters, seed: 0 }).labels),
    ...peers.methods.map((method) => peers.scores[name][method]),
  ];
  rows.push({ name, scores });
  const { method, neighbors, round } = found.candidates[0];
  const chosen = [method, neighbors, round && `round ${round}`].filter(Boolean).join(" ");
  console.log(`${line(name, scores)}  ${found.form}: ${chosen}, ${seconds.toFixed(1)} s CPU`);
}
report(`mean of ${rows.length}`, rows);
const tuned = rows.filter(({ name }) => peers.tuning.includes(name));
report(`mean of ${tuned.length} rules chosen on`, tuned);
report(
  "mean of the others",
  rows.filter(({ name }) => !peers.tuning.includes(name)),
);

function report(title, part) {
  if (part.length === 0) return;
  const mean = (m, s) => part.reduce((sum, { scores }) => sum + scores[m][s], 0) / part.length;
  console.log(
    line(
      title,
      METHODS.map((_, m) => [mean(m, 0), mean(m, 1)]),
    ),
  );
}

function line(title, scores) {
  return `${title.padEnd(28)}${scores.map(([r, a]) => `${r.toFixed(3)} / ${a.toFixed(3)}`.padStart(16)).join("")}`;
}
