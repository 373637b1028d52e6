import type { Option } from "commander";
import type { OnProgress } from "../core/progress.ts";
import type { Constraints } from "../data/index.ts";
import type { Matrix } from "../matrix/matrix.ts";
import type { Sparse } from "../matrix/sparse.ts";
import type { Drawing } from "../report/index.ts";

/** What `kindred cluster` shows of a clustering; a method gives what it has. */
export interface Clustering {
  readonly labels: Int32Array;
  readonly sizes: ArrayLike<number>;
  readonly converged: boolean;
  readonly warnings: readonly string[];
  readonly centers?: Matrix;
  /** New rows belong to the nearest of the centres, after `map` (features x coordinates) if there is one. */
  readonly nearest?: { readonly map?: Matrix };
  readonly objective?: number;
  readonly iterations?: number;
  readonly certificate?: object;
  readonly details?: Details;
  /** What --model keeps beside the centres, where those alone do not place new rows. */
  readonly model?: object;
  /** What --report draws beyond the labels. */
  readonly drawing?: Drawing;
  /** The function of the library that was called, and how: the program in the report. */
  readonly call?: { readonly name: string; readonly options: object };
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
  /** From --must-link and --cannot-link. */
  readonly pairs?: Constraints;
  /** From --labels: one per row, empty where it is not known. */
  readonly labels?: readonly string[];
}

/** A file of methods/: how one clustering method is reached from the command line. */
export interface MethodFile {
  /** Which common options it takes; one that is given but not taken is a usage error. */
  readonly accepts: {
    readonly clusters: "required" | "optional" | "no";
    readonly seed: boolean;
    readonly sparse: boolean;
    /** --must-link and --cannot-link; absent: no. */
    readonly pairs?: boolean;
    /** --labels; absent: no. */
    readonly labels?: boolean;
    /** Its memory grows with the square of the rows; absent: it does not. */
    readonly quadratic?: boolean;
  };
  /** Its own options, shown by `kindred cluster --method NAME --help`. */
  options(): readonly Option[];
  run(X: Matrix | Sparse, options: MethodOptions): Clustering | Promise<Clustering>;
}

export interface Method {
  readonly name: string;
  readonly summary: string;
  /** What it cannot do without, beyond the rows; `kindred compare` leaves it out. */
  readonly needs?: "pairs" | "labels";
  /** How long it takes beside the others; absent: about as long as k-means. `kindred compare` begins with the quick. */
  readonly takes?: "longer" | "longest";
  readonly load: () => Promise<MethodFile>;
}

/** Every method of `kindred cluster`. A new one is a file in methods/ and an entry here. */
export const methods: readonly Method[] = [
  {
    name: "auto",
    summary:
      "the convex chain CC, CCML, CCSCML and k-means; the best by graph modularity, lighter for large data",
    takes: "longest",
    load: () => import("./methods/auto.ts"),
  },
  {
    name: "cc",
    summary: "convex clustering: centres that fuse as gamma grows, each solution with its proof",
    takes: "longer",
    load: () => import("./methods/cc.ts"),
  },
  {
    name: "rcc",
    summary: "robust convex clustering: outlier features are smoothed harder",
    takes: "longer",
    load: () => import("./methods/rcc.ts"),
  },
  {
    name: "scc",
    summary: "sparse convex clustering: features that do not tell clusters apart are dropped",
    takes: "longer",
    load: () => import("./methods/scc.ts"),
  },
  {
    name: "ccml",
    summary: "convex clustering that learns a full metric",
    takes: "longest",
    load: () => import("./methods/ccml.ts"),
  },
  {
    name: "ccscml",
    summary: "convex clustering that learns a few discriminating directions",
    takes: "longer",
    load: () => import("./methods/ccscml.ts"),
  },
  {
    name: "kmeans",
    summary: "k-means: k-means++ starts, the best of several restarts",
    load: () => import("./methods/kmeans.ts"),
  },
  {
    name: "cpd-uml",
    summary: "moves the rows by a smooth field until k-means separates them; for curved clusters",
    load: () => import("./methods/cpdUml.ts"),
  },
  {
    name: "aml",
    summary: "the partition and the linear projection under which it is best, learned together",
    load: () => import("./methods/aml.ts"),
  },
  {
    name: "naml",
    summary: "the same in the feature space of a kernel",
    takes: "longest",
    load: () => import("./methods/naml.ts"),
  },
  {
    name: "rpca-om",
    summary: "k-means in the plane nearest to the rows by distances, not squares; --kernel: r-RPCA-OM",
    load: () => import("./methods/rpcaOm.ts"),
  },
  {
    name: "fme",
    summary: "a smooth, almost affine embedding of the neighbour graph; takes --labels; --kernel: r-FME",
    takes: "longer",
    load: () => import("./methods/fme.ts"),
  },
  {
    name: "kernel-kmeans",
    summary: "k-means in the feature space of a kernel: gaussian, polynomial or linear",
    takes: "longer",
    load: () => import("./methods/kernelKmeans.ts"),
  },
  {
    name: "gmm",
    summary: "Gaussian mixture by EM: full, tied, diagonal or spherical covariances; likelihood and BIC",
    load: () => import("./methods/gaussianMixture.ts"),
  },
  {
    name: "spectral",
    summary: "k-means on the leading eigenvectors of the graph of nearest rows; for clusters of any shape",
    load: () => import("./methods/spectral.ts"),
  },
  {
    name: "ncut",
    summary: "normalised cuts of that graph, in two and again in two (Shi and Malik)",
    load: () => import("./methods/normalizedCut.ts"),
  },
  {
    name: "divisive",
    summary: "from one cluster downwards: bisecting k-means or DIANA",
    load: () => import("./methods/divisive.ts"),
  },
  ...(["ward", "average", "complete", "single"] as const).map((linkage) => ({
    name: linkage,
    summary: `agglomerative clustering, ${linkage} linkage: the whole dendrogram, cut at --clusters or --height`,
    load: async () => (await import("./methods/agglomerative.ts")).linkageMethod(linkage),
  })),
  {
    name: "cop-kmeans",
    summary:
      "constrained k-means: respects all --must-link and --cannot-link pairs, or names those it cannot",
    needs: "pairs",
    load: () => import("./methods/copKmeans.ts"),
  },
  {
    name: "pck-means",
    summary: "k-means with a penalty for each violated pair",
    needs: "pairs",
    load: () => import("./methods/pckMeans.ts"),
  },
  {
    name: "mpck-means",
    summary: "the same, and learns from the pairs which differences count",
    needs: "pairs",
    load: () => import("./methods/mpckMeans.ts"),
  },
  {
    name: "lcvqe",
    summary: "violated pairs pull the centres; for many or doubtful pairs",
    needs: "pairs",
    load: () => import("./methods/lcvqe.ts"),
  },
  {
    name: "bregman-kmeans",
    summary: "learns a Bregman distance from the pairs and clusters by it; --enforce makes them binding",
    needs: "pairs",
    load: () => import("./methods/bregmanKmeans.ts"),
  },
  {
    name: "seeded-kmeans",
    summary: "k-means from a few known labels (--labels)",
    needs: "labels",
    load: () => import("./methods/seededKmeans.ts"),
  },
];

/** Other names of methods. */
export const ALIASES: Readonly<Record<string, string>> = { convex: "cc" };

/** The method when none is named: what the line gives to learn from decides. */
export function defaultMethod(given: { readonly labels: boolean; readonly pairs: boolean }): string {
  if (given.labels) return "seeded-kmeans";
  return given.pairs ? "cop-kmeans" : DEFAULT_METHOD;
}

export const DEFAULT_METHOD = "auto";

/** The method's own options where none is given. */
export function defaultsOf(method: MethodFile): Record<string, unknown> {
  return Object.fromEntries(
    method.options().map((option) => [option.attributeName(), option.defaultValue as unknown]),
  );
}
