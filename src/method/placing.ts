import {
  loadGaussianMixture,
  loadHdbscan,
  loadKernelKmeans,
  type DensityModelData,
  type GaussianMixtureData,
  type KernelKmeansData,
} from "../cluster/index.ts";
import { random } from "../core/index.ts";
import { inputError } from "../core/internal.ts";
import { loadCpdUml, type CpdUmlData } from "../embed/index.ts";
import { nearestAmong } from "../graph/index.ts";
import { searchIn } from "../graph/internal.ts";
import {
  matrix,
  multiply,
  restoreMatrix,
  squaredDistances,
  storeMatrix,
  takeRows,
  type Matrix,
  type NearestRows,
} from "../matrix/index.ts";
import { byScores, checkColumns, distance } from "./placeOne.ts";
import type { MixedPlacing, Place, Placed, PlacingRule } from "./placingForm.ts";

/** The method's proposal for placing rows, before it is checked against its labels. */
export type Proposal =
  | {
      readonly kind: "centers";
      readonly centers: Matrix;
      readonly map?: Matrix;
      /** Rows that the centres misplace are stored beside them, instead of all rows. */
      readonly exceptions?: boolean;
    }
  | { readonly kind: "rows"; readonly map?: Matrix; readonly neighbors?: number }
  | { readonly kind: "mixture"; readonly mixture: GaussianMixtureData }
  | { readonly kind: "kernel-kmeans"; readonly model: KernelKmeansData }
  | { readonly kind: "cpd-uml"; readonly model: CpdUmlData }
  | { readonly kind: "density"; readonly model: DensityModelData }
  | ({ readonly kind: "mixed" } & MixedPlacing);

/** Share of the training rows that a rule must reproduce; otherwise the rows themselves are stored. */
const FAITHFUL = 0.999;
/** Maximum number of training numbers in a model. */
const MOST_NUMBERS = 2e6;

/**
 * The rule by which a clustering of X places new rows: the method's proposal if it reproduces the labels,
 * otherwise the nearest training row (all of them, or a sample plus rows that it misplaces).
 */
export function placingRule(
  X: Matrix,
  labels: Int32Array,
  clusters: number,
  proposal: Proposal,
): PlacingRule {
  const means = clusterMeans(X, labels, clusters);
  const shared = { means: storeMatrix(means) };
  if (proposal.kind !== "rows") {
    const rule = { ...stored(proposal), ...shared, agreement: 1 } as PlacingRule;
    const agreement = agreementOf(rule, X, labels);
    if (agreement >= FAITHFUL) return { ...rule, agreement };
    // The method's own rule for new rows is better than the nearest row.
    if (proposal.kind === "kernel-kmeans" || proposal.kind === "density") return { ...rule, agreement };
    if (proposal.kind === "centers" && proposal.exceptions === true) {
      const placed = placingOf(rule)(X).labels;
      const missed = Array.from(labels.keys()).filter((i) => labels[i] >= 0 && placed[i] !== labels[i]);
      const exceptions = { rows: storeMatrix(takeRows(X, missed)), labels: missed.map((i) => labels[i]) };
      const whole = { ...rule, exceptions } as PlacingRule;
      return { ...whole, agreement: agreementOf(whole, X, labels) };
    }
  }
  const map = "map" in proposal ? proposal.map : undefined;
  const kept = keptRows(X, labels, map);
  const rule: PlacingRule = {
    kind: "rows",
    rows: storeMatrix(takeRows(X, kept)),
    labels: Array.from(kept, (i) => labels[i]),
    ...(map !== undefined && { map: storeMatrix(map) }),
    ...("neighbors" in proposal && { neighbors: proposal.neighbors }),
    ...shared,
    agreement: 1,
  };
  return { ...rule, agreement: agreementOf(rule, X, labels) };
}

function stored(proposal: Exclude<Proposal, { kind: "rows" }>): object {
  if (proposal.kind !== "centers") return proposal;
  const { kind, centers, map } = proposal;
  return { kind, centers: storeMatrix(centers), ...(map !== undefined && { map: storeMatrix(map) }) };
}

/** Number of rows that judge a rule. */
const JUDGED = 5000;

function agreementOf(rule: PlacingRule, X: Matrix, labels: Int32Array): number {
  const judged = Array.from(labels.keys()).filter((i) => labels[i] >= 0);
  const chosen =
    judged.length <= JUDGED
      ? judged
      : Array.from(random(0).sample(JUDGED, judged.length), (place) => judged[place]);
  if (chosen.length === 0) return 1;
  const placed = placingOf(rule)(takeRows(X, chosen)).labels;
  let same = 0;
  for (let i = 0; i < chosen.length; i++) if (placed[i] === labels[chosen[i]]) same++;
  return same / chosen.length;
}

/** The rows in a model: all, or as many as allowed, first those that the others would misplace. */
function keptRows(X: Matrix, labels: Int32Array, map: Matrix | undefined): number[] {
  const known = Array.from(labels.keys()).filter((i) => labels[i] >= 0);
  const most = Math.max(100, Math.floor(MOST_NUMBERS / X.cols));
  if (known.length <= most) return known;
  const order = Array.from(random(0).sample(known.length, known.length), (place) => known[place]);
  const first = order.slice(0, Math.floor(most / 2));
  const rest = order.slice(first.length);
  const turn = mapped(map);
  const { indices } = nearestAmong(turn(takeRows(X, first)), 1, turn(takeRows(X, rest)));
  const misplaced = rest.filter((i, place) => labels[i] !== labels[first[indices[place]]]);
  const others = rest.filter((i, place) => labels[i] === labels[first[indices[place]]]);
  return [...first, ...misplaced, ...others].slice(0, most).sort((a, b) => a - b);
}

/** The function of a rule. */
export function placingOf(rule: PlacingRule): Place {
  const means = restoreMatrix(rule.means, "the means of the clusters");
  switch (rule.kind) {
    case "centers":
      return byCenters(
        restoreMatrix(rule.centers, "the centres"),
        rule.map && restoreMatrix(rule.map, "the map"),
        rule.exceptions &&
          clustersOf(
            restoreMatrix(rule.exceptions.rows, "the exceptions"),
            checkedLabels(rule.exceptions.labels, rule.exceptions.rows.rows, means.rows),
          ),
      );
    case "rows":
      return byRows(
        restoreMatrix(rule.rows, "the rows"),
        checkedLabels(rule.labels, rule.rows.rows, means.rows),
        means.rows,
        rule.map && restoreMatrix(rule.map, "the map"),
        rule.neighbors,
      );
    case "mixed":
      return byScores(rule, means);
    default:
      return byLabels(predictorOf(rule), means);
  }
}

type Labelling = (X: Matrix) => Int32Array;

/** The labels of rows by a model of the method's own. */
function predictorOf(rule: ModelRule): Labelling {
  const model = modelOf(rule);
  return (X) => model.predict(X);
}

type ModelRule = Exclude<PlacingRule, { kind: "centers" | "rows" | "mixed" }>;

function modelOf(rule: ModelRule): { predict: Labelling } {
  switch (rule.kind) {
    case "mixture":
      return loadGaussianMixture(rule.mixture);
    case "kernel-kmeans":
      return loadKernelKmeans(rule.model);
    case "cpd-uml":
      return loadCpdUml(rule.model);
    case "density":
      return loadHdbscan(rule.model);
    default:
      throw inputError(
        `the model places rows by "${String((rule as { kind: unknown }).kind)}", which this version does not know`,
      );
  }
}

/** Rows that are placed at a time. */
const PLACED = 262_144;

/**
 * The clusters of very many rows by a rule, without distances: the labels of `placingOf`. `onRows` receives
 * the number of finished rows, and stops the work by returning false; the remaining rows are in no cluster
 * (-1).
 */
export function labelRows(
  rule: PlacingRule,
  X: Matrix,
  onRows: (rows: number) => boolean = () => true,
): Int32Array {
  const label = labellingOf(rule);
  const labels = new Int32Array(X.rows).fill(-1);
  for (let start = 0; start < X.rows; start += PLACED) {
    if (!onRows(start)) break;
    const count = Math.min(PLACED, X.rows - start);
    labels.set(
      label(matrix(count, X.cols, X.data.subarray(start * X.cols, (start + count) * X.cols))),
      start,
    );
  }
  return labels;
}

function labellingOf(rule: PlacingRule): Labelling {
  if (rule.kind === "centers" || rule.kind === "mixed") {
    const place = placingOf(rule);
    return (X) => place(X).labels;
  }
  if (rule.kind !== "rows") return predictorOf(rule);
  const rows = restoreMatrix(rule.rows, "the rows");
  const clusters = rule.means.rows;
  const labels = checkedLabels(rule.labels, rows.rows, clusters);
  const turn = mapped(rule.map && restoreMatrix(rule.map, "the map"));
  const k = Math.min(rule.neighbors ?? 1, rows.rows);
  const search = searchIn(turn(rows));
  return (X) => {
    const turned = turn(X);
    if (k < 2) return search(1, turned).indices.map((row) => labels[row]);
    const votes = rowVotes(search(k, turned), labels, clusters, k);
    return Int32Array.from({ length: X.rows }, (_, i) => {
      let best = 0;
      for (let c = 1; c < clusters; c++) if (votes[i * clusters + c] > votes[i * clusters + best]) best = c;
      return best;
    });
  };
}

function checkedLabels(labels: readonly number[], rows: number, clusters: number): Int32Array {
  const wrong = (label: unknown): boolean =>
    !Number.isInteger(label) || (label as number) < 0 || (label as number) >= clusters;
  if (!Array.isArray(labels) || labels.length !== rows || labels.some(wrong)) {
    throw inputError(`the labels do not fit ${rows} rows in ${clusters} clusters: the file is damaged`);
  }
  return Int32Array.from(labels);
}

function mapped(map: Matrix | undefined): (X: Matrix) => Matrix {
  return map === undefined ? (X) => X : (X) => multiply(X, map);
}

/** Number of rows whose distances are in memory at a time; more if a tree is built for them. */
const BLOCK = 512;
const SEARCHED = 65_536;

function byCenters(
  centers: Matrix,
  map: Matrix | undefined,
  known?: (X: Matrix, i: number) => number | undefined,
): Place {
  const turn = mapped(map);
  const at = turn(centers);
  return (X) => {
    checkColumns(X, centers.cols);
    return inBlocks(X, (part) => {
      const D = squaredDistances(turn(part), at);
      for (let i = 0; i < part.rows; i++) {
        const label = known?.(part, i);
        if (label !== undefined) D.data[i * centers.rows + label] = 0;
      }
      return { D: D.data, clusters: centers.rows };
    });
  };
}

/** The cluster of a row that equals one of these. */
function clustersOf(rows: Matrix, labels: Int32Array): (X: Matrix, i: number) => number | undefined {
  const key = ({ cols, data }: Matrix, i: number): string =>
    data
      .subarray(i * cols, (i + 1) * cols)
      .map((value) => value + 0)
      .join();
  const known = new Map(Array.from(labels, (label, i) => [key(rows, i), label]));
  return (X, i) => known.get(key(X, i));
}

/**
 * Distance to a cluster: to the nearest of its rows. If several rows vote, with d_j the distances of those in
 * the cluster, it is 1 / sum_j 1 / d_j, so the nearest cluster has the most votes.
 */
function byRows(
  rows: Matrix,
  labels: Int32Array,
  clusters: number,
  map: Matrix | undefined,
  neighbors: number = 1,
): Place {
  const turn = mapped(map);
  const at = turn(rows);
  const k = Math.min(neighbors, rows.rows);
  const members = Array.from({ length: clusters }, (_, c) =>
    Array.from(labels.keys()).filter((j) => labels[j] === c),
  );
  const searches = members.map((own) => (own.length === 0 ? undefined : searchIn(takeRows(at, own))));
  const search = searchIn(at);
  return (X) => {
    checkColumns(X, rows.cols);
    return inBlocks(
      X,
      (part) => {
        const turned = turn(part);
        const D = new Float64Array(part.rows * clusters).fill(Infinity);
        searches.forEach((own, c) => {
          if (own === undefined) return;
          const { distances } = own(1, turned);
          for (let i = 0; i < part.rows; i++) D[i * clusters + c] = distances[i];
        });
        if (k < 2) return { D, clusters };
        const votes = rowVotes(search(k, turned), labels, clusters, k);
        for (let p = 0; p < D.length; p++) if (votes[p] > 0) D[p] = votes[p] ** -2;
        return { D, clusters };
      },
      SEARCHED,
    );
  };
}

/** For each row, the votes of its k nearest rows for each cluster: the sum of 1 / distance. */
function rowVotes(
  { indices, distances }: NearestRows,
  labels: Int32Array,
  clusters: number,
  k: number,
): Float64Array {
  const votes = new Float64Array((indices.length / k) * clusters);
  for (let p = 0; p < indices.length; p++) {
    votes[Math.floor(p / k) * clusters + labels[indices[p]]] += 1 / Math.sqrt(distances[p]);
  }
  return votes;
}

/** A rule with its own labels; distances are to the means of the clusters. */
function byLabels(predict: (X: Matrix) => Int32Array, means: Matrix): Place {
  const measure = byCenters(means, undefined);
  return (X) => {
    checkColumns(X, means.cols);
    const labels = predict(X);
    if (means.rows === 0) return nowhere(X.rows);
    const near = measure(X);
    const distances = new Float64Array(X.rows);
    const next = new Int32Array(X.rows);
    const nextDistances = new Float64Array(X.rows);
    for (let i = 0; i < X.rows; i++) {
      const own = labels[i];
      // The distance of a row in no cluster is that to the nearest cluster.
      distances[i] = own < 0 ? near.distances[i] : distance(X, i, means, own);
      const first = near.labels[i] !== own;
      next[i] = first ? near.labels[i] : near.next[i];
      nextDistances[i] = first ? near.distances[i] : near.nextDistances[i];
    }
    return { labels, distances, next, nextDistances };
  };
}

function nowhere(rows: number): Placed {
  const none = new Int32Array(rows).fill(-1);
  const far = new Float64Array(rows).fill(Infinity);
  return { labels: none, distances: far, next: none, nextDistances: far };
}

/** The nearest and the next cluster of every row, from squared distances to each, a block of rows at a time. */
function inBlocks(
  X: Matrix,
  measure: (part: Matrix) => { readonly D: Float64Array; readonly clusters: number },
  block: number = BLOCK,
): Placed {
  const labels = new Int32Array(X.rows);
  const next = new Int32Array(X.rows);
  const distances = new Float64Array(X.rows);
  const nextDistances = new Float64Array(X.rows);
  for (let start = 0; start < X.rows; start += block) {
    const count = Math.min(block, X.rows - start);
    const part = matrix(count, X.cols, X.data.subarray(start * X.cols, (start + count) * X.cols));
    const { D, clusters } = measure(part);
    for (let i = 0; i < count; i++) {
      let first = -1;
      let second = -1;
      for (let k = 0; k < clusters; k++) {
        const at = D[i * clusters + k];
        if (first < 0 || at < D[i * clusters + first]) [second, first] = [first, k];
        else if (second < 0 || at < D[i * clusters + second]) second = k;
      }
      labels[start + i] = first;
      next[start + i] = second;
      distances[start + i] = Math.sqrt(D[i * clusters + first]);
      nextDistances[start + i] = second < 0 ? Infinity : Math.sqrt(D[i * clusters + second]);
    }
  }
  return { labels, distances, next, nextDistances };
}

/**
 * Rows of no cluster (-1) are left out; an empty cluster has the mean of all rows. Each term is divided
 * first, because differences of very large values leave the number range.
 */
export function clusterMeans(X: Matrix, labels: Int32Array, clusters: number): Matrix {
  const { cols, data } = X;
  const sizes = new Float64Array(clusters);
  const means = matrix(clusters, cols);
  const all = new Float64Array(cols);
  for (let i = 0; i < X.rows; i++) {
    const k = labels[i];
    for (let f = 0; f < cols; f++) all[f] += data[i * cols + f] / (i + 1) - all[f] / (i + 1);
    if (k < 0) continue;
    sizes[k]++;
    for (let f = 0; f < cols; f++) {
      const p = k * cols + f;
      means.data[p] += data[i * cols + f] / sizes[k] - means.data[p] / sizes[k];
    }
  }
  for (let k = 0; k < clusters; k++) if (sizes[k] === 0) means.data.set(all, k * cols);
  return means;
}
