import { inputError } from "../core/errors.ts";
import { note, type Note } from "../core/notes.ts";
import { flag, given, integer, oneOf, real, resolveOptions } from "../core/options.ts";
import { type OnProgress, progressGate } from "../core/progress.ts";
import { scale, type ScaleKind } from "../data/scaling.ts";
import { matrix, requireFinite, type Matrix } from "../matrix/matrix.ts";
import { nearestRows } from "../matrix/nearest.ts";
import { requireSquares } from "../matrix/requireSquares.ts";
import { adjustedRand } from "../score/rand.ts";
import type { Borders } from "./border.ts";
import { chooseCount, type CountChoice, NO_CLUSTERS } from "./chooseCount.ts";
import { closest, contacts, leastDepth } from "./judge.ts";
import { outlierRows } from "./outlierRows.ts";
import type { Partition } from "./partition.ts";
import type { Candidate } from "./pool.ts";
import { inOrder, rowOrder } from "./rowOrder.ts";
import { type Found, type Judged, searchPartitions, selectPartition } from "./search.ts";
import { type JudgedSpace, judgedSpace } from "./space.ts";
import { type Trust, trustChosen, trustGiven, trustNone } from "./trust.ts";

/**
 * Which partition of the rows, and into how many clusters, without labels: the default of `cluster` and the judge of
 * `compare`. Methods of several kinds propose (pool.ts), every partition is judged by its weakest border and by its
 * likelihood (border.ts, likelihood.ts), the number of clusters is where the evidence for borders falls (chooseCount.ts).
 * The answer does not depend on the order of the rows. Beyond `SAMPLE` rows a sample is clustered, and the others go
 * with their nearest rows of it.
 */
export interface ChooseOptions {
  /** K; without it the number is chosen, and may be 1: no clusters. */
  readonly clusters?: number;
  /** The most clusters where the number is chosen; default the root of the number of rows, at most 30. */
  readonly maxClusters?: number;
  readonly scale?: ScaleKind;
  readonly seed?: number;
  /** Seconds; when they are over, the best so far is returned. */
  readonly budget?: number;
  /** "mark": rows that look as if they belonged to no cluster get the label -1; "keep" (default) only counts them. */
  readonly outliers?: "keep" | "mark";
  /** Partitions from elsewhere, judged with the others; their labels are those of the rows of X. */
  readonly candidates?: readonly Candidate[];
  /** False where ties break neighbour graphs (many categories): the likelihood decides alone. */
  readonly graphs?: boolean;
  readonly onProgress?: OnProgress;
}

/** A method and its options that give a partition by themselves. */
export interface Recipe {
  readonly method: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly converged: boolean;
  /** Fitted on principal components: by itself, on the columns, the method may give something else. */
  readonly components?: boolean;
}

/** A partition with everything that made it. */
export interface JudgedCandidate {
  readonly clusters: number;
  readonly labels: Int32Array;
  readonly methods: readonly Recipe[];
  /** Log-odds that its weakest border is real. */
  readonly evidence: number;
  /** Depth of its shallowest valley. */
  readonly depth: number;
  /** Likelihood per row with the penalty of its parameters. */
  readonly icl: number;
  /** Adjusted Rand index with the chosen partition. */
  readonly agreement: number;
}

/** One number of clusters on the path. */
export interface PathEntry {
  readonly clusters: number;
  /** M[K]: for the weakest border of the best partition into K. */
  readonly evidence: number;
  /** How far it falls with more clusters. */
  readonly fall?: number;
  readonly icl: number;
  readonly sizes: readonly number[];
  /** The cluster of the entry before that this one divides, by its size there, and the sizes of its two largest parts. */
  readonly divides?: { readonly size: number; readonly into: readonly [number, number] };
}

/** Another number of clusters that the data also show. */
export interface Alternative {
  readonly kind: "coarse" | "fine";
  readonly clusters: number;
  readonly labels: Int32Array;
  readonly evidence: number;
  readonly fall: number;
}

/** How well a cluster is set apart. */
export interface ClusterTrust {
  readonly size: number;
  /** The cluster it borders on most closely; absent where it touches none. */
  readonly nearest?: number;
  readonly depth: number;
  readonly evidence: number;
}

export interface Choice {
  readonly method: "auto";
  /** 0 .. clusters - 1 by falling size; -1: in no cluster. */
  readonly labels: Int32Array;
  /** 1: no clusters here. */
  readonly clusters: number;
  readonly sizes: Int32Array;
  /** Means of the clusters' rows, in the units of the data. */
  readonly centers: Matrix;
  /** What made the partition; the method "auto" where no method by itself does. */
  readonly chosen: Recipe;
  /** Distinct partitions into that many clusters, the chosen one first, then by evidence and likelihood. */
  readonly candidates: readonly JudgedCandidate[];
  readonly path: readonly PathEntry[];
  readonly alternatives: readonly Alternative[];
  readonly trust: Trust;
  readonly perCluster: readonly ClusterTrust[];
  /** Per row: share of its nearest rows in its own cluster less the largest share in another, -1 to 1. */
  readonly margins: Float64Array;
  /** Rows that look as if they belonged to no cluster. */
  readonly outliers: number;
  readonly outlierRows: Int32Array;
  /** "sample": that many rows were clustered, the others follow their nearest. */
  readonly form: { readonly kind: "rows" | "sample"; readonly rows: number };
  /** False: stopped before everything was tried. */
  readonly converged: boolean;
  readonly seconds: { readonly candidates: number; readonly judgement: number };
  readonly notes: readonly Note[];
}

const RULES = {
  clusters: integer({ min: 1 }),
  maxClusters: integer({ min: 2 }),
  scale: oneOf<ScaleKind>(["zscore", "minmax", "none"], "zscore"),
  seed: integer({ min: 0, default: 0 }),
  budget: real({ above: 0 }),
  outliers: oneOf(["keep", "mark"] as const, "keep"),
  candidates: given<readonly Candidate[]>("a list of partitions", Array.isArray),
  graphs: flag(true),
  onProgress: given<OnProgress>("a function", (value) => typeof value === "function"),
};

/** Rows beyond which a sample stands for them. */
export const SAMPLE = 4000;
const MOST_CLUSTERS = 30;
/** Nearest rows of the sample that place another row. */
const VOTERS = 5;
/** Falls of the evidence that make another number worth a mention. */
const ALSO = 0.5;

export function choosePartition(X: Matrix, options?: ChooseOptions): Choice {
  const given = resolveOptions<ChooseOptions, typeof RULES>("auto", options, RULES);
  const { clusters, seed, graphs } = given;
  const n = X.rows;
  if (n === 0 || X.cols === 0) throw inputError(`auto: the data is empty (${n} x ${X.cols})`);
  if (clusters !== undefined && clusters > n) {
    throw inputError(`auto: ${clusters} clusters cannot be made of ${n} ${n === 1 ? "row" : "rows"}`);
  }
  for (const { method, labels } of given.candidates ?? []) {
    if (labels.length !== n) {
      throw inputError(`auto: the candidate "${method}" has ${labels.length} labels for ${n} rows`);
    }
  }
  requireFinite(X);
  const notes: Note[] = [];
  const scaled = scaledRows(X, given.scale, notes);
  const order = rowOrder(scaled, seed);
  const size = Math.min(n, Math.max(SAMPLE, 40 * (clusters ?? 0)));
  const taken = order.subarray(0, size);
  const space = judgedSpace(inOrder(scaled, taken), seed);

  const gate = progressGate(given.onProgress);
  const end = given.budget === undefined ? Infinity : performance.now() + 1000 * given.budget;
  let late = false;
  const going = (label: string, fraction: number): boolean => {
    late ||= performance.now() > end;
    return !late && gate({ label, fraction });
  };
  const most = Math.min(given.maxClusters ?? Math.min(MOST_CLUSTERS, Math.floor(Math.sqrt(size))), size);
  const found = searchPartitions(space, {
    ...(clusters !== undefined && { clusters }),
    most,
    seed,
    graphs,
    extra: (given.candidates ?? []).map((candidate) => ({
      ...candidate,
      labels: Int32Array.from(taken, (i) => candidate.labels[i]),
    })),
    going,
  });
  if (gate.stopped)
    notes.push(note("stopped", "stopped on request; the best of what was tried by then is returned"));
  else if (late)
    notes.push(
      note("budget", "the time was over; the best of what was tried by then is returned", {
        option: "budget",
      }),
    );

  const count = graphs ? chooseCount(evidenceByCount(found.judged)) : likeliestCount(found.judged);
  const wanted = clusters ?? count.clusters;
  const chosen = partitionInto(found.judged, wanted, graphs);
  const made = chosen.partition.clusters.length;
  if (clusters !== undefined && made !== clusters) {
    notes.push(
      note(
        "clusters",
        `${clusters} clusters were asked for, but no method found a partition with that many: this one has ${made} ` +
          "(are there enough distinct rows?)",
        { option: "clusters" },
      ),
    );
  }
  if (size < n) {
    notes.push(
      note(
        "sample",
        `${size} of the ${n} rows were clustered, the others belong with their nearest rows of these`,
      ),
    );
  }
  const spread = spreadOut(scaled, order, space.Z);
  const result = describe({ X, space, found, count, chosen, given, spread, order, size, notes });
  return { ...result, converged: !gate.stopped && !late };
}

/** Scaled columns; all constant: one column of zeros, and no clusters. */
function scaledRows(X: Matrix, kind: ScaleKind, notes: Note[]): Matrix {
  let constant = true;
  for (let p = X.cols; p < X.data.length && constant; p++) constant = X.data[p] === X.data[p % X.cols];
  if (constant) {
    if (X.rows > 1) notes.push(note("constant", "all rows are the same: there is nothing to cluster"));
    return matrix(X.rows, 1);
  }
  const scaled = scale(X, kind);
  requireSquares(scaled.X, "auto");
  notes.push(...scaled.notes.map((message) => note("scale", message)));
  return scaled.X;
}

function evidenceByCount(judged: readonly Judged[]): Map<number, number> {
  const best = new Map<number, number>();
  for (const { partition, weakest } of judged) {
    const K = partition.clusters.length;
    if (K > 1 && weakest.evidence > (best.get(K) ?? -Infinity)) best.set(K, weakest.evidence);
  }
  return best;
}

/** Without graphs: the number of the likeliest partition, 1 among them. */
function likeliestCount(judged: readonly Judged[]): CountChoice {
  const best = judged.reduce((a, b) => (b.icl > a.icl ? b : a));
  return { clusters: best.partition.clusters.length, falls: new Map() };
}

/** Where nothing has K clusters, the nearest number. */
function partitionInto(judged: readonly Judged[], wanted: number, graphs: boolean): Judged {
  const miss = ({ partition }: Judged): number => Math.abs(partition.clusters.length - wanted);
  const least = Math.min(...judged.map(miss));
  return selectPartition(
    judged.filter((one) => miss(one) === least),
    graphs,
  ) as Judged;
}

/** How labels of the clustered rows become labels of all: those not clustered follow the votes of their nearest. */
interface Spread {
  /** Cluster numbers by falling size of the chosen partition; of other partitions their own. */
  labels(partition: Partition): Int32Array;
  readonly votes?: { readonly indices: Int32Array; readonly count: number };
}

function spreadOut(scaled: Matrix, order: Int32Array, Z: Matrix): Spread {
  const n = order.length;
  const size = Z.rows;
  const rest = order.subarray(size);
  const count = Math.min(VOTERS, size);
  const indices =
    rest.length === 0 ? new Int32Array(0) : nearestRows(Z, count, { queries: inOrder(scaled, rest) }).indices;
  return {
    labels(partition) {
      const own = bySize(partition);
      const labels = new Int32Array(n);
      for (let p = 0; p < size; p++) labels[order[p]] = own[p];
      for (let q = 0; q < rest.length; q++) {
        const votes = new Map<number, number>();
        let best = own[indices[q * count]];
        for (let p = q * count; p < (q + 1) * count; p++) {
          const label = own[indices[p]];
          votes.set(label, (votes.get(label) ?? 0) + 1);
          if ((votes.get(label) as number) > (votes.get(best) as number)) best = label;
        }
        labels[rest[q]] = best;
      }
      return labels;
    },
    ...(rest.length > 0 && { votes: { indices, count } }),
  };
}

/** Numbered by falling size, ties in the order of the rows. */
function bySize({ labels, clusters }: Partition): Int32Array {
  const number = new Int32Array(clusters.length);
  sizeOrder(clusters).forEach((k, rank) => (number[k] = rank));
  return labels.map((label) => number[label]);
}

function sizeOrder(clusters: Partition["clusters"]): number[] {
  return [...clusters.keys()].sort((a, b) => clusters[b].rows.length - clusters[a].rows.length || a - b);
}

interface Described {
  readonly X: Matrix;
  readonly space: JudgedSpace;
  readonly found: Found;
  readonly count: CountChoice;
  readonly chosen: Judged;
  readonly given: ReturnType<typeof resolveOptions<ChooseOptions, typeof RULES>>;
  readonly spread: Spread;
  readonly order: Int32Array;
  readonly size: number;
  readonly notes: Note[];
}

function describe(all: Described): Omit<Choice, "converged"> {
  const { X, space, found, count, chosen, given, spread, order, size, notes } = all;
  const { clusters: asked, seed, graphs } = given;
  const { borders, judged } = found;
  const K = chosen.partition.clusters.length;
  const labels = spread.labels(chosen.partition);
  const rivals = judged
    .filter((one) => one !== chosen && one.partition.clusters.length === K)
    .toSorted((a, b) => b.weakest.evidence - a.weakest.evidence || b.icl - a.icl);
  const candidates = [chosen, ...rivals].map((one) => candidateOf(one, chosen, spread, borders, graphs));
  const agreement = familyAgreement(chosen, rivals);
  const evidence = chosen.weakest.evidence;
  const trust =
    K === 1
      ? trustNone(Math.max(-9, ...judged.filter((one) => one.partition.clusters.length > 1).map(evidenceOf)))
      : asked !== undefined
        ? trustGiven(evidence, agreement)
        : trustChosen(evidence, agreement, count.falls.get(K) ?? 0);
  const lonely = outlierRows(space, chosen.partition);
  const outliers = Int32Array.from(lonely, (p) => order[p]).sort();
  if (outliers.length > 0) {
    notes.push(
      note(
        "outliers",
        `${outliers.length} ${outliers.length === 1 ? "row looks" : "rows look"} as if they belonged to no cluster` +
          (given.outliers === "mark" ? ", and are marked -1" : ""),
        { option: "outliers" },
      ),
    );
  }
  const margins = rowMargins(space, chosen.partition, spread, order, size);
  if (given.outliers === "mark") for (const i of outliers) labels[i] = -1;
  const { centers, sizes } = means(X, labels, K);
  const recipe =
    candidates[0].methods.find(({ components }) => components !== true) ?? candidates[0].methods[0];
  return {
    method: "auto",
    labels,
    clusters: K,
    sizes,
    centers,
    chosen:
      recipe === undefined || size < X.rows
        ? { method: "auto", options: { clusters: K, seed }, converged: true }
        : recipe,
    candidates,
    path: pathOf(judged, count, graphs),
    alternatives: asked === undefined ? alternativesOf(judged, count, K, spread, graphs) : [],
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
  { partition, made, weakest, icl }: Judged,
  chosen: Judged,
  spread: Spread,
  borders: Borders,
  graphs: boolean,
): JudgedCandidate {
  return {
    clusters: partition.clusters.length,
    labels: spread.labels(partition),
    methods: made.map(({ method, options, converged, components }) => ({
      method,
      options,
      converged,
      ...(components && { components }),
    })),
    evidence: weakest.evidence,
    depth: partition.clusters.length > 1 && graphs ? leastDepth(borders, partition) : 0,
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

function pathOf(judged: readonly Judged[], { falls }: CountChoice, graphs: boolean): PathEntry[] {
  const byCount = new Map<number, Judged[]>();
  for (const one of judged) {
    const K = one.partition.clusters.length;
    byCount.set(K, [...(byCount.get(K) ?? []), one]);
  }
  const entries: PathEntry[] = [];
  let before: Judged | undefined;
  for (const K of [...byCount.keys()].sort((a, b) => a - b)) {
    const own = byCount.get(K) as Judged[];
    const best = selectPartition(own, graphs) as Judged;
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

/** The cluster of the coarser partition whose rows the finer one keeps together least. */
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
  graphs: boolean,
): Alternative[] {
  const evidence = evidenceByCount(judged);
  return [...falls]
    .filter(([other, fall]) => other !== K && fall >= ALSO && (evidence.get(other) as number) >= NO_CLUSTERS)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 2)
    .map(([other, fall]) => ({
      kind: other < K ? ("coarse" as const) : ("fine" as const),
      clusters: other,
      labels: spread.labels(partitionInto(judged, other, graphs).partition),
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

function rowMargins(
  { neighbors }: JudgedSpace,
  { labels, clusters }: Partition,
  { votes }: Spread,
  order: Int32Array,
  size: number,
): Float64Array {
  const margins = new Float64Array(order.length);
  const counts = new Int32Array(clusters.length);
  const margin = (own: number, indices: Int32Array, from: number, count: number): number => {
    counts.fill(0);
    for (let p = from; p < from + count; p++) counts[labels[indices[p]]]++;
    let other = 0;
    for (let k = 0; k < counts.length; k++) if (k !== own) other = Math.max(other, counts[k]);
    return count === 0 ? 1 : (counts[own] - other) / count;
  };
  for (let p = 0; p < size; p++) {
    margins[order[p]] = margin(labels[p], neighbors.indices, p * neighbors.count, neighbors.count);
  }
  if (votes === undefined) return margins;
  for (let q = 0; q < order.length - size; q++) {
    const from = q * votes.count;
    let best = labels[votes.indices[from]];
    const tally = new Map<number, number>();
    for (let p = from; p < from + votes.count; p++) {
      const label = labels[votes.indices[p]];
      tally.set(label, (tally.get(label) ?? 0) + 1);
      if ((tally.get(label) as number) > (tally.get(best) as number)) best = label;
    }
    margins[order[size + q]] = margin(best, votes.indices, from, votes.count);
  }
  return margins;
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
