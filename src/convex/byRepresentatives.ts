import { integer, type Rule } from "../core/options.ts";
import { REPRESENTATIVES } from "./cc.ts";
import { COMMON, type ConvexOptions, type ResolvedOptions } from "./setting.ts";

/** The options of convex clustering of rows that are elsewhere, by weighted representatives. */
export interface ByRepresentativesOptions extends Pick<
  ConvexOptions,
  | "clusters"
  | "gamma"
  | "norm"
  | "solver"
  | "tolerance"
  | "neighbors"
  | "kind"
  | "alpha"
  | "join"
  | "protocol"
  | "merge"
  | "choose"
  | "onProgress"
> {
  /** The most representatives; default 20000. */
  readonly representatives?: number;
  /** Rows from which the cells are learned; default 200000. */
  readonly sample?: number;
  /** Of the sample. */
  readonly seed?: number;
}

type ByRepresentativesRules = {
  readonly [K in keyof Required<ByRepresentativesOptions>]: Rule<Required<ByRepresentativesOptions>[K]>;
};

export const BY_REPRESENTATIVES: ByRepresentativesRules = {
  clusters: COMMON.clusters,
  gamma: COMMON.gamma,
  norm: COMMON.norm,
  solver: COMMON.solver,
  tolerance: COMMON.tolerance,
  neighbors: COMMON.neighbors,
  kind: COMMON.kind,
  alpha: COMMON.alpha,
  join: COMMON.join,
  protocol: COMMON.protocol,
  merge: COMMON.merge,
  choose: COMMON.choose,
  onProgress: COMMON.onProgress,
  representatives: integer({ min: 2, default: REPRESENTATIVES }),
  sample: integer({ min: 2, default: 200_000 }),
  seed: integer({ min: 0, default: 0 }),
};

/** What concerns the rows, and what the weighted problem. */
export function splitOptions(resolved: {
  readonly representatives: number;
  readonly sample: number;
  readonly seed: number;
}): { representatives: number; sample: number; seed: number; convex: ResolvedOptions } {
  const { representatives, sample, seed, ...rest } = resolved;
  const convex = { ...rest, scale: "none" } as unknown as ResolvedOptions;
  return { representatives, sample, seed, convex };
}
