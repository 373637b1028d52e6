import { parentPort } from "node:worker_threads";
import { setThreads } from "../matrix/index.ts";
import type { Reply } from "./taskPool.ts";

/** Makes this thread one of a pool: it computes one task after the other, each on this one thread. */
export function serveTasks<T, R>(compute: (task: T) => Promise<R>): void {
  setThreads(1);
  parentPort!.on("message", async (task: T) => {
    let reply: Reply<R>;
    try {
      reply = { result: await compute(task) };
    } catch (error) {
      const { message, stack } = error instanceof Error ? error : new Error(String(error));
      reply = { failure: { message, stack } };
    }
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    parentPort!.postMessage(reply);
  });
}
