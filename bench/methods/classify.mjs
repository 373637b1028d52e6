// The classifiers against scikit-learn and ml-random-forest.
//
//   npm run build && KINDRED_PYTHON=/path/to/python node bench/methods/classify.mjs
//
// KINDRED_PYTHON has numpy and scikit-learn; without it only our times are printed. CPU milliseconds of all threads, one
// thread each (Python with OMP_NUM_THREADS=1), the best of several rounds in which the programs take turns. The first
// table is the random forest on 1000 rows with 20 features, of which 5 tell two classes apart and 5 % of the classes are
// wrong; the second every classifier on three sizes, fit and predict of the training rows. Accuracies: of the forest out
// of bag, else on the training rows.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RandomForestClassifier } from "ml-random-forest";
import {
  gaussianNaiveBayes,
  kNearestNeighbors,
  linearSvm,
  matrix,
  random,
  randomForest,
  setThreads,
  svm,
  toRows,
} from "../library.mjs";

setThreads(1);
const python = process.env.KINDRED_PYTHON;
if (python === undefined) console.log("KINDRED_PYTHON is not set: scikit-learn is absent");
const folder = mkdtempSync(join(tmpdir(), "kindred-bench-"));

const PYTHON = `
import sys, json, time
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, LinearSVC
X = np.fromfile(sys.argv[1]).reshape(-1, int(sys.argv[2]))
y = np.fromfile(sys.argv[3], dtype=np.int32)
make = {
    "forest": lambda r: RandomForestClassifier(100, oob_score=True, random_state=r),
    "svm": lambda r: SVC(),
    "linear svm": lambda r: LinearSVC(random_state=r, max_iter=10000),
    "naive Bayes": lambda r: GaussianNB(),
    "5-NN": lambda r: KNeighborsClassifier(5),
}
out = {}
for name in sys.argv[4].split(","):
    best = None
    for r in range(int(sys.argv[5])):
        model = make[name](r)
        a = time.process_time(); model.fit(X, y)
        b = time.process_time(); predicted = model.predict(X)
        c = time.process_time()
        accuracy = model.oob_score_ if name == "forest" else (predicted == y).mean()
        now = [1000 * (b - a), 1000 * (c - b), float(accuracy)]
        best = now if best is None else [min(best[0], now[0]), min(best[1], now[1]), now[2]]
    out[name] = best
print(json.dumps(out))
`;

const ours = {
  forest: (X, y, seed) => randomForest(X, y, { seed }),
  svm: (X, y) => svm(X, y),
  "linear svm": (X, y, seed) => linearSvm(X, y, { seed }),
  "naive Bayes": (X, y) => gaussianNaiveBayes(X, y),
  "5-NN": (X, y) => kNearestNeighbors(X, y),
};

forests();
everyClassifier();
rmSync(folder, { recursive: true });

function forests() {
  const { X, y } = noisy(1000, 20);
  const rows = toRows(X);
  const mine = measure(ours.forest, X, y, 8);
  const before = process.cpuUsage();
  const peer = new RandomForestClassifier({ nEstimators: 100, maxFeatures: 4, seed: 1, noOOB: true });
  peer.train(rows, y);
  const theirs = milliseconds(before);
  const learn = scikit(X, y, ["forest"], 4).forest;
  console.log("random forest, 1000 x 20, 100 trees: CPU ms to fit");
  line("kindred", mine.fit, mine.fit, `out of bag ${(100 * mine.accuracy).toFixed(1)} %`);
  if (learn !== undefined)
    line("scikit-learn", learn[0], mine.fit, `out of bag ${(100 * learn[2]).toFixed(1)} %`);
  line("ml-random-forest 2.1.0", theirs, mine.fit, "out-of-bag estimate off");
}

function everyClassifier() {
  for (const [n, d, K, apart] of [
    [200, 649, 10, 1],
    [2000, 20, 3, 1],
    [5000, 50, 5, 2],
  ]) {
    const { X, y } = clouds(n, d, K, apart);
    const names = Object.keys(ours);
    const theirs = scikit(X, y, names, 3);
    console.log(
      `\n${n} x ${d}, ${K} classes: CPU ms to fit and to predict, in brackets times scikit-learn's`,
    );
    for (const name of names) {
      const { fit, predict, accuracy } = measure(ours[name], X, y, 4);
      const peer = theirs[name];
      const ratio = (own, other) =>
        peer === undefined ? "" : ` (${(own / Math.max(other, 0.1)).toFixed(1)} x)`;
      console.log(
        `  ${name.padEnd(12)} fit ${fit.toFixed(1).padStart(7)}${ratio(fit, peer?.[0])}, ` +
          `predict ${predict.toFixed(1).padStart(6)}${ratio(predict, peer?.[1])}, ` +
          `accuracy ${accuracy.toFixed(3)}${peer === undefined ? "" : ` and ${peer[2].toFixed(3)}`}`,
      );
    }
  }
}

function line(name, time, base, remark) {
  console.log(
    `  ${name.padEnd(24)} ${time.toFixed(0).padStart(6)} (${(time / base).toFixed(1)} x)  ${remark}`,
  );
}

function measure(fit, X, y, rounds) {
  let best = { fit: Infinity, predict: Infinity, accuracy: 0 };
  for (let seed = 0; seed < rounds; seed++) {
    let before = process.cpuUsage();
    const model = fit(X, y, seed);
    const fitted = milliseconds(before);
    before = process.cpuUsage();
    const predicted = model.predict(X);
    const predict = Math.min(best.predict, milliseconds(before));
    const accuracy =
      model.outOfBag?.accuracy ?? predicted.filter((label, i) => label === y[i]).length / y.length;
    best = { fit: Math.min(best.fit, fitted), predict, accuracy };
  }
  return best;
}

function scikit(X, y, names, rounds) {
  if (python === undefined) return {};
  const [rows, labels] = [join(folder, "X"), join(folder, "y")];
  writeFileSync(rows, X.data);
  writeFileSync(labels, Int32Array.from(y));
  const env = { ...process.env, OMP_NUM_THREADS: "1", OPENBLAS_NUM_THREADS: "1", PYTHONWARNINGS: "ignore" };
  const script = join(folder, "peer.py");
  writeFileSync(script, PYTHON);
  const args = [script, rows, X.cols, labels, names.join(","), rounds].map(String);
  const { status, stdout, stderr } = spawnSync(python, args, { env, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

function milliseconds(before) {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function noisy(n, d) {
  const { normal, uniform } = random(1);
  const X = matrix(n, d);
  const y = Array.from({ length: n }, (_, i) => {
    for (let f = 0; f < d; f++) X.data[i * d + f] = normal() + (f < 5 ? 0.8 * (i % 2) : 0);
    return uniform() < 0.05 ? 1 - (i % 2) : i % 2;
  });
  return { X, y };
}

function clouds(n, d, K, apart) {
  const { normal } = random(2);
  const X = matrix(n, d);
  for (let i = 0; i < n; i++) {
    for (let f = 0; f < d; f++) X.data[i * d + f] = normal() + (f % K === i % K ? apart : 0);
  }
  return { X, y: Array.from({ length: n }, (_, i) => i % K) };
}
