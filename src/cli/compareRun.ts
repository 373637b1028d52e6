import { contentHash, runCells, type CellStore } from "../cells/index.ts";
import type { TaskRunner } from "../run/index.ts";
import type { CompareAnswer, FitRows } from "../run/internal.ts";
import { isSparse } from "../matrix/index.ts";
import type { ThreadTask } from "./compareWorker.ts";

/** Fits and resamples. */
export interface CellCounts {
  planned: number;
  done: number;
  /** Number of finished cells that came from the store. */
  kept: number;
  /** Neither done nor failed: the time was over, or the run was interrupted. */
  left: number;
}

export interface ThreadOptions {
  readonly threads: number;
  /** The store of finished cells. */
  readonly store?: CellStore;
}

/**
 * Fits over the cores, each on one thread. The end of the time and an interrupt (Ctrl-C) end the threads at once.
 * Results do not depend on which thread was first.
 */
export function inThreads({ threads, store }: ThreadOptions): { run: TaskRunner; cells: CellCounts } {
  const cells: CellCounts = { planned: 0, done: 0, kept: 0, left: 0 };
  const known = new Map<FitRows, { readonly shared: FitRows; readonly data: object }>();
  const run: TaskRunner = async (rows, tasks, listener, end) => {
    let own = known.get(rows);
    if (own === undefined) known.set(rows, (own = { shared: sharedRows(rows), data: dataFacts(rows) }));
    const { shared, data } = own;
    let ended = 0;
    cells.planned += tasks.length;
    const stopped = await runCells<ThreadTask, CompareAnswer>({
      module: new URL("./compareWorker.js", import.meta.url),
      tasks: tasks.map((task) => ({ rows: shared, task })),
      threads,
      deadline: end,
      store,
      factsOf: ({ task: { method, options, clusters, seed, resample } }) => ({
        kind: resample === undefined ? "fit" : "resample",
        method,
        options,
        clusters: clusters ?? null,
        seed,
        data,
        ...(resample !== undefined && {
          number: resample.number,
          rows: contentHash(resample.rows, resample.labels),
        }),
      }),
      // A result that was cut off by the time limit is not what the next run would find.
      keep: (answer) => !("stopped" in answer && answer.stopped),
      onProgress: ({ task }, { fraction, label }) => void listener.progress(task, fraction, label),
      onDone({ task }, answer, kept) {
        cells.done++;
        if (kept) cells.kept++;
        ended++;
        listener.done(task, answer, kept);
      },
      onFailure({ task }, error) {
        ended++;
        listener.failed(task, error);
      },
    });
    cells.left += tasks.length - ended;
    return stopped;
  };
  return { run, cells };
}

/** The rows in memory that threads share. */
function sharedRows(rows: FitRows): FitRows {
  const { X } = rows;
  if (isSparse(X)) {
    const { offsets, indices, values } = X;
    return {
      ...rows,
      X: { ...X, offsets: shared(offsets), indices: shared(indices), values: shared(values) },
    };
  }
  return { ...rows, X: { ...X, data: shared(X.data) } };
}

function shared<A extends Float64Array | Int32Array>(array: A): A {
  const buffer = new SharedArrayBuffer(array.byteLength);
  const held = array instanceof Float64Array ? new Float64Array(buffer) : new Int32Array(buffer);
  held.set(array);
  return held as A;
}

/** The facts about the rows that a result depends on: their content after scaling. */
function dataFacts({ X, names, space }: FitRows): object {
  const record = JSON.stringify(space.kind === "features" ? space.record : null);
  const numbers = isSparse(X) ? [X.offsets, X.indices, X.values] : [X.data];
  return { rows: X.rows, columns: X.cols, content: contentHash(...numbers, record, ...names) };
}
