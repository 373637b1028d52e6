// What a second thread is worth: k-means, a mixture, exact nearest neighbours and a forest on one thread and on two, in
// turns in one process, wall time (the least of the rounds) and the ratio. For a machine that has nothing else to do; CPU
// time beside it tells whether that was so. After `npm run build`.
//   node bench/threads.mjs [words] [--rounds 5] [--threads 2]
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "5" }, threads: { type: "string", default: "2" } },
});
const load = (room) => import(`../dist/${room}index.js`);
const [{ random }, { kmeans, gaussianMixture }, { nearestRows, setThreads }, { randomForest }] =
  await Promise.all(["", "cluster/", "matrix/", "classify/"].map(load));

/** Groups about random centres. */
function clouds(rows, cols, groups) {
  const { normal, uniform } = random(1);
  const centers = Array.from({ length: groups * cols }, () => 8 * uniform());
  const X = { rows, cols, data: new Float64Array(rows * cols) };
  const y = new Int32Array(rows);
  for (let i = 0; i < rows; i++) {
    y[i] = i % groups;
    for (let f = 0; f < cols; f++) X.data[i * cols + f] = centers[y[i] * cols + f] + 2 * normal();
  }
  return { X, y };
}

const CASES = {
  "k-means, 200000 x 20, K = 20": () => {
    const { X } = clouds(200_000, 20, 20);
    return () => kmeans(X, { clusters: 20, restarts: 1, maxIterations: 20 });
  },
  "mixture, 100000 x 12, K = 8": () => {
    const { X } = clouds(100_000, 12, 8);
    return () => gaussianMixture(X, { clusters: 8, restarts: 1, maxIterations: 20, tolerance: 1e-12 });
  },
  "10 nearest of 20000 x 50": () => {
    const { X } = clouds(20_000, 50, 20);
    return () => nearestRows(X, 10);
  },
  "forest, 20000 x 20, 100 trees": () => {
    const { X, y } = clouds(20_000, 20, 5);
    return () => randomForest(X, y, { trees: 100 });
  },
};

console.log(
  `${cpus()[0].model}, ${cpus().length} cores, load ${loadavg()[0].toFixed(1)}; Node ${process.version}`,
);
for (const [name, prepare] of Object.entries(CASES)) {
  if (positionals.length > 0 && !positionals.some((word) => name.includes(word))) continue;
  const work = prepare();
  const least = { wall: [Infinity, Infinity], cpu: [Infinity, Infinity] };
  const counts = [1, Number(values.threads)];
  for (let round = 0; round <= Number(values.rounds); round++) {
    counts.forEach((count, t) => {
      setThreads(count);
      const [begun, before] = [performance.now(), process.cpuUsage()];
      work();
      const wall = (performance.now() - begun) / 1000;
      const { user, system } = process.cpuUsage(before);
      // The first round compiles.
      if (round === 0) return;
      least.wall[t] = Math.min(least.wall[t], wall);
      least.cpu[t] = Math.min(least.cpu[t], (user + system) / 1e6);
    });
  }
  const [one, more] = least.wall.map((seconds) => seconds.toFixed(2));
  const ratio = least.wall[0] / least.wall[1];
  const cpu = least.cpu.map((seconds) => seconds.toFixed(2));
  console.log(
    `${name.padEnd(30)} ${one} s on one thread, ${more} s on ${counts[1]}: ${ratio.toFixed(2)} times as fast ` +
      `(CPU ${cpu[0]} and ${cpu[1]} s)`,
  );
}
process.exit();
