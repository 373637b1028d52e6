/*
 * Bregman distances learned from pairs.
 *
 *   node bench/methods/bregman.mjs          quality: how well the distance tells pairs of classes apart (AUC), and the loss as printed
 *   node bench/methods/bregman.mjs scale    the scale of the rows, on sets that it was not chosen with
 *   node bench/methods/bregman.mjs speed    2000 points in 1000 pairs; from 200 columns on the pairs can be separated
 *
 * Quality: 500 + 500 pairs, 5000 random pairs to judge, means over ten draws. Data: KINDRED_DATA, or ../shared/datasets.
 */
import { existsSync } from "node:fs";
import { bregman, namedData, random, samplePairs, scale } from "../library.mjs";
import { mean, timed } from "../measure.mjs";
import { shared } from "../shared.mjs";

const folder = shared("datasets");
if (process.argv[2] === "speed") speed();
else if (existsSync(folder)) await (process.argv[2] === "scale" ? scales() : quality());
else console.log(`quality is skipped: there is no folder ${folder} (KINDRED_DATA)`);

async function quality() {
  const settings = [
    { function: "exp", cost: 1 },
    { function: "exp", cost: 0.1 },
    { function: "square", cost: 1 },
    { function: 4, cost: 1 },
  ];
  const title = settings.map(({ function: h, cost }) => `${h}, ${cost}`.padStart(14)).join("");
  console.log(`${"AUC".padEnd(26)}${"Euclid".padStart(8)}${title}${"as printed".padStart(14)}`);
  for (const name of ["ionosphere", "diabetes", "breast-cancer-wisconsin"]) {
    const table = await namedData(name, { folder });
    const y = table.label.values;
    const { X } = scale(table.X);
    const sums = new Float64Array(settings.length + 2);
    let inverted = 0;
    const seeds = Array.from({ length: 10 }, (_, seed) => seed);
    for (const seed of seeds) {
      const pairs = samplePairs(y, { mustLink: 500, cannotLink: 500, seed });
      const stream = random(100 + seed);
      const judges = Array.from({ length: 5000 }, () => Array.from(stream.sample(2, X.rows)));
      const apart = judges.map(([i, j]) => y[i] !== y[j]);
      sums[0] += auc(euclidean(X, judges), apart);
      settings.forEach((setting, s) => {
        sums[s + 1] += auc(bregman(X, { ...pairs, ...setting }).pairDistances(X, judges), apart);
      });
      const distances = asPrinted(X, pairs).pairDistances(X, judges);
      const area = auc(distances, apart);
      sums[settings.length + 1] += area;
      if (mean(distances.filter((_, p) => !apart[p])) > mean(distances.filter((_, p) => apart[p])))
        inverted++;
    }
    const cells = Array.from(sums, (sum) => (sum / seeds.length).toFixed(3));
    const line = [cells[0].padStart(8), ...cells.slice(1).map((cell) => cell.padStart(14))].join("");
    console.log(`${name.padEnd(26)}${line}  (pairs of one class farther: ${inverted} of ${seeds.length})`);
  }
}

/**
 * AUC at 1 / (2 rms norm) of the rows, the default, and at 1 / rms norm, the default before, means over ten draws that the
 * choice did not see. all: as in quality(); halves: 0.15 n + 0.15 n pairs of one half of the rows, judged on the other half.
 */
async function scales() {
  const title = ["Euclid", "default", "doubled", "Euclid", "default", "doubled"];
  console.log(`${"AUC: all, halves".padEnd(20)}${title.map((cell) => cell.padStart(9)).join("")}`);
  for (const name of ["sonar", "liver-disorders", "wine", "seeds", "ecoli", "dermatology-358"]) {
    const table = await namedData(name, { folder });
    const y = table.label.values;
    const { X } = scale(table.X);
    const n = X.rows;
    const sums = new Float64Array(6);
    const wins = [0, 0];
    for (let seed = 20; seed < 30; seed++) {
      const stream = random(1000 + seed);
      const half = stream.shuffle(Int32Array.from({ length: n }, (_, i) => i));
      const first = half.slice(0, n >> 1);
      const second = half.slice(n >> 1);
      const count = Math.round(0.15 * n);
      const classes = Array.from(first, (i) => y[i]);
      const inside = samplePairs(classes, { mustLink: count, cannotLink: count, seed });
      const rows = (links) => links.map(([a, b]) => [first[a], first[b]]);
      const draw = (from) =>
        Array.from({ length: 5000 }, () => Array.from(stream.sample(2, from.length), (p) => from[p]));
      const cases = [
        { pairs: samplePairs(y, { mustLink: 500, cannotLink: 500, seed }), judges: draw(half) },
        {
          pairs: { mustLink: rows(inside.mustLink), cannotLink: rows(inside.cannotLink) },
          judges: draw(second),
        },
      ];
      cases.forEach(({ pairs, judges }, c) => {
        const apart = judges.map(([i, j]) => y[i] !== y[j]);
        const fit = bregman(X, pairs);
        const wide = bregman(X, { ...pairs, rowScale: 2 * fit.rowScale });
        const ways = [euclidean(X, judges), ...[fit, wide].map((by) => by.pairDistances(X, judges))];
        const areas = ways.map((distances) => auc(distances, apart));
        areas.forEach((area, a) => (sums[3 * c + a] += area / 10));
        if (areas[1] > areas[2]) wins[c]++;
      });
    }
    const cells = Array.from(sums, (sum) => sum.toFixed(3).padStart(9)).join("");
    console.log(`${name.padEnd(20)}${cells}  (default better in ${wins[0]} and ${wins[1]} of 10 draws)`);
  }
}

/** Must-links with y = 1 in max(0, 1 - y (d - b)): the problem with the two kinds of pairs exchanged. */
function asPrinted(X, { mustLink, cannotLink }) {
  return bregman(X, { mustLink: cannotLink, cannotLink: mustLink, tolerance: 1e-6 });
}

function speed() {
  for (const d of [5, 50, 200, 500]) {
    const stream = random(1);
    const X = { rows: 2000, cols: d, data: new Float64Array(2000 * d) };
    const y = Array.from({ length: 2000 }, (_, i) => i % 4);
    for (let p = 0; p < X.data.length; p++) {
      X.data[p] = stream.normal() + ((p % d) % 4 === y[Math.floor(p / d)] ? 0.7 : 0);
    }
    const order = stream.shuffle(Int32Array.from({ length: 2000 }, (_, i) => i));
    const mustLink = [];
    const cannotLink = [];
    for (let i = 0; i < 2000; i += 2) {
      (y[order[i]] === y[order[i + 1]] ? mustLink : cannotLink).push([order[i], order[i + 1]]);
    }
    for (const h of ["exp", "square", 4]) {
      const { result, cpu, wall } = timed(() => bregman(X, { mustLink, cannotLink, function: h }));
      const { weights, certificate } = result;
      console.log(
        `2000 points, 1000 pairs, ${String(d).padStart(3)} columns, h = ${String(h).padEnd(6)}: ` +
          `${wall.toFixed(2)} s (${cpu.toFixed(2)} s of CPU), ` +
          `${weights.length} points kept, KKT residual ${certificate.residual.toExponential(1)}`,
      );
    }
  }
}

/** How often a pair of two classes is farther than a pair of one, ties counting half. */
function auc(distances, apart) {
  const order = Array.from(distances.keys()).sort((a, b) => distances[a] - distances[b]);
  let ranks = 0;
  let count = 0;
  for (let from = 0; from < order.length;) {
    let to = from;
    while (to < order.length && distances[order[to]] === distances[order[from]]) to++;
    for (let p = from; p < to; p++) {
      if (!apart[order[p]]) continue;
      ranks += (from + to - 1) / 2;
      count++;
    }
    from = to;
  }
  return (ranks - (count * (count - 1)) / 2) / (count * (order.length - count));
}

function inner(X, i, k) {
  let sum = 0;
  for (let f = 0; f < X.cols; f++) sum += X.data[i * X.cols + f] * X.data[k * X.cols + f];
  return sum;
}

/** Squared. */
function euclidean(X, pairs) {
  return pairs.map(([i, j]) => inner(X, i, i) - 2 * inner(X, i, j) + inner(X, j, j));
}
