import type { CellStore } from "./cellStore.ts";
import { taskPool, type PoolOptions } from "./taskPool.ts";

/** A grid of cells that do not depend on one another, to be computed over the cores. */
export interface Cells<T, R> extends Omit<PoolOptions<T, R>, "onDone"> {
  /** Where finished cells are kept and the facts that each is known by there. */
  readonly store?: CellStore;
  factsOf(task: T): object;
  /** When to end, by `performance.now()`; absent: when all is done. */
  readonly deadline?: number;
  /** Called once the threads run and an interrupt is heard, with the number of cells that came from the store. */
  onStart?(kept: number): void;
  /** `kept`: it came from the store. Those come first, in the order of the tasks. */
  onDone(task: T, result: R, kept: boolean): void;
  /** Whether a result is one to keep; absent: all are. */
  keep?(result: R): boolean;
  /** What is kept of a result, and given to `onDone`; absent: the result. */
  finish?(result: R): R;
}

/**
 * Computes the cells that the store does not have, and puts each there when it is done; one that fails is not put there,
 * so that the next run tries it again. The end of the time or an interrupt ends the threads at once; a second interrupt
 * finds no listener and kills the process. Returns whether there was an interrupt.
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
