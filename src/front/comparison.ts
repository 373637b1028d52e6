import type { Note } from "../core/notes.ts";
import type { Profile, Trust } from "../model/index.ts";
import type { ClassScores } from "./againstClasses.ts";
import type { ClusterOptions } from "./cluster.ts";
import type { Disagreement } from "./disagreement.ts";

/** What methods make of one table. Plain data: it passes through `structuredClone` and `JSON.stringify`. */
export interface Comparison {
  readonly source: string;
  readonly rows: number;
  /** Columns of numbers that the methods got. */
  readonly features: number;
  /** What the methods were asked for; `found`: the default found it, nobody gave it. */
  readonly clusters: number;
  readonly found: boolean;
  /** The column of known classes, which no method saw. */
  readonly label: string | null;
  /** Distinct ones, the recommended first; methods that gave (nearly) the same are together. */
  readonly partitions: readonly ComparedPartition[];
  /** Adjusted Rand index of every two of the partitions. */
  readonly agreement: readonly (readonly number[])[];
  readonly recommendation: Recommendation;
  /** Methods without a partition. */
  readonly failed: readonly FailedMethod[];
  readonly notes: readonly Note[];
  /** For everything, from the prepared rows on. */
  readonly seconds: number;
  /** Somebody stopped it: what was done by then is compared. */
  readonly stopped: boolean;
}

/** Partition 0: what `cluster` gives by default. */
export interface Recommendation {
  /** False: the default's own choice was not done, and this is the best of what was. */
  readonly complete: boolean;
  readonly trust: Trust | null;
  /** Its clusters, in the columns of the table. */
  readonly profiles: readonly Pick<Profile, "cluster" | "name" | "rows" | "share" | "words">[];
  /** One or two sentences. */
  readonly words: string;
}

export interface ComparedPartition {
  /** What gives exactly this partition. */
  readonly use: Use;
  readonly clusters: number;
  readonly sizes: readonly number[];
  /** One per row of the table, -1 for a row in no cluster; those of the first method. */
  readonly labels: readonly number[];
  /** The first is the one whose labels these are. */
  readonly methods: readonly ComparedMethod[];
  /** Log-odds that the weakest border is real; null where neighbour graphs do not tell (ties), and with one cluster. */
  readonly evidence: number | null;
  /** Classification likelihood per row, with the penalty of its parameters. */
  readonly likelihood: number | null;
  /** Adjusted Rand index with the recommended partition. */
  readonly agreement: number;
  /** Mean adjusted Rand index with the clusters of resamples; absent where it was not asked for or not done. */
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
  readonly evidence: number | null;
  readonly likelihood: number | null;
  readonly scores?: ClassScores;
}

/** How to get a partition again. */
export interface Use {
  /** Of `cluster(table, options)`. */
  readonly options: ClusterOptions;
  /** That call as text. */
  readonly call: string;
  /** False: it was stopped before its end, and the call goes on to it. */
  readonly exact: boolean;
}

export interface FailedMethod {
  readonly name: string;
  readonly method: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** "error": it refused the rows; "time" and "stopped": not done by then; "memory": left out. */
  readonly why: "error" | "time" | "stopped" | "memory";
  readonly message: string;
}
