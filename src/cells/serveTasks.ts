import { parentPort } from "node:worker_threads";
import type { Progress } from "../core/index.ts";
import { failureOf, type Reply } from "../core/internal.ts";
import { setThreads } from "../matrix/index.ts";

/** Makes this thread compute one task of `runCells` after the other. */
export function serveTasks<T, R>(
  compute: (task: T, report: (progress: Progress) => void) => Promise<R>,
): void {
  setThreads(1);
  const post = (reply: Reply<R>): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    parentPort!.postMessage(reply);
  };
  parentPort!.on("message", async (task: T) => {
    try {
      post({ result: await compute(task, (progress) => post({ progress })) });
    } catch (error) {
      post({ failure: failureOf(error) });
    }
  });
}
