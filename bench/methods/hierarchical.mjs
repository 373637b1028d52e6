// Agglomerative clustering against scikit-learn, scipy and ml-hclust on the same rows.
//
//   npm run build && KINDRED_PYTHON=/path/to/python node bench/methods/hierarchical.mjs
//
// KINDRED_PYTHON has numpy, scipy and scikit-learn; without it they are left out. CPU milliseconds of all threads, the
// best of several runs that take turns within a process. The merges are compared, too.
import { spawnSync } from "node:child_process";
import { agnes } from "ml-hclust";
import { agglomerative, linkageMatrix, matrix, random, setThreads, toRows } from "../library.mjs";

const LINKAGES = ["ward", "average", "complete", "single"];
const python = process.env.KINDRED_PYTHON;
if (python === undefined) console.log("KINDRED_PYTHON is not set: no comparison with scikit-learn and scipy");
setThreads(1);

console.log("CPU ms, best of 5");
for (const [n, d] of [
  [1000, 10],
  [2000, 2],
  [2000, 10],
  [2000, 50],
  [5000, 10],
]) {
  const X = clouds(n, d);
  const theirs = python === undefined ? undefined : peer(X);
  for (const linkage of LINKAGES) {
    const { cpu, result } = best(() => agglomerative(X, { linkage, clusters: 8 }), 5);
    let line = `  n ${n}, d ${d}, ${linkage.padEnd(8)} ${cpu.toFixed(0).padStart(5)}`;
    if (theirs !== undefined) {
      const { sklearn, scipy, merges } = theirs[linkage];
      const same =
        JSON.stringify(linkageMatrix(result.tree).map(([a, b]) => [a, b])) === JSON.stringify(merges);
      line +=
        `   scikit-learn ${sklearn.toFixed(0)} (${(sklearn / cpu).toFixed(2)} x), ` +
        `scipy ${scipy.toFixed(0)} (${(scipy / cpu).toFixed(2)} x), merges ${same ? "identical" : "DIFFERENT"}`;
    }
    console.log(line);
  }
}

const X = clouds(1000, 10);
const rows = toRows(X);
console.log("ward, n 1000, d 10");
const ours = best(() => agglomerative(X, { clusters: 8 }), 5);
const theirs = best(() => agnes(rows, { method: "ward2" }), 1);
const height = theirs.result.height;
console.log(
  `  kindred ${ours.cpu.toFixed(1)} ms, ml-hclust 4.0.0 ${theirs.cpu.toFixed(0)} ms (${(theirs.cpu / ours.cpu).toFixed(0)} x); ` +
    `height of the last merge ${ours.result.tree.heights.at(-1).toFixed(6)} and ${height.toFixed(6)}`,
);

function best(run, rounds) {
  let cpu = Infinity;
  let result;
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage();
    result = run();
    const { user, system } = process.cpuUsage(before);
    cpu = Math.min(cpu, (user + system) / 1000);
  }
  return { cpu, result };
}

function clouds(n, d) {
  const { normal } = random(1);
  const centers = Float64Array.from({ length: 8 * d }, () => 2 * normal());
  return matrix(
    n,
    d,
    Float64Array.from({ length: n * d }, (_, p) => centers[(Math.floor(p / d) % 8) * d + (p % d)] + normal()),
  );
}

function peer(X) {
  const code = `
import json, sys, time
import numpy as np
from scipy.cluster.hierarchy import linkage
from sklearn.cluster import AgglomerativeClustering
n, d = ${X.rows}, ${X.cols}
X = np.frombuffer(sys.stdin.buffer.read(), dtype=np.float64).reshape(n, d)
def best(f):
    least = 1e9
    for _ in range(5):
        t = time.process_time(); r = f(); least = min(least, time.process_time() - t)
    return 1000 * least, r
out = {}
for m in ${JSON.stringify(LINKAGES)}:
    a, _ = best(lambda: AgglomerativeClustering(8, linkage=m).fit(X))
    b, Z = best(lambda: linkage(X, m))
    out[m] = dict(sklearn=a, scipy=b, merges=Z[:, :2].astype(int).tolist())
print(json.dumps(out))
`;
  const env = { ...process.env, OMP_NUM_THREADS: "1", OPENBLAS_NUM_THREADS: "1" };
  const input = Buffer.from(X.data.buffer, X.data.byteOffset, X.data.byteLength);
  const { status, stdout, stderr } = spawnSync(python, ["-c", code], { input, env, maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(stderr.toString());
  return JSON.parse(stdout.toString());
}
