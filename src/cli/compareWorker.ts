import { serveTasks } from "../cells/index.ts";
import { progressGate } from "../core/progress.ts";
import type { FitRows } from "../front/cluster.ts";
import { taskAnswer, type CompareAnswer, type CompareTask } from "../front/compare/compareTasks.ts";

/** A task, and the rows in memory that all threads share. */
export interface ThreadTask {
  readonly rows: FitRows;
  readonly task: CompareTask;
}

/** A thread of `kindred compare`. */
serveTasks<ThreadTask, CompareAnswer>(({ rows, task }, report) =>
  taskAnswer(
    rows,
    task,
    progressGate((progress) => report(progress)),
  ),
);
