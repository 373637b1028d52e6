import { inputError } from "../core/errors.ts";
import { applyScaling, type Scaling } from "../data/index.ts";
import {
  matrix,
  multiply,
  restoreMatrix,
  storeMatrix,
  takeRows,
  type Matrix,
  type StoredMatrix,
} from "../matrix/index.ts";
import { meansOf } from "./pairedLloyd.ts";

/** A rule that places rows, as plain data. Distances are Euclidean in scaled columns times `map`. */
export interface Placing {
  /** "centers": the nearest middle of a cluster decides; "neighbors": the nearest stored rows vote. */
  readonly kind: "centers" | "neighbors";
  readonly scaling: Scaling;
  readonly map: StoredMatrix;
  readonly points: StoredMatrix;
  /** The cluster of each point. */
  readonly clusters: readonly number[];
  /** Points that vote, weighted by 1 / distance; 1 for centres. */
  readonly neighbors: number;
  /** Rows that the hints or the vote put elsewhere than the rule would: a row equal to one of them goes where it is. */
  readonly remembered: { readonly points: StoredMatrix; readonly clusters: readonly number[] };
  /** Share of rows held out from the rule that it placed where they are. */
  readonly heldOut: number;
  /** Share of the rows that it was made from which it places where they are. */
  readonly reproduced: number;
}

/** Clusters of new rows, and their distances to the nearest point. */
export function placeRows(
  rule: Placing,
  Y: Matrix,
): { readonly labels: number[]; readonly distances: number[] } {
  const map = restoreMatrix(rule.map, "the map of the rule");
  const points = restoreMatrix(rule.points, "the points of the rule");
  const remembered = restoreMatrix(rule.remembered.points, "the remembered rows of the rule");
  if (
    points.rows !== rule.clusters.length ||
    points.rows === 0 ||
    remembered.rows !== rule.remembered.clusters.length
  ) {
    throw inputError("the rule has no points, or not one cluster for each: the file is damaged");
  }
  const Z = multiply(applyScaling(rule.scaling, Y), map);
  const placed = vote(Z, points, rule.clusters, rule.neighbors);
  const exact = lookUp(remembered, rule.remembered.clusters);
  return {
    labels: placed.labels.map((label, i) => exact(Z, i) ?? label),
    distances: placed.distances,
  };
}

/** Stored rows that vote; folds of the choice between rules; what a rule must gain to be taken before a simpler one. */
const NEIGHBORS = 7;
const FOLDS = 5;
const WORTH_IT = 0.01;

/**
 * The rule for rows of known cluster, by cross-validation among centres and voting rows under each of the maps, simpler
 * ones first. Rows that it would place elsewhere are remembered one by one.
 *
 * @param S scaled rows
 */
export function placingRule(
  S: Matrix,
  scaling: Scaling,
  maps: readonly Matrix[],
  labels: Int32Array,
  K: number,
): Placing {
  let best: { map: Matrix; kind: Placing["kind"]; heldOut: number } | undefined;
  for (const kind of ["centers", "neighbors"] as const) {
    for (const map of maps) {
      const heldOut = crossValidated(multiply(S, map), labels, K, kind);
      if (best === undefined || heldOut > best.heldOut + WORTH_IT) best = { map, kind, heldOut };
    }
  }
  const { map, kind, heldOut } = best!;
  const Z = multiply(S, map);
  const { points, clusters, neighbors } = pointsOf(Z, labels, K, kind);
  const placed = vote(Z, points, clusters, neighbors).labels;
  const elsewhere: number[] = [];
  for (let i = 0; i < Z.rows; i++) if (placed[i] !== labels[i]) elsewhere.push(i);
  const remembered = takeRows(Z, elsewhere);
  const kept = elsewhere.map((i) => labels[i]);
  const exact = lookUp(remembered, kept);
  let right = 0;
  for (let i = 0; i < Z.rows; i++) if ((exact(Z, i) ?? placed[i]) === labels[i]) right++;
  return {
    kind,
    scaling,
    map: storeMatrix(map),
    points: storeMatrix(points),
    clusters,
    neighbors,
    remembered: { points: storeMatrix(remembered), clusters: kept },
    heldOut,
    reproduced: right / Z.rows,
  };
}

/** The same rule with further rows remembered, of which `labels` gives the clusters. */
export function remembering(rule: Placing, S: Matrix, labels: readonly number[]): Placing {
  const Z = multiply(S, restoreMatrix(rule.map, "the map of the rule"));
  const { points, clusters } = rule.remembered;
  const all = matrix(points.rows + Z.rows, points.cols, Float64Array.from([...points.data, ...Z.data]));
  return { ...rule, remembered: { points: storeMatrix(all), clusters: [...clusters, ...labels] } };
}

function pointsOf(
  Z: Matrix,
  labels: Int32Array,
  K: number,
  kind: Placing["kind"],
): { points: Matrix; clusters: number[]; neighbors: number } {
  if (kind === "centers") {
    return { points: meansOf(Z, labels, K), clusters: Array.from({ length: K }, (_, k) => k), neighbors: 1 };
  }
  return { points: Z, clusters: Array.from(labels), neighbors: NEIGHBORS };
}

function crossValidated(Z: Matrix, labels: Int32Array, K: number, kind: Placing["kind"]): number {
  const folds = Math.min(FOLDS, Z.rows);
  if (folds < 2) return 1;
  let right = 0;
  for (let fold = 0; fold < folds; fold++) {
    const inside: number[] = [];
    const outside: number[] = [];
    for (let i = 0; i < Z.rows; i++) (i % folds === fold ? outside : inside).push(i);
    const own = Int32Array.from(inside, (i) => labels[i]);
    const { points, clusters, neighbors } = pointsOf(takeRows(Z, inside), own, K, kind);
    const placed = vote(takeRows(Z, outside), points, clusters, neighbors).labels;
    placed.forEach((label, p) => (right += Number(label === labels[outside[p]])));
  }
  return right / Z.rows;
}

function vote(
  Z: Matrix,
  points: Matrix,
  clusters: readonly number[],
  neighbors: number,
): { labels: number[]; distances: number[] } {
  const { rows: n, cols: r } = Z;
  const k = Math.min(neighbors, points.rows);
  const near = new Float64Array(k);
  const who = new Int32Array(k);
  const labels: number[] = [];
  const distances: number[] = [];
  for (let i = 0; i < n; i++) {
    near.fill(Infinity);
    for (let p = 0; p < points.rows; p++) {
      let sum = 0;
      for (let f = 0, a = i * r, b = p * r; f < r; f++, a++, b++) {
        const step = Z.data[a] - points.data[b];
        sum += step * step;
      }
      if (sum >= near[k - 1]) continue;
      let at = k - 1;
      for (; at > 0 && near[at - 1] > sum; at--) {
        near[at] = near[at - 1];
        who[at] = who[at - 1];
      }
      near[at] = sum;
      who[at] = p;
    }
    distances.push(Math.sqrt(near[0]));
    if (k === 1) {
      labels.push(clusters[who[0]]);
      continue;
    }
    const votes = new Map<number, number>();
    for (let q = 0; q < k; q++) {
      const cluster = clusters[who[q]];
      votes.set(cluster, (votes.get(cluster) ?? 0) + 1 / (Math.sqrt(near[q]) + 1e-9));
    }
    let best = clusters[who[0]];
    for (const [cluster, value] of votes) if (value > votes.get(best)!) best = cluster;
    labels.push(best);
  }
  return { labels, distances };
}

/** The cluster of a remembered row that row i equals, up to rounding; the last one remembered counts. */
function lookUp(points: Matrix, clusters: readonly number[]): (Z: Matrix, i: number) => number | undefined {
  const key = ({ cols, data }: Matrix, i: number): string => {
    let text = "";
    for (let f = 0; f < cols; f++) text += `${Math.fround(data[i * cols + f])} `;
    return text;
  };
  const known = new Map<string, number>();
  for (let p = 0; p < points.rows; p++) known.set(key(points, p), clusters[p]);
  return (Z, i) => (known.size === 0 ? undefined : known.get(key(Z, i)));
}
