import { assignMixedMixture, linearMixture, mixedMixture, type MixedMixture } from "../../cluster/index.ts";
import { random } from "../../core/index.ts";
import { sizesOf } from "../../core/internal.ts";
import { type FeatureRecord, layoutKinds, splitKinds } from "../../features/index.ts";
import {
  isSparse,
  matrix,
  type Matrix,
  type Sparse,
  storeMatrix,
  takeRows,
  toDense,
} from "../../matrix/index.ts";
import { valueOrder } from "../../matrix/internal.ts";
import { type FitContext, type FitOptions, type Fitted, type Proposal } from "../../method/index.ts";
import { finished } from "../../method/internal.ts";

/** Number of rows above which a sample is fitted, and the mixture places the others. */
const SAMPLE = 5000;

/**
 * The mixture on the features of a table; rows without a record have numbers only. The rows are fitted in an
 * order that depends only on their values. Clusters are numbered by decreasing size.
 */
export function mixedPartition(
  rows: Matrix | Sparse,
  options: FitOptions,
  { record }: FitContext = {},
): Fitted {
  const X = isSparse(rows) ? toDense(rows) : rows;
  const { X: numbers, codes } = record === undefined ? { X, codes: [] } : splitKinds(record, X);
  const order = random(options.seed ?? 0).shuffle(valueOrder(X));
  const taken = order.subarray(0, SAMPLE);
  const some = codes.map((column) => ({ ...column, codes: Int32Array.from(taken, (i) => column.codes[i]) }));
  const fit = mixedMixture(takeRows(numbers, taken), some, { ...options, space: takeRows(X, taken) });
  const { clusters, bic, logLikelihood } = fit;
  const sampled = taken.length < order.length;
  let found: Int32Array;
  if (sampled) ({ labels: found } = assignMixedMixture(fit.model, numbers, codes));
  else {
    found = new Int32Array(X.rows);
    order.forEach((i, p) => (found[i] = fit.labels[p]));
  }
  const counts = sizesOf(found, clusters);
  const old = [...counts.keys()].sort((a, b) => counts[b] - counts[a] || a - b);
  const number = new Int32Array(clusters);
  old.forEach((k, rank) => (number[k] = rank));
  const labels = found.map((label) => number[label]);
  const said = `the mixture was fitted to ${SAMPLE} of the ${X.rows} rows and placed the others`;
  return finished(
    X,
    {
      ...fit,
      labels,
      sizes: Int32Array.from(old, (k) => counts[k]),
      warnings: sampled ? [...fit.warnings, said] : fit.warnings,
    },
    () => placingBy(fit, old, X.cols, record),
    {
      facts: [["likelihood", `log ${logLikelihood.toFixed(2)}, BIC ${bic.toFixed(2)}`]],
      details: { bic, logLikelihood, parameters: fit.parameters, tried: fit.tried },
    },
  );
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
