import { progressGate } from "../../core/internal.ts";
import type { GivenPartition } from "../../hints/index.ts";
import { byVotes, choiceOver, sampleBelief } from "../../judge/internal.ts";
import type { Matrix } from "../../matrix/index.ts";
import type { FitContext, FitOptions } from "../../method/index.ts";
import type { Trust } from "../../model/index.ts";

/**
 * What is known without hints: the default, and the belief behind it, all partitions with their plausibility. Where no groups
 * are needed there is no default, and `clusters` is 1.
 */
export function unhintedLibrary(
  X: Matrix,
  { clusters, seed = 0, onProgress }: FitOptions,
  { record, unhinted }: Pick<FitContext, "record" | "unhinted">,
): { library: GivenPartition[]; clusters: number; trust: Trust } {
  const { X: rows, record: own } = unhinted ?? { X, record };
  const gate = progressGate(onProgress);
  const going = (label: string, fraction: number): boolean => gate({ label, fraction });
  const belief = sampleBelief(rows, own, { clusters, seed, going });
  const settings = { clusters, maxClusters: undefined, seed, budget: undefined, outliers: "keep" } as const;
  const choice = choiceOver(rows, own, { ...settings, onProgress }, [], belief);
  const spread = byVotes(rows, belief);
  const judged = belief.members.map(({ method, space, labels }, j) => ({
    name: space === "own" ? method : `${method}, ${space}`,
    labels: spread(labels),
    weight: belief.weights[j],
  }));
  const none = choice.trust.word === "none";
  const usual = none ? [] : [{ name: "default", labels: choice.labels }];
  return {
    library: [...usual, ...judged].filter(({ labels }) => labels.some((label) => label !== labels[0])),
    clusters: none ? 1 : choice.clusters,
    trust: choice.trust,
  };
}
