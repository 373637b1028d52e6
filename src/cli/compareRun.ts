import { random } from "../core/random.ts";
import { comparisonGraph, rankPartitions } from "../cluster/index.ts";
import type { Matrix } from "../matrix/matrix.ts";
import { adjustedRand, silhouette } from "../score/index.ts";
import type { CompareFit, CompareTask } from "./compareWorker.ts";
import { taskPool } from "./taskPool.ts";

/** A method that was compared. What is missing was not reached within the time. */
export interface Compared {
  readonly method: string;
  readonly labels: Int32Array;
  readonly clusters: number;
  readonly converged: boolean;
  readonly warnings: readonly string[];
  readonly seconds: number;
  /** Of the partition on the 10-nearest-neighbour graph. */
  readonly modularity: number;
  readonly silhouette: number;
  /** Mean adjusted Rand index with the partitions of the other methods, if there are any. */
  readonly agreement?: number;
  /** Mean adjusted Rand index with the partitions of resamples, on their rows. */
  readonly stability?: number;
}

export interface Comparison {
  /** The recommended method first. */
  readonly ranked: readonly Compared[];
  readonly failed: readonly { readonly method: string; readonly why: string }[];
  readonly stopped: boolean;
}

export interface ComparePlan {
  readonly X: Matrix;
  readonly names: readonly string[];
  readonly methods: readonly string[];
  readonly clusters: number;
  readonly seed: number;
  /** Seconds for everything. */
  readonly budget: number;
  readonly resamples: number;
  readonly threads: number;
  /** Called once for every method that is done, and again when it has been resampled. */
  readonly onResult: (method: string, seconds: number) => void;
  readonly onProgress: (fraction: number, label: string) => void;
}

/** Share of the rows in a resample. */
const SHARE = 0.8;
/** Rows that the silhouette is estimated from. */
const SILHOUETTE_ROWS = 2000;

/**
 * Fits every method, then as many resamples of each as the time allows, the quick ones first. An interrupt, or the end
 * of the time, keeps what is done.
 */
export async function compareMethods(plan: ComparePlan): Promise<Comparison> {
  const deadline = performance.now() + 1000 * plan.budget;
  const fits = new Map<string, CompareFit>();
  const failed = new Map<string, string>();
  const shared = plan.methods.map((method): CompareTask => task(plan, method));
  let stopped = await runTasks(shared, plan.threads, deadline, {
    onDone({ method }, fit) {
      fits.set(method, fit);
      plan.onResult(method, fit.seconds);
      plan.onProgress((fits.size + failed.size) / shared.length, method);
    },
    onFailure: ({ method }, { message }) => void failed.set(method, message),
  });
  for (const method of plan.methods) {
    if (!fits.has(method) && !failed.has(method)) failed.set(method, "not done within the time");
  }
  if (fits.size === 0) return { ranked: [], failed: listed(failed), stopped };

  const scores = new Map<string, number[]>();
  if (!stopped) {
    const tasks = resampleTasks(plan, fits);
    let done = 0;
    stopped = await runTasks(tasks, plan.threads, deadline, {
      onDone({ method, rows }, fit) {
        const own = fits.get(method)!.labels;
        const score = adjustedRand(
          fit.labels,
          rows!.map((i) => own[i]),
        );
        scores.set(method, [...(scores.get(method) ?? []), score]);
        plan.onProgress(++done / tasks.length, `resamples of ${method}`);
      },
      // A method that fails on fewer rows has no stability; it is known by its fit.
      onFailure: () => void done++,
    });
  }
  return { ranked: rank(plan, fits, scores), failed: listed(failed), stopped };
}

function rank(
  { X, clusters, seed, resamples }: ComparePlan,
  fits: ReadonlyMap<string, CompareFit>,
  scores: ReadonlyMap<string, readonly number[]>,
): Compared[] {
  const partitions = Array.from(fits, ([method, fit]) => ({ method, ...fit }));
  return rankPartitions(comparisonGraph(X), partitions, clusters).map((ranked) => {
    const { method, labels, converged, warnings, seconds } = ranked.partition;
    const own = scores.get(method) ?? [];
    const count = new Set(labels).size;
    return {
      method,
      labels,
      clusters: count,
      converged,
      warnings,
      seconds,
      modularity: ranked.modularity,
      ...(partitions.length > 1 && { agreement: ranked.agreement }),
      silhouette: count < 2 ? 0 : silhouette(X, labels, { sample: SILHOUETTE_ROWS, seed }),
      ...(resamples > 0 &&
        own.length === resamples && {
          stability: own.reduce((sum, score) => sum + score, 0) / own.length,
        }),
    };
  });
}

function task({ X, names, clusters, seed }: ComparePlan, method: string): CompareTask {
  return { method, X, names, clusters, seed };
}

/** The same resamples for every method, all of one method after the other, quick methods first. */
function resampleTasks(plan: ComparePlan, fits: ReadonlyMap<string, CompareFit>): CompareTask[] {
  const source = random(plan.seed);
  const { rows } = plan.X;
  const resamples = Array.from({ length: plan.resamples }, () =>
    source.sample(Math.max(Math.min(rows, plan.clusters), Math.ceil(SHARE * rows)), rows).sort(),
  );
  return [...fits]
    .toSorted(([, a], [, b]) => a.seconds - b.seconds)
    .flatMap(([method]) => resamples.map((sample) => ({ ...task(plan, method), rows: sample })));
}

interface Listeners {
  onDone(task: CompareTask, fit: CompareFit): void;
  onFailure(task: CompareTask, error: Error): void;
}

/** Until all are done, the time is over or somebody interrupts: then true. */
async function runTasks(
  tasks: readonly CompareTask[],
  threads: number,
  deadline: number,
  { onDone, onFailure }: Listeners,
): Promise<boolean> {
  const module = new URL("./compareWorker.js", import.meta.url);
  const pool = taskPool<CompareTask, CompareFit>(module, tasks, threads, onDone, onFailure);
  let stopped = false;
  const stop = (): void => {
    stopped = true;
    pool.stop();
  };
  const clock = setTimeout(pool.stop, Math.max(0, deadline - performance.now()));
  process.once("SIGINT", stop).once("SIGTERM", stop);
  try {
    await pool.finished;
  } finally {
    clearTimeout(clock);
    process.off("SIGINT", stop).off("SIGTERM", stop);
  }
  return stopped;
}

function listed(failed: ReadonlyMap<string, string>): { method: string; why: string }[] {
  return Array.from(failed, ([method, why]) => ({ method, why }));
}
