export * from "../convex/index.ts";
export { byRepresentativesOptions } from "./byRepresentatives.ts";
export type { ByRepresentativesOptions, ConvexByRepresentatives } from "./byRepresentatives.ts";
export { cc, type CcOptions, ccOptions } from "./cc.ts";
export { ccml, type Ccml } from "./ccml.ts";
export { ccscml, type Ccscml } from "./ccscml.ts";
export type { ConvexCompression } from "./compressedCc.ts";
export { convexPath, type ConvexPath, type ConvexPathOptions, convexPathOptions } from "./convexPath.ts";
export {
  convexRecipe,
  type ConvexRecipe,
  type ConvexRecipeOptions,
  type RecipeMetric,
  convexRecipeOptions,
} from "./convexRecipe.ts";
export type { ConvexPlacing } from "./placedRows.ts";
export { rcc, type RobustCc } from "./rcc.ts";
export type { Form, RecipeCandidate } from "./recipePool.ts";
export type { CentersAndDuals, ClusterPath, ConvexClustering, KeptPairs, LearnedMetric } from "./result.ts";
export { scc, type SparseCc } from "./scc.ts";
