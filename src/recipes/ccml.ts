import { ccmlOptions, type CcmlOptions, type CcmlRound } from "../convex/index.ts";
import { ccmlRecipe } from "../convex/internal.ts";
import { resolveOptions } from "../core/internal.ts";
import type { MatrixLike } from "../matrix/index.ts";
import type { ConvexClustering } from "./result.ts";
import { run } from "./run.ts";

export { ccmlOptions } from "../convex/index.ts";

export interface Ccml extends ConvexClustering {
  /** The state after the start and after each alternation; of the latter the best by `choose` is the result. */
  readonly rounds: readonly CcmlRound[];
}

/** Convex clustering with metric learning (Sui et al. 2018): convex/recipe/ccml.ts. */
export function ccml(input: MatrixLike, options?: CcmlOptions): Ccml {
  const resolved = resolveOptions("ccml", options, ccmlOptions);
  return run("ccml", input, resolved, ["batch"], ccmlRecipe);
}
