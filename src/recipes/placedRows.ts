import { asMatrix, matrix, multiply, type Matrix, type MatrixLike } from "../matrix/index.ts";
import { knownPlacing, placeByCenters, placeByRows } from "../cluster/internal.ts";
import { clusterMeans } from "../convex/internal.ts";
import type { Scaled } from "../data/index.ts";

/** How a clustering of this room places rows. */
export interface ConvexPlacing {
  /**
   * The nearest centre in the learned metric if that reproduces at least 99 % of the rows' own labels;
   * otherwise the clusters are not round, and the 10 nearest rows vote. Training rows keep their cluster.
   */
  readonly placement: "nearest-center" | "stored-rows";
  /** Rows in the method's input form (and their batch, if it scaled by batch). */
  predict(Y: MatrixLike, batch?: ArrayLike<string | number>): Int32Array;
}

export interface Placed {
  readonly X: Matrix;
  readonly labels: Int32Array;
  /** Means of the clusters, in the units of X. */
  readonly centers: Matrix;
  readonly scaled: Scaled<Matrix>;
  /** Scaled features x coordinates: the map after which distances are Euclidean. */
  readonly map: Matrix;
}

/** The share of rows for which the nearest centre must give the right cluster. */
const AGREEMENT = 0.99;
/** Beyond this size a model does not keep the rows. */
const MOST_ROWS = 20_000;
const NEIGHBORS = 10;

export function placedRows(placed: Placed): ConvexPlacing {
  const { labels, scaled } = placed;
  if (scaled.scaling.groups.length > 1 || scaled.scaling.groups[0].batch !== undefined) {
    return placedByBatch(placed);
  }
  const { X, centers } = placed;
  const map = unscaledMap(placed);
  const vote = { rows: X, labels, clusters: centers.rows, neighbors: NEIGHBORS, gamma: 0 };
  const byCenters = knownPlacing(X, labels, placeByCenters(centers, map));
  let decided: "nearest-center" | "stored-rows" | undefined;
  const placement = (): "nearest-center" | "stored-rows" => {
    if (decided !== undefined) return decided;
    const alone = placeByCenters(centers, map)(X);
    const agreeing = alone.reduce((count, label, i) => count + Number(label === labels[i]), 0);
    const round = agreeing >= AGREEMENT * X.rows || X.rows > MOST_ROWS;
    return (decided = round ? "nearest-center" : "stored-rows");
  };
  let byRows: ((Y: MatrixLike) => Int32Array) | undefined;
  return {
    get placement() {
      return placement();
    },
    predict: (Y) =>
      placement() === "nearest-center" ? byCenters.predict(Y) : (byRows ??= placeByRows(vote, map))(Y),
  };
}

/** Each batch has its own scaling: rows need their batch, and take the nearest centre in scaled units. */
function placedByBatch({ labels, scaled, map, centers }: Placed): ConvexPlacing {
  const { means } = clusterMeans(scaled.X, labels, centers.rows);
  const place = placeByCenters(means, map);
  return {
    placement: "nearest-center",
    predict: (Y, batch) => place(scaled.apply(asMatrix(Y, "predict"), batch)),
  };
}

/** Original columns x coordinates; columns left out have weight 0. Shifts do not change distances. */
function unscaledMap({ scaled, map, X }: Placed): Matrix {
  const { kept, groups } = scaled.scaling;
  const divided = matrix(map.rows, map.cols);
  for (let f = 0; f < map.rows; f++) {
    for (let r = 0; r < map.cols; r++) {
      divided.data[f * map.cols + r] = map.data[f * map.cols + r] / groups[0].scale[f];
    }
  }
  const chosen = matrix(X.cols, map.rows);
  kept.forEach((column, f) => (chosen.data[column * map.rows + f] = 1));
  return multiply(chosen, divided);
}
