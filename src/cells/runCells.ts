import { Worker } from "node:worker_threads";
import type { Progress } from "../core/index.ts";
import {
  addressRoom,
  bytesText,
  errorOf,
  inputError,
  THREAD_ADDRESSES,
  type Reply,
} from "../core/internal.ts";
import type { CellStore } from "./cellStore.ts";

/** A grid of independent cells, to be computed over the cores. */
export interface Cells<T, R> {
  /** What a thread runs: it answers to tasks by `serveTasks`. */
  readonly module: URL;
  readonly tasks: readonly T[];
  readonly threads: number;
  /** Each task in a new thread, so that tasks do not share memory. */
  readonly alone?: boolean;
  /** The store of finished cells and the facts that identify each. */
  readonly store?: CellStore;
  factsOf(task: T): object;
  /** When to end, by `performance.now()`; absent: when all cells are done. */
  readonly deadline?: number;
  /** Called once the threads run and an interrupt is handled, with the number of cells from the store. */
  onStart?(kept: number): void;
  /** A running task reports its progress. */
  onProgress?(task: T, progress: Progress): void;
  /** `kept`: it came from the store. Stored cells come first, in the order of the tasks. */
  onDone(task: T, result: R, kept: boolean): void;
  /** The others continue, in a new thread if the old one has died. */
  onFailure(task: T, error: Error): void;
  /** Whether to keep a result; absent: all are kept. */
  keep?(result: R): boolean;
  /** The part of a result that is kept and passed to `onDone`; absent: the result. */
  finish?(result: R): R;
}

/**
 * Computes the cells that the store lacks in other threads, so that this one can handle signals and show progress, and stores
 * each when it is done; a failed cell is not stored, so the next run tries it again. The end of the time or an interrupt ends
 * the threads at once; a second interrupt finds no listener and kills the process. Returns whether there was an interrupt.
 */
export async function runCells<T, R>(cells: Cells<T, R>): Promise<boolean> {
  const { store, deadline, tasks } = cells;
  const open = tasks.filter((task) => {
    const result = store?.find(cells.factsOf(task));
    if (result !== undefined) cells.onDone(task, result as R, true);
    return result === undefined;
  });
  const workers = new Set<Worker>();
  let ended = false;
  let resolve: () => void;
  const finished = new Promise<void>((settle) => (resolve = settle));
  const end = (): void => {
    ended = true;
    for (const worker of workers) void worker.terminate();
    resolve();
  };
  let stopped = false;
  const stop = (): void => {
    stopped = true;
    end();
    process.off("SIGINT", stop).off("SIGTERM", stop);
  };
  const done = (task: T, answer: R): void => {
    const result = cells.finish?.(answer) ?? answer;
    if (cells.keep?.(result) !== false) store?.add(cells.factsOf(task), result);
    cells.onDone(task, result, false);
  };
  const fail = (task: T, error: Error): void => {
    if (process.env.KINDRED_DEBUG === "1") console.error(error.stack ?? error.message);
    cells.onFailure(task, error);
  };
  let next = 0;
  let left = open.length;
  const hire = (): void => {
    const worker = new Worker(cells.module);
    let task: T | undefined;
    let died: Error | undefined;
    const feed = (): void => {
      if (ended || next === open.length) return;
      task = open[next++];
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
      worker.postMessage(task);
    };
    const settle = (tell: (of: T) => void): void => {
      const of = task!;
      task = undefined;
      tell(of);
      if (--left === 0) end();
    };
    worker.on("message", (reply: Reply<R>) => {
      if (ended) return;
      if ("progress" in reply) {
        if (task !== undefined) cells.onProgress?.(task, reply.progress);
        return;
      }
      settle((of) => ("result" in reply ? done(of, reply.result) : fail(of, errorOf(reply.failure))));
      if (cells.alone === true) void worker.terminate();
      else feed();
    });
    worker.on("error", (error: Error) => (died = error));
    worker.on("exit", (code) => {
      workers.delete(worker);
      if (ended) return;
      if (task !== undefined)
        settle((of) => fail(of, died ?? new Error(`its thread ended with code ${code}`)));
      if (!ended && next < open.length) hire();
    });
    workers.add(worker);
    feed();
  };
  if (open.length === 0) queueMicrotask(end);
  const threads = Math.min(cells.threads, threadsThatFit(), open.length);
  for (let t = 0; t < threads; t++) hire();
  const clock = deadline && setTimeout(end, Math.max(0, deadline - performance.now()));
  process.on("SIGINT", stop).on("SIGTERM", stop);
  cells.onStart?.(tasks.length - open.length);
  try {
    await finished;
  } finally {
    clearTimeout(clock);
    process.off("SIGINT", stop).off("SIGTERM", stop);
  }
  return stopped;
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
