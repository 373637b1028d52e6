import type { Matrix, MatrixLike } from "../matrix/index.ts";
import type { Plain } from "../core/internal.ts";

/** The common part of every partition of rows, or of the nodes of a graph. */
export interface Partitioned extends Plain {
  readonly method: string;
  /** The number of clusters made. */
  readonly clusters: number;
  /** 0 .. clusters - 1 for each row; -1 in methods that leave rows out as noise. */
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
  readonly converged: boolean;
  readonly warnings: readonly string[];
}

/** The common part of every clustering of rows. */
export interface Clustered extends Partitioned {
  /** K x d, of methods that have them. */
  readonly centers?: Matrix;
  /** How new rows are placed. */
  readonly placement: Placement;
  /** The cluster of each row of Y. Training rows keep their cluster, up to ties. */
  predict(Y: MatrixLike): Int32Array;
}

/** What iterations leave that improve an objective. */
export interface Iterated {
  /** Of the returned partition. */
  readonly objective: number;
  readonly iterations: number;
  /** The objective after each iteration of the returned run. */
  readonly history: readonly number[];
}

/**
 * The rule by which new rows are placed:
 *
 *     nearest-center  the nearest centre, after a linear map if there is one
 *     stored-rows     the nearest rows that were clustered vote
 *     mixture         the most probable component
 *     kernel          the nearest centre in the feature space of a kernel
 *     projection      the nearest centre after an affine map, a field, or a map of kernels
 *     linkage         the cluster that the row would join
 *     tree            down the tree of divisions, to the nearer mean each time
 *     divergence      the centre of least Bregman divergence
 *     density         the cluster of the nearest row by mutual reachability, or none
 *
 * Labels that do not follow the rule, for example because of a pair, are kept with their rows (`KnownRows`).
 */
export type Placement =
  | "nearest-center"
  | "stored-rows"
  | "mixture"
  | "kernel"
  | "projection"
  | "linkage"
  | "tree"
  | "divergence"
  | "density";
