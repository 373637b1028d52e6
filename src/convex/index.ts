export { admm, type AdmmOptions } from "./solve/admm.ts";
export type { ConvexPlacing } from "./path/placedRows.ts";
export { assignClusters, bigSize, type Merge } from "./path/assignment.ts";
export type { Candidate, Criterion, Protocol } from "./path/candidates.ts";
export type { ByRepresentativesOptions, ConvexByRepresentatives } from "./recipe/byRepresentatives.ts";
export { cc, type CcOptions, ccOptions } from "./recipe/cc.ts";
export { ccml, type Ccml, type CcmlOptions, type CcmlRound, ccmlOptions } from "./recipe/ccml.ts";
export { ccscml, type Ccscml, type CcscmlOptions, type CcscmlRound, ccscmlOptions } from "./recipe/ccscml.ts";
export { certificate, primalObjective } from "./solve/certificate.ts";
export type { ConvexCompression } from "./recipe/compressedCc.ts";
export type { Fusion, Gap } from "./path/fusionTree.ts";
export { solveL1 } from "./solve/l1.ts";
export { l2Path, type L2PathOptions, type PathPoint, solveL2 } from "./solve/l2.ts";
export { solveLinf } from "./solve/linf.ts";
export type { PathStep } from "./path/path.ts";
export type { Certificate, ConvexProblem, ConvexSolution, Norm, SolveOptions } from "./solve/problem.ts";
export { type RccOptions, type RccSolution, solveRcc } from "./solve/rcc.ts";
export type {
  CentersAndDuals,
  ClusterPath,
  ConvexClustering,
  HalfStep,
  KeptPairs,
  LearnedMetric,
} from "./path/result.ts";
export { rcc, type RobustCc, type RobustCcOptions, rccOptions } from "./recipe/robustCc.ts";
export { solveApart, type ApartOptions, type ApartSolution } from "./solve/apart.ts";
export { recovery, type Recovery } from "./path/recovery.ts";
export { type SccOptions, type SccSolution, solveScc } from "./solve/scc.ts";
export type { ConvexOptions } from "./path/setting.ts";
export { solveConvex, type SolverName } from "./solve/solve.ts";
export { scc, type SparseCc, type SparseCcOptions, sccOptions } from "./recipe/sparseCc.ts";
export {
  convexRecipe,
  type ConvexRecipe,
  type ConvexRecipeOptions,
  type RecipeMetric,
  convexRecipeOptions,
} from "./recipe/convexRecipe.ts";
export type { Form, RecipeCandidate } from "./recipe/recipePool.ts";
export { convexPath, type ConvexPath, type ConvexPathOptions, convexPathOptions } from "./path/convexPath.ts";
export { byRepresentativesOptions } from "./recipe/byRepresentatives.ts";
export {
  biclusters,
  type Biclusters,
  type BiclustersOptions,
  biclustersOptions,
} from "./bicluster/biclusters.ts";
export {
  solveBiclusters,
  type BiclusterProblem,
  type BiclusterSolution,
  type BiclusterSolveOptions,
} from "./bicluster/solveBiclusters.ts";
