import { gram, matrix, multiply, symmetricEigen, topEigen, type Matrix } from "kindred/matrix";
import type { View } from "../protocol.ts";

/** The rows where a metric is the plain distance, and the plane that shows most of them. */
export interface MetricSpace {
  readonly space: Matrix;
  readonly view: View;
  /** Other rows of the same space in the same view. */
  readonly project: (Y: Matrix) => Float32Array;
}

/** How much the plain features count beside a metric of a single direction, so that there is a second axis to see. */
const FAINT = 1e-3;

/**
 * The view is by principal components: it does not know the labels, so the points stay where they are when the clusters
 * change. Two features are shown as they are.
 *
 * @param metric M on the columns of X, d x d; absent: the identity
 */
export function metricSpace(X: Matrix, names: readonly string[], metric?: Matrix): MetricSpace {
  const space = metric === undefined ? X : underMetric(X, metric);
  const mean = columnMeans(space);
  const centered = shifted(space, mean);
  const features = metric === undefined && X.cols <= 2;
  const { V, axes } = features ? featureAxes(names) : principalAxes(centered, metric !== undefined);
  const unit = units(multiply(centered, V));
  const project = (Y: Matrix): Float32Array => {
    const points = multiply(shifted(Y, mean), V);
    return Float32Array.from({ length: 2 * Y.rows }, (_, p) =>
      p % 2 < V.cols ? points.data[Math.floor(p / 2) * V.cols + (p % 2)] / unit[p % 2] : 0,
    );
  };
  return { space, view: { xy: project(space), axes }, project };
}

interface Axes {
  /** dimensions x 2, or x 1 where there is one dimension. */
  readonly V: Matrix;
  readonly axes: readonly [string, string];
}

function featureAxes(names: readonly string[]): Axes {
  const d = names.length;
  const V = matrix(d, d);
  for (let f = 0; f < d; f++) V.data[f * d + f] = 1;
  return { V, axes: [names[0], names[1] ?? ""] };
}

function principalAxes(centered: Matrix, learned: boolean): Axes {
  const S = gram(centered);
  const { values, vectors } = topEigen(S, Math.min(2, centered.cols), { tolerance: 1e-8 });
  let total = 0;
  for (let f = 0; f < S.rows; f++) total += S.data[f * S.cols + f];
  const kind = learned ? "Direction of the metric" : "Principal component";
  const axis = (r: number): string =>
    `${kind} ${r + 1} (${((100 * (values[r] ?? 0)) / (total || 1)).toFixed(0)} %)`;
  return { V: vectors, axes: [axis(0), axis(1)] };
}

/** X M^(1/2), without the directions that the metric ignores. */
function underMetric(X: Matrix, M: Matrix): Matrix {
  const { values, vectors } = symmetricEigen(M);
  const d = M.rows;
  const kept = Array.from(values.keys()).filter((r) => values[r] > 1e-10 * values[0]);
  const wide = kept.length < 2;
  const L = matrix(d, kept.length + (wide ? d : 0));
  for (let f = 0; f < d; f++) {
    for (const [r, from] of kept.entries()) {
      L.data[f * L.cols + r] = vectors.data[f * d + from] * Math.sqrt(values[from]);
    }
    if (wide) L.data[f * L.cols + kept.length + f] = FAINT * Math.sqrt(values[0]);
  }
  return multiply(X, L);
}

/** What counts as one on each axis: the same on both, unless one of them would be too thin to see. */
function units(points: Matrix): [number, number] {
  const squares = [0, 0];
  for (let p = 0; p < points.data.length; p++) squares[p % points.cols] += points.data[p] ** 2;
  const [first, second] = squares.map((sum) => Math.sqrt(sum / points.rows));
  if (first === 0 || second === 0) return [first || 1, second || 1];
  return Math.max(first / second, second / first) > 20 ? [first, second] : [first, first];
}

function columnMeans({ rows, cols, data }: Matrix): Float64Array {
  const mean = new Float64Array(cols);
  for (let i = 0; i < rows; i++) for (let f = 0; f < cols; f++) mean[f] += data[i * cols + f] / rows;
  return mean;
}

function shifted({ rows, cols, data }: Matrix, by: Float64Array): Matrix {
  const moved = matrix(rows, cols);
  for (let i = 0; i < rows; i++)
    for (let f = 0; f < cols; f++) moved.data[i * cols + f] = data[i * cols + f] - by[f];
  return moved;
}
