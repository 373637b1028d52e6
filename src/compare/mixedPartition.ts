import {
  assignMixedMixture,
  linearMixture,
  mixedMixture,
  type MixedMixture,
} from "../cluster/mixture/mixedMixture.ts";
import { random } from "../core/random.ts";
import { layoutKinds, splitKinds, type FeatureRecord } from "../features/index.ts";
import { takeRows } from "../matrix/index.ts";
import type { Matrix } from "../matrix/matrix.ts";
import { storeMatrix } from "../matrix/storedMatrix.ts";
import type { FitOptions } from "../method/index.ts";
import type { Proposal } from "../method/placing.ts";

/** The mixture places new rows by itself. */
export function mixedPlacing({ model }: MixedMixture, cols: number, record?: FeatureRecord): Proposal {
  const all = { features: Array.from({ length: cols }, (_, f) => f), codes: [] };
  const { features, codes } = record === undefined ? all : layoutKinds(record);
  const { bias, weights, logs } = linearMixture(model);
  return {
    kind: "mixed",
    bias: Array.from(bias),
    features,
    weights: storeMatrix(weights),
    levels: codes.map(({ rule }, v) => ({ rule, logs: storeMatrix(logs[v]) })),
  };
}

/** Rows beyond which a sample is fitted, and the others are placed by the mixture. */
const SAMPLE = 5000;

/** The mixture on the features of a table; rows without a record have numbers only. */
export function mixedPartition(X: Matrix, options: FitOptions, record?: FeatureRecord): MixedMixture {
  const { X: numbers, codes } = record === undefined ? { X, codes: [] } : splitKinds(record, X);
  if (X.rows <= SAMPLE) return mixedMixture(numbers, codes, { ...options, space: X });
  const chosen = random(options.seed ?? 0)
    .sample(SAMPLE, X.rows)
    .sort();
  const some = codes.map((column) => ({ ...column, codes: Int32Array.from(chosen, (i) => column.codes[i]) }));
  const fit = mixedMixture(takeRows(numbers, chosen), some, { ...options, space: takeRows(X, chosen) });
  const { labels } = assignMixedMixture(fit.model, numbers, codes);
  const sizes = new Int32Array(fit.clusters);
  for (const label of labels) sizes[label]++;
  const said = `the mixture was fitted to ${SAMPLE} of the ${X.rows} rows and placed the others`;
  return { ...fit, labels, sizes, warnings: [...fit.warnings, said] };
}
