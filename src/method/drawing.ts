import type { Matrix } from "../matrix/index.ts";

/** The data of a fitted clustering for pictures, beyond its labels; a method provides what it has. */
export interface Drawing {
  /** (x - y)' M (x - y) on the clustered features, or on a projection of them. */
  readonly metric?: {
    readonly matrix: Matrix;
    readonly relevance: ArrayLike<number>;
    readonly eigenvalues: ArrayLike<number>;
    /** Features x components, if the matrix is on components. */
    readonly projection?: Matrix;
  };
  readonly tree?: Tree;
  /** Numbers of clusters against gamma along a clusterpath, and the chosen gamma. */
  readonly path?: {
    readonly gammas: ArrayLike<number>;
    readonly clusters: ArrayLike<number>;
    readonly chosen: number;
  };
  /** The objective after each iteration. */
  readonly history?: ArrayLike<number>;
  /** The group of each feature. */
  readonly columnGroups?: ArrayLike<number>;
  /** The new position of each row, in the same features. */
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
