// Methods by the names of their peers, beside these peers: one command, one table.
//
//   npm run build && KINDRED_PYTHON=/path/to/python node bench/counterparts.mjs [words]
//
// 20 sets of at most 300 rows: 12 of the battery in KINDRED_SHARED and 8 that are drawn. `words` keep the methods whose name
// has one of them. "same" counts the sets on which the partitions have an adjusted Rand index of .99 or more, or our objective
// is not worse by more than a thousandth of it. Rscript, if it is there, adds cluster and mclust.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { sources } from "./sources.mjs";

const kindred = await sources("cluster/internal.ts");
const { adjustedRand, matrix, random, squaredDistances, takeRows, withinSumOfSquares } = kindred;
const words = process.argv.slice(2);
const SHARED = process.env.KINDRED_SHARED ?? "../shared";
const BATTERY =
  "fcps-lsun fcps-tetra graves-ring graves-dense sipu-a1 sipu-aggregation sipu-r15 sipu-spiral sipu-compound wut-z2 wut-mk3 uci-glass".split(
    " ",
  );
const ROWS = 300;

/** Rows in one scale, some of many. */
function prepared(name, rows, K, seed) {
  const stream = random(seed);
  const all = matrix(rows.length, rows[0].length, Float64Array.from(rows.flat()));
  const X = rows.length <= ROWS ? all : takeRows(all, stream.sample(ROWS, rows.length).sort());
  const d = X.cols;
  for (let f = 0; f < d; f++) {
    const column = Array.from({ length: X.rows }, (_, i) => X.data[i * d + f]);
    const mean = column.reduce((a, b) => a + b) / X.rows;
    const spread = Math.sqrt(column.reduce((sum, value) => sum + (value - mean) ** 2, 0) / X.rows) || 1;
    for (let i = 0; i < X.rows; i++) X.data[i * d + f] = (column[i] - mean) / spread;
  }
  // Levels: the columns and two sums of them in thirds.
  const levels = Array.from({ length: d + 2 }, (_, v) => {
    const values = Float64Array.from({ length: X.rows }, (__, i) =>
      v < d
        ? X.data[i * d + v]
        : X.data[i * d] + (v === d ? 1 : -1) * X.data[i * d + d - 1] + stream.normal() / 4,
    );
    const sorted = values.toSorted();
    const cuts = [1, 2, 3].map((q) => sorted[Math.floor((q * X.rows) / 4)]);
    return Int32Array.from(values, (value) => cuts.filter((cut) => value > cut).length);
  });
  const codes = matrix(
    X.rows,
    d + 2,
    Float64Array.from({ length: X.rows * (d + 2) }, (_, p) => levels[p % (d + 2)][Math.floor(p / (d + 2))]),
  );
  const epsilon = kindred.dbscan(X, { minSamples: 5 }).epsilon;
  const { graph } = kindred.neighborGraph(X, { neighbors: 10, kind: "union" });
  const votes = Array.from(
    { length: 40 },
    (_, v) => kindred.kmeans(X, { clusters: K + (v % 9), restarts: 1, seed: v }).labels,
  );
  return { name, X, K, codes, epsilon, graph, gamma: 0.5, votes };
}

function sets() {
  const made = [];
  for (const name of BATTERY) {
    let text;
    try {
      text = gunzipSync(readFileSync(join(SHARED, "battery", `${name}.csv.gz`))).toString();
    } catch {
      console.log(`${name} is not in ${SHARED}/battery, so it is left out (KINDRED_SHARED names the folder)`);
      continue;
    }
    const [head, ...lines] = text.trim().split("\n");
    const names = head.split(",");
    const cells = lines.map((line) => line.split(","));
    const columns = names.flatMap((column, c) => (column.startsWith("reference") ? [] : [c]));
    const reference = names.findIndex((column) => column.startsWith("reference"));
    const K = Math.max(...cells.map((line) => Number(line[reference])));
    made.push(
      prepared(
        name,
        cells.map((line) => columns.map((c) => Number(line[c]))),
        K,
        made.length,
      ),
    );
  }
  for (let seed = 0; seed < 8; seed++) {
    const { normal } = random(100 + seed);
    const [K, d, apart] = [2 + (seed % 4), 2 + (seed % 3), 3 + (seed % 3)];
    const means = Array.from({ length: K }, () => Array.from({ length: d }, () => apart * normal()));
    const widths = Array.from({ length: K }, () => Array.from({ length: d }, () => 0.5 + Math.abs(normal())));
    const rows = Array.from({ length: 300 }, (_, i) =>
      means[i % K].map((mean, f) => mean + widths[i % K][f] * normal()),
    );
    made.push(prepared(`drawn-${seed}`, rows, K, 50 + seed));
  }
  return made;
}

const distancesOf = (X) => {
  const D = squaredDistances(X);
  for (let p = 0; p < D.data.length; p++) D.data[p] = Math.sqrt(Math.max(0, D.data[p]));
  for (let i = 0; i < D.rows; i++) {
    D.data[i * D.cols + i] = 0;
    for (let j = 0; j < i; j++) D.data[j * D.cols + i] = D.data[i * D.cols + j];
  }
  return D;
};
const within = (set, labels) => withinSumOfSquares(set.X, labels);
/** -1 is a cluster of its own for the comparison: noise must agree, too. */
const noiseToo = (labels) => labels.map((label) => (label < 0 ? 1e6 : label));

/** Ours by method: labels, and an objective if equal objectives count. */
const METHODS = {
  dbscan: { peer: "scikit-learn", ours: ({ X, epsilon }) => kindred.dbscan(X, { epsilon, minSamples: 5 }) },
  "dbscan precomputed": {
    peer: "scikit-learn",
    ours: ({ X, epsilon }) =>
      kindred.dbscan(distancesOf(X), { epsilon, minSamples: 5, metric: "precomputed" }),
  },
  optics: { peer: "scikit-learn", ours: ({ X }) => kindred.optics(X) },
  "hdbscan precomputed": {
    peer: "hdbscan",
    ours: ({ X }) =>
      kindred.hdbscan(distancesOf(X), { minClusterSize: 10, minSamples: 5, metric: "precomputed" }),
  },
  "average precomputed": {
    peer: "scikit-learn",
    ours: ({ X, K }) =>
      kindred.agglomerative(distancesOf(X), { clusters: K, linkage: "average", metric: "precomputed" }),
  },
  consensus: { peer: "scipy", ours: ({ votes, K }) => kindred.consensusOf(votes, { clusters: K }) },
  genie: { peer: "genieclust", ours: ({ X, K }) => kindred.genie(X, { clusters: K }) },
  "affinity-propagation": {
    peer: "scikit-learn",
    ours: ({ X }) => kindred.affinityPropagation(X, { damping: 0.7, maxIterations: 2000, patience: 30 }),
  },
  "bisecting-kmeans": {
    peer: "scikit-learn",
    ours: ({ X, K }) => kindred.divisive(X, { clusters: K, split: "kmeans" }),
    objective: within,
  },
  "minibatch-kmeans": {
    peer: "scikit-learn",
    ours: ({ X, K }) => kindred.miniBatchKmeans(X, { clusters: K }),
    objective: within,
  },
  "fuzzy-cmeans": {
    peer: "scikit-fuzzy",
    ours: ({ X, K }) => kindred.fuzzyCMeans(X, { clusters: K }),
    told: true,
  },
  "k-modes": { peer: "kmodes", ours: ({ codes, K }) => kindred.kModes(codes, { clusters: K }), told: true },
  "k-prototypes": {
    peer: "kmodes",
    ours: ({ X, codes, K, gamma }) => {
      const joined = matrix(X.rows, X.cols + codes.cols);
      for (let i = 0; i < X.rows; i++) {
        joined.data.set(X.data.subarray(i * X.cols, (i + 1) * X.cols), i * joined.cols);
        joined.data.set(codes.data.subarray(i * codes.cols, (i + 1) * codes.cols), i * joined.cols + X.cols);
      }
      return kindred.kPrototypes(joined, {
        clusters: K,
        gamma,
        categorical: Array.from({ length: codes.cols }, (_, v) => X.cols + v),
      });
    },
    told: true,
  },
  clara: { peer: "R cluster", ours: ({ X, K }) => kindred.clara(X, { clusters: K }), told: true },
  "latent-classes": {
    peer: "StepMix",
    ours: ({ codes, K }) => {
      const fit = kindred.latentClasses(codes, { clusters: K });
      return { labels: fit.labels, objective: -fit.logLikelihood };
    },
    told: true,
  },
  "leiden modularity": {
    peer: "leidenalg",
    ours: ({ graph }) => {
      const fit = kindred.communities(graph);
      return { labels: fit.labels, objective: -fit.objective };
    },
    told: true,
  },
  "leiden potts": {
    peer: "leidenalg",
    ours: ({ graph }) => {
      const fit = kindred.communities(graph, { quality: "potts", resolution: 0.05 });
      return { labels: fit.labels, objective: -fit.objective };
    },
    told: true,
  },
  ...Object.fromEntries(
    "EII VII EEI VEI EVI VVI EEE VEE EVE VVE EEV VEV EVV VVV".split(" ").map((model) => [
      `mclust ${model}`,
      {
        peer: "mclust",
        ours: ({ X, K }) => {
          const fit = kindred.gaussianMixture(X, { clusters: K, covariance: model });
          return { labels: fit.labels, objective: -fit.logLikelihood };
        },
        told: true,
      },
    ]),
  ),
};

const wanted = Object.keys(METHODS).filter(
  (name) => words.length === 0 || words.some((word) => name.includes(word)),
);
const all = sets();
const folder = mkdtempSync(join(tmpdir(), "counterparts-"));
const reference = {};
try {
  const listed = all.map(({ name, X, K, codes, epsilon, graph, gamma, votes }) => ({
    name,
    X: kindred.toRows(X),
    K,
    codes: kindred.toRows(codes),
    epsilon,
    gamma,
    votes: votes.map((labels) => Array.from(labels)),
    edges: Array.from(graph.weights, (weight, e) => [graph.from[e], graph.to[e], weight]),
  }));
  writeFileSync(join(folder, "task.json"), JSON.stringify({ sets: listed, only: words }));
  const python = process.env.KINDRED_PYTHON;
  if (python === undefined) console.log("KINDRED_PYTHON names no Python: its peers are left out");
  else {
    const script = join(import.meta.dirname, "counterparts.py");
    const run = spawnSync(python, [script, join(folder, "task.json")], { encoding: "utf8", maxBuffer: 1e9 });
    if (run.status !== 0) throw new Error(run.stderr);
    Object.assign(reference, JSON.parse(run.stdout));
  }
  for (const { name, K, X } of listed)
    writeFileSync(join(folder, `${name}__${K}.csv`), X.map(String).join("\n"));
  const script = join(import.meta.dirname, "counterparts.R");
  const run = spawnSync("Rscript", [script, folder, words.join(",")], { encoding: "utf8", maxBuffer: 1e9 });
  if (run.error !== undefined) console.log("there is no Rscript: cluster and mclust are left out");
  else {
    for (const line of run.stdout.split("\n").filter((text) => text.startsWith("{"))) {
      const { method, name, ...answer } = JSON.parse(line);
      (reference[method] ??= {})[name] = answer;
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
console.log(
  "method                 peer          sets  same  ARI least / median  objective, worst share above the peer's",
);
for (const name of wanted) {
  const { peer, ours, objective, told } = METHODS[name];
  const theirs = reference[name];
  if (theirs === undefined || theirs.absent !== undefined) {
    console.log(`${name.padEnd(22)} ${peer.padEnd(13)} absent`);
    continue;
  }
  const rows = all.flatMap((set) => {
    const answer = theirs[set.name];
    if (answer === undefined) return [];
    const fit = ours(set);
    const ari = adjustedRand(noiseToo(Array.from(fit.labels)), noiseToo(answer.labels));
    const values = told
      ? [fit.objective, answer.objective]
      : objective && [fit, answer].map(({ labels }) => objective(set, labels));
    const worse =
      values === undefined ? Infinity : (values[0] - values[1]) / Math.max(1e-12, Math.abs(values[1]));
    return [{ set: set.name, ari, worse, same: ari >= 0.99 || worse <= 1e-3 }];
  });
  const aris = rows.map(({ ari }) => ari).sort((a, b) => a - b);
  const worst = Math.max(...rows.map(({ worse }) => worse));
  const failed = rows.filter(({ same }) => !same).map(({ set, ari }) => `${set} ${ari.toFixed(3)}`);
  console.log(
    `${name.padEnd(22)} ${peer.padEnd(13)} ${String(rows.length).padStart(4)}  ${String(rows.length - failed.length).padStart(4)}` +
      `  ${aris[0].toFixed(3)} / ${aris[Math.floor(aris.length / 2)].toFixed(3)}       ` +
      `${worst === Infinity ? "" : worst.toExponential(1)}${failed.length === 0 ? "" : `   not: ${failed.join(", ")}`}`,
  );
}
