// Starts of k-means over rows that are drawn, not held: k-means on a uniform sample, the k-means|| of the text (five rounds
// from the mean, l = 2 K, candidates weighed by the rows nearest to them) and the start that kmeansStream has. Objective
// before and after Lloyd's steps, relative to the best of all runs, and distances per row and centre for the start.
//   node bench/methods/kmeans-start.mjs [data sets folder]
import { sources } from "../sources.mjs";
import { shared } from "../shared.mjs";

const {
  drawRows,
  isSparse,
  kmeans,
  kmeansParallelStart,
  matrix,
  namedData,
  nearestRows,
  random,
  sampleRows,
  takeRows,
  toDense,
} = await sources("scale/passes/kmeansParallelStart.ts", "scale/sampleRows.ts");

const folder = process.argv[2] ?? shared("datasets");
const total = (values) => values.reduce((sum, value) => sum + value, 0);
const squares = (X, C) => nearestRows(C, 1, { queries: X }).distances;

function bySample(X, K, size, seed) {
  const rows = Array.from(random(seed).sample(size, X.rows));
  return { centers: kmeans(takeRows(X, rows), { clusters: K, seed }).centers, distances: 0 };
}

function byText(X, K, size, seed) {
  const { uniform } = random(seed);
  const mean = matrix(1, X.cols);
  X.data.forEach((value, p) => (mean.data[p % X.cols] += value / X.rows));
  let D = squares(X, mean);
  const drawn = [];
  let distances = 1 / K;
  for (let round = 0; round < 5; round++) {
    const phi = total(D);
    for (let i = 0; i < X.rows; i++) if (uniform() < (2 * K * D[i]) / phi) drawn.push(i);
    D = squares(X, takeRows(X, drawn));
    distances += drawn.length / K; // without a place for the distances so far, of which an engine has none
  }
  const weights = new Float64Array(drawn.length);
  for (const k of nearestRows(takeRows(X, drawn), 1, { queries: X }).indices) weights[k]++;
  return { centers: kmeans(takeRows(X, drawn), { clusters: K, seed, weights }).centers, distances };
}

async function byDraws(X, K, size, seed) {
  const pass = () => [{ X, source: "memory", names: [], first: 0 }];
  let distances = 0;
  const source = {
    async sample(count) {
      const { X: rows } = await sampleRows(pass(), count, seed, () => true);
      return { X: rows, rows: X.rows, share: rows.rows / X.rows };
    },
    draw(centers, threshold, limit, round) {
      distances++;
      return drawRows(pass(), { centers, threshold, limit, seed: seed + round }, () => true);
    },
  };
  const options = { name: "bench", clusters: K, seed, sample: size, restarts: 10 };
  return { centers: (await kmeansParallelStart(source, options)).centers, distances };
}

/** `small` clusters of `count` rows, far from the others. */
function withRare(rows, d, large, small, count, far) {
  const { normal, integer } = random(1);
  const centers = Array.from({ length: large + small }, (_, k) =>
    Array.from({ length: d }, () => normal() * (k < large ? 3 : far)),
  );
  const X = matrix(rows, d);
  for (let i = 0; i < rows; i++) {
    const k = i < small * count ? large + Math.floor(i / count) : integer(large);
    for (let f = 0; f < d; f++) X.data[i * d + f] = centers[k][f] + normal();
  }
  return X;
}

const sets = [];
for (const name of ["usps", "20news-w100", "w6a", "segment", "mfeat"]) {
  const { X } = await namedData(name, { folder });
  for (const K of [10, 50]) sets.push([name, isSparse(X) ? toDense(X) : X, K]);
}
sets.push(["5 clusters of 10, far", withRare(200_000, 5, 15, 5, 10, 60), 20]);
sets.push(["5 clusters of 40", withRare(200_000, 5, 15, 5, 40, 12), 20]);
sets.push(["none rare", withRare(200_000, 5, 20, 0, 0, 0), 20]);

console.log("data,rows,K,sample,start,objective before,after,steps,distances");
for (const [name, X, K] of sets) {
  const size = Math.min(5000, Math.max(10 * K, Math.round(X.rows / 10)));
  const runs = [];
  for (const [start, make] of Object.entries({ sample: bySample, "k-means||": byText, draws: byDraws })) {
    for (const seed of [1, 2, 3]) {
      const { centers, distances } = await make(X, K, size, seed);
      const end = kmeans(X, { initialCenters: centers, tolerance: 1e-4, maxIterations: 100 });
      runs.push({
        start,
        before: total(squares(X, centers)),
        after: end.objective,
        steps: end.iterations,
        distances,
      });
    }
  }
  const best = Math.min(...runs.map(({ after }) => after));
  for (const start of ["sample", "k-means||", "draws"]) {
    const own = runs.filter((run) => run.start === start);
    const mean = (of) => total(own.map(of)) / own.length;
    const figures = [mean((r) => r.before / best), mean((r) => r.after / best)].map((v) => v.toFixed(4));
    const counts = [mean((r) => r.steps), mean((r) => r.distances)].map((v) => v.toFixed(1));
    console.log([name, X.rows, K, size, start, ...figures, ...counts].join(","));
  }
}
