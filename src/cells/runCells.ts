import type { CellStore } from "./cellStore.ts";
import { taskPool, type PoolOptions } from "./taskPool.ts";

/** A grid of independent cells, to be computed over the cores. */
export interface Cells<T, R> extends Omit<PoolOptions<T, R>, "onDone"> {
  /** The store of finished cells and the facts that identify each. */
  readonly store?: CellStore;
  factsOf(task: T): object;
  /** When to end, by `performance.now()`; absent: when all cells are done. */
  readonly deadline?: number;
  /** Called once the threads run and an interrupt is handled, with the number of cells from the store. */
  onStart?(kept: number): void;
  /** `kept`: it came from the store. Stored cells come first, in the order of the tasks. */
  onDone(task: T, result: R, kept: boolean): void;
  /** Whether to keep a result; absent: all are kept. */
  keep?(result: R): boolean;
  /** The part of a result that is kept and passed to `onDone`; absent: the result. */
  finish?(result: R): R;
}

/**
 * Computes the cells that the store lacks, and stores each when it is done; a failed cell is not stored, so
 * the next run tries it again. The end of the time or an interrupt ends the threads at once; a second
 * interrupt finds no listener and kills the process. Returns whether there was an interrupt.
 */
export async function runCells<T, R>(cells: Cells<T, R>): Promise<boolean> {
  const { store, deadline } = cells;
  const open = cells.tasks.filter((task) => {
    const result = store?.find(cells.factsOf(task));
    if (result !== undefined) cells.onDone(task, result as R, true);
    return result === undefined;
  });
  const pool = taskPool<T, R>({
    ...cells,
    tasks: open,
    onDone(task, answer) {
      const result = cells.finish?.(answer) ?? answer;
      if (cells.keep?.(result) !== false) store?.add(cells.factsOf(task), result);
      cells.onDone(task, result, false);
    },
    onFailure(task, error) {
      if (process.env.KINDRED_DEBUG === "1") console.error(error.stack ?? error.message);
      cells.onFailure(task, error);
    },
  });
  let stopped = false;
  const stop = (): void => {
    stopped = true;
    pool.stop();
    process.off("SIGINT", stop).off("SIGTERM", stop);
  };
  const clock = deadline && setTimeout(pool.stop, Math.max(0, deadline - performance.now()));
  process.on("SIGINT", stop).on("SIGTERM", stop);
  cells.onStart?.(cells.tasks.length - open.length);
  try {
    await pool.finished;
  } finally {
    clearTimeout(clock);
    process.off("SIGINT", stop).off("SIGTERM", stop);
  }
  return stopped;
}
