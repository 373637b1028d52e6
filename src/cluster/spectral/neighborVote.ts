import { asMatrix, multiply, row, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import { dot } from "../../matrix/internal.ts";
import { extended } from "../../core/internal.ts";
import { nearestAmong } from "../../graph/index.ts";
import { requireColumns } from "../clusterInput.ts";

/**
 * Places new rows among clusters without centres: the nearest training rows vote, each with its affinity
 * exp(-gamma ||x - y||^2). A training row keeps its cluster.
 */
export interface NeighborVote {
  readonly clusters: number;
  readonly rows: Matrix;
  readonly labels: Int32Array;
  readonly neighbors: number;
  readonly gamma: number;
}

/** A clustering of rows by their graph. */
export interface Voted {
  /** The nearest training rows vote, weighted by their affinity. */
  predict(Y: MatrixLike): Int32Array;
  readonly placement: "stored-rows";
}

/** The clusters of a graph of rows, with the vote for new rows. */
export function withVote<R extends Pick<NeighborVote, "labels" | "clusters">>(
  result: R,
  { rows, neighbors, gamma }: Pick<NeighborVote, "rows" | "neighbors" | "gamma">,
) {
  const { labels, clusters } = result;
  return extended(result, {
    placement: "stored-rows" as const,
    predict: placeByRows({ clusters, rows, labels, neighbors, gamma }),
  });
}

/** The nearest rows vote, after the map (d x r) if there is one. */
export function placeByRows(vote: NeighborVote, map?: Matrix): (Y: MatrixLike) => Int32Array {
  if (map === undefined) return (Y) => neighborVote(vote, Y);
  const mapped = { ...vote, rows: multiply(vote.rows, map) };
  return (input) => {
    const Y = asMatrix(input, "predict");
    requireColumns(Y.cols, vote.rows.cols);
    return neighborVote(mapped, multiply(Y, map));
  };
}

/**
 * Squared distances below this share of the squared length are rounding of a map: the row is a training row.
 */
const SAME = 1e-24;

function neighborVote(model: NeighborVote, input: MatrixLike): Int32Array {
  const Y = asMatrix(input, "predict");
  const { rows, labels, clusters, gamma } = model;
  requireColumns(Y.cols, rows.cols);
  const k = Math.min(model.neighbors, rows.rows);
  const { indices, distances } = nearestAmong(rows, k, Y);
  const votes = new Float64Array(clusters);
  return Int32Array.from({ length: Y.rows }, (_, i) => {
    votes.fill(0);
    let best = labels[indices[i * k]];
    // Relative to the nearest, so that distant rows still count.
    const nearest = distances[i * k];
    const y = row(Y, i);
    if (nearest <= SAME * dot(y, y)) return best;
    for (let p = i * k; p < (i + 1) * k; p++) {
      const label = labels[indices[p]];
      votes[label] += Math.exp(-gamma * (distances[p] - nearest));
      if (votes[label] > votes[best]) best = label;
    }
    return best;
  });
}
