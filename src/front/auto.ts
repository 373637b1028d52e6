import { squareRoot } from "../method/index.ts";
import type { ClusteringMethod, OptionRules } from "../method/index.ts";
import { placingRule } from "../method/placing.ts";
import { multiply, toDense } from "../matrix/index.ts";
import { isSparse } from "../matrix/sparse.ts";

/** The default: several methods are tried, and the partition that fits best is taken. */
export const auto: ClusteringMethod = {
  name: "auto",
  title: "Automatic",
  group: "Common",
  sentence: "Tries several methods and takes the partition that fits the data best.",
  needs: { clusters: "optional", seed: true },
  takes: "longest",
  async open() {
    const { kindredCluster, kindredClusterOptions } = await import("../convex/index.ts");
    const { clusters: _, seed: __, onProgress: ___, ...rules } = kindredClusterOptions;
    return {
      options: rules as unknown as OptionRules,
      fit(rows, { names: _names, mixed: _mixed, ...options }) {
        const X = isSparse(rows) ? toDense(rows) : rows;
        const fit = kindredCluster(X, { ...options, scale: "none" } as never);
        const { labels, sizes, centers, converged, warnings, objective, certificate, candidates, metric } = fit;
        const root = squareRoot(metric.matrix);
        const map = metric.projection === undefined ? root : multiply(metric.projection, root);
        return {
          labels,
          clusters: sizes.length,
          sizes,
          converged,
          warnings,
          objective,
          certificate,
          centers,
          placing: placingRule(X, labels, sizes.length, { kind: "centers", centers, map }),
          facts: [
            ["form", `${fit.form}: ${fit.reason}`],
            ["chosen", `${candidates[0].method}, of ${candidates.length} candidates by modularity`],
          ],
          details: { form: fit.form, reason: fit.reason },
          drawing: {},
        };
      },
    };
  },
};
