import { Worker } from "node:worker_threads";

/** Work that goes on in other threads, so that this one can hear signals and draw progress. */
export interface Pool {
  /** Settles when all tasks are done, or when the pool was stopped. */
  readonly finished: Promise<void>;
  /** Ends the threads at once; what they were at is lost. */
  stop(): void;
}

export type Reply<R> = { readonly result: R } | { readonly failure: { message: string; stack?: string } };

/**
 * Gives the tasks, in order, to `threads` workers that run `module`. A worker gets a task as a message and answers it
 * with a `Reply`. The first failure ends everything.
 */
export function taskPool<T, R>(
  module: URL,
  tasks: readonly T[],
  threads: number,
  onDone: (task: T, result: R) => void,
): Pool {
  let next = 0;
  let left = tasks.length;
  const workers: Worker[] = [];
  let settle: { resolve: () => void; reject: (error: Error) => void };
  const finished = new Promise<void>((resolve, reject) => (settle = { resolve, reject }));
  const stop = (): void => {
    for (const worker of workers) void worker.terminate();
    settle.resolve();
  };
  const fail = (error: Error): void => {
    settle.reject(error);
    stop();
  };
  const feed = (worker: Worker): void => {
    if (next === tasks.length) return;
    const task = tasks[next++];
    worker.once("message", (reply: Reply<R>) => {
      if ("failure" in reply) {
        fail(Object.assign(new Error(reply.failure.message), { stack: reply.failure.stack }));
        return;
      }
      onDone(task, reply.result);
      if (--left === 0) stop();
      else feed(worker);
    });
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    worker.postMessage(task);
  };
  if (tasks.length === 0) queueMicrotask(stop);
  for (let t = 0; t < Math.min(threads, tasks.length); t++) {
    const worker = new Worker(module);
    worker.on("error", fail);
    workers.push(worker);
    feed(worker);
  }
  return { finished, stop };
}
