import { ccscmlOptions, type CcscmlOptions, type LearnedDirections } from "../convex/index.ts";
import { ccscmlRecipe } from "../convex/internal.ts";
import { resolveOptions } from "../core/internal.ts";
import type { MatrixLike } from "../matrix/index.ts";
import type { ConvexClustering } from "./result.ts";
import { run } from "./run.ts";

export { ccscmlOptions } from "../convex/index.ts";

export interface Ccscml extends ConvexClustering, LearnedDirections {}

/** Convex clustering in learned directions (Sui 2018): convex/recipe/ccscml.ts. */
export function ccscml(input: MatrixLike, options?: CcscmlOptions): Ccscml {
  const resolved = resolveOptions("ccscml", options, ccscmlOptions);
  return run("ccscml", input, resolved, ["batch", "start"], ccscmlRecipe);
}
