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

/** A cell of any reproduction: plain data in, plain data out, in any thread. */
export type AnyTask = Task | BregmanTask | SparseTask | SplitTask | CpdUmlTask | MoonsTask | MlcaTask;

export async function runAnyTask(task: AnyTask): Promise<unknown> {
  switch (task.kind) {
    case "cell":
    case "repetition":
      return runTask(task);
    case "split":
      return runSplit(task);
    case "bregman":
      return runBregmanTask(task);
    case "bregman sparse":
      return runSparseTask(task);
    case "cpd-uml":
      return runCpdUmlTask(task);
    case "cpd-uml moons":
      return runMoonsTask(task);
    case "mlca synthetic":
      return runSyntheticTask(task);
    case "mlca two classes":
      return runTwoClassTask(task);
    case "mlca segmentation":
      return runSegmentationTask(task);
  }
}

/** The names of the data sets that the task reads: its result depends on their content. */
export function dataOfTask(task: AnyTask): readonly string[] {
  switch (task.kind) {
    case "cell":
      return [CONVEX_DATA[task.set].data];
    case "split":
      return [CHOW_LIU_DATA[task.set].data];
    case "bregman":
      return [BREGMAN_DATA[task.set]];
    case "bregman sparse":
      return [task.set];
    case "cpd-uml":
      return [CPD_DATA[task.set].name];
    case "cpd-uml moons":
      return ["two-moons", "two-moons-test"];
    case "mlca two classes":
      return [twoClassData(task.set)];
    case "repetition":
    case "mlca synthetic":
    case "mlca segmentation":
      return []; // drawn by the task itself
  }
}
