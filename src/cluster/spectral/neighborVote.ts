import { asMatrix, row, type MatrixLike } from "../../matrix/index.ts";
import { matrixForm } from "../../matrix/internal.ts";
import { inputError, number, record, size, whole, wholes, type LoadedOf } from "../../core/internal.ts";
import { nearestAmong } from "../../graph/index.ts";

/**
 * Places new rows among clusters without centres: the nearest training rows vote, each with its affinity
 * exp(-gamma ||x - y||^2). A training row keeps its cluster.
 */
export const voteForm = record({
  clusters: size("clusters"),
  rows: matrixForm("rows", "columns"),
  labels: wholes("rows", { min: 0, below: "clusters" }),
  neighbors: whole({ min: 1 }),
  gamma: number({ min: 0 }),
});

export interface NeighborVote extends LoadedOf<typeof voteForm> {}

/**
 * Squared distances below this share of the squared length are rounding of a map: the row is a training row.
 */
const SAME = 1e-24;

export function neighborVote(model: NeighborVote, input: MatrixLike): Int32Array {
  const Y = asMatrix(input, "predict");
  const { rows, labels, clusters, gamma } = model;
  if (Y.cols !== rows.cols) {
    throw inputError(`predict: the data has ${Y.cols} columns, but the clusters have ${rows.cols}`);
  }
  const k = Math.min(model.neighbors, rows.rows);
  const { indices, distances } = nearestAmong(rows, k, Y);
  const votes = new Float64Array(clusters);
  return Int32Array.from({ length: Y.rows }, (_, i) => {
    votes.fill(0);
    let best = labels[indices[i * k]];
    // Relative to the nearest, so that distant rows still count.
    const nearest = distances[i * k];
    if (nearest <= SAME * squaredNorm(row(Y, i))) return best;
    for (let p = i * k; p < (i + 1) * k; p++) {
      const label = labels[indices[p]];
      votes[label] += Math.exp(-gamma * (distances[p] - nearest));
      if (votes[label] > votes[best]) best = label;
    }
    return best;
  });
}

function squaredNorm(x: Float64Array): number {
  let sum = 0;
  for (let f = 0; f < x.length; f++) sum += x[f] * x[f];
  return sum;
}
