import { columnMeans, principalComponents } from "../matrix/internal.ts";
import { matrix, multiply, symmetricEigen, type Matrix } from "../matrix/index.ts";
import type { Drawing } from "../method/index.ts";

/** A view of the rows in two dimensions. */
export interface Plane {
  /** n x 2. */
  readonly points: Matrix;
  readonly axes: readonly [string, string];
  /** The choice of the plane, for people; nothing if it shows the features themselves. */
  readonly chosen?: string;
  /** Other rows with the same columns, in the same view. */
  project(Y: Matrix): Matrix;
}

/**
 * Rows per dimension above which the plane of the cluster means is used: with fewer it would separate any
 * labels.
 */
const ENOUGH_ROWS = 5;

/**
 * The plane through the means of the clusters, after the learned metric if there is one: an orthogonal
 * projection, so no distance is exaggerated. With two clusters the second direction is the longest of the
 * rest; with one cluster, or few rows for the dimension, both are principal components, which ignore the
 * labels. Two features without a metric are shown directly, and a single one against the row number.
 */
export function plane(
  X: Matrix,
  names: readonly string[],
  labels: ArrayLike<number>,
  metric?: Drawing["metric"],
): Plane {
  if (X.cols === 1) return single(X, names[0]);
  if (X.cols === 2 && metric === undefined) {
    return { points: X, axes: [names[0], names[1]], project: (Y) => Y };
  }
  const { unit, rowsOf: inUnits } = metricRows(X, metric);
  const Z = inUnits(X);
  const several = Array.from(labels).some((label) => label !== labels[0]);
  const byMeans = several && Z.rows >= ENOUGH_ROWS * Z.cols;
  const mean = columnMeans(Z);
  const V = byMeans ? meansPlane(Z, labels, mean) : principalComponents(Z, 1, 2).V;
  const project = (Y: Matrix): Matrix => {
    const mapped = inUnits(Y);
    const points = matrix(Y.rows, 2);
    for (let i = 0; i < Y.rows; i++) {
      for (let f = 0; f < mapped.cols; f++) {
        const from = mapped.data[i * mapped.cols + f] - mean[f];
        for (let r = 0; r < V.cols; r++) points.data[2 * i + r] += from * unit * V.data[f * V.cols + r];
      }
    }
    return points;
  };
  const points = project(X);
  const shares = variances(points, unit).map((variance) => variance / (totalVariance(Z, mean) || 1));
  const kind = byMeans ? "direction" : "principal component";
  const axis = (r: number): string => `${kind} ${r + 1} (${(100 * shares[r]).toFixed(0)} % of the variance)`;
  const under = metric === undefined ? "" : ", under the learned metric";
  const chosen = byMeans
    ? `The plane through the means of the clusters${under}; distances are projected, never stretched.`
    : `The plane of the first two principal components${under}.`;
  return { points, axes: [axis(0), axis(1)], chosen, project };
}

/**
 * Rows in coordinates where the metric is Euclidean, divided by a unit that keeps their squares in the
 * number range.
 */
export function metricRows(
  X: Matrix,
  metric: Drawing["metric"] | undefined,
): { readonly unit: number; readonly rowsOf: (Y: Matrix) => Matrix } {
  const map = metric === undefined ? undefined : metricMap(metric);
  const unit = unitOf(X);
  const rowsOf = (Y: Matrix): Matrix => {
    const Z =
      unit === 1
        ? Y
        : matrix(
            Y.rows,
            Y.cols,
            Y.data.map((value) => value / unit),
          );
    return map === undefined ? Z : multiply(Z, map);
  };
  return { unit, rowsOf };
}

/** A power of two that divides values whose squares would leave the number range, otherwise 1. */
function unitOf({ data }: Matrix): number {
  const size = data.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
  return size === 0 || (size > 1e-100 && size < 1e100) ? 1 : 2 ** Math.floor(Math.log2(size));
}

function single(X: Matrix, name: string): Plane {
  const project = (Y: Matrix): Matrix => {
    const points = matrix(Y.rows, 2);
    for (let i = 0; i < Y.rows; i++) points.data.set([Y.data[i], i], 2 * i);
    return points;
  };
  return { points: project(X), axes: [name, "row"], project };
}

/**
 * d x 2 orthonormal: the principal directions of the means, weighted by their rows, then of the remainder.
 */
function meansPlane(Z: Matrix, labels: ArrayLike<number>, mean: Float64Array): Matrix {
  const { rows: n, cols: d } = Z;
  const replaced = matrix(n, d);
  const sums = new Map<number, { sum: Float64Array; count: number }>();
  for (let i = 0; i < n; i++) {
    let own = sums.get(labels[i]);
    if (own === undefined) sums.set(labels[i], (own = { sum: new Float64Array(d), count: 0 }));
    own.count++;
    for (let f = 0; f < d; f++) own.sum[f] += Z.data[i * d + f] - mean[f];
  }
  for (let i = 0; i < n; i++) {
    const { sum, count } = sums.get(labels[i])!;
    for (let f = 0; f < d; f++) replaced.data[i * d + f] = sum[f] / count;
  }
  const V = matrix(d, 2);
  const take = (from: Matrix, column: number): void => {
    const { V: directions } = principalComponents(from, 1, 1);
    for (let f = 0; f < d; f++) V.data[2 * f + column] = directions.data[f];
  };
  if (sums.size === 1) return principalComponents(Z, 1, 2).V;
  take(replaced, 0);
  take(without(sums.size === 2 ? Z : replaced, V), 1);
  return V;
}

/** The rows without their part along the first column of V. */
function without(Z: Matrix, V: Matrix): Matrix {
  const { rows: n, cols: d } = Z;
  const left = matrix(n, d);
  for (let i = 0; i < n; i++) {
    let along = 0;
    for (let f = 0; f < d; f++) along += Z.data[i * d + f] * V.data[2 * f];
    for (let f = 0; f < d; f++) left.data[i * d + f] = Z.data[i * d + f] - along * V.data[2 * f];
  }
  return left;
}

/** L' with M = L'L, on the features: rows times this are Euclidean. */
function metricMap({ matrix: M, projection }: NonNullable<Drawing["metric"]>): Matrix {
  const { values, vectors } = symmetricEigen(M);
  const root = matrix(
    M.rows,
    M.cols,
    vectors.data.map((value, p) => value * Math.sqrt(Math.max(0, values[p % M.cols]))),
  );
  return projection === undefined ? root : multiply(projection, root);
}

function variances(points: Matrix, unit: number): [number, number] {
  const sums: [number, number] = [0, 0];
  points.data.forEach((value, p) => {
    sums[p % 2] += (value / unit) ** 2;
  });
  return sums;
}

/** The sum of the squares about the means. */
export function totalVariance(Z: Matrix, mean: Float64Array): number {
  return Z.data.reduce((sum, value, p) => sum + (value - mean[p % Z.cols]) ** 2, 0);
}
