import { type CellStore, contentHash, runCells } from "../cells/index.ts";
import { random } from "../core/random.ts";
import { comparisonGraph, rankPartitions } from "../cluster/index.ts";
import type { Matrix } from "../matrix/matrix.ts";
import { silhouette } from "../score/index.ts";
import type { Candidate } from "./compareGrid.ts";
import type { CompareAnswer, CompareFit, CompareTask, Resample, ResampleScore } from "./compareWorker.ts";

/** A method that was compared. What is missing was not reached within the time. */
export interface Compared {
  /** Its name, with the settings of a grid. */
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
  /** By an interrupt. */
  readonly stopped: boolean;
  readonly cells: CellCounts;
}

/** Fits and resamples. */
interface CellCounts {
  readonly planned: number;
  done: number;
  /** Of those that are done: taken from the store. */
  kept: number;
  /** Neither done nor failed: the time was over, or somebody interrupted. */
  left: number;
}

export interface ComparePlan {
  readonly X: Matrix;
  readonly names: readonly string[];
  readonly candidates: readonly Candidate[];
  readonly clusters: number;
  readonly seed: number;
  /** Seconds for everything. */
  readonly budget: number;
  readonly resamples: number;
  readonly threads: number;
  /** Where finished cells are kept. */
  readonly store?: CellStore;
  /** Called once for every method that is done; `kept`: before this run. */
  readonly onResult: (name: string, seconds: number, kept: boolean) => void;
  readonly onProgress: (fraction: number, label: string) => void;
}

/** Share of the rows in a resample. */
const SHARE = 0.8;
/** Rows that the silhouette is estimated from. */
const SILHOUETTE_ROWS = 2000;

/**
 * Fits every method, then as many resamples of each as the time allows, the quick ones first. An interrupt, or the end
 * of the time, keeps what is done. Results do not depend on which thread was first.
 */
export async function compareMethods(plan: ComparePlan): Promise<Comparison> {
  const { candidates, resamples } = plan;
  const found = new Map<string, CompareFit>();
  const failed = new Map<string, string>();
  const cells = { planned: candidates.length * (1 + resamples), done: 0, kept: 0, left: 0 };
  const run = runner(plan, cells);
  let stopped = await run(
    candidates.map((candidate): CompareTask => task(plan, candidate)),
    (name, answer, kept) => {
      const fit = answer as CompareFit;
      found.set(name, fit);
      plan.onResult(name, fit.seconds, kept);
    },
    ({ candidate: { name } }, { message }) => void failed.set(name, message),
  );
  const fits = new Map<string, CompareFit>();
  for (const { name } of candidates) {
    const fit = found.get(name);
    if (fit !== undefined) fits.set(name, fit);
    else if (!failed.has(name))
      failed.set(name, stopped ? "not done when it was stopped" : "not done within the time");
  }

  const scores = new Map<string, number[]>();
  if (!stopped && fits.size > 0) {
    stopped = await run(
      resampleTasks(plan, fits),
      (name, answer, _, resample) => {
        const own = scores.get(name) ?? [];
        own[resample!.number] = (answer as ResampleScore).score;
        scores.set(name, own);
      },
      // A method that fails on fewer rows has no stability; it is known by its fit.
      () => {},
    );
  }
  const ranked = fits.size === 0 ? [] : rank(plan, fits, scores);
  return { ranked, failed: listed(failed), stopped, cells };
}

function rank(
  { X, clusters, seed, resamples }: ComparePlan,
  fits: ReadonlyMap<string, CompareFit>,
  scores: ReadonlyMap<string, readonly number[]>,
): Compared[] {
  const partitions = Array.from(fits, ([method, fit]) => ({ method, ...fit }));
  return rankPartitions(comparisonGraph(X), partitions, clusters).map((ranked) => {
    const { method, labels, converged, warnings, seconds } = ranked.partition;
    const own = Object.values(scores.get(method) ?? []);
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

function task({ X, names, clusters, seed }: ComparePlan, candidate: Candidate): CompareTask {
  return { candidate, X, names, clusters, seed };
}

/** The same resamples for every method, all of one method after the other, quick methods first. */
function resampleTasks(plan: ComparePlan, fits: ReadonlyMap<string, CompareFit>): CompareTask[] {
  const source = random(plan.seed);
  const { rows } = plan.X;
  const resamples = Array.from({ length: plan.resamples }, () =>
    source.sample(Math.max(Math.min(rows, plan.clusters), Math.ceil(SHARE * rows)), rows).sort(),
  );
  return plan.candidates
    .flatMap((candidate) => {
      const fit = fits.get(candidate.name);
      return fit === undefined ? [] : [{ candidate, fit }];
    })
    .toSorted((a, b) => a.fit.seconds - b.fit.seconds)
    .flatMap(({ candidate, fit }) =>
      resamples.map((sample, number) => ({
        ...task(plan, candidate),
        resample: { number, rows: sample, labels: sample.map((i) => fit.labels[i]) },
      })),
    );
}

type Run = (
  tasks: readonly CompareTask[],
  onDone: (name: string, answer: CompareAnswer, kept: boolean, resample: Resample | undefined) => void,
  onFailure: (task: CompareTask, error: Error) => void,
) => Promise<boolean>;

/** What computes tasks until all are done, the time is over or somebody interrupts: then it answers true. */
function runner(plan: ComparePlan, cells: CellCounts): Run {
  const { X, names, store, threads } = plan;
  const deadline = performance.now() + 1000 * plan.budget;
  const data = store && { rows: X.rows, columns: X.cols, content: contentHash(X.data, ...names) };
  return async (tasks, onDone, onFailure) => {
    let [ended, found] = [0, 0];
    const step = ({ candidate: { name }, resample }: CompareTask): void => {
      const fraction = (++ended - found) / (tasks.length - found);
      plan.onProgress(fraction, resample === undefined ? name : `resamples of ${name}`);
    };
    const stopped = await runCells<CompareTask, CompareAnswer>({
      module: new URL("./compareWorker.js", import.meta.url),
      tasks,
      threads,
      deadline,
      store,
      factsOf: ({ candidate: { method, own }, clusters, seed, resample }) => ({
        kind: resample === undefined ? "fit" : "resample",
        method,
        own,
        clusters,
        seed,
        data,
        ...(resample !== undefined && { number: resample.number, rows: contentHash(resample.rows) }),
      }),
      onDone(done, answer, kept) {
        cells.done++;
        onDone(done.candidate.name, answer, kept, done.resample);
        if (!kept) return step(done);
        cells.kept++;
        found++;
        ended++;
      },
      onFailure(failed, error) {
        onFailure(failed, error);
        step(failed);
      },
    });
    cells.left += tasks.length - ended;
    return stopped;
  };
}

function listed(failed: ReadonlyMap<string, string>): { method: string; why: string }[] {
  return Array.from(failed, ([method, why]) => ({ method, why }));
}
