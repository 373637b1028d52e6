// Convex clustering of both norms against the recorded times of the peers.
//
//   npm run build && node bench/methods/convex.mjs
//
// Needs the peers' folder (KINDRED_PEERS, by default ../shared/peers). A cold start is inside every run, the best of a few
// counts. `gap` is the largest relative duality gap of a run, `above` the largest excess over the recorded optima (negative:
// below them). The peers' seconds are those of the machine they were recorded on. A ratio below 1 means that Kindred is faster.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { l2Path, solveL2 } from "../../dist/recipes/index.js";
import { fromRows, solveL1 } from "../library.mjs";
import { inTurns } from "../measure.mjs";
import { shared } from "../shared.mjs";

const folder = shared("peers", "convex");
if (!existsSync(folder)) {
  console.log(`${folder} is not there: nothing to compare with`);
  process.exit(0);
}

const PROBLEMS = [
  ["gmm300", 10],
  ["moons1000", 3],
  ["moons1000", 1],
  ["gmm5000", 10],
  ["gmm5000", 1],
  ["gmm20000", 10],
];
/** Problems with a full metric B, and the seconds of the C++ prototype; q = 1. */
const METRICS = [
  ["gmm300", 10, 0.07],
  ["gmm300", 1, 0.19],
  ["moons1000", 1, 0.8],
  ["gmm5000", 10, 26],
  ["gmm5000", 1, 29],
];
const PATHS = { 1: ["gmm300", "moons1000"], 2: ["gmm300", "moons1000", "gmm5000"] };
const SOLVERS = { 1: solveL1, 2: solveL2 };

const peers = rows("peer_table.csv")
  .slice(1)
  .map(([method, problem, q, run, seconds, , excess]) => ({ method, problem, q, run, seconds, excess }));
const optima = new Map(
  rows("best_known.csv").map(([name, q, gamma, metric, value]) => [`${name} ${q} ${gamma} ${metric}`, value]),
);

for (const norm of [1, 2]) {
  console.log(`\nq = ${norm}, one gamma`);
  for (const [name, gamma] of PROBLEMS) {
    const problem = load(name, norm);
    const run = await best(name === "gmm20000" ? 2 : 4, () => [SOLVERS[norm](problem, { gamma })]);
    line(`${name} gamma ${gamma}`, run, [optima.get(`${name} ${norm} ${gamma} identity`)]);
    compare(name, norm, `g=${gamma}`, run.seconds);
  }
  console.log(`\nq = ${norm}, a path`);
  for (const name of PATHS[norm]) {
    const problem = load(name, norm);
    const recorded = rows(`${name}_ref_q${norm}_path.csv`).slice(1);
    const gammas = recorded.map(([gamma]) => Number(gamma));
    const run = await best(name === "gmm5000" ? 2 : 4, () =>
      norm === 2 ? l2Path(problem, gammas) : pathOf(problem, gammas),
    );
    line(
      `${name}, ${gammas.length} gammas`,
      run,
      recorded.map(([, primal]) => primal),
    );
    compare(name, norm, "path50", run.seconds);
  }
}
console.log("\nq = 1, full B; the prototype's seconds");
for (const [name, gamma, seconds] of METRICS) {
  const metric = fromRows(rows(`${name}_B.csv`).map((cells) => cells.map(Number)));
  const run = await best(3, () => [solveL1({ ...load(name, 1), metric }, { gamma, tolerance: 1e-9 })]);
  line(`${name} gamma ${gamma}`, run, [optima.get(`${name} 1 ${gamma} ${name}_B.csv`)]);
  console.log(`    ${(run.seconds / seconds).toFixed(2).padStart(8)} x prototype`);
}

function pathOf(problem, gammas) {
  let start;
  return gammas.map((gamma) => (start = solveL1(problem, { gamma, start })));
}

function line(what, { seconds, result }, recorded) {
  const certificates = result.map(({ certificate }) => certificate);
  const gap = Math.max(...certificates.map(({ relativeGap }) => relativeGap));
  const above = Math.max(...certificates.map(({ primal }, p) => primal / Number(recorded[p]) - 1));
  console.log(
    `${what.padEnd(24)} ${seconds.toFixed(4).padStart(9)} s   gap ${gap.toExponential(1)}   above ${above.toExponential(1)}`,
  );
}

function compare(name, norm, run, seconds) {
  for (const peer of peers) {
    if (peer.problem !== name || peer.q !== String(norm) || peer.run !== run) continue;
    console.log(
      `    ${(seconds / Number(peer.seconds)).toFixed(2).padStart(8)} x ${peer.method} (${peer.excess} above)`,
    );
  }
}

async function best(times, work) {
  const { own } = await inTurns(times, { own: work });
  return { seconds: own.wall, result: own.result };
}

function load(name, norm) {
  const edges = rows(`${name}_edges.csv.gz`).map((cells) => cells.map(Number));
  const X = fromRows(rows(`${name}_X.csv.gz`).map((cells) => cells.map(Number)));
  const graph = {
    nodes: X.rows,
    from: Int32Array.from(edges, ([i]) => i),
    to: Int32Array.from(edges, ([, j]) => j),
    weights: Float64Array.from(edges, ([, , w]) => w),
  };
  return { X, graph, norm };
}

function rows(file) {
  const bytes = readFileSync(join(folder, file));
  const text = file.endsWith(".gz") ? gunzipSync(bytes).toString() : bytes.toString();
  return text
    .trim()
    .split("\n")
    .map((row) => row.split(","));
}
