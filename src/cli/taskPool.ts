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
 * with a `Reply`. The first failure ends everything, unless `onFailure` takes it: then the others go on, in a new
 * thread where the old one has died.
 */
export function taskPool<T, R>(
  module: URL,
  tasks: readonly T[],
  threads: number,
  onDone: (task: T, result: R) => void,
  onFailure?: (task: T, error: Error) => void,
): Pool {
  let next = 0;
  let left = tasks.length;
  let ended = false;
  const workers = new Set<Worker>();
  const at = new Map<Worker, T>();
  let settle: { resolve: () => void; reject: (error: Error) => void };
  const finished = new Promise<void>((resolve, reject) => (settle = { resolve, reject }));
  const stop = (): void => {
    ended = true;
    for (const worker of workers) void worker.terminate();
    settle.resolve();
  };
  const failed = (worker: Worker, error: Error): void => {
    const task = at.get(worker);
    if (onFailure === undefined || task === undefined) {
      settle.reject(error);
      stop();
      return;
    }
    onFailure(task, error);
    if (--left === 0) stop();
  };
  const feed = (worker: Worker): void => {
    if (ended || next === tasks.length) return;
    const task = tasks[next++];
    at.set(worker, task);
    worker.once("message", (reply: Reply<R>) => {
      if ("failure" in reply) {
        failed(worker, Object.assign(new Error(reply.failure.message), { stack: reply.failure.stack }));
      } else {
        onDone(task, reply.result);
        if (--left === 0) stop();
      }
      feed(worker);
    });
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    worker.postMessage(task);
  };
  const hire = (): void => {
    const worker = new Worker(module);
    worker.on("error", (error: Error) => {
      workers.delete(worker);
      failed(worker, error);
      if (!ended && next < tasks.length) hire();
    });
    workers.add(worker);
    feed(worker);
  };
  if (tasks.length === 0) queueMicrotask(stop);
  for (let t = 0; t < Math.min(threads, tasks.length); t++) hire();
  return { finished, stop };
}
