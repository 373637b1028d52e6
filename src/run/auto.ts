import type { OnProgress } from "../core/index.ts";
import { given, integer, oneOf, real } from "../core/internal.ts";
import { isSparse, toDense } from "../matrix/index.ts";
import type { ClusteringMethod, OptionRules } from "../method/index.ts";

/**
 * The default: methods of several kinds propose partitions, and the one that agrees most with all plausible ones is taken.
 */
export const auto: ClusteringMethod = {
  name: "auto",
  title: "Automatic",
  group: "Common",
  sentence:
    "Tries methods of several kinds, takes the partition that they agree on most, and says how sure it is.",
  needs: { clusters: "optional", seed: true, rows: 200_000 },
  takes: "longest",
  async open() {
    // The judge and its candidate methods are loaded on demand.
    const { chosenPartition, fittedBy } = await import("../judge/chosenPartition.ts");
    return {
      options: autoOptions as unknown as OptionRules,
      async fit(rows, options, { record } = {}) {
        const X = isSparse(rows) ? toDense(rows) : rows;
        return fittedBy(X, chosenPartition(X, options, record));
      },
    };
  },
};

const autoOptions = {
  maxClusters: integer({
    min: 2,
    says: "maximum number of clusters, if their number is found",
    usual: "the square root of the number of rows, at most 30",
  }),
  outliers: oneOf(["keep", "mark"] as const, "keep", {
    says: "rows that look as if they belong to no cluster: keep them in one, or mark them with -1",
  }),
  budget: real({
    above: 0,
    says: "seconds after which the best so far is taken",
    usual: "until everything was tried",
  }),
  onProgress: given<OnProgress>("a function", (value) => typeof value === "function"),
};
