export { admm, type AdmmOptions } from "./solve/admm.ts";
export { certificate, primalObjective } from "./solve/certificate.ts";
export { solveL1 } from "./solve/l1.ts";
export { l2Path, type L2PathOptions, type PathPoint, solveL2 } from "./solve/l2.ts";
export { solveLinf } from "./solve/linf.ts";
export type {
  Certificate,
  ConvexProblem,
  ConvexSolution,
  Norm,
  SolveOptions,
  SolverName,
} from "./solve/problem.ts";
export { type RccOptions, type RccSolution, solveRcc } from "./solve/rcc.ts";
export type { SccOptions, SccSolution } from "./solve/scc.ts";
export { solveConvex, solveScc } from "./solve/solve.ts";
export {
  solveBiclusters,
  type BiclusterProblem,
  type BiclusterSolution,
  type BiclusterSolveOptions,
} from "./bicluster/solveBiclusters.ts";
export {
  biclusters,
  type Biclusters,
  type BiclustersOptions,
  biclustersOptions,
} from "./bicluster/biclusters.ts";
export { assignClusters, bigSize, type Merge } from "./path/assignment.ts";
export type { Candidate, Criterion, Protocol } from "./path/candidates.ts";
export type { Fusion, Gap } from "./path/fusionTree.ts";
export type { PathStep } from "./path/path.ts";
export { recovery, type Recovery } from "./path/recovery.ts";
export type { ConvexOptions } from "./path/setting.ts";
export { type CarpOptions, carpOptions } from "./recipe/carp.ts";
export { type CcmlOptions, type CcmlRound, ccmlOptions } from "./recipe/ccml.ts";
export {
  type CcscmlOptions,
  type CcscmlRound,
  ccscmlOptions,
  type LearnedDirections,
} from "./recipe/ccscml.ts";
export type { HalfStep } from "./recipe/loss.ts";
export { type Robust, type RobustCcOptions, rccOptions } from "./recipe/rcc.ts";
export { type SparseCcOptions, type SparseFeatures, sccOptions } from "./recipe/scc.ts";
