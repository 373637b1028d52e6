// What a second thread is worth: k-means, a mixture, exact nearest neighbours and a forest on one thread and on two, in
// turns in one process, wall time (the least of the rounds) and the ratio. For a machine that has nothing else to do; CPU
// time beside it tells whether that was so. After `npm run build`.
//   node bench/threads.mjs [words] [--rounds 5] [--threads 2]
import { cpus, loadavg } from "node:os";
import { clouds, inTurns, settings } from "./measure.mjs";

const { rounds, threads, words } = settings({ rounds: 5, threads: 2 });
const load = (room) => import(`../dist/${room}index.js`);
const [{ random }, { kmeans, gaussianMixture }, { nearestRows, setThreads }, { randomForest }] =
  await Promise.all(["", "cluster/", "matrix/", "classify/"].map(load));

const CASES = {
  "k-means, 200000 x 20, K = 20": () => {
    const { X } = clouds(random, 200_000, 20, { clusters: 20 });
    return () => kmeans(X, { clusters: 20, restarts: 1, maxIterations: 20 });
  },
  "mixture, 100000 x 12, K = 8": () => {
    const { X } = clouds(random, 100_000, 12);
    return () => gaussianMixture(X, { clusters: 8, restarts: 1, maxIterations: 20, tolerance: 1e-12 });
  },
  "10 nearest of 20000 x 50": () => {
    const { X } = clouds(random, 20_000, 50, { clusters: 20 });
    return () => nearestRows(X, 10);
  },
  "forest, 20000 x 20, 100 trees": () => {
    const { X, y } = clouds(random, 20_000, 20, { clusters: 5 });
    return () => randomForest(X, y, { trees: 100 });
  },
};

console.log(
  `${cpus()[0].model}, ${cpus().length} cores, load ${loadavg()[0].toFixed(1)}; Node ${process.version}`,
);
for (const [name, prepare] of Object.entries(CASES)) {
  if (words.length > 0 && !words.some((word) => name.includes(word))) continue;
  const work = prepare();
  const on = (count) => () => {
    setThreads(count);
    return work();
  };
  const tasks = { one: on(1), more: on(threads) };
  await inTurns(1, tasks); // compiles
  const { one, more } = await inTurns(rounds, tasks);
  console.log(
    `${name.padEnd(30)} ${one.wall.toFixed(2)} s on one thread, ${more.wall.toFixed(2)} s on ${threads}: ` +
      `${(one.wall / more.wall).toFixed(2)} times as fast (CPU ${one.cpu.toFixed(2)} and ${more.cpu.toFixed(2)} s)`,
  );
}
process.exit();
