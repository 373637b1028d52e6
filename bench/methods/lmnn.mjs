// LMNN at its defaults: does it end with its gap, and how long does it take?
//
//   KINDRED_PYTHON=/path/to/python node bench/methods/lmnn.mjs [--drawn 100] [--from 1] [--sets iris,wine] [--data FOLDER]
//
// First `--drawn` sets like the six Gaussians of Law et al. (2016), two far apart in each of three classes: places, sizes,
// spread, noisy columns and wrong labels drawn by the number of the set. Each is fitted by the defaults and again with
// tolerance 1e-4 and 20,000 iterations; the objective is compared with the lesser of both and with the bound that the longer
// fit proves. Then eight benchmark sets, z-scored, beside metric-learn in the same run: CPU seconds of one thread, the
// first fit of a process (with what is compiled) and the least of three, and the objective of either's metric, by the same
// sum over all triplets. Data: --data, KINDRED_DATA or ../shared/datasets. Without KINDRED_PYTHON only ours.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import * as kindred from "../library.mjs";
import { METRIC_LEARN } from "./metricLearn.mjs";

const SETS = "iris,wine,seeds,breast-cancer-wisconsin,diabetes,ionosphere,sonar,segment";
const LONG = { tolerance: 1e-4, maxIterations: 20_000 };

const PYTHON = `
import json, sys, time, warnings
import numpy as np
warnings.filterwarnings("ignore")
from metric_learn import LMNN
${METRIC_LEARN}
task = json.load(sys.stdin)
X = np.array(task["X"])
y = np.array(task["y"])
times = []
while len(times) < 3 and sum(times) < 5:
    start = time.process_time()
    model = LMNN(n_neighbors=3).fit(X, y)
    times.append(time.process_time() - start)
print(json.dumps({"first": times[0], "best": min(times), "L": model.components_.tolist(), "steps": int(model.n_iter_)}))
`;
import { shared } from "../shared.mjs";

drawnSets(Number(option("drawn") ?? 100), Number(option("from") ?? 1));
await benchmarkSets((option("sets") ?? SETS).split(",").filter((name) => name !== ""));

function drawnSets(count, from) {
  if (count === 0) return;
  let [stalled, worst, worstGap, seconds, slowest] = [0, 1, 0, 0, 0];
  for (let seed = from; seed < from + count; seed++) {
    const { X, labels } = lawLike(seed);
    const { metric, spent } = timed(() => kindred.lmnn(X, labels));
    const longer = kindred.lmnn(X, labels, LONG);
    const best = Math.min(metric.objective, longer.objective);
    const ratio = best > 0 ? metric.objective / best : 1;
    if (!metric.converged || !longer.converged) {
      stalled++;
      console.log(
        `  set ${seed}: ${X.rows} x ${X.cols}, no end: objective ${metric.objective}, longer ${longer.objective}`,
      );
    }
    worst = Math.max(worst, ratio);
    worstGap = Math.max(worstGap, metric.certificate.residual);
    seconds += spent;
    slowest = Math.max(slowest, spent);
  }
  console.log(
    `${count} drawn sets from number ${from}: ${stalled} without their gap; largest gap ${worstGap.toFixed(4)}; ` +
      `objective at most ${worst.toFixed(4)} times the best known; CPU s ${seconds.toFixed(2)} in all, ${slowest.toFixed(2)} at most`,
  );
}

/** Law et al., section 5.1, with everything that the text leaves open drawn. */
function lawLike(seed) {
  const { normal, uniform, integer } = kindred.random(seed);
  const far = 10 ** (0.5 + 1.5 * uniform()); // how far the halves of a class are apart
  const deviation = 0.05 * 20 ** uniform();
  const noise = integer(4); // columns that tell nothing
  const wrong = uniform() < 0.5 ? 0 : 0.02 * uniform(); // share of wrong labels
  const centers = [
    [-6, 0, 0],
    [0, far, 0],
    [6, 0, 0],
    [6, far, 0],
    [3, far, 6],
    [-6, 0, 6],
  ].map((center) => center.map((value) => value + normal()));
  const [rows, labels] = [[], []];
  for (let c = 0; c < 3; c++) {
    const size = 30 + integer(270);
    for (let member = 0; member < size; member++) {
      const center = centers[2 * c + (2 * member < size ? 0 : 1)];
      rows.push([
        ...center.map((value) => value + deviation * normal()),
        ...Array.from({ length: noise }, () => 3 * normal()),
      ]);
      labels.push(uniform() < wrong ? integer(3) : c);
    }
  }
  return { X: kindred.fromRows(rows), labels: Int32Array.from(labels) };
}

async function benchmarkSets(names) {
  if (names.length === 0) return;
  const folder = option("data") ?? shared("datasets");
  if (!existsSync(folder)) {
    console.log(`${folder} is not there: --data names the folder of the data sets`);
    return;
  }
  console.log(
    "set; ours: first fit, least of three, objective, gap; metric-learn: the same; peer / ours; objectives",
  );
  for (const name of names) {
    const table = await kindred.namedData(name, { folder });
    const X = kindred.scale(table.X, "zscore").X;
    const labels = table.label.values;
    const first = timed(() => kindred.lmnn(X, labels));
    let best = first.spent;
    for (let again = 1; again < 3; again++) best = Math.min(best, timed(() => kindred.lmnn(X, labels)).spent);
    const { objective, certificate, converged } = first.metric;
    let line =
      `${name} ${X.rows} x ${X.cols}; ${first.spent.toFixed(3)}, ${best.toFixed(3)}, ${objective.toFixed(2)}, ` +
      `${certificate.residual.toFixed(4)}${converged ? "" : " (not reached)"}`;
    const theirs = peer(X, labels);
    if (theirs !== undefined) {
      const value = tripletSum(X, kindred.multiplyTransposeB(X, kindred.fromRows(theirs.L)), labels);
      line +=
        `; ${theirs.first.toFixed(3)}, ${theirs.best.toFixed(3)}, ${value.toFixed(2)}; ` +
        `${(theirs.first / first.spent).toFixed(1)}, ${(theirs.best / best).toFixed(1)}; ` +
        `ours ${(objective / value).toFixed(3)} of theirs`;
    }
    console.log(line);
  }
}

function peer(X, labels) {
  const python = process.env.KINDRED_PYTHON;
  if (python === undefined) return undefined;
  const codes = new Map([...new Set(labels)].map((label, code) => [label, code]));
  const { status, stdout, stderr } = spawnSync(python, ["-c", PYTHON], {
    input: JSON.stringify({ X: kindred.toRows(X), y: labels.map((label) => codes.get(label)) }),
    env: { ...process.env, OMP_NUM_THREADS: "1", OPENBLAS_NUM_THREADS: "1" },
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  if (status === 0) return JSON.parse(stdout);
  console.log(`metric-learn did not run: ${stderr.trim().split("\n").at(-1)}`);
  return undefined;
}

/** The objective by loops, push 0.5, three targets by their distance in X. */
function tripletSum(X, moved, labels) {
  const [before, after] = [kindred.squaredDistances(X).data, kindred.squaredDistances(moved).data];
  const n = X.rows;
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const alike = [];
    for (let j = 0; j < n; j++) if (j !== i && labels[j] === labels[i]) alike.push(j);
    const targets = alike.sort((a, b) => before[i * n + a] - before[i * n + b] || a - b).slice(0, 3);
    for (const j of targets) {
      const near = after[i * n + j];
      sum += 0.5 * near;
      for (let l = 0; l < n; l++) {
        if (labels[l] !== labels[i]) sum += 0.5 * Math.max(0, 1 + near - after[i * n + l]);
      }
    }
  }
  return sum;
}

function timed(fit) {
  const before = process.cpuUsage();
  const metric = fit();
  const { user, system } = process.cpuUsage(before);
  return { metric, spent: (user + system) / 1e6 };
}

function option(name) {
  const at = process.argv.indexOf(`--${name}`);
  return at > 0 ? process.argv[at + 1] : undefined;
}
