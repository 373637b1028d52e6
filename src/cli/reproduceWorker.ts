import { parentPort } from "node:worker_threads";
import { setThreads } from "../matrix/index.ts";
import {
  type BregmanTask,
  type CpdUmlTask,
  type MoonsTask,
  runBregmanTask,
  runCpdUmlTask,
  runMoonsTask,
  runSparseTask,
  runSplit,
  runTask,
  type SparseTask,
  type SplitTask,
  type Task,
} from "../reproduce/index.ts";
import type { Reply } from "./taskPool.ts";

/** A thread of `kindred reproduce`: one task after the other, each on this one thread. */
setThreads(1);
parentPort!.on("message", async (task: AnyTask) => {
  let reply: Reply<unknown>;
  try {
    reply = { result: await runAny(task) };
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    reply = { failure: { message, stack } };
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
  parentPort!.postMessage(reply);
});

type AnyTask = Task | BregmanTask | SparseTask | SplitTask | CpdUmlTask | MoonsTask;

function runAny(task: AnyTask): Promise<unknown> | object {
  if (task.kind === "split") return runSplit(task);
  if (task.kind === "cpd-uml") return runCpdUmlTask(task);
  if (task.kind === "cpd-uml moons") return runMoonsTask(task);
  if (task.kind === "bregman") return runBregmanTask(task);
  if (task.kind === "bregman sparse") return runSparseTask(task);
  return runTask(task);
}
