import type { Option } from "commander";
import type { OnProgress } from "../core/progress.ts";
import type { Embedding } from "../embed/index.ts";
import type { Matrix } from "../matrix/matrix.ts";
import type { Sparse } from "../matrix/sparse.ts";

/** What an embedding may use of the command line: the common options and its own, by their attribute names. */
export interface EmbedOptions {
  readonly dims: number;
  readonly clusters?: number;
  readonly seed?: number;
  readonly onProgress: OnProgress;
  readonly own: Readonly<Record<string, unknown>>;
}

/** What `kindred embed` shows of an embedding. */
export interface Embedded extends Pick<Embedding, "embedding" | "converged" | "iterations" | "warnings"> {
  /** For a file. */
  readonly model: object;
  /** Lines of the report that only this method has. */
  readonly lines?: readonly (readonly [string, string])[];
}

/** A file of embeddings/: how one embedding is reached from the command line. */
export interface EmbedFile {
  readonly accepts: {
    readonly clusters: "required" | "optional" | "no";
    readonly seed: boolean;
    readonly sparse: boolean;
  };
  /** Its own options, shown by `kindred embed --method NAME --help`. */
  options(): readonly Option[];
  run(X: Matrix | Sparse, options: EmbedOptions): Embedded | Promise<Embedded>;
}

export interface EmbedMethod {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<EmbedFile>;
}

/** Every method of `kindred embed`. A new one is a file in embeddings/ and an entry here. */
export const embedMethods: readonly EmbedMethod[] = [
  {
    name: "pca",
    summary: "the directions of largest variance; sparse data stays sparse",
    load: () => import("./embeddings/pca.ts"),
  },
  {
    name: "kernel-pca",
    summary: "the same in the feature space of a kernel; for curved data of up to a few thousand rows",
    load: () => import("./embeddings/kernelPca.ts"),
  },
  {
    name: "cpd-uml",
    summary: "singular vectors of the rows after a smooth field has moved them towards --clusters",
    load: () => import("./embeddings/cpdUml.ts"),
  },
  {
    name: "aml",
    summary: "the linear projection under which a partition into --clusters is best",
    load: () => import("./embeddings/aml.ts"),
  },
  {
    name: "naml",
    summary: "the same in the feature space of a kernel",
    load: () => import("./embeddings/naml.ts"),
  },
  {
    name: "rpca-om",
    summary: "the plane nearest to the rows by distances, not squares: outliers pull less",
    load: () => import("./embeddings/rpcaOm.ts"),
  },
  {
    name: "fme",
    summary: "smooth on the graph of neighbours and almost affine",
    load: () => import("./embeddings/fme.ts"),
  },
];
