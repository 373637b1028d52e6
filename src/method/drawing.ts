import type { Matrix } from "../matrix/matrix.ts";

/** What a fitted clustering offers to look at, beyond its labels; a method gives what it has. */
export interface Drawing {
  /** (x - y)' M (x - y) on the features that were clustered, or on a projection of them. */
  readonly metric?: {
    readonly matrix: Matrix;
    readonly relevance: ArrayLike<number>;
    readonly eigenvalues: ArrayLike<number>;
    /** Features x components, where the matrix is on components. */
    readonly projection?: Matrix;
  };
  readonly tree?: Tree;
  /** Clusters against gamma along a clusterpath, and the gamma that was chosen. */
  readonly path?: {
    readonly gammas: ArrayLike<number>;
    readonly clusters: ArrayLike<number>;
    readonly chosen: number;
  };
  /** The objective after each iteration. */
  readonly history?: ArrayLike<number>;
  /** The group of each feature. */
  readonly columnGroups?: ArrayLike<number>;
  /** Where the method moved each row to, in the same features. */
  readonly moved?: Matrix;
}

/** A dendrogram or a clusterpath. Rows are 0 .. n - 1; the m-th merge makes cluster n + m. Heights do not fall. */
export interface Tree {
  readonly merges: readonly TreeMerge[];
  readonly rows: number;
  /** What the height is. */
  readonly height: string;
  readonly log?: boolean;
}

export interface TreeMerge {
  readonly a: number;
  readonly b: number;
  readonly height: number;
  readonly size: number;
}
