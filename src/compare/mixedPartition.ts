import { assignMixedMixture, mixedMixture, type MixedMixture } from "../cluster/mixture/mixedMixture.ts";
import { splitKinds, type FeatureRecord } from "../features/index.ts";
import { takeRows, type Matrix } from "../matrix/matrix.ts";
import type { FitOptions } from "../method/index.ts";
import { rowOrder } from "./rowOrder.ts";

/** What the mixture says of the rows; clusters are numbered by falling size. */
export type MixedPartition = Pick<
  MixedMixture,
  | "clusters"
  | "labels"
  | "sizes"
  | "converged"
  | "warnings"
  | "objective"
  | "iterations"
  | "history"
  | "bic"
  | "logLikelihood"
  | "parameters"
  | "tried"
>;

/** Rows beyond which a sample is fitted, and the others are placed by the mixture. */
const SAMPLE = 5000;

/**
 * The mixture on the features of a table; rows without a record have numbers only. The rows are fitted in an order that
 * depends on their values alone.
 */
export function mixedPartition(X: Matrix, options: FitOptions, record?: FeatureRecord): MixedPartition {
  const { X: numbers, codes } = record === undefined ? { X, codes: [] } : splitKinds(record, X);
  const order = rowOrder(X, options.seed ?? 0);
  const taken = order.subarray(0, SAMPLE);
  const some = codes.map((column) => ({ ...column, codes: Int32Array.from(taken, (i) => column.codes[i]) }));
  const fit = mixedMixture(takeRows(numbers, taken), some, { ...options, space: takeRows(X, taken) });
  const { clusters, converged, objective, iterations, history, bic, logLikelihood, parameters, tried } = fit;
  const sampled = taken.length < order.length;
  let labels: Int32Array;
  if (sampled) ({ labels } = assignMixedMixture(fit.model, numbers, codes));
  else {
    labels = new Int32Array(X.rows);
    order.forEach((i, p) => (labels[i] = fit.labels[p]));
  }
  const said = `the mixture was fitted to ${SAMPLE} of the ${X.rows} rows and placed the others`;
  return {
    ...bySize(labels, clusters),
    clusters,
    converged,
    objective,
    iterations,
    history,
    bic,
    logLikelihood,
    parameters,
    tried,
    warnings: sampled ? [...fit.warnings, said] : fit.warnings,
  };
}

function bySize(labels: Int32Array, clusters: number): Pick<MixedPartition, "labels" | "sizes"> {
  const sizes = new Int32Array(clusters);
  for (const label of labels) sizes[label]++;
  const old = [...sizes.keys()].sort((a, b) => sizes[b] - sizes[a] || a - b);
  const number = new Int32Array(clusters);
  old.forEach((k, rank) => (number[k] = rank));
  return { labels: labels.map((label) => number[label]), sizes: Int32Array.from(old, (k) => sizes[k]) };
}
