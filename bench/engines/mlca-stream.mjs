// MLCA from a stream that is never held: n rows of 135 features and two classes, made in blocks, against X'X alone of the
// same blocks by OpenBLAS (through koffi) on one thread:
//   npm run build && node bench/engines/mlca-stream.mjs [rows, default 2000000] [engine ..., default simd relaxed]
// Times are CPU seconds, without the making of the blocks. Training is what `add` takes for all rows, and one solve.
import { random } from "../library.mjs";
import { engines, gram, matrix, setThreads, useEngine } from "../../dist/matrix/index.js";
import { classMomentsAccumulator, mlcaFromMoments } from "../../dist/metric/index.js";

const n = Number(process.argv[2] ?? 2_000_000);
const names = process.argv.length > 3 ? process.argv.slice(3) : ["simd", "relaxed"];
const d = 135;
const BLOCK = 10_000;
const SHIFT = 3; // raw features have means: sums about zero would lose digits

const usable = engines().filter((entry) => entry.available);
const blas = usable.some((entry) => entry.name === "openblas");
const kept = names.filter((name) => usable.some((entry) => entry.name === name));
if (!blas) console.log("no OpenBLAS here: no ratio");
setThreads(1);

const draw = random(1);
const scales = Float64Array.from({ length: d }, (_, f) => 1 + (f % 7));
const X = matrix(BLOCK, d);
const labels = new Int32Array(BLOCK);
const runs = kept.map((name) => ({ name, accumulator: classMomentsAccumulator(d), seconds: 0 }));
let baseline = 0;

// A first block for each, untimed: kernels are compiled and memory is laid out.
makeBlock();
for (const { name } of runs) {
  useEngine(name);
  classMomentsAccumulator(d).add(X, labels);
}
if (blas) {
  useEngine("openblas");
  gram(X);
}

console.log(`n against CPU seconds, d = ${d}, 2 classes, blocks of ${BLOCK} rows`);
const marks = [n / 8, n / 4, n / 2, n].map((rows) => Math.max(BLOCK, Math.round(rows / BLOCK) * BLOCK));
for (let rows = BLOCK; rows <= marks[marks.length - 1]; rows += BLOCK) {
  makeBlock();
  for (const run of runs) {
    useEngine(run.name);
    run.seconds += cpu(() => run.accumulator.add(X, labels));
  }
  if (blas) {
    useEngine("openblas");
    baseline += cpu(() => gram(X));
  }
  if (marks.includes(rows)) report(rows);
}

function report(rows) {
  for (const { name, accumulator, seconds } of runs) {
    useEngine(name);
    let metric;
    const solve = cpu(() => (metric = mlcaFromMoments(accumulator.result())));
    const total = seconds + solve;
    const ratio = blas
      ? `; X'X by OpenBLAS ${baseline.toFixed(2)} s, ratio ${(total / baseline).toFixed(2)}`
      : "";
    console.log(
      `n ${String(rows).padStart(8)}  ${name.padEnd(8)} add ${seconds.toFixed(2)} s, solve ${solve.toFixed(3)} s, ` +
        `${((1e6 * total) / rows).toFixed(2)} us a row${ratio}; residual ${metric.certificate.residual.toExponential(1)}`,
    );
  }
  const { maxRSS } = process.resourceUsage();
  console.log(`${" ".repeat(12)}peak memory ${(maxRSS / 1024).toFixed(0)} MB`);
}

/** Every third feature tells the classes apart; the first follows from two others, but for a little noise. */
function makeBlock() {
  for (let i = 0; i < BLOCK; i++) {
    const label = draw.integer(2);
    labels[i] = label;
    const at = i * d;
    for (let f = 0; f < d; f++) {
      X.data[at + f] = SHIFT + scales[f] * draw.normal() + (f % 3 === 0 ? 0.2 * label : 0);
    }
    X.data[at] = X.data[at + 1] + X.data[at + 2] + 0.1 * X.data[at];
  }
}

function cpu(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
