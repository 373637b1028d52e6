import { columnMeans, principalComponents } from "../matrix/internal.ts";
import { matrix, multiply, symmetricEigen, type Matrix, takeRows } from "../matrix/index.ts";
import type { Drawing } from "../method/index.ts";
import { neighborLayout } from "../embed/index.ts";
import { nearestNeighbors } from "../graph/index.ts";
import { drawnRows } from "./scatterPlot.ts";

/** The rows in two dimensions: in a plane, or by a layout of their neighbours. */
export interface Picture extends Pick<Plane, "points" | "axes" | "chosen"> {
  /** Only for a layout: shares of the neighbours in the picture that belong to another cluster. */
  readonly layout?: { readonly strangers: number; readonly inPlane: number };
}

/** Number of neighbours in the picture that are examined. */
const NEIGHBORS = 10;
/** Share of other-cluster neighbours up to which the plane shows the clusters well enough. */
const FEW_STRANGERS = 0.1;
/** A layout must have at most this share of the plane's other-cluster neighbours, or it shows no more. */
const GAIN = 0.5;
const LEAST_ROWS = 50;
/** Rows are drawn as marks: they keep nearly a unit of the layout's scale, so that a group is no blot. */
const LAYOUT = { epochs: 200, minDistance: 0.7 };

/**
 * The plane of the clusters (plane.ts), in which distances are true, unless separate clusters overlap in it:
 * if more than a tenth of the ten neighbours in the plane belong to another cluster, and at most half as many
 * in a neighbour layout (embed/neighborLayout.ts), it is the layout. Clusters that overlap in the data
 * overlap in both, and stay in the plane. Rows that a page does not draw have no position in a layout.
 */
export function picture(
  X: Matrix,
  names: readonly string[],
  labels: ArrayLike<number>,
  metric?: Drawing["metric"],
): Picture {
  const flat = plane(X, names, labels, metric);
  const rows = drawnRows(X.rows);
  if (flat.chosen === undefined || rows.length < LEAST_ROWS) return flat;
  const own = rows.map((row) => labels[row]);
  const inPlane = strangersIn(takeRows(flat.points, rows), own);
  if (inPlane <= FEW_STRANGERS) return flat;
  const { embedding } = neighborLayout(metricRows(X, metric).rowsOf(takeRows(X, rows)), LAYOUT);
  const strangers = strangersIn(embedding, own);
  if (strangers > GAIN * inPlane) return flat;
  const points = matrix(X.rows, 2);
  rows.forEach((row, p) => points.data.set(embedding.data.subarray(2 * p, 2 * p + 2), 2 * row));
  const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
  return {
    points,
    axes: ["first coordinate of the layout", "second coordinate"],
    chosen:
      "A neighbour layout: near rows stay near, but distances between groups, and their sizes, " +
      `are not to scale. Clusters would overlap in a plane: of the ${NEIGHBORS} nearest points there ` +
      `${percent(inPlane)} belong to another cluster, here ${percent(strangers)}.`,
    layout: { strangers, inPlane },
  };
}

/** Among the nearest points of rows in a cluster, the share in another one. */
function strangersIn(points: Matrix, labels: readonly number[]): number {
  const { indices } = nearestNeighbors(points, NEIGHBORS);
  let [strangers, all] = [0, 0];
  labels.forEach((label, i) => {
    if (label < 0) return;
    all += NEIGHBORS;
    for (let p = i * NEIGHBORS; p < (i + 1) * NEIGHBORS; p++) {
      if (labels[indices[p]] !== label) strangers++;
    }
  });
  return all === 0 ? 0 : strangers / all;
}

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
function metricRows(
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
