import { parentPort } from "node:worker_threads";
import { KindredError, type Progress } from "../core/index.ts";
import { option, type About } from "../core/internal.ts";
import { setThreads } from "../matrix/index.ts";

export type Reply<R> =
  | { readonly result: R }
  | { readonly failure: Failure }
  | { readonly progress: Progress };

/** An error that crosses threads; `kind` and `about` are those of a KindredError. */
export interface Failure {
  readonly message: string;
  readonly stack?: string;
  readonly kind?: KindredError["kind"];
  readonly about?: About;
}

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

/** An error as plain data; the options in its message stay marked. */
function failureOf(error: unknown): Failure {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  if (!(error instanceof KindredError)) return { message, stack };
  const { kind, code, option: about, column, row, file } = error;
  return { message: error.told(option), stack, kind, about: { code, option: about, column, row, file } };
}
