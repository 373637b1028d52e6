// The page draws planes and no pictures (explorer/worker/metricSpace.ts): pictures need layouts, so they are apart.
import { neighborLayout } from "../embed/index.ts";
import { nearestNeighbors } from "../graph/index.ts";
import { matrix, takeRows, type Matrix } from "../matrix/index.ts";
import type { Drawing } from "../method/index.ts";
import { metricRows, plane, type Plane } from "./plane.ts";
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
