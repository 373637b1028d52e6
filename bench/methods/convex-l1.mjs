// Exact L1 convex clustering against the recorded times of the peers.
//
//   npm run build && node bench/methods/convex-l1.mjs
//
// Needs the peers' folder (KINDRED_PEERS, by default ../shared/peers). Best of several runs, cold start inside each;
// `objective` minus the recorded optimum and the relative duality gap show what was solved. The peers' seconds were
// taken where OpenBLAS multiplies two 1000 x 1000 matrices in 0.04 s; if OpenBLAS is at hand here (npm install koffi),
// they are scaled by its time on this machine, otherwise they are compared as they are.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import {
  engines,
  fromRows,
  matrix,
  multiply,
  random,
  setThreads,
  solveL1,
  threads,
  useEngine,
} from "../library.mjs";
import { shared } from "../shared.mjs";

const folder = shared("peers", "convex");
if (!existsSync(folder)) {
  console.log(`${folder} is not there: nothing to compare with`);
  process.exit(0);
}

/** Seconds of the best peer that solves the same problem (peer_table.csv), or of the C++ prototype where none does. */
const SINGLE = [
  ["gmm300", 10, "cut-pursuit", 0.007],
  ["moons1000", 3, "cut-pursuit", 0.039],
  ["moons1000", 1, "cut-pursuit", 0.053],
  ["gmm5000", 10, "cut-pursuit", 0.779],
  ["gmm5000", 1, "cut-pursuit", 1.171],
  ["gmm20000", 10, "cut-pursuit", 5.226],
];
const PATH = [
  ["gmm300", "prototype", 0.2935],
  ["moons1000", "prototype", 1.9156],
];
const METRIC = [
  ["gmm300", 10, "prototype", 0.07],
  ["gmm300", 1, "prototype", 0.19],
  ["moons1000", 1, "prototype", 0.8],
  ["gmm5000", 10, "prototype", 26],
  ["gmm5000", 1, "prototype", 29],
];

const scale = machineScale();
const optima = new Map(
  readText("best_known.csv")
    .trim()
    .split("\n")
    .map((line) => line.split(","))
    .map(([name, q, gamma, metric, objective]) => [`${name} ${q} ${gamma} ${metric}`, Number(objective)]),
);

for (const count of new Set([1, threads()])) {
  setThreads(count);
  console.log(`\n${count} thread${count > 1 ? "s" : ""}, seconds`);
  for (const [name, gamma, peer, seconds] of SINGLE) {
    const problem = load(name);
    const { best, result } = time(() => solveL1(problem, { gamma }), 5);
    row(`${name} gamma ${gamma}`, best, peer, seconds, result, optima.get(`${name} 1 ${gamma} identity`));
  }
  for (const [name, peer, seconds] of PATH) {
    const problem = load(name);
    const reference = table(`${name}_ref_q1_path.csv`).slice(1);
    const { best, result } = time(() => {
      let start;
      return reference.map(([gamma]) => (start = solveL1(problem, { gamma, start })));
    }, 5);
    const worst = result.reduce((a, b) => (a.certificate.relativeGap > b.certificate.relativeGap ? a : b));
    row(`${name} path of ${result.length}`, best, peer, seconds, worst, reference[result.indexOf(worst)][1]);
  }
  for (const [name, gamma, peer, seconds] of METRIC) {
    const problem = { ...load(name), metric: fromRows(table(`${name}_B.csv`)) };
    const { best, result } = time(() => solveL1(problem, { gamma, tolerance: 1e-9 }), 3);
    row(
      `${name} full B, gamma ${gamma}`,
      best,
      peer,
      seconds,
      result,
      optima.get(`${name} 1 ${gamma} ${name}_B.csv`),
    );
  }
}

function row(problem, seconds, peer, recorded, { certificate }, optimum) {
  const ratio = seconds / (recorded * scale);
  const above = certificate.primal / optimum - 1;
  console.log(
    `  ${problem.padEnd(26)} ${seconds.toFixed(4).padStart(8)}   ${ratio.toFixed(2).padStart(5)} x ${peer} ` +
      `(${(recorded * scale).toFixed(3)})   objective ${certificate.primal.toFixed(6)} (${above.toExponential(0)} above), ` +
      `gap ${certificate.relativeGap.toExponential(0)}`,
  );
}

function time(work, repetitions) {
  let best = Infinity;
  let result;
  for (let run = 0; run < repetitions; run++) {
    const before = performance.now();
    result = work();
    best = Math.min(best, (performance.now() - before) / 1000);
  }
  return { best, result };
}

function machineScale() {
  const openblas = engines().find(({ name }) => name === "openblas");
  if (!openblas.available) {
    console.log(`the peers' times are not scaled to this machine: ${openblas.detail}`);
    return 1;
  }
  const draw = random(1);
  const A = matrix(
    1000,
    1000,
    Float64Array.from({ length: 1e6 }, () => draw.normal()),
  );
  useEngine("openblas");
  const { best } = time(() => multiply(A, A), 5);
  useEngine("simd");
  console.log(
    `1000 x 1000 product: ${best.toFixed(4)} s, the peers' times are multiplied by ${(best / 0.04).toFixed(2)}`,
  );
  return best / 0.04;
}

function load(name) {
  const X = fromRows(table(`${name}_X.csv.gz`));
  const edges = table(`${name}_edges.csv.gz`);
  return {
    X,
    graph: {
      nodes: X.rows,
      from: Int32Array.from(edges, (edge) => edge[0]),
      to: Int32Array.from(edges, (edge) => edge[1]),
      weights: Float64Array.from(edges, (edge) => edge[2]),
    },
    norm: 1,
  };
}

function table(file) {
  return readText(file)
    .trim()
    .split("\n")
    .map((line) => line.split(",").map(Number));
}

function readText(file) {
  const bytes = readFileSync(join(folder, file));
  return (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
}
