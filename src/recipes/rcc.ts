import { rccOptions, type Robust, type RobustCcOptions } from "../convex/index.ts";
import { rccRecipe } from "../convex/internal.ts";
import { resolveOptions } from "../core/internal.ts";
import type { MatrixLike } from "../matrix/index.ts";
import type { ConvexClustering } from "./result.ts";
import { run } from "./run.ts";

export { rccOptions } from "../convex/index.ts";

export interface RobustCc extends ConvexClustering, Robust {}

/** Robust convex clustering (Q. Wang et al., 2016): convex/recipe/rcc.ts. */
export function rcc(input: MatrixLike, options?: RobustCcOptions): RobustCc {
  const resolved = {
    ...resolveOptions("rcc", options, rccOptions),
    norm: 1 as const,
    solver: "default" as const,
  };
  return run("rcc", input, resolved, ["batch"], rccRecipe);
}
