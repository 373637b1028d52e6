import { random } from "../core/index.ts";
import {
  cholesky,
  matrix,
  multiply,
  multiplyTransposeA,
  solveTriangular,
  type Matrix,
} from "../matrix/index.ts";
import { principalComponents } from "../matrix/internal.ts";
import { clusterMeans } from "../method/internal.ts";
import { dense } from "./arrange.ts";
import { voteInto } from "./consensus.ts";
import { exclusiveGroups, type Known } from "./known.ts";
import type { Partition } from "./library.ts";
import { randomTrees } from "./randomTrees.ts";

/** The start of learned members; the same for all folds of a cross-validation. */
export interface Ground {
  /** The columns, and the base space: the columns themselves or, of many, their components. */
  readonly X: Matrix;
  readonly Z: Matrix;
  /** Covariance of the grain of the columns in the base space (grain.ts). */
  readonly G: Matrix;
  /** The diffusion from given rows over the neighbour graph. */
  readonly reach: (rows: ArrayLike<number>) => Matrix;
  readonly seed: number;
}

/** Rows that the shared covariance of all clusters is worth at least, and its weight towards the plain metric. */
const PARTITION_PRIOR = 3;
const ROUNDS = 12;
const MOST_DIMENSIONS = 20;
const TREES = 40;
/** Rows that stand for a cluster of which no row is known. */
const STAND_IN = 5;

/**
 * Partitions that learn from the hints, starting from the likeliest ones:
 *
 *     metric    Gaussians of one covariance under the hints: one metric and the partition in turns (as MPCK-means, M. Bilenko
 *               and others, 2004)
 *     mixture   a Gaussian of its own for every cluster
 *     trees     random trees on the rows whose cluster the hints tell
 *     spread    their labels spread over the neighbour graph (D. Zhou and others, 2004)
 */
export function learnedMembers(
  ground: Ground,
  K: number,
  known: Known,
  starts: readonly Int32Array[],
): Partition[] {
  const likeliest = (name: string, shared: boolean): Partition => {
    const runs = starts.map((start) => mixtureMember(ground, known, K, start, shared));
    return { name, labels: runs.reduce((a, b) => (b.cost < a.cost ? b : a)).labels };
  };
  const mixed = [likeliest("metric", true), likeliest("mixture", false)];
  return [...mixed, ...placedMembers(ground, K, known, starts[0])].map(({ name, labels }) => ({
    name,
    labels: dense(labels),
  }));
}

/** By classification EM (G. Celeux and G. Govaert, 1992); the covariances share a part, or all. */
function mixtureMember(
  { Z, G }: Ground,
  known: Known,
  K: number,
  start: Int32Array,
  isShared: boolean,
): { labels: Int32Array; cost: number } {
  const few = Z.cols > MOST_DIMENSIONS ? principalComponents(Z, 1, MOST_DIMENSIONS) : undefined;
  const X = few?.scores ?? Z;
  const spread = few === undefined ? G : multiplyTransposeA(few.V, multiply(G, few.V));
  const { rows: n, cols: d } = X;
  // Rows that are the same differ by what does not matter (relevant components, N. Shental and others, 2002).
  const links = scatterWithin(X, known.group, known.groups);
  const linked = known.hinted.length - new Set(Array.from(known.hinted, (i) => known.group[i])).size;
  let labels = start;
  let cost = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const means = clusterMeans(X, labels, K);
    const within = scatterWithin(X, labels, K);
    const shared = within.data.map(
      (value, p) =>
        (value + links.data[p] + n * spread.data[p] + (p % (d + 1) === 0 ? PARTITION_PRIOR : 0)) /
        (n + linked + PARTITION_PRIOR),
    );
    const costs = new Float64Array(n * K);
    for (let k = 0; k < K; k++) {
      const inside = Array.from(labels.keys()).filter((i) => labels[i] === k);
      // The shared covariance counts as d + 2 rows.
      const own = scatterOf(X, inside, means, k).data.map(
        (value, p) =>
          (value + inside.length * spread.data[p] + (d + 2) * shared[p]) / (inside.length + d + 2),
      );
      const S = matrix(d, d, isShared ? shared : own);
      const { L, logDeterminant } = cholesky(S);
      const centred = matrix(d, n);
      for (let i = 0; i < n; i++)
        for (let f = 0; f < d; f++) centred.data[f * n + i] = X.data[i * d + f] - means.data[k * d + f];
      const Y = solveTriangular(L, centred);
      const constant = logDeterminant - 2 * Math.log((inside.length + 1) / (n + K));
      for (let i = 0; i < n; i++) costs[i * K + k] = constant;
      for (let f = 0; f < d; f++) for (let i = 0; i < n; i++) costs[i * K + k] += Y.data[f * n + i] ** 2;
    }
    const next = pairedAssignment(costs, known, K, 4 * d);
    const same = next.every((label, i) => label === labels[i]);
    labels = next;
    cost = labels.reduce((sum, label, i) => sum + costs[i * K + label], 0);
    if (same) break;
  }
  return { labels, cost };
}

/** The scatter of rows about the mean of their cluster. */
function scatterWithin(X: Matrix, labels: Int32Array, K: number): Matrix {
  const means = clusterMeans(X, labels, K);
  const parts: number[][] = Array.from({ length: K }, () => []);
  labels.forEach((label, i) => parts[label].push(i));
  const S = matrix(X.cols, X.cols);
  parts.forEach((inside, k) => {
    if (inside.length < 2) return;
    const own = scatterOf(X, inside, means, k);
    for (let p = 0; p < S.data.length; p++) S.data[p] += own.data[p];
  });
  return S;
}

function scatterOf({ cols: d, data }: Matrix, inside: readonly number[], means: Matrix, k: number): Matrix {
  const E = matrix(inside.length, d);
  inside.forEach((i, r) => {
    for (let f = 0; f < d; f++) E.data[r * d + f] = data[i * d + f] - means.data[k * d + f];
  });
  return multiplyTransposeA(E, E);
}

/**
 * Smallest costs of groups, with a price for exclusive groups in one cluster; by descent from the free
 * assignment.
 */
function pairedAssignment(costs: Float64Array, known: Known, K: number, price: number): Int32Array {
  const { group, groups, masses, excluded, bound } = known;
  const D = new Float64Array(groups * K);
  for (let i = 0; i < group.length; i++) for (let k = 0; k < K; k++) D[group[i] * K + k] += costs[i * K + k];
  const labels = new Int32Array(groups);
  const own = new Float64Array(K);
  for (let g = 0; g < groups; g++)
    for (let k = 1; k < K; k++) if (D[g * K + k] < D[g * K + labels[g]]) labels[g] = k;
  for (let sweep = 0; sweep < 5; sweep++) {
    let moved = 0;
    for (const g of bound) {
      for (let k = 0; k < K; k++) own[k] = D[g * K + k];
      for (const h of excluded[g]) own[labels[h]] += price * Math.min(masses[g], masses[h]);
      let best = labels[g];
      for (let k = 0; k < K; k++) if (own[k] < own[best] - 1e-12) best = k;
      if (best !== labels[g]) moved++;
      labels[g] = best;
    }
    if (moved === 0) break;
  }
  return group.map((g) => labels[g]);
}

/** Classifiers trained on the rows whose cluster the hints tell: those of groups that all exclude each other. */
function placedMembers(
  { X, reach: diffused, seed }: Ground,
  K: number,
  known: Known,
  likely: Int32Array,
): Partition[] {
  const start = voteInto([{ labels: likely, weight: 1 }], known, K);
  const certain = new Set(exclusiveGroups(known));
  const rows = Array.from(known.hinted).filter((i) => certain.has(known.group[i]));
  const classes = rows.map((i) => start[i]);
  const given = new Set(known.hinted);
  const stream = random(seed + 1);
  for (let k = 0; k < K; k++) {
    if (classes.includes(k)) continue;
    const inside = Array.from(start.keys()).filter((i) => start[i] === k && !given.has(i));
    if (inside.length < 3) continue;
    for (const s of stream.sample(Math.min(STAND_IN, inside.length), inside.length)) {
      rows.push(inside[s]);
      classes.push(k);
    }
  }
  if (new Set(classes).size < 2) return [];
  const votes = randomTrees(X, rows, classes, K, TREES, stream);
  const spread = diffused(rows);
  const n = X.rows;
  const reach = new Float64Array(n * K);
  const mass = new Float64Array(K);
  for (let i = 0; i < n; i++) {
    for (let c = 0; c < rows.length; c++) reach[i * K + classes[c]] += spread.data[i * rows.length + c];
    for (let k = 0; k < K; k++) mass[k] += reach[i * K + k];
  }
  for (let p = 0; p < reach.length; p++) reach[p] /= mass[p % K] || 1;
  return [
    { name: "trees", labels: largest(votes, n, K) },
    { name: "spread", labels: largest(reach, n, K) },
  ];
}

function largest(votes: Float64Array, n: number, K: number): Int32Array {
  const labels = new Int32Array(n);
  for (let i = 0; i < n; i++)
    for (let k = 1; k < K; k++) if (votes[i * K + k] > votes[i * K + labels[i]]) labels[i] = k;
  return labels;
}
