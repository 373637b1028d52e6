import type { OnProgress } from "../../core/index.ts";
import { isSparse, sparse, takeRows, type Matrix, type Sparse } from "../../matrix/index.ts";
import type { Fact, WeighedPartitions } from "../../method/index.ts";
import type { Trust } from "../../model/index.ts";
import { adjustedRand } from "../../score/index.ts";
import { releaseMemory } from "../../matrix/internal.ts";
import { fitPrepared, type FitRows } from "../fit/fit.ts";
import { methodNamed } from "../methods.ts";

/** One fit of a comparison: on all rows, or on some of them. Plain data, so another thread can run it. */
export interface CompareTask {
  readonly method: string;
  /** Its own options. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Absent: the method finds their number. */
  readonly clusters?: number;
  readonly seed: number;
  readonly resample?: Resample;
  /** When to stop with the best so far, by `Date.now()`; absent: an unfinished result is useless. */
  readonly until?: number;
}

/** Some of the rows, with their clusters among all rows. */
export interface Resample {
  readonly number: number;
  readonly rows: Int32Array;
  readonly labels: Int32Array;
}

export type CompareAnswer = FitAnswer | ResampleAnswer;

export interface FitAnswer {
  readonly labels: Int32Array;
  readonly clusters: number;
  readonly converged: boolean;
  readonly warnings: readonly string[];
  readonly facts: readonly Fact[];
  readonly trust?: Trust;
  /** Of the default: what it takes for plausible. */
  readonly belief?: WeighedPartitions;
  readonly seconds: number;
  /** The time was over: the best so far. */
  readonly stopped: boolean;
}

/** Adjusted Rand index between the clusters of a resample and the clusters of the same rows among all. */
export interface ResampleAnswer {
  readonly score: number;
}

/** Receives the outcomes of the tasks. */
export interface TaskListener {
  /** `kept`: from an earlier run. */
  done(task: CompareTask, answer: CompareAnswer, kept: boolean): void;
  failed(task: CompareTask, error: Error): void;
  /** False: stop everything. */
  progress(task: CompareTask, fraction: number, label: string): boolean;
}

/**
 * Runs the tasks, in any order, until all are done or `end` (by `performance.now()`) is reached; running
 * tasks are then ended and lost. Returns true if it was stopped.
 */
export type TaskRunner = (
  rows: FitRows,
  tasks: readonly CompareTask[],
  listener: TaskListener,
  end: number,
) => Promise<boolean>;

/**
 * One task after the other, in this thread; a method notices the end of its time at its next progress
 * report.
 */
export const inTurn: TaskRunner = async (rows, tasks, listener, end) => {
  let stopped = false;
  for (const task of tasks) {
    if (stopped || performance.now() >= end) break;
    let lost = false;
    const onProgress: OnProgress = ({ fraction, label }) => {
      stopped ||= !listener.progress(task, fraction, label);
      lost ||= performance.now() >= end;
      return !stopped && !lost;
    };
    try {
      const answer = await taskAnswer(rows, task, onProgress);
      const whole = !stopped && !lost;
      if (whole || (task.until !== undefined && "labels" in answer)) listener.done(task, answer, false);
    } catch (error) {
      if (!stopped && !lost) listener.failed(task, error as Error);
    }
    // Pages can draw, and timers run, between two fits.
    await new Promise((resolve) => setTimeout(resolve));
  }
  return stopped;
};

/** Rows above which methods with quadratic memory fit a sample, or are left out if there is none. */
export const MOST_ROWS = 8000;

/** The fit itself, the same as that of `cluster` with these options. */
export async function taskAnswer(
  rows: FitRows,
  task: CompareTask,
  onProgress: OnProgress,
): Promise<CompareAnswer> {
  const { method, options, clusters, seed, resample, until } = task;
  let stopped = false;
  const start = performance.now();
  const { fitted, notes, sample } = await fitPrepared(
    { ...rows, X: resample === undefined ? rows.X : someRows(rows.X, resample.rows) },
    {
      ...options,
      method,
      seed,
      ...(clusters !== undefined && { clusters }),
      // Several fits may run at a time.
      ...(methodNamed(method).needs.quadratic === true && rows.X.rows > MOST_ROWS && { sample: MOST_ROWS }),
      onProgress(progress) {
        const going = onProgress(progress) !== false && !(until !== undefined && Date.now() >= until);
        stopped ||= !going;
        return going;
      },
    },
  );
  // The next task is another method.
  releaseMemory();
  const { labels, converged, warnings, facts, trust, belief } = fitted;
  if (resample !== undefined) return { score: adjustedRand(labels, resample.labels, { unknown: "class" }) };
  return {
    labels,
    clusters: fitted.clusters,
    converged,
    warnings: [...notes.flatMap(({ code, message }) => (code === "sample" ? [message] : [])), ...warnings],
    facts,
    ...(trust !== undefined && { trust }),
    ...(belief !== undefined && sample === undefined && { belief }),
    seconds: (performance.now() - start) / 1000,
    stopped,
  };
}

function someRows(X: Matrix | Sparse, rows: Int32Array): Matrix | Sparse {
  if (!isSparse(X)) return takeRows(X, rows);
  const offsets = new Int32Array(rows.length + 1);
  rows.forEach((i, p) => (offsets[p + 1] = offsets[p] + X.offsets[i + 1] - X.offsets[i]));
  const indices = new Int32Array(offsets[rows.length]);
  const values = new Float64Array(offsets[rows.length]);
  rows.forEach((i, p) => {
    indices.set(X.indices.subarray(X.offsets[i], X.offsets[i + 1]), offsets[p]);
    values.set(X.values.subarray(X.offsets[i], X.offsets[i + 1]), offsets[p]);
  });
  return sparse(rows.length, X.cols, offsets, indices, values);
}
