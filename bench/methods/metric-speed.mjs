// Metrics learned from pairs and from labels, timed beside metric-learn (NCA, LDA: scikit-learn; MLCA, KISSME: numpy) in one
// run, numpy made to return what ours returns (relevance, residual or threshold too). CPU seconds of both on the first split of each set (200 + 200 pairs; `big`: 2000 + 2000, and 2000 rows for NCA and LMNN), the ratios, and
// what each reached. Every method has a process of its own on either side, and three times are taken of it: the whole process
// from its start until the first metric is there (a program that fits once), the first fit alone (ours still compiles), and
// the best of the fits that follow within about a second. NCA is timed until it has reached the objective of scikit-learn, and
// so is diagonal MMC (mmcDiagonal), because metric-learn's stops far from the optimum; mmcDiagonalFull goes on to the optimum.
//   KINDRED_PYTHON=/path/to/python node bench/methods/metric-speed.mjs [--sets iris,wine,cancer,law,big] [--methods itml,mmc]
// KINDRED_PYTHON has numpy and metric-learn; without it only our times are printed. Data: KINDRED_PEERS (default
// ../shared/peers). OMP_NUM_THREADS=1 is set for Python.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import * as kindred from "../library.mjs";
import { METRIC_LEARN } from "./metricLearn.mjs";
import { shared } from "../shared.mjs";

const OURS = {
  itml: (X, pairs) => kindred.itml(X, pairs),
  itmlSquared: (X, pairs) => kindred.itml(X, { ...pairs, bounds: "squared" }),
  mmc: (X, pairs) => kindred.mmc(X, { ...pairs, regularization: 0 }),
  mmcDefault: (X, pairs) => kindred.mmc(X, pairs),
  mmcDiagonal: (X, pairs, _, extra) =>
    kindred.mmc(X, { ...pairs, diagonal: true, regularization: 0, ...extra }),
  mmcDiagonalFull: (X, pairs) => kindred.mmc(X, { ...pairs, diagonal: true, regularization: 0 }),
  nca: (X, _, labels, extra) => kindred.nca(X, labels, { init: "identity", ...extra }),
  lmnn: (X, _, labels) => kindred.lmnn(X, labels),
  scml: (X, _, labels) => kindred.scml(X, labels),
  lfda: (X, _, labels) => kindred.lfda(X, labels),
  mlca: (X, _, labels) => kindred.mlca(X, labels),
  lda: (X, _, labels) => kindred.lda(X, labels),
  rca: (X, _, labels) => kindred.rca(X, labels),
  kissme: (X, pairs) => kindred.kissme(X, pairs),
};
const WHAT = { nca: "p ", lmnn: "objective ", mmc: "J ", itml: "KKT " };
const OTHERS = { nca: "scikit-learn", lda: "scikit-learn", mlca: "numpy", kissme: "numpy" };
const PEER = { mmcDefault: "mmc", mmcDiagonalFull: "mmcDiagonal" };

const PYTHON = `
import json, sys, time, warnings
from types import SimpleNamespace
import numpy as np
warnings.filterwarnings("ignore")
task = json.load(sys.stdin)
method = task["method"]
if method not in ("nca", "lda", "mlca", "kissme"):
    ${METRIC_LEARN.trim().replaceAll("\n", "\n    ")}
X = np.array(task["X"])
y = np.unique(task["labels"], return_inverse=True)[1]
pairs = X[np.array(task["pairs"]["mustLink"] + task["pairs"]["cannotLink"], dtype=int).reshape(-1, 2)]
same = np.r_[np.ones(len(task["pairs"]["mustLink"])), -np.ones(len(task["pairs"]["cannotLink"]))]
if method == "nca":
    from sklearn.neighbors import NeighborhoodComponentsAnalysis
    fit = lambda: NeighborhoodComponentsAnalysis(init="identity").fit(X, y)
elif method == "lmnn":
    from metric_learn import LMNN
    fit = lambda: LMNN(n_neighbors=3).fit(X, y)
elif method == "scml":
    from metric_learn import SCML_Supervised
    fit = lambda: SCML_Supervised(random_state=0).fit(X, y)
elif method == "lfda":
    from metric_learn import LFDA
    fit = lambda: LFDA().fit(X, y)
elif method == "mlca":
    def fit():
        assert np.isfinite(X).all()
        mean = X.mean(0)
        Z = X - mean
        Y = np.eye(y.max() + 1)[y]
        A, B = Z.T @ Z, Z.T @ (Y / np.sqrt(Y.sum(0)))
        W = np.linalg.solve(A, B)
        residual = np.linalg.norm(A @ W - B) / np.linalg.norm(B)
        values, vectors = np.linalg.eigh(W.T @ W)
        L = (W @ vectors[:, values > 1e-13 * values[-1]]).T
        relevance = (L * L).sum(0) * np.diag(A)
        return SimpleNamespace(components_=L, relevance=relevance / relevance.sum(), residual=residual)
elif method == "lda":
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    def fit():
        return SimpleNamespace(components_=LinearDiscriminantAnalysis(solver="eigen").fit(X, y).scalings_.T)
elif method == "rca":
    from metric_learn import RCA
    fit = lambda: RCA().fit(X, y)
elif method == "kissme":
    def fit():
        assert np.isfinite(X).all()
        v = pairs[:, 0] - pairs[:, 1]
        alike, apart = v[same > 0], v[same < 0]
        M = np.linalg.inv(alike.T @ alike / len(alike)) - np.linalg.inv(apart.T @ apart / len(apart))
        values, vectors = np.linalg.eigh(M)
        L = (vectors * np.sqrt(np.maximum(values, 0))).T
        relevance = (L * L).sum(0) * X.var(0)
        moved = v @ L.T
        distances = np.sqrt((moved * moved).sum(1))
        order = np.argsort(distances)
        best = np.argmax(np.cumsum(same[order]))
        threshold = distances[order[best : best + 2]].mean()
        return SimpleNamespace(components_=L, relevance=relevance / relevance.sum(), threshold=threshold)
elif method == "itml":
    from metric_learn import ITML
    fit = lambda: ITML().fit(pairs, same)
elif method == "itmlSquared":
    from metric_learn import ITML
    from sklearn.metrics import pairwise_distances
    U = np.unique(np.vstack(pairs), axis=0)
    bounds = np.percentile(pairwise_distances(U) ** 2, (5, 95))
    fit = lambda: ITML().fit(pairs, same, bounds=bounds)
else:
    from metric_learn import MMC
    fit = lambda: MMC(diagonal=method == "mmcDiagonal").fit(pairs, same)

t = time.process_time(); model = fit(); whole = time.process_time(); first = whole - t
best = first; spent = first
while spent < 1:
    t = time.process_time(); fit(); again = time.process_time() - t
    best = min(best, again); spent += again

L = model.components_
reached = None
if method in ("nca", "lmnn"):
    from sklearn.metrics import pairwise_distances
    D = pairwise_distances(X @ L.T) ** 2
    if method == "nca":
        np.fill_diagonal(D, np.inf)
        E = np.exp(D.min(1, keepdims=True) - D)
        reached = ((E * (y[:, None] == y)).sum(1) / E.sum(1)).mean()
    else:
        reached = 0
        for t in model._select_targets(X, y).T:
            near = D[np.arange(len(X)), t]
            reached += 0.5 * near.sum() + 0.5 * np.maximum(0, 1 + near[:, None] - D)[y[:, None] != y].sum()
elif method.startswith("mmc"):
    v = (pairs[:, 0] - pairs[:, 1]) @ L.T
    p = (v * v).sum(1)
    reached = np.sqrt(p[same < 0]).sum() / np.sqrt(p[same > 0].sum())
print(json.dumps({"whole": whole, "first": first, "best": best, "reached": reached}))
`;

if (process.argv[2] === "--child") {
  console.log(JSON.stringify(child(JSON.parse(readFileSync(0, "utf8")))));
} else {
  parent();
}

function parent() {
  const folder = shared("peers", "metric/data");
  if (!existsSync(folder)) {
    console.log(`${folder} is not there: set KINDRED_PEERS to the folder of the peers' problems`);
    return;
  }
  const python = process.env.KINDRED_PYTHON;
  if (python === undefined)
    console.log("KINDRED_PYTHON is not set: metric-learn is absent, only our times follow");
  for (const set of option("sets", "iris,wine,cancer,law")) {
    const task = load(folder, set);
    const { mustLink, cannotLink } = task.pairs;
    console.log(
      `${set} ${task.X.length} x ${task.X[0].length}, ${mustLink.length} + ${cannotLink.length} pairs; ` +
        `CPU s: whole process, first fit, best`,
    );
    for (const method of option("methods", Object.keys(OURS).join(",")))
      line(python, method, few(method, task));
  }
}

function line(python, method, task) {
  const peer = PEER[method] ?? method;
  const theirs = python === undefined ? undefined : run(python, ["-c", PYTHON], { ...task, method: peer });
  const extra =
    theirs !== undefined && ["nca", "mmcDiagonal"].includes(method) ? reaching(method, theirs, task) : {};
  const ours = run(process.execPath, [fileURLToPath(import.meta.url), "--child"], { ...task, method, extra });
  if (ours === undefined) return;
  const times = ({ whole, first, best }) => [whole, first, best].map((time) => time.toFixed(4)).join(" ");
  const key = Object.keys(WHAT).find((start) => method.startsWith(start));
  const reached = ({ reached: value }) =>
    key === undefined || value === null
      ? ""
      : `  ${WHAT[key]}${key === "itml" ? value.toExponential(1) : value.toFixed(key === "nca" ? 6 : 2)}`;
  let text = `  ${method.padEnd(15)} ${times(ours)}${reached(ours)}`;
  if (theirs !== undefined) {
    const ratios = ["whole", "first", "best"].map((of) => (theirs[of] / ours[of]).toFixed(1)).join(" ");
    const name = OTHERS[method] ?? "metric-learn";
    text += `  ${name} ${times(theirs)}${reached(theirs)}  ratios ${ratios}`;
  }
  console.log(text);
}

/** The three times of a task, in a process of its own. */
function child({ X, pairs, labels, method, extra }) {
  const rows = kindred.fromRows(X);
  const fit = () => OURS[method](rows, pairs, labels, extra);
  const started = cpu();
  const metric = fit();
  const whole = cpu();
  const first = whole - started;
  let best = first;
  for (let spent = first; spent < 1;) {
    const start = cpu();
    fit();
    const again = cpu() - start;
    best = Math.min(best, again);
    spent += again;
  }
  const reached = metric.J ?? (method.startsWith("itml") ? metric.certificate.residual : metric.objective);
  return { whole, first, best, reached, history: metric.history };
}

/** CPU seconds of this process since its start. */
function cpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function run(command, args, task) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    input: JSON.stringify(task),
    env: { ...process.env, OMP_NUM_THREADS: "1" },
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  if (status === 0) return JSON.parse(stdout);
  console.log(`  ${task.method} did not run: ${stderr.trim().split("\n").at(-1)}`);
}

/**
 * NCA stops at an optimum on neither side by default, and metric-learn's diagonal MMC never: ours is timed until it has
 * reached what the peer reached, to six digits.
 */
function reaching(method, { reached: wanted }, task) {
  const long = method === "nca" ? { tolerance: 1e-6, maxIterations: 500 } : {};
  const ours = run(process.execPath, [fileURLToPath(import.meta.url), "--child"], {
    ...task,
    method,
    extra: long,
  });
  // The history of MMC is log J up to a constant.
  const last = ours.history.at(-1);
  const values =
    method === "nca" ? ours.history : ours.history.map((at) => ours.reached * Math.exp(at - last));
  const at = values.findIndex((value) => value >= wanted - 1e-6);
  if (at >= 0) return { maxIterations: at, tolerance: 1e-6 };
  console.log(`  ${method} does not reach the objective of the peer: what follows is the default fit`);
  return {};
}

function option(name, fallback) {
  const at = process.argv.indexOf(`--${name}`);
  return (at > 0 ? process.argv[at + 1] : fallback).split(",");
}

function few(method, task) {
  if (task.X.length <= 5000 || !["nca", "lmnn"].includes(method)) return task;
  return {
    X: task.X.slice(0, 2000),
    labels: task.labels.slice(0, 2000),
    pairs: { mustLink: [], cannotLink: [] },
  };
}

function load(folder, set) {
  const lines = gunzipSync(readFileSync(`${folder}/${set}.csv.gz`))
    .toString()
    .trim()
    .split("\n");
  const cells = lines.map((line) => line.split(",").map(Number));
  const rows = cells.map((line) => line.slice(0, -1));
  const split = JSON.parse(gunzipSync(readFileSync(`${folder}/${set}.splits.json.gz`)))[0];
  const at = new Map(split.train.map((i, position) => [i, position]));
  const local = (pairs) => pairs.map(([i, j]) => [at.get(i), at.get(j)]);
  const train = kindred.fromRows(split.train.map((i) => rows[i]));
  return {
    X: kindred.toRows(set === "law" || set === "big" ? train : kindred.scale(train, "zscore").X),
    pairs: { mustLink: local(split.pos), cannotLink: local(split.neg) },
    labels: split.train.map((i) => cells[i].at(-1)),
  };
}
