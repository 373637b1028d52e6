// L2 convex clustering against the recorded times of the peers.
//
//   npm run build && node bench/methods/convex-l2.mjs
//
// Needs the peers' folder (KINDRED_PEERS, by default ../shared/peers). A cold start is inside every run, the best of a
// few counts. `gap` is the largest relative duality gap of a run, `above` the largest excess over the recorded optima
// (negative: below them). The peers' seconds were taken where OpenBLAS multiplies two 1000 x 1000 matrices in 0.04 s;
// if OpenBLAS is at hand here (npm install koffi) they are scaled by its time on this machine, otherwise they are
// compared as they are. A ratio below 1 means that Kindred is faster than that peer.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { l2Path, solveL2 } from "../../dist/convex/index.js";
import { engines, fromRows, matrix, multiply, random, useEngine } from "../library.mjs";
import { shared } from "../shared.mjs";

const folder = shared("peers", "convex");
if (!existsSync(folder)) {
  console.log(`${folder} is not there: nothing to compare with`);
  process.exit(0);
}

const SINGLE = [
  ["gmm300", 10],
  ["moons1000", 3],
  ["moons1000", 1],
  ["gmm5000", 10],
  ["gmm5000", 1],
  ["gmm20000", 10],
];
const PATHS = ["gmm300", "moons1000", "gmm5000"];

const peers = rows("peer_table.csv").map(([method, problem, q, run, seconds, , excess]) => ({
  method,
  problem,
  q,
  run,
  seconds: Number(seconds),
  excess,
}));
const optima = new Map(
  rows("best_known.csv")
    .filter(([, q, , metric]) => q === "2" && metric === "identity")
    .map(([name, , gamma, , objective]) => [`${name} ${gamma}`, Number(objective)]),
);
const scale = machineScale();
const problems = new Map();

for (const tolerance of [1e-6, 1e-9]) {
  console.log(`\none gamma, tolerance ${tolerance}`);
  for (const [name, gamma] of SINGLE) {
    const problem = load(name);
    const { seconds, result } = best(name === "gmm20000" ? 2 : 4, () =>
      solveL2(problem, { gamma, tolerance }),
    );
    const { primal, relativeGap } = result.certificate;
    const above = primal / optima.get(`${name} ${gamma}`) - 1;
    line(`${name} gamma ${gamma}`, seconds, primal, relativeGap, above);
    if (tolerance === 1e-6) compare(name, `g=${gamma}`, seconds);
  }
  console.log(`\npath of 50 gammas, tolerance ${tolerance}`);
  for (const name of PATHS) {
    const problem = load(name);
    const gammas = rows(`${name}_gammas.csv`, false).map(([gamma]) => Number(gamma));
    const recorded = rows(`${name}_ref_q2_path.csv`).map(([, primal]) => Number(primal));
    const { seconds, result } = best(name === "gmm5000" ? 2 : 4, () =>
      l2Path(problem, gammas, { tolerance }),
    );
    const primals = result.map(({ certificate }) => certificate.primal);
    line(
      `${name} path`,
      seconds,
      primals.reduce((sum, value) => sum + value, 0),
      Math.max(...result.map(({ certificate }) => certificate.relativeGap)),
      Math.max(...primals.map((primal, p) => primal / recorded[p] - 1)),
    );
    if (tolerance === 1e-6) compare(name, "path50", seconds);
  }
}

function line(what, seconds, objective, gap, above) {
  console.log(
    `${what.padEnd(22)} ${seconds.toFixed(3).padStart(8)} s   objective ${objective.toFixed(5).padStart(14)}` +
      `   gap ${gap.toExponential(1)}   above ${above.toExponential(1)}`,
  );
}

function compare(name, run, seconds) {
  for (const peer of peers) {
    if (peer.problem !== name || peer.q !== "2" || peer.run !== run) continue;
    const ratio = seconds / (peer.seconds * scale);
    console.log(`    ${ratio.toFixed(2).padStart(8)} x ${peer.method.padEnd(28)} (${peer.excess} above)`);
  }
}

function best(times, work) {
  let seconds = Infinity;
  let result;
  for (let run = 0; run < times; run++) {
    const start = performance.now();
    result = work();
    seconds = Math.min(seconds, (performance.now() - start) / 1000);
  }
  return { seconds, result };
}

function load(name) {
  if (!problems.has(name)) {
    const edges = rows(`${name}_edges.csv.gz`, false);
    const X = fromRows(rows(`${name}_X.csv.gz`, false).map((row) => row.map(Number)));
    problems.set(name, {
      X,
      graph: {
        nodes: X.rows,
        from: Int32Array.from(edges, ([i]) => Number(i)),
        to: Int32Array.from(edges, ([, j]) => Number(j)),
        weights: Float64Array.from(edges, ([, , w]) => Number(w)),
      },
      norm: 2,
    });
  }
  return problems.get(name);
}

function rows(file, header = true) {
  const bytes = readFileSync(join(folder, file));
  const text = file.endsWith(".gz") ? gunzipSync(bytes).toString() : bytes.toString();
  const lines = text.trim().split("\n");
  return (header ? lines.slice(1) : lines).map((row) => row.split(","));
}

/** Seconds of a 1000 x 1000 product with OpenBLAS here, in units of the 0.04 s where the peers were measured. */
function machineScale() {
  const blas = engines().find(({ name }) => name === "openblas");
  if (!blas?.available) {
    console.log("OpenBLAS is not at hand: the peers' seconds are taken as recorded");
    return 1;
  }
  useEngine("openblas");
  const draw = random(1);
  const A = matrix(
    1000,
    1000,
    Float64Array.from({ length: 1e6 }, () => draw.normal()),
  );
  const { seconds } = best(5, () => multiply(A, A));
  useEngine("simd");
  console.log(
    `OpenBLAS: a 1000 x 1000 product in ${seconds.toFixed(4)} s; the peers' seconds are scaled to it`,
  );
  return seconds / 0.04;
}
