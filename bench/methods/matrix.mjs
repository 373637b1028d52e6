// Products and nearest rows against ml-matrix and OpenBLAS (through koffi) on one thread, and against our own threads:
//   npm run build && node bench/methods/matrix.mjs [simd|relaxed|plain ...]
// Times are CPU milliseconds, the best of several repetitions; a ratio is to the named baseline of the same run.
import { random } from "../library.mjs";
import {
  engines,
  gram,
  matrix,
  multiply,
  multiplyTransposeB,
  nearestRows,
  setThreads,
  squaredNorms,
  threads,
  useEngine,
} from "../../dist/matrix/index.js";

const wanted = process.argv.length > 2 ? process.argv.slice(2) : ["simd", "relaxed"];
const mlMatrix = await import("ml-matrix").catch(() => undefined);
const usable = engines().filter((entry) => entry.available);
const names = [...wanted, "openblas"].filter((name) => usable.some((entry) => entry.name === name));
const machine = threads();

const A = normal(1024, 1024, 1);
const B = normal(1024, 1024, 2);
const X = normal(200000, 64, 3);
setThreads(1);
compare(
  "GEMM 1024",
  7,
  () => multiply(A, B),
  (M) => {
    const [a, b] = [peer(M, A), peer(M, B)];
    return () => a.mmul(b);
  },
);
compare(
  "X'X 200000 x 64",
  5,
  () => gram(X),
  (M) => {
    const [x, t] = [peer(M, X), peer(M, X).transpose()];
    return () => t.mmul(x);
  },
);

const points = normal(20000, 32, 4);
for (const name of names) {
  if (name === "openblas") continue;
  useEngine(name);
  const queries = matrix(2000, 32, points.data.slice(0, 2000 * 32));
  const sorted = measure(1, () => fullRows(points, queries, 10, bySorting));
  const scanned = measure(2, () => fullRows(points, queries, 10, byScanning));
  const fused = measure(3, () => nearestRows(points, 10, { queries }));
  console.log(
    `10 nearest of 20000 x 32 for 2000 rows, ${name}: fused ${fused.toFixed(0)} ms; full rows and sorting ` +
      `${(sorted / fused).toFixed(1)} x; full rows and one scan ${(scanned / fused).toFixed(1)} x`,
  );
  console.log(
    `10 nearest of 20000 x 32 for every row, ${name}: ${measure(1, () => nearestRows(points, 10)).toFixed(0)} ms`,
  );
}

if (machine > 1) {
  for (const name of names) {
    if (name === "openblas" || name === "plain") continue;
    useEngine(name);
    for (const [label, work] of [
      ["GEMM 1024", () => multiply(A, B)],
      ["X'X 200000 x 64", () => gram(X)],
      ["10 nearest of 20000 x 32", () => nearestRows(points, 10)],
    ]) {
      setThreads(1);
      const alone = wall(3, work);
      setThreads(machine);
      const together = wall(3, work);
      console.log(
        `${label}, ${name}, wall time: 1 thread ${alone.toFixed(0)} ms, ${machine} threads ` +
          `${together.toFixed(0)} ms (${(alone / together).toFixed(2)} x)`,
      );
    }
  }
}

function compare(label, repetitions, ours, theirs) {
  const times = {};
  for (const name of names) {
    useEngine(name);
    times[name] = measure(repetitions, ours);
  }
  if (mlMatrix !== undefined) times["ml-matrix"] = measure(2, theirs(mlMatrix.Matrix));
  const ratio = (name, baseline) =>
    times[baseline] === undefined ? "" : `, ${(times[name] / times[baseline]).toFixed(2)} x ${baseline}`;
  for (const [name, time] of Object.entries(times)) {
    const gain =
      times["ml-matrix"] === undefined
        ? ""
        : `, ${(times["ml-matrix"] / time).toFixed(1)} x faster than ml-matrix`;
    console.log(`${label}, ${name}: ${time.toFixed(1)} ms${ratio(name, "openblas")}${gain}`);
  }
}

/** The baseline: the same blocked product, every distance written down, then a selection from each row. */
function fullRows(X, Q, k, select) {
  const normsX = squaredNorms(X);
  const normsQ = squaredNorms(Q);
  const indices = new Int32Array(Q.rows * k);
  const block = 256;
  for (let i = 0; i < Q.rows; i += block) {
    const rows = Math.min(block, Q.rows - i);
    const D = multiplyTransposeB(matrix(rows, Q.cols, Q.data.subarray(i * Q.cols, (i + rows) * Q.cols)), X);
    for (let r = 0; r < rows; r++) {
      const row = D.data.subarray(r * X.rows, (r + 1) * X.rows);
      for (let j = 0; j < X.rows; j++) row[j] = normsQ[i + r] + normsX[j] - 2 * row[j];
      select(row, k, indices, (i + r) * k);
    }
  }
  return indices;
}

function bySorting(row, k, indices, at) {
  const limit = row.slice().sort()[k - 1];
  let found = 0;
  for (let j = 0; j < row.length && found < k; j++) if (row[j] <= limit) indices[at + found++] = j;
  indices.subarray(at, at + k).sort((a, b) => row[a] - row[b]);
}

function byScanning(row, k, indices, at) {
  const best = new Float64Array(k).fill(Infinity);
  for (let j = 0; j < row.length; j++) {
    const distance = row[j];
    if (!(distance < best[k - 1])) continue;
    let p = k - 1;
    for (; p > 0 && best[p - 1] > distance; p--) {
      best[p] = best[p - 1];
      indices[at + p] = indices[at + p - 1];
    }
    best[p] = distance;
    indices[at + p] = j;
  }
}

function peer(Matrix, A) {
  const M = new Matrix(A.rows, A.cols);
  for (let i = 0; i < A.rows; i++) for (let j = 0; j < A.cols; j++) M.set(i, j, A.data[i * A.cols + j]);
  return M;
}

function normal(rows, cols, seed) {
  const source = random(seed);
  return matrix(
    rows,
    cols,
    new Float64Array(rows * cols).map(() => source.normal()),
  );
}

function measure(repetitions, work) {
  let best = Infinity;
  for (let r = 0; r < repetitions; r++) {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

function wall(repetitions, work) {
  let best = Infinity;
  for (let r = 0; r < repetitions; r++) {
    const start = performance.now();
    work();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}
