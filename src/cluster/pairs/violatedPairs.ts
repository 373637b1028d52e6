import type { Constraints } from "../../data/index.ts";

/** How many pairs of each kind the labels violate. */
export function violatedPairs({ mustLink, cannotLink }: Constraints, labels: Int32Array) {
  return {
    mustLinks: mustLink.filter(([i, j]) => labels[i] !== labels[j]).length,
    cannotLinks: cannotLink.filter(([i, j]) => labels[i] === labels[j]).length,
  };
}
