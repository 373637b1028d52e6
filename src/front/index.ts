export { asTable, type Rows } from "./asTable.ts";
export { cluster, clusterRun, prepare, type ClusterOptions, type Prepared, type Run } from "./cluster.ts";
export { compare, compareRun, type CompareOptions, type MethodChoice } from "./compare.ts";
export type { CompareTask, TaskListener, TaskRunner } from "./compareTasks.ts";
export type {
  ComparedMethod,
  ComparedPartition,
  Comparison,
  FailedMethod,
  Recommendation,
  Use,
} from "./comparison.ts";
export type { Change, Disagreement } from "./disagreement.ts";
export { explain } from "./explain.ts";
export { methodNamed, methods } from "./methods.ts";
export { prepareNumbers } from "./prepareNumbers.ts";
export { readHints } from "./readHints.ts";
