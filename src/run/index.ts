export { asTable, type AsyncRows, numberTable, type Rows } from "../data/internal.ts";
export type { CallOptions as ClusterOptions, MethodName } from "./callOptions.ts";
export {
  cluster,
  clusterRun,
  type ClusterOptions as AnyOptions,
  type Run,
  type TableOptions,
} from "./cluster.ts";
export { compare, compareRun } from "./compare/compare.ts";
export type { CompareOptions } from "./compare/compare.ts";
export type { MethodChoice } from "./compare/methodChoices.ts";
export type { CompareTask, TaskListener, TaskRunner } from "./compare/compareTasks.ts";
export type {
  ComparedMethod,
  ComparedPartition,
  Comparison,
  FailedMethod,
  Recommendation,
  Use,
} from "./compare/comparison.ts";
export type { Change, Disagreement } from "./compare/disagreement.ts";
export { explain } from "./explain.ts";
export { methodNamed, methods } from "./methods.ts";
export { planOf, type Plan } from "./plan.ts";
export { describedTable, prepare, type Prepared, prepareNumbers } from "./input/prepare.ts";
export { readHints } from "./known/readHints.ts";
export { detailsBy, reportJson, type Decided, type DetailsByMethod, type Report } from "./report.ts";
export { run, runPlan, type LabelledRows, type Sinks } from "./run.ts";
export { embedTexts, type Embedder, type EmbedOptions } from "./embed/embedTexts.ts";
export type { EmbedRequest, Request, RowsRequest, TableRequest } from "./request.ts";
