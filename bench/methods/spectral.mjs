// Spectral clustering on a graph of nearest neighbours against scikit-learn on the same rows.
//
//   npm run build && KINDRED_PYTHON=/path/to/python node bench/methods/spectral.mjs
//
// KINDRED_PYTHON has numpy and scikit-learn; without it only our times are printed. CPU and wall milliseconds of one run
// each, one thread; ours again after a first run. The agreement of the labels is the adjusted Rand index.
import { spawnSync } from "node:child_process";
import { adjustedRand, matrix, normalizedCut, random, setThreads, spectral } from "../library.mjs";

const CLUSTERS = 8;
const python = process.env.KINDRED_PYTHON;
if (python === undefined) console.log("KINDRED_PYTHON is not set: no comparison with scikit-learn");
setThreads(1);

for (const [n, d, spread] of [
  [2000, 10, 2],
  [10000, 10, 2],
  [10000, 50, 1],
]) {
  const { X, truth } = clouds(n, d, spread);
  console.log(`n ${n}, d ${d}, 10 neighbours, ${CLUSTERS} clusters: CPU ms (wall)`);
  const first = timed(() => spectral(X, { clusters: CLUSTERS }));
  const again = timed(() => spectral(X, { clusters: CLUSTERS }));
  const cuts = timed(() => normalizedCut(X, { clusters: CLUSTERS }));
  show("spectral, first run", first, truth);
  show("spectral", again, truth);
  show("recursive cuts", cuts, truth);
  if (python === undefined) continue;
  const theirs = peer(X);
  show("scikit-learn", theirs, truth);
  console.log(
    `  ${(theirs.cpu / first.cpu).toFixed(1)} x the CPU time of the first run, ${(theirs.cpu / again.cpu).toFixed(1)} x of ` +
      `the second; labels agree by ${adjustedRand(theirs.result.labels, again.result.labels).toFixed(4)}`,
  );
}

function show(name, { cpu, wall, result }, truth) {
  const score = adjustedRand(result.labels, truth).toFixed(4);
  const cut = result.objective === undefined ? "" : `, normalised cut ${result.objective.toFixed(5)}`;
  console.log(
    `  ${name.padEnd(20)} ${cpu.toFixed(0).padStart(6)} (${wall.toFixed(0)}), adjusted Rand ${score}${cut}`,
  );
}

function timed(run) {
  const before = process.cpuUsage();
  const start = performance.now();
  const result = run();
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1000, wall: performance.now() - start, result };
}

function clouds(n, d, spread) {
  const { normal } = random(2);
  const centers = Float64Array.from({ length: CLUSTERS * d }, () => spread * normal());
  const truth = Array.from({ length: n }, (_, i) => i % CLUSTERS);
  const data = Float64Array.from(
    { length: n * d },
    (_, p) => centers[truth[Math.floor(p / d)] * d + (p % d)] + 1.5 * normal(),
  );
  return { X: matrix(n, d, data), truth };
}

function peer(X) {
  const code = `
import json, sys, time, warnings
import numpy as np
from sklearn.cluster import SpectralClustering
warnings.simplefilter("ignore")
X = np.frombuffer(sys.stdin.buffer.read(), dtype=np.float64).reshape(${X.rows}, ${X.cols})
w, t = time.perf_counter(), time.process_time()
# Its ten neighbours include the row itself.
model = SpectralClustering(${CLUSTERS}, affinity="nearest_neighbors", n_neighbors=11, random_state=0).fit(X)
print(json.dumps(dict(cpu=1000 * (time.process_time() - t), wall=1000 * (time.perf_counter() - w), labels=model.labels_.tolist())))
`;
  const env = { ...process.env, OMP_NUM_THREADS: "1", OPENBLAS_NUM_THREADS: "1" };
  const input = Buffer.from(X.data.buffer, X.data.byteOffset, X.data.byteLength);
  const { status, stdout, stderr } = spawnSync(python, ["-c", code], { input, env, maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(stderr.toString());
  const { cpu, wall, labels } = JSON.parse(stdout.toString());
  return { cpu, wall, result: { labels } };
}
