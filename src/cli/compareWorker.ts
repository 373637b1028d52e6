import { takeRows, type Matrix } from "../matrix/matrix.ts";
import { adjustedRand } from "../score/index.ts";
import type { Candidate } from "./compareGrid.ts";
import { methodNamed } from "../front/methods.ts";
import { serveTasks } from "../cells/index.ts";

/** One method on the rows, or on some of them. */
export interface CompareTask {
  readonly candidate: Candidate;
  /** Shared by all threads. */
  readonly X: Matrix;
  readonly names: readonly string[];
  readonly clusters: number;
  readonly seed: number;
  /** Absent: all rows. */
  readonly resample?: Resample;
}

/** Some of the rows, and the clusters that the method gave them among all. */
export interface Resample {
  readonly number: number;
  readonly rows: Int32Array;
  readonly labels: Int32Array;
}

export type CompareAnswer = CompareFit | ResampleScore;

export interface CompareFit {
  readonly labels: Int32Array;
  readonly converged: boolean;
  readonly warnings: readonly string[];
  readonly seconds: number;
}

/** Of a resample: the adjusted Rand index with the clusters that its rows have among all. */
export interface ResampleScore {
  readonly score: number;
}

/** A thread of `kindred compare`. */
serveTasks(answer);

async function answer({
  candidate,
  X,
  names,
  clusters,
  seed,
  resample,
}: CompareTask): Promise<CompareAnswer> {
  const method = methodNamed(candidate.method);
  const { fit } = await method.open();
  const start = performance.now();
  const { labels, converged, warnings } = await fit(
    resample === undefined ? X : takeRows(X, resample.rows),
    { ...candidate.own, clusters, ...(method.needs.seed && { seed }) },
    { names },
  );
  if (resample !== undefined) return { score: adjustedRand(labels, resample.labels) };
  return { labels, converged, warnings, seconds: (performance.now() - start) / 1000 };
}
