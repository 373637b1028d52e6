import type { Note } from "../../core/index.ts";
import type { Profile, Trust } from "../../model/index.ts";
import type { ClassScores } from "./againstClasses.ts";
import type { ClusterOptions } from "../cluster.ts";
import type { Disagreement } from "./disagreement.ts";

/**
 * The partitions of several methods on one table. Plain data: it passes through `structuredClone` and
 * `JSON.stringify`.
 */
export interface Comparison {
  readonly source: string;
  readonly rows: number;
  /** Number of numeric columns for the methods. */
  readonly features: number;
  /** The requested number; `found`: it came from the default. */
  readonly clusters: number;
  readonly found: boolean;
  /** The column of known classes, which no method saw. */
  readonly label: string | null;
  /** Distinct ones, the recommended first; methods with (nearly) the same partition are together. */
  readonly partitions: readonly ComparedPartition[];
  /** Adjusted Rand index of every two of the partitions. */
  readonly agreement: readonly (readonly number[])[];
  readonly recommendation: Recommendation;
  /** Methods without a partition. */
  readonly failed: readonly FailedMethod[];
  readonly notes: readonly Note[];
  /** For everything, starting from the prepared rows. */
  readonly seconds: number;
  /** The run was stopped: the finished methods are compared. */
  readonly stopped: boolean;
}

/** Partition 0: the default result of `cluster`. */
export interface Recommendation {
  /** False: the default's own choice was not finished, and this is the best available. */
  readonly complete: boolean;
  readonly trust: Trust | null;
  /** Its clusters, in the columns of the table. */
  readonly profiles: readonly Pick<Profile, "cluster" | "name" | "rows" | "share" | "words">[];
  /** One or two sentences. */
  readonly words: string;
}

export interface ComparedPartition {
  /** The call that gives exactly this partition. */
  readonly use: Use;
  readonly clusters: number;
  readonly sizes: readonly number[];
  /** One per row of the table, -1 for a row in no cluster; from the first method. */
  readonly labels: readonly number[];
  /** The labels are those of the first one. */
  readonly methods: readonly ComparedMethod[];
  /** The adjusted Rand index to be expected with the truth, by the belief of the default; null for one cluster. */
  readonly expected: number | null;
  /** Adjusted Rand index with the recommended partition. */
  readonly agreement: number;
  /** Mean adjusted Rand index with the clusters of resamples; absent if not requested or not finished. */
  readonly stability?: number;
  /** Against the known classes. */
  readonly scores?: ClassScores;
  /** From the recommended partition; null for that one itself. */
  readonly differs: Disagreement | null;
}

export interface ComparedMethod {
  /** "cc --neighbors 10": the method, with the options that are not its defaults. */
  readonly name: string;
  readonly method: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly labels: readonly number[];
  readonly clusters: number;
  readonly converged: boolean;
  readonly warnings: readonly string[];
  readonly seconds: number;
  readonly expected: number | null;
  readonly scores?: ClassScores;
}

/** How to reproduce a partition. */
export interface Use {
  /** Of `cluster(table, options)`. */
  readonly options: ClusterOptions;
  /** That call as text. */
  readonly call: string;
  /** False: it was stopped early, and the call would continue to the end. */
  readonly exact: boolean;
}

export interface FailedMethod {
  readonly name: string;
  readonly method: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** "error": it refused the rows; "time" and "stopped": not finished by then; "memory": left out. */
  readonly why: "error" | "time" | "stopped" | "memory";
  readonly message: string;
}
