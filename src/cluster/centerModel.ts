import { asRows, multiply, storeMatrix, type Matrix, type MatrixLike, type Sparse } from "../matrix/index.ts";
import { scaled } from "../matrix/internal.ts";
import { checkedScale, requireColumns } from "./clusterInput.ts";
import type { KnownRowsData } from "./knownRows.ts";
import type { CenterModelData, RowDistance } from "./rowModel.ts";
import { withPoints } from "./kmeans/withPoints.ts";

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
