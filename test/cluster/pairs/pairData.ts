import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { random, type Random } from "../../../src/core/index.ts";
import { scale, type Constraints, type Pair } from "../../../src/data/index.ts";
import { matrix, type Matrix } from "../../../src/matrix/index.ts";
import { shared } from "../../../bench/shared.mjs";

const folder = shared("peers", "metric/data");
export const splitsMissing: boolean = !existsSync(join(folder, "wine.splits.json.gz"));

/** A z-scored data set with the 50 must-links and 50 cannot-links of each of its five splits. */
export function splitPairs(name: string): { X: Matrix; classes: number[]; splits: Constraints[] } {
  const unzip = (file: string): string => gunzipSync(readFileSync(join(folder, file))).toString();
  const rows = unzip(`${name}.csv.gz`)
    .trim()
    .split("\n")
    .map((line) => line.split(",").map(Number));
  const d = rows[0].length - 1;
  const X = matrix(rows.length, d, Float64Array.from(rows.flatMap((cells) => cells.slice(0, d))));
  const splits = JSON.parse(unzip(`${name}.splits.json.gz`)) as { pos: Pair[]; neg: Pair[] }[];
  const fourth = (pairs: Pair[]): Pair[] => pairs.filter((_, i) => i % 4 === 0);
  return {
    X: scale(X, "zscore").X,
    classes: rows.map((cells) => cells[d]),
    splits: splits.map(({ pos, neg }) => ({ mustLink: fourth(pos), cannotLink: fourth(neg) })),
  };
}

/** Random pairs that a hidden partition into K satisfies. */
export function plantedPairs(
  n: number,
  K: number,
  must: number,
  cannot: number,
  stream: Random,
): Constraints & { hidden: Int32Array } {
  const hidden = Int32Array.from({ length: n }, () => stream.integer(K));
  const mustLink: Pair[] = [];
  const cannotLink: Pair[] = [];
  for (let tries = 0; tries < 20 * (must + cannot); tries++) {
    const i = stream.integer(n);
    const j = stream.integer(n);
    if (i === j) continue;
    if (hidden[i] === hidden[j]) {
      if (mustLink.length < must) mustLink.push([i, j]);
    } else if (cannotLink.length < cannot) cannotLink.push([i, j]);
  }
  return { mustLink, cannotLink, hidden };
}

/** Planted pairs and, hidden among them, a clique of K + 1 rows (or a K-chromatic wheel-like conflict without one). */
export function brokenPairs(n: number, K: number, must: number, cannot: number, seed: number): Constraints {
  const stream = random(seed);
  const { mustLink, cannotLink } = plantedPairs(n, K, must, cannot, stream);
  const group = joined(n, mustLink);
  const chosen: number[] = [];
  for (let tries = 0; chosen.length < K + 4 && tries < 100 * n; tries++) {
    const i = stream.integer(n);
    if (!chosen.some((j) => group[i] === group[j])) chosen.push(i);
  }
  const extra: Pair[] = [];
  if (seed % 2 === 0 || K < 3) {
    for (let a = 0; a <= K; a++) for (let b = 0; b < a; b++) extra.push([chosen[a], chosen[b]]);
  } else {
    // An odd cycle of five (three colours) joined with a clique of K - 2: K + 1 colours, but no clique of K + 1.
    for (let a = 0; a < 5; a++) extra.push([chosen[a], chosen[(a + 1) % 5]]);
    for (let b = 5; b < K + 3; b++) for (let a = 0; a < b; a++) extra.push([chosen[a], chosen[b]]);
  }
  return { mustLink, cannotLink: [...cannotLink, ...extra] };
}

function joined(n: number, pairs: readonly Pair[]): Int32Array {
  const name = Int32Array.from({ length: n }, (_, i) => i);
  const find = (i: number): number => (name[i] === i ? i : (name[i] = find(name[i])));
  for (const [i, j] of pairs) name[find(i)] = find(j);
  return name.map((_, i) => find(i));
}
