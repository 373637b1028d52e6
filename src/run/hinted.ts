import type { OnProgress } from "../core/index.ts";
import { given, oneOf } from "../core/internal.ts";
import type { ClusteringMethod, OptionRules } from "../method/index.ts";

/** The default with hints: all candidates of the default, and methods that learn from the hints, vote. */
export const hinted: ClusteringMethod = {
  name: "hints",
  title: "Learn from hints",
  group: "From hints",
  sentence:
    "Learns from a few pairs, groups or labels what alike means; keeps or names every hint and reports what they taught.",
  needs: { clusters: "optional", pairs: "optional", labels: "optional", seed: true, rows: 100_000 },
  takes: "longest",
  weighs: true,
  async open() {
    const { fitHinted } = await import("./fitHinted.ts");
    return {
      options: {
        suspicious: oneOf(["doubt", "keep"] as const, "doubt", {
          says: "hints that the data and the other hints speak against: doubt them, or keep and learn from them all the same",
        }),
        onProgress: given<OnProgress>("a function", (value) => typeof value === "function"),
      } as unknown as OptionRules,
      fit: fitHinted,
    };
  },
};
