import { serveTasks } from "../cells/index.ts";
import { progressGate } from "../core/internal.ts";
import type { CompareTask } from "../run/index.ts";
import { taskAnswer, type CompareAnswer, type FitRows } from "../run/internal.ts";

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
