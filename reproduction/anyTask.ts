import { DATA as BREGMAN_DATA } from "./bregman/bregmanTables.ts";
import { type BregmanTask, runBregmanTask, runSparseTask, type SparseTask } from "./bregman/bregmanTask.ts";
import { runSplit, type SplitTask } from "./chow-liu/chowLiuSplit.ts";
import { DATA as CHOW_LIU_DATA } from "./chow-liu/chowLiuTables.ts";
import { DATA as CONVEX_DATA } from "./convex/convexTables.ts";
import { runTask, type Task } from "./convex/convexTask.ts";
import { type MoonsTask, runMoonsTask } from "./cpd-uml/cpdUmlMoons.ts";
import { DATA as CPD_DATA } from "./cpd-uml/cpdUmlTables.ts";
import { type CpdUmlTask, runCpdUmlTask } from "./cpd-uml/cpdUmlTask.ts";
import type { MlcaTask } from "./mlca/mlca.ts";
import { runSyntheticTask } from "./mlca/mlcaSynthetic.ts";
import { runTwoClassTask, twoClassData } from "./mlca/mlcaTwoClass.ts";
import { runSegmentationTask } from "./mlca/segmentationRun.ts";
import { dataOf, type PrintedTask, runPrinted } from "./printed/printed.ts";

/** A cell of any reproduction: plain data in, plain data out, in any thread. */
export type AnyTask =
  | Task
  | BregmanTask
  | SparseTask
  | SplitTask
  | CpdUmlTask
  | MoonsTask
  | MlcaTask
  | PrintedTask;

/** What runs a task, and the names of the data sets that it reads: its result depends on their content. */
type Work<T> = { run(task: T): unknown; data(task: T): readonly string[] };

const WORK: { readonly [K in AnyTask["kind"]]: Work<Extract<AnyTask, { kind: K }>> } = {
  cell: { run: runTask, data: ({ set }) => [CONVEX_DATA[set].data] },
  repetition: { run: runTask, data: () => [] }, // drawn by the task itself
  split: { run: runSplit, data: ({ set }) => [CHOW_LIU_DATA[set].data] },
  bregman: { run: runBregmanTask, data: ({ set }) => [BREGMAN_DATA[set]] },
  "bregman sparse": { run: runSparseTask, data: ({ set }) => [set] },
  "cpd-uml": { run: runCpdUmlTask, data: ({ set }) => [CPD_DATA[set].name] },
  "cpd-uml moons": { run: runMoonsTask, data: () => ["two-moons", "two-moons-test"] },
  "mlca synthetic": { run: runSyntheticTask, data: () => [] },
  "mlca two classes": { run: runTwoClassTask, data: ({ set }) => [twoClassData(set)] },
  "mlca segmentation": { run: runSegmentationTask, data: () => [] },
  printed: { run: runPrinted, data: (task) => [dataOf(task)] },
};

export async function runAnyTask(task: AnyTask): Promise<unknown> {
  return WORK[task.kind].run(task as never);
}

export function dataOfTask(task: AnyTask): readonly string[] {
  return WORK[task.kind].data(task as never);
}
