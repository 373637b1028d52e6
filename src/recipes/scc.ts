import { sccOptions, type SparseFeatures, type SparseCcOptions } from "../convex/index.ts";
import { sccRecipe } from "../convex/internal.ts";
import { resolveOptions } from "../core/internal.ts";
import type { MatrixLike } from "../matrix/index.ts";
import type { ConvexClustering } from "./result.ts";
import { run } from "./run.ts";

export { sccOptions } from "../convex/index.ts";

export interface SparseCc extends ConvexClustering, SparseFeatures {}

/** Sparse convex clustering (B. Wang et al., 2018): convex/recipe/scc.ts. */
export function scc(input: MatrixLike, options?: SparseCcOptions): SparseCc {
  const resolved = { ...resolveOptions("scc", options, sccOptions), solver: "default" as const };
  return run("scc", input, resolved, ["batch"], sccRecipe);
}
