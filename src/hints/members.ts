import { principalComponents } from "../matrix/internal.ts";
import { random } from "../core/index.ts";
import {
  cholesky,
  matrix,
  multiply,
  multiplyTransposeA,
  multiplyTransposeB,
  solveTriangular,
  transpose,
  type Matrix,
  type Sparse,
} from "../matrix/index.ts";
import { dense } from "./arrange.ts";
import { affinity, diffusion, normalized, spectralRows } from "./affinity.ts";
import { voteInto } from "./consensus.ts";
import { exclusiveGroups, spanning, type Known } from "./known.ts";
import type { Partition } from "./library.ts";
import { meansOf, pairedKmeans, pairedLloyd, pairedPoints } from "./pairedLloyd.ts";
import { randomTrees } from "./randomTrees.ts";

/** The start of learned members; the same for all folds of a cross-validation. */
export interface Ground {
  /** The columns, and the base space: the columns themselves or, of many, their components. */
  readonly X: Matrix;
  readonly Z: Matrix;
  /** Covariance of the grain of the columns in the base space (grain.ts). */
  readonly G: Matrix;
  /** Its neighbour graph, and the diffusion from given rows. */
  readonly W: Sparse;
  readonly reach: (rows: ArrayLike<number>) => Matrix;
  readonly seed: number;
}

/** Weight of the plain metric in rows, in the metric of linked rows and in that of a partition. */
const LINK_PRIOR = 8;
const PARTITION_PRIOR = 3;
const TREES = 40;

/**
 * Partitions that learn from the hints.
 *
 *     plain        k-means that keeps the hints
 *     propagated   the hints spread over the neighbour graph (E2CP, Z. Lu and H. H. S. Ip, 2010) in the metric of
 *                  relevant components (N. Shental and others, 2002), then spectral clustering
 *     metric       partition and one full metric in turns (MPCK-means, M. Bilenko and others, 2004), of several starts
 *                  the one of least log-determinant; and the one from the likeliest partition without hints
 *     trees        random trees on the rows that are in a hint
 *     spread       their labels spread over the neighbour graph
 *
 * @param likely partitions into at most K clusters from which learning starts, likeliest first
 */
export function learnedMembers(
  ground: Ground,
  K: number,
  known: Known,
  likely: readonly Int32Array[],
): Partition[] {
  const { Z, G, W, reach, seed } = ground;
  const stream = random(seed);
  const scatter = linkScatter(Z, known);
  const plain = pairedKmeans(Z, known, K, 3, stream).labels;
  const linked = mapped(Z, blend(scatter.S, scatter.df, LINK_PRIOR, 1)).Z;
  const relevant = pairedKmeans(linked, known, K, 3, stream).labels;
  const members: Partition[] = [{ name: "plain", labels: plain }];
  if (Z.rows > K + 1) {
    const graph = affinity(linked);
    const S = normalized(graph);
    const far = propagated(graph, (rows) => diffusion(S, rows), known, K, stream);
    members.push({ name: "propagated", labels: far });
    members.push({ name: "propagated plain", labels: propagated(W, reach, known, K, stream) });
  }
  const [first = plain] = likely;
  const starts = [plain, relevant, ...likely];
  const runs = starts.map((start) => metricMember(Z, G, known, K, scatter, start));
  const best = runs.reduce((a, b) => (b.volume < a.volume ? b : a));
  members.push({ name: "metric", labels: best.labels });
  if (runs.length > 2) members.push({ name: "metric from the library", labels: runs[2].labels });
  members.push({ name: "mixture", labels: mixtureMember(Z, G, known, K, first) });
  members.push(...placedMembers(ground, K, known, [...members.map(({ labels }) => labels), first]));
  return members.map(({ name, labels }) => ({ name, labels: dense(labels) }));
}

/** sum over groups of the scatter about their means, and its degrees of freedom. */
function linkScatter(Z: Matrix, known: Known): { S: Matrix; df: number } {
  const d = Z.cols;
  const S = matrix(d, d);
  const { points } = pairedPoints(Z, known);
  let df = 0;
  const step = new Float64Array(d);
  for (const i of known.hinted) {
    const g = known.group[i];
    if (known.masses[g] < 2) continue;
    df += 1 - 1 / known.masses[g];
    for (let f = 0; f < d; f++) step[f] = Z.data[i * d + f] - points.data[g * d + f];
    for (let a = 0; a < d; a++) for (let b = 0; b < d; b++) S.data[a * d + b] += step[a] * step[b];
  }
  return { S, df: Math.round(df) };
}

/** (S + prior v I) / (df + prior). */
function blend(S: Matrix, df: number, prior: number, v: number): Matrix {
  const d = S.rows;
  return matrix(
    d,
    d,
    S.data.map((value, p) => (value + (p % (d + 1) === 0 ? prior * v : 0)) / (df + prior)),
  );
}

/** Rows in coordinates where the Euclidean distance is that of S^-1, and log |S|. */
function mapped(Z: Matrix, S: Matrix): { Z: Matrix; logDeterminant: number } {
  const { L, logDeterminant } = cholesky(S);
  return { Z: transpose(solveTriangular(L, transpose(Z))), logDeterminant };
}

function metricMember(
  Z: Matrix,
  G: Matrix,
  known: Known,
  K: number,
  links: { S: Matrix; df: number },
  start: Int32Array,
): { labels: Int32Array; volume: number } {
  const { rows: n, cols: d } = Z;
  let v = 0;
  for (const value of Z.data) v += value * value;
  v = Math.max(v / Z.data.length, 1e-12);
  let labels = start;
  let volume = Infinity;
  for (let round = 0; round < 12; round++) {
    const S = matrix(
      d,
      d,
      links.S.data.map((value, p) => value + n * G.data[p]),
    );
    addScatter(Z, labels, K, S);
    const step = mapped(Z, blend(S, n + links.df, PARTITION_PRIOR, v));
    volume = step.logDeterminant;
    const next = pairedLloyd(pairedPoints(step.Z, known), meansOf(step.Z, labels, K), 15).labels;
    const same = next.every((label, i) => label === labels[i]);
    labels = next;
    if (same) break;
  }
  return { labels, volume };
}

/** A separate Gaussian for every cluster, fitted by classification EM under the hints from a partition. */
function mixtureMember(Z: Matrix, G: Matrix, known: Known, K: number, start: Int32Array): Int32Array {
  const few = Z.cols > 20 ? principalComponents(Z, 1, 20) : undefined;
  const X = few?.scores ?? Z;
  const spread = few === undefined ? G : multiplyTransposeA(few.V, multiply(G, few.V));
  const { rows: n, cols: d } = X;
  const pooled = matrix(d, d);
  const links = linkScatter(X, known);
  let labels = start;
  for (let round = 0; round < 12; round++) {
    const means = meansOf(X, labels, K);
    pooled.data.set(links.S.data.map((value, p) => value + n * spread.data[p]));
    addScatter(X, labels, K, pooled);
    const shared = blend(pooled, n + links.df, PARTITION_PRIOR, 1);
    const costs = new Float64Array(n * K);
    for (let k = 0; k < K; k++) {
      const inside = labels.reduce((sum, label) => sum + (label === k ? 1 : 0), 0);
      const S = matrix(d, d);
      const E = new Float64Array(d);
      for (let i = 0; i < n; i++) {
        if (labels[i] !== k) continue;
        for (let f = 0; f < d; f++) E[f] = X.data[i * d + f] - means.data[k * d + f];
        for (let a = 0; a < d; a++) for (let b = 0; b < d; b++) S.data[a * d + b] += E[a] * E[b];
      }
      // The shared covariance counts as d + 2 rows.
      for (let p = 0; p < S.data.length; p++)
        S.data[p] = (S.data[p] + inside * spread.data[p] + (d + 2) * shared.data[p]) / (inside + d + 2);
      const { L, logDeterminant } = cholesky(S);
      const centred = matrix(d, n);
      for (let i = 0; i < n; i++)
        for (let f = 0; f < d; f++) centred.data[f * n + i] = X.data[i * d + f] - means.data[k * d + f];
      const Y = solveTriangular(L, centred);
      const constant = logDeterminant - 2 * Math.log((inside + 1) / (n + K));
      for (let i = 0; i < n; i++) costs[i * K + k] = constant;
      for (let f = 0; f < d; f++) for (let i = 0; i < n; i++) costs[i * K + k] += Y.data[f * n + i] ** 2;
    }
    const next = pairedAssignment(costs, known, K, 4 * d);
    const same = next.every((label, i) => label === labels[i]);
    labels = next;
    if (same) break;
  }
  return labels;
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

function addScatter(Z: Matrix, labels: Int32Array, K: number, S: Matrix): void {
  const { rows: n, cols: d, data } = Z;
  const means = meansOf(Z, labels, K);
  const E = new Float64Array(d);
  for (let i = 0; i < n; i++) {
    for (let f = 0; f < d; f++) E[f] = data[i * d + f] - means.data[labels[i] * d + f];
    for (let a = 0; a < d; a++) {
      const e = E[a];
      for (let b = 0, p = a * d; b <= a; b++, p++) S.data[p] += e * E[b];
    }
  }
  for (let a = 0; a < d; a++) for (let b = 0; b < a; b++) S.data[b * d + a] = S.data[a * d + b];
}

/** E2CP: F = A P A' with P the answers and A the diffusion; affinities move towards 1 where F > 0 and to 0 where F < 0. */
function propagated(
  W: Sparse,
  reach: Ground["reach"],
  known: Known,
  K: number,
  stream: ReturnType<typeof random>,
): Int32Array {
  const n = W.rows;
  const rows = known.hinted;
  const m = rows.length;
  const dense = matrix(n, n);
  for (let i = 0; i < n; i++)
    for (let p = W.offsets[i]; p < W.offsets[i + 1]; p++) dense.data[i * n + W.indices[p]] = W.values[p];
  if (m > 0) {
    const A = reach(rows);
    const P = spanningAnswers(known);
    const AP = matrix(n, m);
    for (let i = 0; i < n; i++) {
      for (const [a, b, sign] of P) {
        AP.data[i * m + a] += sign * A.data[i * m + b];
        AP.data[i * m + b] += sign * A.data[i * m + a];
      }
    }
    const F = multiplyTransposeB(AP, A).data;
    let largest = 0;
    for (const value of F) largest = Math.max(largest, Math.abs(value));
    if (largest > 0) {
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < i; j++) {
          const f = F[i * n + j] / largest;
          const w = dense.data[i * n + j];
          dense.data[i * n + j] = dense.data[j * n + i] = f >= 0 ? 1 - (1 - f) * (1 - w) : (1 + f) * w;
        }
      }
    }
  }
  const roots = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let degree = 1e-12;
    for (let j = 0; j < n; j++) degree += dense.data[i * n + j];
    roots[i] = 1 / Math.sqrt(degree);
  }
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) dense.data[i * n + j] *= roots[i] * roots[j];
  return pairedKmeans(spectralRows(dense, K), known, K, 5, stream).labels;
}

/** Answers that contain all knowledge, as positions in `hinted`. */
function spanningAnswers(known: Known): [number, number, 1 | -1][] {
  const place = new Map<number, number>();
  known.hinted.forEach((i, at) => place.set(i, at));
  const { same, different } = spanning(known);
  return [
    ...same.map(([a, b]): [number, number, 1] => [place.get(a)!, place.get(b)!, 1]),
    ...different.map(([a, b]): [number, number, -1] => [place.get(a)!, place.get(b)!, -1]),
  ];
}

/**
 * Classifiers trained on the rows in hints. A vote of the other members under the hints gives their classes. Two
 * classifiers learn from all these rows, two from only those rows whose class the hints determine.
 */
function placedMembers(ground: Ground, K: number, known: Known, votes: readonly Int32Array[]): Partition[] {
  const start = voteInto(
    votes.map((labels) => ({ labels, weight: 1 })),
    known,
    K,
  );
  const certain = new Set(exclusiveGroups(known));
  const sure = known.hinted.filter((i) => certain.has(known.group[i]));
  return [
    ...classified(ground, K, known.hinted, start, ""),
    ...(sure.length < known.hinted.length ? classified(ground, K, sure, start, ", sure rows") : []),
  ];
}

function classified(
  { X, Z, reach: diffused, seed }: Ground,
  K: number,
  given: Int32Array,
  start: Int32Array,
  suffix: string,
): Partition[] {
  const rows = Array.from(given);
  const classes = rows.map((i) => start[i]);
  const sizes = new Int32Array(K);
  for (const label of start) sizes[label]++;
  // A class without a known row is the cluster without known rows, represented by a few of its rows.
  const stream = random(seed + 1);
  for (let k = 0; k < K; k++) {
    if (classes.includes(k) || sizes[k] < 3) continue;
    const inside = Array.from(start.keys()).filter((i) => start[i] === k && !given.includes(i));
    for (const s of stream.sample(Math.min(5, inside.length), inside.length)) {
      rows.push(inside[s]);
      classes.push(k);
    }
  }
  if (new Set(classes).size < 2) return [];
  const votes = randomTrees(X, rows, classes, K, TREES, stream);
  const spread = diffused(rows);
  const n = Z.rows;
  const reach = new Float64Array(n * K);
  const mass = new Float64Array(K);
  for (let i = 0; i < n; i++) {
    for (let c = 0; c < rows.length; c++) reach[i * K + classes[c]] += spread.data[i * rows.length + c];
    for (let k = 0; k < K; k++) mass[k] += reach[i * K + k];
  }
  for (let p = 0; p < reach.length; p++) reach[p] /= mass[p % K] || 1;
  return [
    { name: `trees${suffix}`, labels: largest(votes, n, K) },
    { name: `spread${suffix}`, labels: largest(reach, n, K) },
  ];
}

function largest(votes: Float64Array, n: number, K: number): Int32Array {
  const labels = new Int32Array(n);
  for (let i = 0; i < n; i++)
    for (let k = 1; k < K; k++) if (votes[i * K + k] > votes[i * K + labels[i]]) labels[i] = k;
  return labels;
}
