// Convex clustering by weighted representatives: what it costs, and what it loses against the solve of all rows.
//
//   npm run build && node bench/methods/representatives.mjs subset   20000 rows: labels of the full solve and of representatives
//   npm run build && node bench/methods/representatives.mjs million  1 million rows, and the full solve of their first 20000
//
// Generated sets have 10 features and 8 clusters of unequal size (shares from 1 : 11) and unequal spread along each axis:
// "apart" and "close" differ in how far the centres are, "bent" clusters are parabolas, "heavy" ones have tails of
// Student's t with 4 degrees of freedom; 1 % of the rows are uniform noise, in "noisy" 5 %. Scores are adjusted Rand
// against the truth without the noise; "both" compares the labels of the two solves on all rows.
import * as kindred from "../library.mjs";
import { onKnown, peakMegabytes, timed } from "../measure.mjs";

const { adjustedRand, cc, matrix, random } = kindred;
const D = 10;
const K = 8;
const SHAPES = { apart: 3, close: 2.2, bent: 3, heavy: 3, noisy: 3 };
const [what = "subset"] = process.argv.slice(2);

export function mixture(shape, rows, seed) {
  const r = random(seed);
  const spread = SHAPES[shape];
  const centers = Float64Array.from({ length: K * D }, () => spread * r.normal());
  const deviations = Float64Array.from({ length: K * D }, () => 0.4 + 1.2 * r.uniform());
  const shares = Float64Array.from({ length: K }, () => 0.2 + 2 * r.uniform());
  const total = shares.reduce((a, b) => a + b, 0);
  const noise = shape === "noisy" ? 0.05 : 0.01;
  const X = matrix(rows, D);
  const truth = new Int32Array(rows);
  for (let i = 0; i < rows; i++) {
    let k = 0;
    for (let u = r.uniform() * total; k < K - 1 && u > shares[k]; k++) u -= shares[k];
    const out = r.uniform() < noise;
    truth[i] = out ? -1 : k;
    const tail =
      shape === "heavy"
        ? 1 / Math.sqrt((r.normal() ** 2 + r.normal() ** 2 + r.normal() ** 2 + r.normal() ** 2) / 4)
        : 1;
    for (let f = 0; f < D; f++) {
      const p = k * D + f;
      X.data[i * D + f] = out
        ? 3 * spread * (2 * r.uniform() - 1)
        : centers[p] + deviations[p] * tail * r.normal();
    }
    if (shape === "bent" && !out) {
      X.data[i * D] += 0.7 * (X.data[i * D + 1] - centers[k * D + 1]) ** 2;
    }
  }
  return { X, truth };
}

const first = (X, rows) => matrix(rows, X.cols, X.data.slice(0, rows * X.cols));
const score = (labels, truth, rows = truth.length) => onKnown(adjustedRand, labels, truth.subarray(0, rows));
const percent = (share) => `${(100 * share).toFixed(1)} %`;

function subset() {
  const worst = {};
  console.log(
    "shape  seed   full: score   cpu s   then for each number of representatives: scatter, score, both, cpu s",
  );
  for (const seed of [1, 2, 3]) {
    for (const shape of Object.keys(SHAPES)) {
      const { X, truth } = mixture(shape, 20_000, seed);
      const { result: full, cpu } = timed(() => cc(X, { clusters: K, scale: "zscore" }));
      const own = score(full.labels, truth);
      let line = `${shape.padEnd(6)} ${seed}   ${own.toFixed(4)}  ${cpu.toFixed(1)}`;
      for (const representatives of [2000, 5000, 10_000]) {
        const { result: few, cpu: spent } = timed(() =>
          cc(X, { clusters: K, representatives, scale: "zscore" }),
        );
        const found = score(few.labels, truth);
        line += `  | ${representatives}: ${percent(few.compression.share)} ${found.toFixed(4)} ${adjustedRand(few.labels, full.labels).toFixed(4)} ${spent.toFixed(1)}`;
        worst[representatives] = Math.max(worst[representatives] ?? -1, own - found);
      }
      console.log(line);
    }
  }
  for (const [count, loss] of Object.entries(worst))
    console.log(`${count} representatives: at worst ${loss.toFixed(4)} below the full solve`);
}

function million() {
  console.log(
    "1 million rows by 20000 representatives; scores on the first 20000 rows, beside those of their own full solve",
  );
  let worst = -1;
  for (const shape of Object.keys(SHAPES)) {
    const { X, truth } = mixture(shape, 1_000_000, 1);
    const [{ result: all, cpu }, { result: part, cpu: spent }] = [X, first(X, 20_000)].map((rows) =>
      timed(() => cc(rows, { clusters: K, scale: "zscore" })),
    );
    const scores = [score(all.labels, truth, 20_000), score(part.labels, truth, 20_000)];
    worst = Math.max(worst, scores[1] - scores[0]);
    const { share, bound, border } = all.compression;
    console.log(
      `${shape.padEnd(6)} ${scores[0].toFixed(4)} (full ${scores[1].toFixed(4)}, both ${adjustedRand(all.labels.slice(0, 20_000), part.labels).toFixed(4)}), gap ${all.certificate.relativeGap.toExponential(1)}, ` +
        `scatter ${percent(share)}, bound ${percent(bound)}, border ${percent(border)}, cpu ${cpu.toFixed(1)} s (full ${spent.toFixed(1)} s), ` +
        `peak ${peakMegabytes().toFixed(0)} MB`,
    );
  }
  console.log(`at worst ${worst.toFixed(4)} below the full solve`);
}

({ subset, million })[what]();
