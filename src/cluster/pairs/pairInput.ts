import type { Constraints, Pair } from "../../data/index.ts";

export function checkPairs(options: {
  readonly mustLink?: readonly Pair[];
  readonly cannotLink?: readonly Pair[];
}): Constraints {
  return { mustLink: options.mustLink ?? [], cannotLink: options.cannotLink ?? [] };
}
