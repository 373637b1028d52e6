import { random } from "kindred";
import { bregmanKmeans, constrainedKmeans, kmeans } from "kindred/cluster";
import { checkConstraints, type CheckedConstraints, samplePairs } from "kindred/data";
import { unionFind } from "kindred/graph";
import { type Matrix, takeRows } from "kindred/matrix";
import { bregman, dca, distBoost, itml, mmc, rca } from "kindred/metric";
import { type BregmanMethod, type Budget, METHODS, pairsOf, PROTOCOL } from "./bregmanTables.ts";

export type BregmanRunResult = ReturnType<typeof bregmanRun>;
/** The result of one method on one draw of pairs and starting centres. */
export type Judged = ReturnType<typeof judged>;

/**
 * One run: pairs drawn from the classes, K random rows as the starting centres of every method (as in the text), each
 * method once by its distance alone and once with the pairs enforced.
 */
export function bregmanRun(
  X: Matrix,
  truth: Int32Array,
  K: number,
  budget: Budget,
  seed: number,
  methods: readonly BregmanMethod[] = METHODS,
) {
  const count = pairsOf(budget, X.rows);
  const constraints = samplePairs(truth, { mustLink: count, cannotLink: count, seed });
  const checked = checkConstraints(X.rows, constraints);
  const { mustLink, cannotLink } = checked;
  const component = impliedComponents(checked);
  const start = random(seed + 1000).sample(K, X.rows);
  const chunklets = chunkletsOf(checked);
  // By the learned distance alone, and with the pairs enforced. k-means learns nothing and enforces nothing.
  const alone: Partial<Record<BregmanMethod, Judged>> = {};
  const enforced: Partial<Record<BregmanMethod, Judged>> = {};
  const seconds: Partial<Record<BregmanMethod, number>> = {};
  const judge = (labels: Int32Array): Judged => judged(labels, truth, component);
  const euclidean = (method: BregmanMethod, Y: Matrix): void => {
    const initialCenters = takeRows(Y, start);
    if (method !== "ckmeans") alone[method] = judge(kmeans(Y, { initialCenters }).labels);
    if (method === "kmeans") return;
    enforced[method] = judge(
      constrainedKmeans(Y, { mustLink, cannotLink, initialCenters, space: "plain" }).labels,
    );
  };
  for (const method of methods) {
    const begin = performance.now();
    if (method === "kmeans" || method === "ckmeans") euclidean(method, X);
    if (method === "itml") euclidean(method, itml(X, constraints).transform(X));
    if (method === "xing") euclidean(method, mmc(X, { ...constraints, regularization: 0 }).transform(X));
    if (method === "rca") euclidean(method, rca(X, chunklets).transform(X));
    if (method === "dca") euclidean(method, dca(X, chunklets, { cannotLink }).transform(X));
    if (method === "distboost") {
      const fit = distBoost(X, { ...constraints, components: K, seed, ...PROTOCOL.distBoost });
      // If no weak learner is better than chance, nothing is learned, and the rows stay unchanged.
      euclidean(method, fit.strengths.length > 0 ? fit.transform(X) : X);
    }
    if (method === "bkmeans") {
      const distance = bregman(X, constraints);
      const options = { clusters: K, initialCenters: takeRows(X, start) };
      alone[method] = judge(bregmanKmeans(X, { distance, ...options }).labels);
      const held = bregmanKmeans(X, { distance, ...options, mustLink, cannotLink, enforce: true });
      enforced[method] = judge(held.labels);
    }
    seconds[method] = (performance.now() - begin) / 1000;
  }
  return { implied: impliedShare(component), alone, enforced, seconds };
}

/** Must-link groups as chunklets; single rows are in none. */
export function chunkletsOf({ group, groups }: CheckedConstraints): Int32Array {
  const sizes = new Int32Array(groups);
  for (const g of group) sizes[g]++;
  return group.map((g) => (sizes[g] > 1 ? g : -1));
}

/** With two clusters, every pair of rows connected by must-links and cannot-links is settled. */
export function impliedComponents({ rows, mustLink, cannotLink }: CheckedConstraints): Int32Array {
  const sets = unionFind(rows);
  for (const [i, j] of [...mustLink, ...cannotLink]) sets.union(i, j);
  return Int32Array.from({ length: rows }, (_, i) => sets.find(i));
}

/** Share of all pairs of rows that the constraints imply. */
function impliedShare(component: Int32Array): number {
  const sizes = new Map<number, number>();
  for (const c of component) sizes.set(c, (sizes.get(c) ?? 0) + 1);
  let pairs = 0;
  for (const size of sizes.values()) pairs += (size * (size - 1)) / 2;
  return pairs / ((component.length * (component.length - 1)) / 2);
}

/** Figures over all pairs, and over the open ones, which the constraints do not imply. */
export function judged(labels: Int32Array, truth: Int32Array, component: Int32Array) {
  // [together and right, together and wrong, apart and wrong] over all pairs and over the open ones
  const all = [0, 0, 0, 0];
  const open = [0, 0, 0, 0];
  for (let i = 0; i < labels.length; i++) {
    for (let j = 0; j < i; j++) {
      const kind = (labels[i] === labels[j] ? 0 : 2) + (truth[i] === truth[j] ? 0 : 1);
      all[kind]++;
      if (component[i] !== component[j]) open[kind]++;
    }
  }
  const some = open[0] + open[1] + open[2] + open[3] > 0;
  return { all: figures(all), open: some ? figures(open) : undefined };
}

/** Precision, recall and F1 in percent, of counts by 2 (apart) + (of two classes). */
function figures([right, wrong, missed]: readonly number[]) {
  const percent = (part: number, whole: number): number => (whole === 0 ? 0 : (100 * part) / whole);
  return {
    precision: percent(right, right + wrong),
    recall: percent(right, right + missed),
    f1: percent(2 * right, 2 * right + wrong + missed),
  };
}
