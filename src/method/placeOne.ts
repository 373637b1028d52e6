import { matrix, restoreMatrix, type Matrix } from "../matrix/index.ts";
import type { Place, PlacingRule, MixedPlacing } from "./placingForm.ts";
import { inputError } from "../core/internal.ts";
import { codesBy } from "../features/index.ts";

/** Where one row is placed: the same as a row of `Placed`. */
export interface PlacedOne {
  readonly cluster: number;
  readonly distance: number;
  readonly next: number;
  readonly nextDistance: number;
}

/**
 * The rule for one row after the other, if it needs no code of a method: centres, stored rows, and scores. Distances agree with
 * those of `placingOf` up to rounding.
 */
export function nearPlace(rule: PlacingRule): ((x: Float64Array) => PlacedOne) | undefined {
  if (rule.kind === "centers" && rule.exceptions === undefined) {
    const labels = Int32Array.from({ length: rule.centers.rows }, (_, k) => k);
    return nearestOf(restoreMatrix(rule.centers, "the centres"), labels, labels.length, rule.map);
  }
  if (rule.kind === "rows" && (rule.neighbors ?? 1) < 2) {
    const labels = Int32Array.from(rule.labels);
    return nearestOf(restoreMatrix(rule.rows, "the rows"), labels, rule.means.rows, rule.map);
  }
  if (rule.kind !== "mixed") return undefined;
  return oneOf(byScores(rule, restoreMatrix(rule.means, "the means of the clusters")));
}

/** The rule for many rows, for one. */
export function oneOf(place: Place): (x: Float64Array) => PlacedOne {
  return (x) => {
    const { labels, distances, next, nextDistances } = place(matrix(1, x.length, x));
    return { cluster: labels[0], distance: distances[0], next: next[0], nextDistance: nextDistances[0] };
  };
}

/**
 * The nearest and the next cluster, each as near as its nearest point. A point is given up at the distance from which it can
 * no longer be the nearest of its cluster.
 */
function nearestOf(
  points: Matrix,
  labels: Int32Array,
  clusters: number,
  map: Parameters<typeof restoreMatrix>[0] | undefined,
): (x: Float64Array) => PlacedOne {
  const turned = turning(map && restoreMatrix(map, "the map"));
  const turn = Array.from({ length: points.rows }, (_, i) =>
    turned(points.data.subarray(i * points.cols, (i + 1) * points.cols)).slice(),
  );
  const cols = turn[0]?.length ?? 0;
  const data = new Float64Array(turn.length * cols);
  turn.forEach((point, i) => data.set(point, i * cols));
  const nearest = new Float64Array(clusters);
  return (x) => {
    const y = turned(x);
    nearest.fill(Infinity);
    for (let i = 0, p = 0; i < labels.length; i++, p += cols) {
      const most = nearest[labels[i]];
      let sum = 0;
      for (let f = 0; f < cols && sum < most; f++) {
        const from = y[f] - data[p + f];
        sum += from * from;
      }
      if (sum < most) nearest[labels[i]] = sum;
    }
    let cluster = 0;
    let next = -1;
    for (let k = 1; k < clusters; k++) {
      if (nearest[k] < nearest[cluster]) [next, cluster] = [cluster, k];
      else if (next < 0 || nearest[k] < nearest[next]) next = k;
    }
    return {
      cluster,
      distance: Math.sqrt(nearest[cluster]),
      next,
      nextDistance: next < 0 ? Infinity : Math.sqrt(nearest[next]),
    };
  };
}

/** x' M, written into the same place each time. */
function turning(M: Matrix | undefined): (x: Float64Array) => Float64Array {
  if (M === undefined) return (x) => x;
  const { rows, cols, data } = M;
  const y = new Float64Array(cols);
  return (x) => {
    y.fill(0);
    for (let f = 0, p = 0; f < rows; f++) for (let j = 0; j < cols; j++, p++) y[j] += x[f] * data[p];
    return y;
  };
}

/** By scores; distances are to the means of the clusters. */
export function byScores(rule: MixedPlacing, means: Matrix): Place {
  const { bias, features } = rule;
  const K = bias.length;
  const weights = restoreMatrix(rule.weights, "the weights");
  const levels = rule.levels.map(({ rule: read, logs }) => ({
    read,
    logs: restoreMatrix(logs, "the levels"),
  }));
  return (X) => {
    checkColumns(X, means.cols);
    const codes = levels.map(({ read }) => codesBy(read, X));
    const labels = new Int32Array(X.rows);
    const next = new Int32Array(X.rows).fill(-1);
    const distances = new Float64Array(X.rows);
    const nextDistances = new Float64Array(X.rows).fill(Infinity);
    const scores = new Float64Array(K);
    for (let i = 0; i < X.rows; i++) {
      scores.set(bias);
      features.forEach((f, j) => {
        const x = X.data[i * X.cols + f];
        for (let k = 0; k < K; k++) scores[k] += x * weights.data[j * K + k];
      });
      levels.forEach(({ logs }, v) => {
        const code = codes[v][i];
        if (code >= 0) for (let k = 0; k < K; k++) scores[k] += logs.data[k * logs.cols + code];
      });
      let first = 0;
      let second = -1;
      for (let k = 1; k < K; k++) {
        if (scores[k] > scores[first]) [second, first] = [first, k];
        else if (second < 0 || scores[k] > scores[second]) second = k;
      }
      labels[i] = first;
      distances[i] = distance(X, i, means, first);
      if (second < 0) continue;
      next[i] = second;
      nextDistances[i] = distance(X, i, means, second);
    }
    return { labels, distances, next, nextDistances };
  };
}

/** From a row to a centre. */
export function distance(X: Matrix, i: number, C: Matrix, k: number): number {
  let sum = 0;
  for (let f = 0; f < X.cols; f++) sum += (X.data[i * X.cols + f] - C.data[k * C.cols + f]) ** 2;
  return Math.sqrt(sum);
}

export function checkColumns(X: Matrix, cols: number): void {
  if (X.cols !== cols) throw inputError(`the rows have ${X.cols} columns, but the model has ${cols}`);
}
