import { Worker } from "node:worker_threads";
import { KindredError, type Progress } from "../core/index.ts";
import { addressRoom, bytesText, inputError, THREAD_ADDRESSES, type About } from "../core/internal.ts";

/** Work in other threads, so that this thread can handle signals and show progress. */
export interface Pool {
  /** Settles when all tasks are done, or when the pool was stopped. */
  readonly finished: Promise<void>;
  /** Ends the threads at once; unfinished tasks are lost. */
  stop(): void;
}

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

export interface PoolOptions<T, R> {
  /** What a worker runs. It receives a task as a message and answers with a `Reply`. */
  readonly module: URL;
  readonly tasks: readonly T[];
  readonly threads: number;
  /** Each task in a new thread, so that tasks do not share memory. */
  readonly alone?: boolean;
  onDone(task: T, result: R): void;
  /** A running task reports its progress. */
  onProgress?(task: T, progress: Progress): void;
  /** The others continue, in a new thread if the old one has died. */
  onFailure(task: T, error: Error): void;
}

/** Gives the tasks, in order, to at most `threads` workers. */
export function taskPool<T, R>(options: PoolOptions<T, R>): Pool {
  const { module, tasks, alone = false } = options;
  const threads = Math.min(options.threads, threadsThatFit());
  let next = 0;
  let left = tasks.length;
  let ended = false;
  const workers = new Set<Worker>();
  let resolve: () => void;
  const finished = new Promise<void>((settle) => (resolve = settle));
  const stop = (): void => {
    ended = true;
    for (const worker of workers) void worker.terminate();
    resolve();
  };
  const hire = (): void => {
    const worker = new Worker(module);
    let task: T | undefined;
    let died: Error | undefined;
    const feed = (): void => {
      if (ended || next === tasks.length) return;
      task = tasks[next++];
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
      worker.postMessage(task);
    };
    const settled = (tellOf: (of: T) => void): void => {
      const of = task!;
      task = undefined;
      tellOf(of);
      if (--left === 0) stop();
    };
    worker.on("message", (reply: Reply<R>) => {
      if (ended) return;
      if ("progress" in reply) {
        if (task !== undefined) options.onProgress?.(task, reply.progress);
        return;
      }
      settled((of) => {
        if ("result" in reply) options.onDone(of, reply.result);
        else options.onFailure(of, errorOf(reply.failure));
      });
      if (alone) void worker.terminate();
      else feed();
    });
    worker.on("error", (error: Error) => (died = error));
    worker.on("exit", (code) => {
      workers.delete(worker);
      if (ended) return;
      if (task !== undefined) {
        settled((of) => options.onFailure(of, died ?? new Error(`its thread ended with code ${code}`)));
      }
      if (!ended && next < tasks.length) hire();
    });
    workers.add(worker);
    feed();
  };
  if (tasks.length === 0) queueMicrotask(stop);
  for (let t = 0; t < Math.min(threads, tasks.length); t++) hire();
  return { finished, stop };
}

/** At least one, or an error: starting a thread without room would end the process. */
function threadsThatFit(): number {
  const room = addressRoom();
  if (room >= THREAD_ADDRESSES) return Math.floor(room / THREAD_ADDRESSES);
  throw inputError(
    `a thread needs ${bytesText(THREAD_ADDRESSES)} of addresses, and ${bytesText(Math.max(0, room))} are left of what ` +
      "this process may take; allow more (ulimit -v)",
  );
}

function errorOf({ message, stack, kind, about }: Failure): Error {
  const error = kind === undefined ? new Error(message) : new KindredError(kind, message, about);
  return Object.assign(error, { stack });
}
