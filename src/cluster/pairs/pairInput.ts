import type { Constraints, Pair } from "../../data/index.ts";

export function checkPairs(options: {
  readonly mustLink?: readonly Pair[];
  readonly cannotLink?: readonly Pair[];
}): Constraints {
  return { mustLink: options.mustLink ?? [], cannotLink: options.cannotLink ?? [] };
}

/** Pairs that the labels violate. */
export function violatedPairs({ mustLink, cannotLink }: Constraints, labels: Int32Array): number {
  return (
    mustLink.filter(([i, j]) => labels[i] !== labels[j]).length +
    cannotLink.filter(([i, j]) => labels[i] === labels[j]).length
  );
}
