import {
  carpOptions,
  ccmlOptions,
  ccscmlOptions,
  rccOptions,
  sccOptions,
  type CarpOptions,
  type CcmlOptions,
  type CcmlRound,
  type CcscmlOptions,
  type LearnedDirections,
  type Robust,
  type RobustCcOptions,
  type SparseCcOptions,
  type SparseFeatures,
} from "../convex/index.ts";
import { carpRecipe, COMMON, ccmlRecipe, ccscmlRecipe, rccRecipe, sccRecipe } from "../convex/internal.ts";
import { rule } from "../core/internal.ts";
import type { MatrixLike } from "../matrix/index.ts";
import type { ConvexClustering } from "./result.ts";
import { run } from "./run.ts";

export interface RobustCc extends ConvexClustering, Robust {}

/** Robust convex clustering (Q. Wang et al., 2016): convex/recipe/rcc.ts. */
export function rcc(input: MatrixLike, options?: RobustCcOptions): RobustCc {
  const resolved = rule.resolveOptions("rcc", options, rccOptions);
  return run("rcc", input, { ...resolved, norm: 1, solver: "default" }, ["batch"], rccRecipe);
}

export interface SparseCc extends ConvexClustering, SparseFeatures {}

/** Sparse convex clustering (B. Wang et al., 2018): convex/recipe/scc.ts. */
export function scc(input: MatrixLike, options?: SparseCcOptions): SparseCc {
  const resolved = rule.resolveOptions("scc", options, sccOptions);
  return run("scc", input, { ...resolved, solver: "default" }, ["batch"], sccRecipe);
}

/** Convex clustering with one step at each gamma (M. Weylandt et al., 2020): convex/recipe/carp.ts. */
export function carp(input: MatrixLike, options?: CarpOptions): ConvexClustering {
  const resolved = rule.resolveOptions("carp", options, carpOptions);
  const all = { ...rule.resolveOptions("carp", {}, COMMON), ...resolved };
  return run("carp", input, all, ["batch"], carpRecipe);
}

export interface Ccml extends ConvexClustering {
  /** The state after the start and after each alternation; of the latter the best by `choose` is the result. */
  readonly rounds: readonly CcmlRound[];
}

/** Convex clustering with metric learning (Sui et al. 2018): convex/recipe/ccml.ts. */
export function ccml(input: MatrixLike, options?: CcmlOptions): Ccml {
  return run("ccml", input, rule.resolveOptions("ccml", options, ccmlOptions), ["batch"], ccmlRecipe);
}

export interface Ccscml extends ConvexClustering, LearnedDirections {}

/** Convex clustering in learned directions (Sui 2018): convex/recipe/ccscml.ts. */
export function ccscml(input: MatrixLike, options?: CcscmlOptions): Ccscml {
  const resolved = rule.resolveOptions("ccscml", options, ccscmlOptions);
  return run("ccscml", input, resolved, ["batch", "start"], ccscmlRecipe);
}
