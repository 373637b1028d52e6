export { admm, type AdmmOptions } from "./admm.ts";
export type { Merge } from "./assignment.ts";
export type { Candidate, Criterion, Protocol } from "./candidates.ts";
export type { ByRepresentativesOptions, ConvexByRepresentatives } from "./byRepresentatives.ts";
export { cc, type CcOptions } from "./cc.ts";
export { ccml, type Ccml, type CcmlOptions, type CcmlRound } from "./ccml.ts";
export { ccscml, type Ccscml, type CcscmlOptions, type CcscmlRound } from "./ccscml.ts";
export { certificate, primalObjective } from "./certificate.ts";
export type { ConvexCompression } from "./compressedCc.ts";
export type { Fusion, Gap } from "./fusionTree.ts";
export { solveL1 } from "./l1.ts";
export { l2Path, type L2PathOptions, type PathPoint, solveL2 } from "./l2.ts";
export { solveLinf } from "./linf.ts";
export type { PathStep } from "./path.ts";
export type { Certificate, ConvexProblem, ConvexSolution, Norm, SolveOptions } from "./problem.ts";
export { type RccOptions, type RccSolution, solveRcc } from "./rcc.ts";
export type { ClusterPath, ConvexClustering, HalfStep, KeptPairs, LearnedMetric } from "./result.ts";
export { rcc, type RobustCc, type RobustCcOptions } from "./robustCc.ts";
export { type SccOptions, type SccSolution, solveScc } from "./scc.ts";
export type { ConvexOptions } from "./setting.ts";
export { solveConvex, type SolverName } from "./solve.ts";
export { scc, type SparseCc, type SparseCcOptions } from "./sparseCc.ts";
export {
  kindredCluster,
  type KindredClustering,
  type KindredClusterOptions,
  type RecipeMetric,
} from "./kindredCluster.ts";
export type { Form, RecipeCandidate } from "./recipePool.ts";
export { convexPath, type ConvexPath, type ConvexPathOptions } from "./convexPath.ts";
