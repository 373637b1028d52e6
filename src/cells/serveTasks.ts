import { parentPort } from "node:worker_threads";
import { KindredError, type Progress } from "../core/index.ts";
import { option } from "../core/internal.ts";
import { setThreads } from "../matrix/index.ts";
import type { Failure, Reply } from "./taskPool.ts";

/** Makes this thread part of a pool: it computes one task after the other. */
export function serveTasks<T, R>(
  compute: (task: T, report: (progress: Progress) => void) => Promise<R>,
): void {
  setThreads(1);
  const post = (reply: Reply<R>): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    parentPort!.postMessage(reply);
  };
  parentPort!.on("message", async (task: T) => {
    let reply: Reply<R>;
    try {
      reply = { result: await compute(task, (progress) => post({ progress })) };
    } catch (error) {
      reply = { failure: failureOf(error) };
    }
    post(reply);
  });
}

/** An error as plain data; the options in its message stay marked. */
function failureOf(error: unknown): Failure {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  if (!(error instanceof KindredError)) return { message, stack };
  const { kind, code, option: about, column, row, file } = error;
  return { message: error.told(option), stack, kind, about: { code, option: about, column, row, file } };
}
