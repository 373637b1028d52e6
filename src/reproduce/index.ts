export { type AnyTask, dataOfTask, runAnyTask } from "./anyTask.ts";
export type { FailedTask } from "./ending.ts";
export {
  type ConvexPlan,
  type ConvexPlanOptions,
  type ConvexReport,
  type Done,
  planConvex,
  reportConvex,
} from "./convex.ts";
export { type Cell, trivialScores } from "./convexCell.ts";
export { PROTOCOLS, PUBLISHED, type SetName, SETS, type TableName } from "./convexTables.ts";
export { runTask, type Task } from "./convexTask.ts";
export { convexText } from "./convexText.ts";
export { figureSvg } from "./figureSvg.ts";
export { OUTLIERS } from "./outlierRepetition.ts";
export {
  type MlcaDone,
  type MlcaPlan,
  type MlcaPlanOptions,
  type MlcaReport,
  type MlcaTask,
  planMlca,
  reportMlca,
} from "./mlca.ts";
export { mlcaText } from "./mlcaText.ts";
export {
  type BregmanDone,
  type BregmanPlan,
  type BregmanPlanOptions,
  type BregmanReport,
  planBregman,
  reportBregman,
} from "./bregman.ts";
export { type BregmanSet, SETS as BREGMAN_SETS } from "./bregmanTables.ts";
export { type BregmanTask, runBregmanTask, runSparseTask, type SparseTask } from "./bregmanTask.ts";
export {
  bregmanSparseText,
  type MeasuredRun,
  planBregmanSparse,
  reportBregmanSparse,
  type SparseDone,
  type SparsePlan,
  type SparsePlanOptions,
  type SparseReport,
} from "./bregmanSparse.ts";
export { SPARSE_SETS, type SparseSet } from "./bregmanSparseCell.ts";
export { bregmanText } from "./bregmanText.ts";
export {
  type ChowLiuPlan,
  type ChowLiuPlanOptions,
  type ChowLiuReport,
  planChowLiu,
  reportChowLiu,
  type SplitDone,
} from "./chowLiu.ts";
export { runSplit, type SplitResult, type SplitTask } from "./chowLiuSplit.ts";
export { type ChowLiuSet, PROTOCOL as CHOW_LIU_PROTOCOL, SETS as CHOW_LIU_SETS } from "./chowLiuTables.ts";
export { chowLiuSvg, chowLiuText } from "./chowLiuText.ts";
export {
  type CpdUmlDone,
  type CpdUmlPlan,
  type CpdUmlPlanOptions,
  type CpdUmlReport,
  planCpdUml,
  reportCpdUml,
} from "./cpdUml.ts";
export { type MoonsResult, type MoonsTask, runMoonsTask } from "./cpdUmlMoons.ts";
export { type CpdSet, SETS as CPD_SETS } from "./cpdUmlTables.ts";
export { type CpdUmlResult, type CpdUmlTask, runCpdUmlTask } from "./cpdUmlTask.ts";
export { cpdUmlText } from "./cpdUmlText.ts";
