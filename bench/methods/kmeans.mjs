// k-means against ml-kmeans, and its ways of assigning rows against each other.
//
//   npm run build && node bench/methods/kmeans.mjs
//
// The first part needs the peers' data folder (KINDRED_PEERS, by default ../shared/peers). CPU milliseconds of all
// threads and wall milliseconds, the best of several repetitions that take turns.
import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { kmeans as mlKmeans } from "ml-kmeans";
import { sources } from "../sources.mjs";
import { shared } from "../shared.mjs";

const { fullAssigner, kmeans, lloyd, matrix, random, setThreads, takeRows, toRows, withPoints } =
  await sources("cluster/kmeans/assigner.ts", "cluster/kmeans/lloyd.ts", "cluster/kmeans/withPoints.ts");

const file = shared("peers", "metric/data/blobs10k.csv.gz");
if (existsSync(file)) compareWithPeer(readFeatures());
else console.log(`${file} is not there: no comparison with ml-kmeans`);
compareAssigners();

function compareWithPeer(X) {
  const initialCenters = takeRows(X, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  const rows = toRows(X);
  const initialization = toRows(initialCenters);
  const runs = {
    "ml-kmeans 7.0.1": () => {
      const { centroids, clusters, iterations } = mlKmeans(rows, 10, { initialization, tolerance: 0 });
      let objective = 0;
      rows.forEach((x, i) => x.forEach((v, j) => (objective += (v - centroids[clusters[i]][j]) ** 2)));
      return { objective, iterations };
    },
    kindred: () => kmeans(X, { initialCenters }),
  };
  console.log("blobs10k (10000 x 50), 10 clusters from rows 0 to 9, until no row moves");
  const times = race(runs, 7);
  const base = times["ml-kmeans 7.0.1"];
  for (const [name, { cpu, wall, result }] of Object.entries(times)) {
    console.log(
      `  ${name.padEnd(22)} ${cpu.toFixed(0).padStart(5)} ms CPU (${(base.cpu / cpu).toFixed(1)} x), ` +
        `${wall.toFixed(0).padStart(5)} ms wall (${(base.wall / wall).toFixed(1)} x), ` +
        `inertia ${result.objective.toFixed(2)}, ${result.iterations} iterations`,
    );
  }
  const restarts = race({ restarts: () => kmeans(X, { clusters: 10, seed: 0 }) }, 3).restarts;
  console.log(
    `  10 restarts            ${restarts.cpu.toFixed(0).padStart(5)} ms CPU, ${restarts.wall.toFixed(0)} ms wall, ` +
      `inertia ${restarts.result.objective.toFixed(2)}\n`,
  );
}

function compareAssigners() {
  console.log(
    "assignment with bounds against comparing all rows with all centres, CPU ms (1 thread, 40 iterations)",
  );
  setThreads(1);
  for (const [n, d, K, spread] of [
    [40000, 2, 5, 3],
    [40000, 4, 40, 1],
    [20000, 20, 20, 1],
    [20000, 50, 10, 0.5],
    [10000, 50, 100, 0.5],
    [5000, 100, 200, 0.5],
  ]) {
    const X = clouds(n, d, K, spread);
    const initial = takeRows(
      X,
      Int32Array.from({ length: K }, (_, k) => (7 * k) % n),
    ).data;
    const options = { maxIterations: 40, tolerance: 0, report: () => true };
    const run = (assigner) => () =>
      withPoints(X, (points) => lloyd(points, undefined, initial, assigner(points), options));
    const { full, bounds } = race(
      { full: run((points) => fullAssigner(points, K)), bounds: run((points) => points.assigner(K)) },
      3,
    );
    console.log(
      `  n ${n}, d ${d}, K ${K}: ${bounds.cpu.toFixed(0)} against ${full.cpu.toFixed(0)} ` +
        `(${(full.cpu / bounds.cpu).toFixed(1)} x), ${bounds.result.history.length} iterations`,
    );
  }
}

function race(runs, rounds) {
  const best = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(runs)) {
      const cpuBefore = process.cpuUsage();
      const before = performance.now();
      const result = run();
      const wall = performance.now() - before;
      const { user, system } = process.cpuUsage(cpuBefore);
      const cpu = (user + system) / 1000;
      const known = best[name];
      best[name] = {
        cpu: Math.min(cpu, known?.cpu ?? cpu),
        wall: Math.min(wall, known?.wall ?? wall),
        result,
      };
    }
  }
  return best;
}

function clouds(n, d, K, spread) {
  const { normal } = random(1);
  const centers = Float64Array.from({ length: K * d }, () => spread * normal());
  const X = matrix(n, d);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < d; j++) X.data[i * d + j] = centers[(i % K) * d + j] + normal();
  }
  return X;
}

function readFeatures() {
  const lines = gunzipSync(readFileSync(file)).toString().trim().split("\n");
  const rows = lines.map((line) => line.split(",").slice(0, -1).map(Number));
  return matrix(rows.length, rows[0].length, Float64Array.from(rows.flat()));
}
