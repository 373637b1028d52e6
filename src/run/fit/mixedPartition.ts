import { assignMixedMixture, linearMixture, mixedMixture, type MixedMixture } from "../../cluster/index.ts";
import { random } from "../../core/index.ts";
import { type FeatureRecord, layoutKinds, splitKinds } from "../../features/index.ts";
import { matrix, type Matrix, storeMatrix, takeRows } from "../../matrix/index.ts";
import { valueOrder } from "../../matrix/internal.ts";
import type { FitOptions, Proposal } from "../../method/index.ts";

/** The result of the mixture; clusters are numbered by decreasing size. */
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
> & {
  /** The mixture's rule for other rows. */
  readonly placing: Proposal;
};

/** Number of rows above which a sample is fitted, and the mixture places the others. */
const SAMPLE = 5000;

/**
 * The mixture on the features of a table; rows without a record have numbers only. The rows are fitted in an
 * order that depends only on their values.
 */
export function mixedPartition(X: Matrix, options: FitOptions, record?: FeatureRecord): MixedPartition {
  const { X: numbers, codes } = record === undefined ? { X, codes: [] } : splitKinds(record, X);
  const order = random(options.seed ?? 0).shuffle(valueOrder(X));
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
  const { old, ...sized } = bySize(labels, clusters);
  return {
    ...sized,
    placing: placingBy(fit, old, X.cols, record),
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

/** The mixture itself places new rows; its components are renumbered. */
function placingBy(
  { model }: MixedMixture,
  old: readonly number[],
  cols: number,
  record?: FeatureRecord,
): Proposal {
  const all = { features: Array.from({ length: cols }, (_, f) => f), codes: [] };
  const { features, codes } = record === undefined ? all : layoutKinds(record);
  const { bias, weights, logs } = linearMixture(model);
  const K = old.length;
  const turned = matrix(weights.rows, K);
  for (let f = 0; f < weights.rows; f++)
    old.forEach((k, rank) => (turned.data[f * K + rank] = weights.data[f * K + k]));
  return {
    kind: "mixed",
    bias: old.map((k) => bias[k]),
    features,
    weights: storeMatrix(turned),
    levels: codes.map(({ rule }, v) => ({ rule, logs: storeMatrix(takeRows(logs[v], old)) })),
  };
}

function bySize(
  labels: Int32Array,
  clusters: number,
): Pick<MixedPartition, "labels" | "sizes"> & { readonly old: readonly number[] } {
  const sizes = new Int32Array(clusters);
  for (const label of labels) sizes[label]++;
  const old = [...sizes.keys()].sort((a, b) => sizes[b] - sizes[a] || a - b);
  const number = new Int32Array(clusters);
  old.forEach((k, rank) => (number[k] = rank));
  return { labels: labels.map((label) => number[label]), sizes: Int32Array.from(old, (k) => sizes[k]), old };
}
