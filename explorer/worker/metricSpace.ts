import { matrix, multiply, symmetricEigen, topEigen, transpose, type Matrix } from "kindred/matrix";
import { plane, type Plane } from "kindred/report";
import type { View } from "../protocol.ts";

/**
 * The rows in coordinates where the metric is the Euclidean distance, and the plane that shows most of their
 * variance.
 */
export interface MetricSpace {
  readonly space: Matrix;
  readonly view: View;
  /** Other rows in the same view. */
  readonly project: (Y: Matrix) => Float32Array;
}

/**
 * Weight of the plain features beside a metric with a single direction, which gives the plot a second axis.
 */
const FAINT = 1e-3;

/**
 * The plain view uses principal components: it does not depend on the labels, so the points stay when the
 * clusters change. Under a learned metric, which equalises the variances, it is the plane through the cluster
 * means. Two features are shown directly.
 *
 * @param learned M on the columns of X, d x d, and the clusters found under it; absent: the identity
 */
export function metricSpace(
  X: Matrix,
  names: readonly string[],
  learned?: { readonly metric: Matrix; readonly labels: Int32Array },
): MetricSpace {
  const space = learned === undefined ? X : underMetric(X, learned.metric);
  const directions = Array.from({ length: space.cols }, (_, r) => `Direction ${r + 1} of the metric`);
  const { points, axes, project } =
    learned === undefined ? principalPlane(X, names) : plane(space, directions, learned.labels);
  const unit = units(points);
  const second = capital(axes[1]);
  const flat = ({ data }: Matrix): Float32Array => Float32Array.from(data, (value, p) => value / unit[p % 2]);
  return {
    space,
    view: { xy: flat(points), axes: [capital(axes[0]), unit[0] === unit[1] ? second : `${second}, widened`] },
    project: (Y) => flat(project(Y)),
  };
}

function principalPlane(X: Matrix, names: readonly string[]): Pick<Plane, "points" | "axes" | "project"> {
  // One feature against the row number, or two against each other; labels do not matter here.
  if (X.cols <= 2) return plane(X, names, new Int32Array(X.rows));
  const mean = columnMeans(X);
  const S = scatterMatrix(X, mean);
  const { values, vectors } = topEigen(S, 2, { tolerance: 1e-8 });
  const total = Array.from({ length: S.rows }, (_, f) => S.data[f * (S.rows + 1)]).reduce((a, b) => a + b, 0);
  const axis = (r: number): string =>
    `Principal component ${r + 1} (${((100 * Math.max(0, values[r])) / (total || 1)).toFixed(0)}\u{a0}%)`;
  const project = (Y: Matrix): Matrix => multiply(centred(Y, mean), vectors);
  return { points: project(X), axes: [axis(0), axis(1)], project };
}

/** Multiplications above which the directions are learned from evenly spaced rows: a view needs no more. */
const MOST_WORK = 2e9;

/** (X - 1m')'(X - 1m'), perhaps of some of the rows. */
function scatterMatrix(X: Matrix, mean: Float64Array): Matrix {
  const { rows, cols, data } = X;
  const most = Math.max(500, Math.floor(MOST_WORK / (cols * cols)));
  if (rows <= most) return squared(centred(X, mean));
  const some = matrix(most, cols);
  for (let i = 0; i < most; i++) {
    const from = Math.floor((i * rows) / most) * cols;
    some.data.set(data.subarray(from, from + cols), i * cols);
  }
  return squared(centred(some, mean));
}

function squared(C: Matrix): Matrix {
  return multiply(transpose(C), C);
}

function columnMeans({ rows, cols, data }: Matrix): Float64Array {
  const mean = new Float64Array(cols);
  for (let p = 0; p < data.length; p++) mean[p % cols] += data[p] / rows;
  return mean;
}

function centred({ rows, cols, data }: Matrix, mean: Float64Array): Matrix {
  return matrix(
    rows,
    cols,
    data.map((value, p) => value - mean[p % cols]),
  );
}

/** Names of features stay unchanged. */
function capital(axis: string): string {
  return axis.replace(/^(direction|principal) /, (word) => word.charAt(0).toUpperCase() + word.slice(1));
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

/** The unit of each axis: the same on both, unless one would be too thin to see. */
function units(points: Matrix): [number, number] {
  const squares = [0, 0];
  for (let p = 0; p < points.data.length; p++) squares[p % points.cols] += points.data[p] ** 2;
  const [first, second] = squares.map((sum) => Math.sqrt(sum / points.rows));
  if (first === 0 || second === 0) return [first || 1, second || 1];
  return Math.max(first / second, second / first) > 20 ? [first, second] : [first, first];
}
