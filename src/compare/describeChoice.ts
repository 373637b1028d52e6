import type { Note } from "../core/index.ts";
import { note } from "../core/internal.ts";
import { matrix, type Matrix } from "../matrix/index.ts";
import { adjustedRand } from "../score/index.ts";
import type { Borders } from "./evidence/border.ts";
import type { Alternative, Choice, ClusterTrust, JudgedCandidate, PathEntry, Recipe } from "./choice.ts";
import { type CountChoice, NO_CLUSTERS } from "./chooseCount.ts";
import { evidenceByCount, type Found, type Judged } from "./found.ts";
import { closest, contacts, leastDepth } from "./evidence/judge.ts";
import { outlierRows } from "./outlierRows.ts";
import type { Partition } from "./partition.ts";
import { partitionInto, type Rule, selectPartition } from "./search.ts";
import type { JudgedSpace } from "./space.ts";
import { rowMargins, sizeOrder, type Spread } from "./spreadOut.ts";
import { trustChosen, trustGiven, trustNone } from "./trust.ts";

/** Decrease of the evidence that makes another number worth mentioning. */
const ALSO = 0.5;

/** The choice, its method, and the alternatives. */
export interface Described {
  /** The method that reproduces the partition, if there is one. */
  readonly named: Recipe | undefined;
  readonly X: Matrix;
  readonly space: JudgedSpace;
  readonly found: Found;
  readonly count: CountChoice;
  readonly chosen: Judged;
  readonly given: {
    readonly clusters?: number;
    readonly seed: number;
    readonly rule: Rule;
    readonly outliers: "keep" | "mark";
  };
  readonly spread: Spread;
  readonly order: Int32Array;
  readonly size: number;
  readonly notes: Note[];
}

export function describeChoice(all: Described): Omit<Choice, "converged"> {
  const { X, space, found, count, chosen, given, spread, order, size, notes, named } = all;
  const { clusters: asked, seed, rule } = given;
  const { borders, judged } = found;
  const K = chosen.partition.clusters.length;
  const labels = spread.labels(chosen);
  const rivals = judged
    .filter((one) => one !== chosen && one.partition.clusters.length === K)
    .toSorted((a, b) => b.weakest.evidence - a.weakest.evidence || b.icl - a.icl);
  const candidates = [chosen, ...rivals].map((one) => candidateOf(one, chosen, spread, borders, rule));
  const agreement = familyAgreement(chosen, rivals);
  const evidence = chosen.weakest.evidence;
  const later = Math.max(...[...count.borders].map(([more, own]) => (more > K ? own : -Infinity)));
  const trust =
    K === 1
      ? trustNone(Math.max(-9, ...judged.filter((one) => one.partition.clusters.length > 1).map(evidenceOf)))
      : asked !== undefined
        ? trustGiven(evidence, agreement)
        : trustChosen(evidence, agreement, count.falls.get(K) ?? 0, later, count.byBorders);
  const lonely = outlierRows(space, chosen.partition);
  const outliers = Int32Array.from(lonely, (p) => order[p]).sort();
  if (outliers.length > 0) {
    notes.push(
      note(
        "outliers",
        (outliers.length === 1
          ? "1 row looks as if it belonged to no cluster"
          : `${outliers.length} rows look as if they belonged to no cluster`) +
          (given.outliers === "mark" ? `, and ${outliers.length === 1 ? "is" : "are"} marked -1` : ""),
        { option: "outliers" },
      ),
    );
  }
  const margins = rowMargins(space, chosen.partition, labels, spread, order, size);
  if (given.outliers === "mark") for (const i of outliers) labels[i] = -1;
  const { centers, sizes } = means(X, labels, K);
  return {
    method: "auto",
    labels,
    clusters: K,
    sizes,
    centers,
    chosen: named ?? { method: "auto", options: { clusters: K, seed }, converged: true },
    candidates,
    path: pathOf(judged, count, rule),
    alternatives: asked === undefined ? alternativesOf(judged, count, K, spread, rule) : [],
    trust,
    perCluster: clusterTrust(borders, chosen.partition),
    margins,
    outliers: outliers.length,
    outlierRows: outliers,
    form: { kind: size < X.rows ? "sample" : "rows", rows: size },
    seconds: { candidates: found.time.candidates / 1000, judgement: found.time.judgement / 1000 },
    notes,
  };
}

function evidenceOf({ weakest: { evidence } }: Judged): number {
  return evidence;
}

function candidateOf(
  one: Judged,
  chosen: Judged,
  spread: Spread,
  borders: Borders,
  rule: Rule,
): JudgedCandidate {
  const { partition, made, weakest, icl } = one;
  return {
    clusters: partition.clusters.length,
    labels: one === chosen ? spread.labels(one) : spread.byVotes(partition),
    methods: made.map(({ method, options, converged, components }) => ({
      method,
      options,
      converged,
      ...(components && { components }),
    })),
    evidence: weakest.evidence,
    depth: partition.clusters.length > 1 && rule !== "likelihood" ? leastDepth(borders, partition) : 0,
    icl,
    agreement: adjustedRand(partition.labels, chosen.partition.labels),
  };
}

/** Mean of the three largest agreements with partitions of other methods, one vote for each method. */
function familyAgreement(chosen: Judged, rivals: readonly Judged[]): number {
  const own = new Set(chosen.made.map(({ method }) => method));
  const votes = new Map<string, number>();
  for (const method of own) if (own.size > 1 && method !== "auto") votes.set(method, 1);
  for (const { partition, made } of rivals) {
    const agreed = adjustedRand(partition.labels, chosen.partition.labels);
    for (const { method } of made) {
      if (method === "auto" || own.has(method)) continue;
      votes.set(method, Math.max(votes.get(method) ?? -1, agreed));
    }
  }
  const best = [...votes.values()].sort((a, b) => b - a).slice(0, 3);
  return best.length === 0 ? 0 : best.reduce((sum, value) => sum + value, 0) / best.length;
}

function pathOf(judged: readonly Judged[], { falls }: CountChoice, rule: Rule): PathEntry[] {
  const byCount = new Map<number, Judged[]>();
  for (const one of judged) {
    const K = one.partition.clusters.length;
    byCount.set(K, [...(byCount.get(K) ?? []), one]);
  }
  const entries: PathEntry[] = [];
  let before: Judged | undefined;
  for (const K of [...byCount.keys()].sort((a, b) => a - b)) {
    const own = byCount.get(K) as Judged[];
    const best = selectPartition(own, rule) as Judged;
    const fall = falls.get(K);
    entries.push({
      clusters: K,
      evidence: K === 1 ? 0 : Math.max(...own.map(evidenceOf)),
      ...(fall !== undefined && { fall }),
      icl: best.icl,
      sizes: best.partition.clusters.map(({ rows }) => rows.length).sort((a, b) => b - a),
      ...(before !== undefined && { divides: division(before.partition, best.partition) }),
    });
    before = best;
  }
  return entries;
}

/** The cluster of the coarser partition that the finer one splits most. */
function division(coarse: Partition, fine: Partition): NonNullable<PathEntry["divides"]> {
  let worst = { share: Infinity, size: 0, into: [0, 0] as [number, number] };
  for (const { rows } of coarse.clusters) {
    const counts = new Map<number, number>();
    for (const i of rows) counts.set(fine.labels[i], (counts.get(fine.labels[i]) ?? 0) + 1);
    const [first, second] = [...counts.values()].sort((a, b) => b - a);
    const share = first / rows.length;
    if (share < worst.share) worst = { share, size: rows.length, into: [first, second ?? 0] };
  }
  return { size: worst.size, into: worst.into };
}

function alternativesOf(
  judged: readonly Judged[],
  { falls }: CountChoice,
  K: number,
  spread: Spread,
  rule: Rule,
): Alternative[] {
  const evidence = evidenceByCount(judged);
  return [...falls]
    .filter(([other, fall]) => other !== K && fall >= ALSO && (evidence.get(other) as number) >= NO_CLUSTERS)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 2)
    .map(([other, fall]) => ({
      kind: other < K ? ("coarse" as const) : ("fine" as const),
      clusters: other,
      labels: spread.labels(partitionInto(judged, other, rule)),
      evidence: evidence.get(other) as number,
      fall,
    }));
}

function clusterTrust(borders: Borders, partition: Partition): ClusterTrust[] {
  const { clusters } = partition;
  const ranks = sizeOrder(clusters);
  const number = new Int32Array(clusters.length);
  ranks.forEach((k, rank) => (number[k] = rank));
  const closestTo = new Map<number, { nearest: number; depth: number; evidence: number }>();
  if (clusters.length > 1) {
    for (const { a, b } of closest(contacts(borders, partition), clusters.length)) {
      const { depth, evidence } = borders.between(clusters[a], clusters[b]);
      for (const [own, other] of [
        [a, b],
        [b, a],
      ]) {
        const before = closestTo.get(own);
        if (before === undefined || evidence < before.evidence) {
          closestTo.set(own, { nearest: number[other], depth, evidence });
        }
      }
    }
  }
  return ranks.map((k) => ({
    size: clusters[k].rows.length,
    ...(closestTo.get(k) ?? { depth: 3, evidence: 12 }),
  }));
}

function means(X: Matrix, labels: Int32Array, K: number): { centers: Matrix; sizes: Int32Array } {
  const centers = matrix(K, X.cols);
  const sizes = new Int32Array(K);
  for (let i = 0; i < X.rows; i++) {
    const k = labels[i];
    if (k < 0) continue;
    sizes[k]++;
    // Running means: sums of large numbers may overflow.
    for (let f = 0; f < X.cols; f++) {
      centers.data[k * X.cols + f] += (X.data[i * X.cols + f] - centers.data[k * X.cols + f]) / sizes[k];
    }
  }
  return { centers, sizes };
}
