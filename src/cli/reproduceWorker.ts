import { parentPort } from "node:worker_threads";
import { setThreads } from "../matrix/index.ts";
import { type AnyTask, runAnyTask } from "../reproduce/index.ts";
import type { Reply } from "./taskPool.ts";

/** A thread of `kindred reproduce`: one task after the other, each on this one thread. */
setThreads(1);
parentPort!.on("message", async (task: AnyTask) => {
  let reply: Reply<unknown>;
  try {
    reply = { result: await runAnyTask(task) };
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    reply = { failure: { message, stack } };
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
  parentPort!.postMessage(reply);
});
