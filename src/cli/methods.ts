import type { Option } from "commander";
import type { OnProgress } from "../core/progress.ts";
import type { Matrix } from "../matrix/matrix.ts";
import type { Sparse } from "../matrix/sparse.ts";

/** What `kindred cluster` shows of a clustering; a method gives what it has. */
export interface Clustering {
  readonly labels: Int32Array;
  readonly sizes: ArrayLike<number>;
  readonly converged: boolean;
  readonly warnings: readonly string[];
  readonly centers?: Matrix;
  readonly objective?: number;
  readonly iterations?: number;
  readonly certificate?: object;
  readonly details?: Details;
}

/** What only this method has to say: `details` of --json, and lines of the report. */
export interface Details {
  readonly json: object;
  readonly lines: readonly (readonly [string, string])[];
}

/** What a method may use of the command line: the common options and its own, by their attribute names. */
export interface MethodOptions {
  readonly clusters?: number;
  readonly seed?: number;
  readonly onProgress: OnProgress;
  /** Names of the columns of X. */
  readonly names: readonly string[];
  readonly own: Readonly<Record<string, unknown>>;
}

/** A file of methods/: how one clustering method is reached from the command line. */
export interface MethodFile {
  /** Which common options it takes; one that is given but not taken is a usage error. */
  readonly accepts: {
    readonly clusters: "required" | "optional" | "no";
    readonly seed: boolean;
    readonly sparse: boolean;
  };
  /** Its own options, shown by `kindred cluster --method NAME --help`. */
  options(): readonly Option[];
  run(X: Matrix | Sparse, options: MethodOptions): Clustering | Promise<Clustering>;
}

export interface Method {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<MethodFile>;
}

/** Every method of `kindred cluster`. A new one is a file in methods/ and an entry here. */
export const methods: readonly Method[] = [
  {
    name: "auto",
    summary:
      "the convex chain CC, CCML, CCSCML and k-means; the best by graph modularity, lighter for large data",
    load: () => import("./methods/auto.ts"),
  },
  {
    name: "cc",
    summary: "convex clustering: centres that fuse as gamma grows, each solution with its proof",
    load: () => import("./methods/cc.ts"),
  },
  {
    name: "rcc",
    summary: "robust convex clustering: outlier features are smoothed harder",
    load: () => import("./methods/rcc.ts"),
  },
  {
    name: "scc",
    summary: "sparse convex clustering: features that do not tell clusters apart are dropped",
    load: () => import("./methods/scc.ts"),
  },
  {
    name: "ccml",
    summary: "convex clustering that learns a full metric",
    load: () => import("./methods/ccml.ts"),
  },
  {
    name: "ccscml",
    summary: "convex clustering that learns a few discriminating directions",
    load: () => import("./methods/ccscml.ts"),
  },
  {
    name: "kmeans",
    summary: "k-means: k-means++ starts, the best of several restarts",
    load: () => import("./methods/kmeans.ts"),
  },
];

export const DEFAULT_METHOD = "auto";
