import {
  assignMixedMixture,
  linearMixture,
  mixedMixture,
  mixedMixtureOptions,
  type MixedMixture,
} from "../cluster/index.ts";
import { random } from "../core/random.ts";
import { layoutKinds, splitKinds, type FeatureRecord } from "../features/index.ts";
import { takeRows, toDense } from "../matrix/index.ts";
import { storeMatrix } from "../matrix/storedMatrix.ts";
import type { Matrix } from "../matrix/matrix.ts";
import { isSparse } from "../matrix/sparse.ts";
import type { ClusteringMethod, FitOptions, OptionRules } from "../method/index.ts";
import { placingRule, type Proposal } from "../method/placing.ts";

/** The model of tables with levels: Gaussians for the numbers, multinomials for the levels. */
export const mixed: ClusteringMethod = {
  name: "mixed",
  title: "Mixture for mixed tables",
  group: "Common",
  sentence:
    "A mixture of Gaussians for numbers and multinomials for levels; what auto takes for mixed tables.",
  needs: { clusters: "optional", seed: true },
  async open() {
    return {
      options: mixedMixtureOptions as unknown as OptionRules,
      fit(rows, options, { record } = {}) {
        const X = isSparse(rows) ? toDense(rows) : rows;
        const found = fitMixed(X, options, record);
        const {
          labels,
          clusters,
          sizes,
          converged,
          warnings,
          objective,
          iterations,
          bic,
          logLikelihood,
          tried,
        } = found;
        return {
          labels,
          clusters,
          sizes,
          converged,
          warnings,
          objective,
          iterations,
          placing: placingRule(X, labels, clusters, mixedPlacing(found, X.cols, record)),
          facts: [["likelihood", `log ${logLikelihood.toFixed(2)}, BIC ${bic.toFixed(2)}`]],
          details: { bic, logLikelihood, parameters: found.parameters, tried },
          drawing: { history: found.history },
        };
      },
    };
  },
};

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
export function fitMixed(X: Matrix, options: FitOptions, record?: FeatureRecord): MixedMixture {
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
