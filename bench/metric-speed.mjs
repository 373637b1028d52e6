// Metrics learned from pairs, timed beside metric-learn in one run: CPU seconds of both on the first split of each set
// (200 + 200 pairs; `big`: 2000 + 2000), the ratio, and what each reached. Ours is the mean of three fits, the first one
// included, which also compiles; metric-learn's is one fit.
//   KINDRED_PYTHON=/path/to/python node bench/metric-speed.mjs [--sets iris,wine,cancer,law,big] [--methods itml,mmc]
// KINDRED_PYTHON has numpy and metric-learn; without it only our times are printed. Data: KINDRED_PEERS (default
// ../shared/peers). OMP_NUM_THREADS=1 is set for Python.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import * as kindred from "../dist/index.js";

const folder = `${process.env.KINDRED_PEERS ?? "../shared/peers"}/metric/data`;
if (!existsSync(folder)) {
  console.log(`${folder} is not there: set KINDRED_PEERS to the folder of the peers' problems`);
  process.exit(0);
}
const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return (at > 0 ? process.argv[at + 1] : fallback).split(",");
};
const sets = option("sets", "iris,wine,cancer,law");
const OURS = {
  itml: (X, pairs) => kindred.itml(X, pairs),
  itmlSquared: (X, pairs) => kindred.itml(X, pairs, { bounds: "squared" }),
  mmc: (X, pairs) => kindred.mmc(X, pairs, { regularization: 0 }),
  mmcDefault: (X, pairs) => kindred.mmc(X, pairs),
  mmcDiagonal: (X, pairs) => kindred.mmc(X, pairs, { diagonal: true, regularization: 0 }),
};
const methods = option("methods", Object.keys(OURS).join(","));

const PYTHON = `
import json, sys, time, warnings
import numpy as np
warnings.filterwarnings("ignore")
from metric_learn import ITML, MMC
from sklearn.metrics import pairwise_distances
task = json.load(sys.stdin)
X = np.array(task["X"])
pairs = X[np.array(task["must"] + task["cannot"])]
y = np.r_[np.ones(len(task["must"])), -np.ones(len(task["cannot"]))]
A = np.random.RandomState(0).rand(1000, 1000)
t = time.process_time(); A @ A; out = {"gemm": time.process_time() - t}
for method in task["methods"]:
    t = time.process_time()
    if method == "itml":
        model = ITML().fit(pairs, y)
    elif method == "itmlSquared":
        U = np.unique(np.vstack(pairs), axis=0)
        model = ITML().fit(pairs, y, bounds=np.percentile(pairwise_distances(U) ** 2, (5, 95)))
    else:
        model = MMC(diagonal=method == "mmcDiagonal").fit(pairs, y)
    seconds = time.process_time() - t
    M = model.get_mahalanobis_matrix()
    v = pairs[:, 0] - pairs[:, 1]
    p = np.maximum(0, np.einsum("ij,jk,ik->i", v, M, v))
    out[method] = [seconds, float(np.sqrt(p[y < 0]).sum() / np.sqrt(p[y > 0].sum()))]
print(json.dumps(out))
`;

const python = process.env.KINDRED_PYTHON;
if (python === undefined)
  console.log("KINDRED_PYTHON is not set: metric-learn is absent, only our times follow");

for (const set of sets) {
  const { X, pairs } = load(set);
  const theirs = python === undefined ? {} : peer(X, pairs);
  console.log(`${set} ${X.rows} x ${X.cols}, ${pairs.mustLink.length} + ${pairs.cannotLink.length} pairs`);
  for (const method of methods) {
    const start = process.cpuUsage();
    let metric;
    for (let run = 0; run < 3; run++) metric = OURS[method](X, pairs);
    const { user, system } = process.cpuUsage(start);
    const seconds = (user + system) / 3e6;
    const reached =
      metric.J === undefined
        ? `KKT ${metric.certificate.residual.toExponential(1)}`
        : `J ${metric.J.toFixed(2)}`;
    const peerKey = method === "mmcDefault" ? "mmc" : method;
    const [peerSeconds, peerJ] = theirs[peerKey] ?? [];
    const beside =
      peerSeconds === undefined
        ? ""
        : `  metric-learn ${peerSeconds.toFixed(3)} s${metric.J === undefined ? "" : ` J ${peerJ.toFixed(2)}`}  ` +
          `ratio ${(peerSeconds / seconds).toFixed(1)}`;
    console.log(`  ${method.padEnd(12)} ${seconds.toFixed(4)} s  ${reached}${beside}`);
  }
}

function peer(X, pairs) {
  const wanted = methods.map((method) => (method === "mmcDefault" ? "mmc" : method));
  const { status, stdout, stderr } = spawnSync(python, ["-c", PYTHON], {
    input: JSON.stringify({
      X: kindred.toRows(X),
      must: pairs.mustLink,
      cannot: pairs.cannotLink,
      methods: [...new Set(wanted)],
    }),
    env: { ...process.env, OMP_NUM_THREADS: "1" },
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  if (status !== 0) {
    console.log(`metric-learn did not run: ${stderr.trim().split("\n").at(-1)}`);
    return {};
  }
  return JSON.parse(stdout);
}

function load(set) {
  const lines = gunzipSync(readFileSync(`${folder}/${set}.csv.gz`))
    .toString()
    .trim()
    .split("\n");
  const rows = lines.map((line) => line.split(",").slice(0, -1).map(Number));
  const split = JSON.parse(gunzipSync(readFileSync(`${folder}/${set}.splits.json.gz`)))[0];
  const at = new Map(split.train.map((i, position) => [i, position]));
  const local = (pairs) => pairs.map(([i, j]) => [at.get(i), at.get(j)]);
  const train = kindred.fromRows(split.train.map((i) => rows[i]));
  return {
    X: set === "law" || set === "big" ? train : kindred.scale(train, "zscore").X,
    pairs: { mustLink: local(split.pos), cannotLink: local(split.neg) },
  };
}
