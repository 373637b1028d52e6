import { form } from "../core/internal.ts";
import { asMatrix, multiply, type Matrix, type MatrixLike } from "../matrix/index.ts";
import { matrixForm } from "../matrix/internal.ts";
import { placeByDistance } from "./kmeans/rowDistance.ts";
import { requireColumns } from "./clusterInput.ts";
import { knownRowsForm, placeKnown } from "./knownRows.ts";
import { neighborVote, voteForm, type NeighborVote } from "./spectral/neighborVote.ts";

/**
 * Distances between rows:
 *
 *     euclidean  ||x - y||
 *     manhattan  sum_f |x_f - y_f|
 *     cosine     1 - x'y / (||x|| ||y||)
 */
const distanceForm = form.choice("euclidean", "manhattan", "cosine");
export type RowDistance = form.StoredOf<typeof distanceForm>;

/** The model of every method that places rows by centres: the nearest one, after a linear map if there is one. */
const centerForm = form.record({
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

export interface CenterModelData extends form.StoredOf<typeof centerForm> {}

/** The model of every method whose clusters have no centres: the rows themselves. */
const rowForm = form.record({
  method: form.text(),
  placement: form.choice("stored-rows"),
  ...voteForm.fields,
  /** d x r: the map after which neighbours are found; `rows` are the original ones. */
  map: form.optional(matrixForm("columns")),
});

export interface RowModelData extends form.StoredOf<typeof rowForm> {}

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
  return rowForm.save({ method, placement: "stored-rows", ...vote, map });
}

/** Reads the output of `model()` of a method that places rows by centres or by stored rows. */
export function loadPlacing(data: CenterModelData | RowModelData): PlacingModel {
  if (data.placement === "stored-rows") {
    const { method, map, ...vote } = form.load(rowForm, data, data.method);
    return { method, clusters: vote.clusters, predict: placeByRows(vote, map) };
  }
  const { method, clusters, centers, map, distance, known } = form.load(centerForm, data, data.method);
  const place = placeByDistance(centers, map, distance);
  return { method, clusters, predict: placeKnown(known, place, "any") };
}
