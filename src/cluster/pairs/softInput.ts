import { flag, integer, real, required, type OptionsOf } from "../../core/internal.ts";
import type { Constraints, Pair } from "../../data/index.ts";
import type { Matrix } from "../../matrix/index.ts";
import { requireModerate } from "../../matrix/internal.ts";
import { requireClusters, checkRowWeights } from "../clusterInput.ts";
import { violatedPairs } from "./violatedPairs.ts";
import { closurePairs, closureSize, softConstraints } from "./pairField.ts";
import { PAIR_RULES } from "../../data/internal.ts";
import { RUN_RULES } from "../kmeans/restarts.ts";

/** The common input of the soft methods. */
export const SOFT_RULES = {
  ...RUN_RULES,
  ...PAIR_RULES,
  /** K. */
  clusters: required(integer({ min: 1 })),
  /** Weight of a violated pair of each kind. */
  penalty: real({ min: 0, default: 1, says: "price of a violated pair, against half a squared distance" }),
  /** Penalise all implied pairs (default), or only the given ones. */
  closure: flag(true, { says: "also counts the pairs implied by the given ones" }),
  maxIterations: integer({ min: 1, default: 200, says: "maximum number of iterations of each start" }),
};

export type SoftPairOptions = OptionsOf<typeof SOFT_RULES>;

/** Maximum number of pairs made from a closure. */
const MOST_PAIRS = 2_000_000;

export function softProblem(
  method: string,
  X: Matrix,
  options: {
    readonly clusters: number;
    readonly mustLink?: readonly Pair[];
    readonly cannotLink?: readonly Pair[];
    readonly closure?: boolean;
    readonly weights?: ArrayLike<number>;
  },
) {
  requireClusters(method, X, options.clusters);
  requireModerate(X);
  const weights = checkRowWeights(method, options.weights, X.rows);
  const { checked, contradict } = softConstraints(X.rows, options);
  const warnings: string[] = [];
  let pairs: Constraints = checked;
  if (contradict) {
    warnings.push(
      "must-links and cannot-links contradict each other: the given pairs are penalised one by one",
    );
  } else if (options.closure === true && checked.mustLink.length > 0) {
    const size = closureSize(checked);
    if (size <= MOST_PAIRS) pairs = closurePairs(checked);
    else warnings.push(`the closure has ${size} pairs: only the given ones are penalised`);
  }
  return {
    constraints: checked,
    /** The pairs that are penalised. */
    pairs,
    weights,
    warnings,
  };
}

export type SoftProblem = ReturnType<typeof softProblem>;

/** The outcome of the pairs. */
export interface PairCertificate {
  /**
   * `local optimum`: no row and no must-link group has a better cluster while the rest stays. `fixed point`
   * (LCVQE): another iteration changes nothing.
   */
  readonly kind: "local optimum" | "fixed point" | "none";
  /** Given must-links and cannot-links that the labels violate. */
  readonly violatedMustLinks: number;
  readonly violatedCannotLinks: number;
}

export function pairCertificate(
  pairs: Constraints,
  labels: Int32Array,
  kind: PairCertificate["kind"],
): PairCertificate {
  const { mustLinks, cannotLinks } = violatedPairs(pairs, labels);
  return { kind, violatedMustLinks: mustLinks, violatedCannotLinks: cannotLinks };
}
