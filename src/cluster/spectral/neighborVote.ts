import { asMatrix, row, type MatrixLike } from "../../matrix/index.ts";
import { dot, matrixForm } from "../../matrix/internal.ts";
import { extended, form } from "../../core/internal.ts";
import { nearestAmong } from "../../graph/index.ts";
import { requireColumns } from "../clusterInput.ts";

/**
 * Places new rows among clusters without centres: the nearest training rows vote, each with its affinity
 * exp(-gamma ||x - y||^2). A training row keeps its cluster.
 */
export const voteForm = form.record({
  clusters: form.size("clusters"),
  rows: matrixForm("rows", "columns"),
  labels: form.wholes("rows", { min: 0, below: "clusters" }),
  neighbors: form.whole({ min: 1 }),
  gamma: form.number({ min: 0 }),
});

export interface NeighborVote extends form.LoadedOf<typeof voteForm> {}

/** A clustering of rows by their graph. */
export interface Voted<D> {
  /** The nearest training rows vote, weighted by their affinity. */
  predict(Y: MatrixLike): Int32Array;
  readonly placement: "stored-rows";
  model(): D;
}

/** The fields of the model of a method that places new rows so, beside its name. */
export const votedFields = { placement: form.choice("stored-rows"), ...voteForm.fields };

/** The clusters of a graph of rows, with the vote for new rows. */
export function withVote<
  M extends string,
  R extends Pick<NeighborVote, "labels" | "clusters"> & { method: M },
>(
  result: R,
  { rows, neighbors, gamma }: Pick<NeighborVote, "rows" | "neighbors" | "gamma">,
  ofModel: form.RecordForm<{ readonly method: form.Form<M> } & typeof votedFields>,
) {
  const { method, labels, clusters } = result;
  const vote = { clusters, rows, labels, neighbors, gamma };
  return extended(result, {
    placement: "stored-rows" as const,
    predict: (Y: MatrixLike) => neighborVote(vote, Y),
    model: () => ofModel.save({ method, placement: "stored-rows", ...vote }),
  });
}

/** A loaded model. */
export function loadedVote(vote: NeighborVote) {
  const predict = (Y: MatrixLike): Int32Array => neighborVote(vote, Y);
  return { labels: vote.labels, clusters: vote.clusters, predict };
}

/**
 * Squared distances below this share of the squared length are rounding of a map: the row is a training row.
 */
const SAME = 1e-24;

export function neighborVote(model: NeighborVote, input: MatrixLike): Int32Array {
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
