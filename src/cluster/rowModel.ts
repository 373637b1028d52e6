import { inputError } from "../core/internal.ts";
import {
  asMatrix,
  multiply,
  restoreMatrix,
  storeMatrix,
  type Matrix,
  type MatrixLike,
  type StoredMatrix,
} from "../matrix/index.ts";
import { placeByCenters, requireColumns, type CenterModelData } from "./centerModel.ts";
import { nearestByDistance } from "./kmeans/rowDistance.ts";
import { loadKnown } from "./knownRows.ts";
import {
  neighborVote,
  restoreNeighborVote,
  storeNeighborVote,
  type NeighborVote,
  type NeighborVoteData,
} from "./spectral/neighborVote.ts";

/** The model of every method whose clusters have no centres: the rows themselves. */
export interface RowModelData extends NeighborVoteData {
  readonly method: string;
  readonly placement: "stored-rows";
  /** d x r: the map after which neighbours are found; `rows` are the original ones. */
  readonly map?: StoredMatrix;
}

/** What places new rows. */
export interface PlacingModel {
  readonly method: string;
  readonly clusters: number;
  predict(Y: MatrixLike): Int32Array;
}

/** The nearest rows vote, after the map. */
export function placeByRows(vote: NeighborVote, map?: Matrix): (Y: MatrixLike) => Int32Array {
  if (map === undefined) return (Y) => neighborVote(vote, Y);
  const mapped = { ...vote, rows: multiply(vote.rows, map) };
  return (input) => {
    const Y = asMatrix(input, "predict");
    requireColumns(Y.cols, vote.rows.cols);
    return neighborVote(mapped, multiply(Y, map));
  };
}

export function rowModel(method: string, vote: NeighborVote, map?: Matrix): RowModelData {
  return {
    method,
    placement: "stored-rows",
    ...storeNeighborVote(vote),
    ...(map !== undefined && { map: storeMatrix(map) }),
  };
}

/** Reads the output of `model()` of a method that places rows by centres or by stored rows. */
export function loadPlacing(data: CenterModelData | RowModelData): PlacingModel {
  const { method, clusters } = data;
  const map = data.map === undefined ? undefined : restoreMatrix(data.map, `the map of ${method}`);
  if (data.placement === "stored-rows") {
    return { method, clusters, predict: placeByRows(restoreNeighborVote(data), map) };
  }
  const centers = restoreMatrix(data.centers, `the list of centres of ${method}`);
  if (centers.rows !== clusters) {
    throw inputError(`${method} has ${clusters} clusters, but ${centers.rows} centres: the file is damaged`);
  }
  const { distance } = data;
  if (distance !== undefined) {
    return {
      method,
      clusters,
      predict: (Y) => nearestByDistance(asMatrix(Y, "predict"), centers, distance),
    };
  }
  return { method, clusters, predict: loadKnown(data.known, clusters, placeByCenters(centers, map), "any") };
}
