// Constrained clustering: what it costs beside plain k-means, and how well it does on the 50 + 50 pairs of the peers' splits
// (KINDRED_PEERS, by default ../shared/peers).
//
//   npm run build && node bench/methods/constrained.mjs [speed] [splits]
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { cc, ccml, ccscml, rcc, scc } from "kindred/convex";
import * as kindred from "../library.mjs";
import { clouds, cpuSeconds, timed } from "../measure.mjs";
import { shared } from "../shared.mjs";

const { adjustedRand, constrainedKmeans, kmeans, matrix, random, samplePairs, scale } = kindred;
/** Method, the best adjusted Rand index that a peer reached on these splits, and the call. */
const CONTENDERS = [
  ["k-means, no pairs", { iris: 0.62, wine: 0.915 }, (X) => kmeans(X, { clusters: 3 })],
  ...["plain", "learned"].map((distances) => [
    `constrained k-means, ${distances}`,
    { iris: 0.762, wine: "0.973 on 2 of 5, 0.955 on all" },
    (X, pairs) => constrainedKmeans(X, { clusters: 3, ...pairs, distances }),
  ]),
  ...Object.entries({ cc, rcc, scc, ccml, ccscml }).map(([name, method]) => [
    name,
    { iris: "none", wine: "none" },
    (X, pairs) => method(X, { clusters: 3, scale: "none", ...pairs }),
  ]),
  ["PCK-means", { iris: 0.753, wine: 0.942 }, (X, pairs) => kindred.pckMeans(X, { clusters: 3, ...pairs })],
  ["LCVQE", { iris: 0.667, wine: 0.948 }, (X, pairs) => kindred.lcvqe(X, { clusters: 3, ...pairs })],
  ...["shared", "per-cluster"].flatMap((metric) =>
    ["diagonal", "full"].map((form) => [
      `MPCK-means ${metric} ${form}`,
      { iris: 0.957, wine: 0.938 },
      (X, pairs) =>
        kindred.mpckMeans(X, {
          clusters: 3,
          ...pairs,
          perCluster: metric !== "shared",
          diagonal: form === "diagonal",
        }),
    ]),
  ),
];
const parts = process.argv.slice(2);
const wanted = (part) => parts.length === 0 || parts.includes(part);
if (wanted("speed")) speed();
if (wanted("splits")) splits();

function speed() {
  const n = 100_000;
  const d = 20;
  for (const [K, must, cannot] of [
    [10, 5000, 5000],
    [10, 0, 10_000],
    [5, 1000, 9000],
  ]) {
    const { X, y } = clouds(random, n, d, { clusters: K, spread: 0.7 });
    const pairs = samplePairs(y, { mustLink: must, cannotLink: cannot, seed: 1 });
    const options = { clusters: K, restarts: 2, seed: 1 };
    const best = { plain: Infinity, constrained: Infinity };
    let steps = "";
    for (let round = 0; round < 3; round++) {
      const plain = timed(() => kmeans(X, options));
      best.plain = Math.min(best.plain, 1000 * plain.cpu);
      const bound = timed(() => constrainedKmeans(X, { ...options, ...pairs, space: "plain" }));
      best.constrained = Math.min(best.constrained, 1000 * bound.cpu);
      steps = `${plain.result.iterations} and ${bound.result.iterations} iterations, ${bound.result.certificate.violated} violated`;
    }
    console.log(
      `n ${n}, d ${d}, K ${K}, ${must} must-links + ${cannot} cannot-links: constrained ` +
        `${best.constrained.toFixed(0)} ms CPU, plain ${best.plain.toFixed(0)} ms, ` +
        `ratio ${(best.constrained / best.plain).toFixed(2)} (${steps})`,
    );
  }
}

function splits() {
  const folder = shared("peers", "metric/data");
  if (!existsSync(folder)) {
    console.log(`${folder} is not there: no comparison on the peers' splits`);
    return;
  }
  const unzip = (file) => gunzipSync(readFileSync(join(folder, file))).toString();
  for (const name of ["iris", "wine"]) {
    const rows = unzip(`${name}.csv.gz`)
      .trim()
      .split("\n")
      .map((line) => line.split(",").map(Number));
    const d = rows[0].length - 1;
    const raw = matrix(rows.length, d, Float64Array.from(rows.flatMap((cells) => cells.slice(0, d))));
    const { X } = scale(raw, "zscore");
    const classes = rows.map((cells) => cells[d]);
    const pairs = JSON.parse(unzip(`${name}.splits.json.gz`)).map(({ pos, neg }) => ({
      mustLink: pos.filter((_, i) => i % 4 === 0),
      cannotLink: neg.filter((_, i) => i % 4 === 0),
    }));
    for (const [method, peer, run] of CONTENDERS) {
      let sum = 0;
      let violated = 0;
      const start = process.cpuUsage();
      for (const set of pairs) {
        const { labels } = run(X, set);
        sum += adjustedRand(labels, classes) / pairs.length;
        violated += violations(labels, set);
      }
      console.log(
        `${name.padEnd(5)} ${method.padEnd(28)} ARI ${sum.toFixed(4)} (best peer ${peer[name]}), ` +
          `${violated} of ${100 * pairs.length} pairs violated, ${((1000 * cpuSeconds(start)) / pairs.length).toFixed(0)} ms CPU each`,
      );
    }
  }
}

function violations(labels, { mustLink, cannotLink }) {
  return (
    mustLink.filter(([i, j]) => labels[i] !== labels[j]).length +
    cannotLink.filter(([i, j]) => labels[i] === labels[j]).length
  );
}
