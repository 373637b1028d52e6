import { isSparse, toDense } from "../matrix/index.ts";
import { placingRule, type ClusteringMethod, type OptionRules } from "../method/index.ts";

/** The model of tables with levels: Gaussians for the numbers, multinomials for the levels. */
export const mixed: ClusteringMethod = {
  name: "mixed",
  title: "Mixture for mixed tables",
  group: "Common",
  sentence: "A mixture of Gaussians for numbers and multinomials for levels; auto uses it for mixed tables.",
  needs: { clusters: "optional", seed: true, rows: 200_000 },
  async open() {
    const [{ mixedPartition }, { mixedMixtureOptions }] = await Promise.all([
      import("./mixedPartition.ts"),
      import("../cluster/mixture/mixedMixture.ts"),
    ]);
    return {
      options: mixedMixtureOptions as unknown as OptionRules,
      fit(rows, options, { record } = {}) {
        const X = isSparse(rows) ? toDense(rows) : rows;
        const found = mixedPartition(X, options, record);
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
          placing: placingRule(X, labels, clusters, found.placing),
          facts: [["likelihood", `log ${logLikelihood.toFixed(2)}, BIC ${bic.toFixed(2)}`]],
          details: { bic, logLikelihood, parameters: found.parameters, tried },
          drawing: { history: found.history },
        };
      },
    };
  },
};
