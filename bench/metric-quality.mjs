// Learned metrics on the protocol of the peers' figures: fit on the training rows (pair learners on the given pairs only),
// then k-means (10 restarts) adjusted Rand and 3-NN accuracy on the test rows, mean over the splits, beside the best
// figure recorded for a peer. Data: KINDRED_PEERS (default ../shared/peers).
//   node bench/metric-quality.mjs [method ...] [--sets iris,wine]
import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import * as kindred from "./library.mjs";
import { timed } from "./measure.mjs";
import { shared } from "./shared.mjs";

const metrics = await import("../dist/metric/index.js");
const folder = shared("peers", "metric/data");
if (!existsSync(folder)) {
  console.log(`${folder} is not there: set KINDRED_PEERS to the folder of the peers' problems`);
  process.exit(0);
}
const listed = process.argv.indexOf("--sets");
const sets = listed > 0 ? process.argv[listed + 1].split(",") : ["iris", "wine", "cancer", "law", "big"];
const chosen = process.argv.slice(2, listed > 0 ? listed : undefined);

// Adjusted Rand and 3-NN of the best peer for each method, on iris, wine, cancer, law and big; "-" where none was run.
const PEERS = Object.fromEntries(
  `
  euclid       0.648 0.955 | 0.89 0.953 | 0.615 0.959 | 0.16 0.998 | 0 0.45
  lda          0.9 0.952 | 0.96 0.98 | 0.783 0.955 | 0.983 0.998 | 0.897 0.955
  rca          0.907 0.971 | 0.669 0.964 | -0.001 0.897 | 0.983 0.998 | 0.658 0.951
  rcaLabels    0.885 0.971 | 0.952 0.969 | 0 0.9 | 0.983 0.998 | 0.662 0.954
  kissme       0.944 0.96 | 0.925 0.978 | 0.422 0.926 | 0.981 0.998 | 0.838 0.939
  mlca         0.702 0.939 | 0.947 0.978 | 0.783 0.955 | 0.979 0.998 | 0.894 0.955
  lfda         0.96 0.968 | 0.898 0.966 | 0.605 0.951 | 0.153 0.997 | 0.837 0.96
  scml         0.871 0.952 | 0.894 0.975 | 0.693 0.964 | 0.16 0.998 | 0.819 0.95
  nca          0.829 0.933 | 0.893 0.971 | 0.685 0.959 | 0.16 0.999 | 0.149 0.806
  lmnn         0.877 0.955 | 0.926 0.973 | 0.725 0.955 | 0.16 0.999 | 0.894 0.938
  itml         0.9 0.963 | 0.961 0.978 | 0.806 0.954 | 0.985 0.998 | 0.854 0.96
  itmlSquared  0.929 0.965 | 0.953 0.975 | 0.807 0.963 | 0.965 0.998 | 0.819 0.939
  mmc          0.944 0.976 | 0.758 0.928 | 0.615 0.959 | 0.985 0.998 | 0.643 0.886
  mmcDiagonal  0.878 0.965 | 0.896 0.975 | 0.679 0.961 | 0.468 0.942 | -
  sdml         0.656 0.955 | 0.89 0.962 | 0.676 0.963 | - | -
`
    .trim()
    .split("\n")
    .map((line) => {
      const [, method, cells] = /^\s*(\w+)\s+(.*)$/.exec(line);
      const figures = cells
        .split(" | ")
        .map((cell) => (cell === "-" ? undefined : cell.split(" ").map(Number)));
      return [
        method,
        Object.fromEntries(["iris", "wine", "cancer", "law", "big"].map((set, s) => [set, figures[s]])),
      ];
    }),
);

// How each method is called on one split.
const FITS = {
  euclid: () => undefined,
  lda: (s) => metrics.lda(s.X, s.labels),
  rca: (s) => metrics.rca(s.X, s.chunks),
  rcaLabels: (s) => metrics.rca(s.X, s.labels),
  kissme: (s) => metrics.kissme(s.X, s.pairs),
  mlca: (s) => metrics.mlca(s.X, s.labels),
  lfda: (s) => metrics.lfda(s.X, s.labels),
  scml: (s) => metrics.scml(s.X, s.labels),
  nca: (s) => metrics.nca(s.X, s.labels),
  lmnn: (s) => metrics.lmnn(s.X, s.labels),
  // Targets chosen again under the first metric: on `big`, where noise hides them, this is what LMNN is for.
  lmnnPasses: (s) => metrics.lmnn(s.X, s.labels, { passes: 2 }),
  itml: (s) => metrics.itml(s.X, s.pairs),
  itmlSquared: (s) => metrics.itml(s.X, { ...s.pairs, bounds: "squared" }),
  mmc: (s) => metrics.mmc(s.X, s.pairs),
  mmcDiagonal: (s) => metrics.mmc(s.X, { ...s.pairs, diagonal: true }),
  sdml: (s) => metrics.sdml(s.X, s.pairs),
  dca: (s) => metrics.dca(s.X, s.chunks, s.pairs.cannotLink),
  xqda: (s) => metrics.xqda(s.X, s.labels),
  pcca: (s) => metrics.pcca(s.X, s.pairs),
  lrml: (s) => metrics.lrml(s.X, s.pairs),
  lajugie: (s) => metrics.lajugie(s.X, s.labels),
};

// The peers' figures of these on `big` are of a metric learned on 2000 training rows (3-NN among all of them).
const FEW = new Set(["nca", "lmnn", "lmnnPasses"]);

for (const method of chosen.length > 0 ? chosen : Object.keys(FITS)) {
  if (method !== "euclid" && metrics[method.replace(/Labels|Squared|Diagonal|Passes/, "")] === undefined)
    continue;
  const cells = [];
  for (const set of sets) {
    const { rows, labels, splits } = load(set);
    const used = set === "law" ? splits.slice(0, 3) : splits;
    let ari = 0;
    let neighbors = 0;
    let seconds = 0;
    for (const split of used) {
      const s = prepare(set, rows, labels, split);
      const fitted = FEW.has(method) && set === "big" ? firstRows(s, 2000) : s;
      const { result: metric, cpu } = timed(() => FITS[method](fitted));
      seconds += cpu / used.length;
      const [train, test] = metric ? [metric.transform(s.X), metric.transform(s.test)] : [s.X, s.test];
      const classes = new Set(s.testLabels).size;
      const partition = kindred.kmeans(test, { clusters: classes, restarts: 10, seed: 1 }).labels;
      ari += kindred.adjustedRand(partition, s.testLabels) / used.length;
      neighbors += threeNearest(train, s.labels, test, s.testLabels) / used.length;
    }
    const [peerAri, peerNeighbors] = PEERS[method.replace("Passes", "")]?.[set] ?? [Number.NaN, Number.NaN];
    const short = ari < peerAri - 0.01 || neighbors < peerNeighbors - 0.01 ? " <" : "";
    cells.push(
      `${set} ${seconds.toFixed(3)} s  ${ari.toFixed(3)} (${peerAri.toFixed(3)})  ${neighbors.toFixed(3)} (${peerNeighbors.toFixed(3)})${short}`,
    );
  }
  console.log(`${method}\n  ${cells.join("\n  ")}`);
}

function firstRows(s, count) {
  const first = Array.from({ length: count }, (_, i) => i);
  return { ...s, X: kindred.takeRows(s.X, first), labels: s.labels.slice(0, count) };
}

function load(set) {
  const text = gunzipSync(readFileSync(`${folder}/${set}.csv.gz`))
    .toString()
    .trim()
    .split("\n");
  const cells = text.map((line) => line.split(",").map(Number));
  const splits = JSON.parse(gunzipSync(readFileSync(`${folder}/${set}.splits.json.gz`)));
  return { rows: cells.map((row) => row.slice(0, -1)), labels: cells.map((row) => row.at(-1)), splits };
}

function prepare(set, rows, labels, split) {
  const pick = (indices) => indices.map((i) => rows[i]);
  let train = pick(split.train);
  let test = pick(split.test);
  if (set !== "law" && set !== "big") {
    const mean = train[0].map((_, f) => train.reduce((sum, row) => sum + row[f], 0) / train.length);
    const sd = mean.map(
      (m, f) => Math.sqrt(train.reduce((sum, row) => sum + (row[f] - m) ** 2, 0) / train.length) || 1,
    );
    const scale = (data) => data.map((row) => row.map((value, f) => (value - mean[f]) / sd[f]));
    train = scale(train);
    test = scale(test);
  }
  const at = new Map(split.train.map((i, position) => [i, position]));
  const local = (pairs) => pairs.map(([i, j]) => [at.get(i), at.get(j)]);
  const chunks = Array.from({ length: split.train.length }, () => -1);
  split.chunks.forEach((chunk, position) => {
    if (Array.isArray(chunk)) for (const i of chunk) chunks[at.get(i)] = position;
    else chunks[position] = chunk;
  });
  return {
    X: kindred.fromRows(train),
    labels: split.train.map((i) => labels[i]),
    pairs: { mustLink: local(split.pos), cannotLink: local(split.neg) },
    chunks,
    test: kindred.fromRows(test),
    testLabels: split.test.map((i) => labels[i]),
  };
}

function threeNearest(train, trainLabels, test, testLabels) {
  const { indices } = kindred.nearestRows(train, 3, { queries: test });
  const winner = (i) => {
    const near = Array.from(indices.subarray(3 * i, 3 * i + 3), (r) => trainLabels[r]).sort((a, b) => a - b);
    return near.find((label, r) => label === near[r + 1]) ?? near[0];
  };
  return testLabels.filter((label, i) => label === winner(i)).length / test.rows;
}
