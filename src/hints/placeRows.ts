import { inputError } from "../core/errors.ts";
import { applyScaling, type Scaling } from "../data/index.ts";
import {
  matrix,
  multiply,
  restoreMatrix,
  storeMatrix,
  type Matrix,
  type StoredMatrix,
} from "../matrix/index.ts";
import { meansOf } from "./pairedLloyd.ts";

/** A rule that places rows, as plain data: the nearest point, in scaled columns times `map`, gives the cluster. */
export interface Placing {
  /** "centers": the middle of each cluster suffices; "prototypes": rows are stored beside the middles. */
  readonly kind: "centers" | "prototypes";
  readonly scaling: Scaling;
  readonly map: StoredMatrix;
  readonly points: StoredMatrix;
  /** The cluster of each point. */
  readonly clusters: readonly number[];
  /** Share of the rows that it was made from which it places where they are. */
  readonly reproduced: number;
}

/** Clusters of new rows, and their distances to the point that decided. */
export function placeRows(
  rule: Placing,
  Y: Matrix,
): { readonly labels: number[]; readonly distances: number[] } {
  const map = restoreMatrix(rule.map, "the map of the rule");
  const points = restoreMatrix(rule.points, "the points of the rule");
  if (points.rows !== rule.clusters.length || points.rows === 0) {
    throw inputError("the rule has no points, or not one cluster for each: the file is damaged");
  }
  const Z = multiply(applyScaling(rule.scaling, Y), map);
  const labels: number[] = [];
  const distances: number[] = [];
  for (let i = 0; i < Z.rows; i++) {
    const { at, squared } = nearestPoint(Z, i, points);
    labels.push(rule.clusters[at]);
    distances.push(Math.sqrt(squared));
  }
  return { labels, distances };
}

/**
 * The rule for rows of known cluster: their centres, and, by the condensed nearest neighbour rule (P. Hart, 1968), every
 * row that the points so far would place elsewhere, until all are placed where they are.
 *
 * @param S scaled rows
 */
export function placingRule(
  S: Matrix,
  scaling: Scaling,
  map: Matrix,
  labels: Int32Array,
  K: number,
): Placing {
  const Z = multiply(S, map);
  const { rows: n, cols: r } = Z;
  const points: number[] = Array.from(meansOf(Z, labels, K).data);
  const clusters = Array.from({ length: K }, (_, k) => k);
  const nearest = new Int32Array(n);
  const least = new Float64Array(n).fill(Infinity);
  const include = (from: ArrayLike<number>, offset: number, cluster: number): void => {
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let f = 0; f < r; f++) sum += (Z.data[i * r + f] - from[offset + f]) ** 2;
      if (sum < least[i]) {
        least[i] = sum;
        nearest[i] = cluster;
      }
    }
  };
  for (let k = 0; k < K; k++) include(points, k * r, k);
  // Every row is added at most once, and once added it is its own nearest point unless an equal row came before.
  const added = new Uint8Array(n);
  for (let changed = true; changed;) {
    changed = false;
    for (let i = 0; i < n; i++) {
      if (nearest[i] === labels[i] || added[i] === 1) continue;
      added[i] = 1;
      changed = true;
      for (let f = 0; f < r; f++) points.push(Z.data[i * r + f]);
      clusters.push(labels[i]);
      include(Z.data, i * r, labels[i]);
    }
  }
  let right = 0;
  for (let i = 0; i < n; i++) if (nearest[i] === labels[i]) right++;
  return {
    kind: clusters.length === K ? "centers" : "prototypes",
    scaling,
    map: storeMatrix(map),
    points: storeMatrix(matrix(clusters.length, r, Float64Array.from(points))),
    clusters,
    reproduced: right / n,
  };
}

function nearestPoint(Z: Matrix, i: number, points: Matrix): { at: number; squared: number } {
  const r = Z.cols;
  let at = 0;
  let squared = Infinity;
  for (let p = 0; p < points.rows; p++) {
    let sum = 0;
    for (let f = 0; f < r; f++) sum += (Z.data[i * r + f] - points.data[p * r + f]) ** 2;
    if (sum < squared) {
      squared = sum;
      at = p;
    }
  }
  return { at, squared };
}
