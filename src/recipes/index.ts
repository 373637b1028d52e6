export {
  type AdmmOptions,
  type ApartOptions,
  type ApartSolution,
  type BiclusterProblem,
  type BiclusterSolution,
  type BiclusterSolveOptions,
  type Biclusters,
  type BiclustersOptions,
  type Candidate,
  type CcmlOptions,
  type CcmlRound,
  type CcscmlOptions,
  type CcscmlRound,
  type Certificate,
  type ConvexOptions,
  type ConvexProblem,
  type ConvexSolution,
  type Criterion,
  type Fusion,
  type Gap,
  type HalfStep,
  type L2PathOptions,
  type LearnedDirections,
  type Merge,
  type Norm,
  type PathPoint,
  type PathStep,
  type Protocol,
  type RccOptions,
  type RccSolution,
  type Recovery,
  type Robust,
  type RobustCcOptions,
  type SccOptions,
  type SccSolution,
  type SolveOptions,
  type SolverName,
  type SparseCcOptions,
  type SparseFeatures,
  admm,
  assignClusters,
  biclusters,
  biclustersOptions,
  bigSize,
  ccmlOptions,
  ccscmlOptions,
  certificate,
  l2Path,
  primalObjective,
  rccOptions,
  recovery,
  sccOptions,
  solveApart,
  solveBiclusters,
  solveConvex,
  solveL1,
  solveL2,
  solveLinf,
  solveRcc,
  solveScc,
} from "../convex/index.ts";
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
