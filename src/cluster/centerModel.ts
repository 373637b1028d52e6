import { form } from "../core/internal.ts";
import { asRows, multiply, storeMatrix, type Matrix, type MatrixLike, type Sparse } from "../matrix/index.ts";
import { matrixForm, scaled } from "../matrix/internal.ts";
import { checkedScale, requireColumns } from "./clusterInput.ts";
import { withPoints } from "./kmeans/withPoints.ts";

/**
 * Distances between rows:
 *
 *     euclidean  ||x - y||
 *     manhattan  sum_f |x_f - y_f|
 *     cosine     1 - x'y / (||x|| ||y||)
 */
const distanceForm = form.choice("euclidean", "manhattan", "cosine");
export type RowDistance = form.StoredOf<typeof distanceForm>;

/** Training rows that the rule would place elsewhere (knownRows.ts). */
export const knownRowsForm = form.record({
  rows: matrixForm("known rows"),
  labels: form.wholes("known rows", { min: 0, below: "clusters" }),
});

/** The model of every method that places rows by centres: the nearest one, after a linear map if there is one. */
export const centerForm = form.record({
  method: form.text(),
  placement: form.choice("nearest-center"),
  clusters: form.size("clusters"),
  /** K x d, in the units of the rows. */
  centers: matrixForm("clusters", "columns"),
  /** d x r: the map after which distances are Euclidean. */
  map: form.optional(matrixForm("columns")),
  /** Default: Euclidean. */
  distance: form.optional(distanceForm),
  known: form.optional(knownRowsForm),
});

export interface KnownRowsData extends form.StoredOf<typeof knownRowsForm> {}
export interface CenterModelData extends form.StoredOf<typeof centerForm> {}

/** Written by hand: a page that only clusters needs no codec. */
export function centerModel(
  method: string,
  {
    centers,
    map,
    distance,
  }: { readonly centers: Matrix; readonly map?: Matrix; readonly distance?: RowDistance },
  known: { readonly known?: KnownRowsData } = {},
): CenterModelData {
  return {
    method,
    placement: "nearest-center",
    clusters: centers.rows,
    centers: storeMatrix(centers),
    ...(map !== undefined && { map: storeMatrix(map) }),
    ...(distance !== undefined && distance !== "euclidean" && { distance }),
    ...known,
  };
}

/** The nearest centre, after the map. */
export function placeByCenters(centers: Matrix, map?: Matrix): (Y: MatrixLike | Sparse) => Int32Array {
  if (map === undefined) return (Y) => predictNearest(Y, centers);
  const at = multiply(centers, map);
  return (input) => {
    const Y = asRows(input, "predict");
    requireColumns(Y.cols, centers.cols);
    return predictNearest(multiply(Y, map), at);
  };
}

/** The nearest centre of each row of Y. */
export function predictNearest(input: MatrixLike | Sparse, centers: Matrix): Int32Array {
  const Y = asRows(input, "predict");
  requireColumns(Y.cols, centers.cols);
  const scale = checkedScale(Y, centers);
  const C = scaled(centers, scale).data;
  return withPoints(scaled(Y, scale), (points) => {
    points.nearest(C, centers.rows, false);
    return points.labels().slice();
  });
}
