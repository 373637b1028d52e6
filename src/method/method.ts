import type { OnProgress } from "../core/index.ts";
import { form, type rule } from "../core/internal.ts";
import type { Pair, TextColumn } from "../data/index.ts";
import type { EngineTable, Labelling, Route } from "../engine/index.ts";
import type { FeatureRecord } from "../features/index.ts";
import type { Matrix, Sparse } from "../matrix/index.ts";
import type { RowBatch } from "../scale/index.ts";
import type { PlacingRule } from "./placingForm.ts";

/**
 * A method, declared once. The commands, their help, the explorer's controls and the tables of the documentation are
 * generated from this.
 */
export interface Method<Opened> {
  /** As on the command line: "cop-kmeans". */
  readonly name: string;
  /** As a heading: "k-means, hints kept". */
  readonly title: string;
  /** One sentence about its effect and use. */
  readonly sentence: string;
  /** Loads the code of the method. */
  open(): Promise<Opened>;
}

/** What the options of a call have in common: names, seed and progress are passed to methods that take them. */
export interface GivenOptions {
  readonly names?: readonly string[];
  readonly seed?: number;
  readonly onProgress?: OnProgress;
  /** Its own, by name. */
  readonly [own: string]: unknown;
}

/** A clustering method: also `--grid` and the model file follow from its needs and its fit. */
export interface ClusteringMethod extends Method<OpenMethod> {
  /** The heading in the list. */
  readonly group: string;
  readonly needs: Needs;
  /** Its time compared with the others; absent: about that of k-means. */
  readonly takes?: "longer" | "longest";
  /**
   * It learns column weights from pairs or known labels: with these it gets all columns, not only those with
   * weight.
   */
  readonly weighs?: true;
  /** It is near to another method: a comparison tries it only on request. */
  readonly onRequest?: true;
}

export interface Needs {
  /** The number of clusters. */
  readonly clusters: "required" | "optional";
  /** The option that may stand in for the number of clusters; the method refuses to run without either. */
  readonly instead?: string;
  /** Pairs of rows; absent: it takes none. */
  readonly pairs?: "required" | "optional";
  /** Known labels of some rows; absent: it takes none. */
  readonly labels?: "required" | "optional";
  /** It needs columns of one unit, because it also groups columns: a comparison tries it only on request. */
  readonly oneUnit?: true;
  /** It makes random choices. */
  readonly seed: boolean;
  /** It takes sparse rows without making them dense. */
  readonly sparse?: boolean;
  /** Its memory grows with the square of the rows. */
  readonly quadratic?: boolean;
  /**
   * Rows of a few columns up to which it is meant to fit all of them in about a minute, an estimate from how its time grows
   * (bench/many-rows.mjs runs it beyond); of more, a sample. Absent: any number.
   */
  readonly rows?: number;
}

/** The code of a method. */
export interface OpenMethod {
  /** All options by their names; those with a `control` are for people. */
  readonly options: rule.OptionRules;
  fit(X: Matrix | Sparse, options: FitOptions, context?: FitContext): Fitted | Promise<Fitted>;
  /** Loads its form for rows that do not fit into memory; absent: it needs all rows. */
  elsewhere?(): Promise<Elsewhere>;
}

/** A method over rows in a stream, or in a table of an engine, by passes over them. */
export interface Elsewhere {
  /** With the defaults for this form. */
  readonly options: rule.OptionRules;
  stream(pass: () => AsyncGenerator<RowBatch, void, undefined>, options: FitOptions): Promise<StreamFit>;
  onEngine(table: EngineTable, options: FitOptions): Promise<EngineFit>;
}

/** The result of passes over the rows: everything except their labels. */
export interface PassFit extends Omit<Fitted, "labels" | "drawing" | "call"> {
  readonly rows: number;
  readonly passes: number;
}

export interface StreamFit extends PassFit {
  /** The labels, by one more pass. */
  labels(): AsyncIterable<{ readonly labels: Int32Array; readonly ids?: TextColumn }>;
}

export interface EngineFit extends PassFit {
  /** The engine's rule for labels. */
  readonly labelling: Labelling;
  readonly route: Route;
}

/** The call of a method: the common options, and its own by name. */
export interface FitOptions {
  readonly clusters?: number;
  readonly seed?: number;
  readonly mustLink?: readonly Pair[];
  readonly cannotLink?: readonly Pair[];
  /** One per row, empty if unknown. */
  readonly labels?: readonly string[];
  readonly onProgress?: OnProgress;
  readonly [own: string]: unknown;
}

/** The facts about the columns of X. */
export interface FitContext {
  readonly names?: readonly string[];
  /** Their source, if it was a table. */
  readonly record?: FeatureRecord;
  /** The rows with column weights that ignore hints, if X has all columns: the input of the default. */
  readonly unhinted?: { readonly X: Matrix; readonly record: FeatureRecord };
  /** The table row of a row, and its name. */
  readonly tableRow?: (row: number) => number;
  readonly nameOf?: (row: number) => string;
}

/** How far a partition can be trusted. */
export const trustForm = form.record({
  word: form.choice("clear", "doubtful", "weak", "none"),
  /** The agreement to expect with the true groups (adjusted Rand), if calibrated; with "none", the probability that there are no groups. */
  probability: form.optional(form.number({ min: 0, max: 1 })),
  why: form.text(),
});

export interface Trust extends form.StoredOf<typeof trustForm> {}

/** The result of every clustering method. */
export interface Fitted {
  /** One per row; -1 for a row that belongs to no cluster. */
  readonly labels: Int32Array;
  readonly clusters: number;
  readonly sizes: ArrayLike<number>;
  readonly converged: boolean;
  readonly warnings: readonly string[];
  readonly objective?: number;
  readonly iterations?: number;
  readonly certificate?: object;
  readonly centers?: Matrix;
  /** How new rows are placed. */
  readonly placing: PlacingRule;
  /** A learned metric on the columns of X: (x - y)' M (x - y). */
  readonly metric?: Matrix;
  /** How far the partition can be trusted; absent if unknown. */
  readonly trust?: Trust;
  /** What the method takes for plausible, by which the partitions of others are judged. */
  readonly belief?: WeighedPartitions;
  /** Names of clusters that hints gave. */
  readonly names?: readonly (string | undefined)[];
  /** The method's own report: lines for people, fields for programs. */
  readonly facts: readonly Fact[];
  readonly details: object;
  readonly drawing: Drawing;
  /** The equivalent function of the library with its options; absent if it takes more than one call. */
  readonly call?: { readonly name: string; readonly options: object };
}

/** Partitions of some of the rows, and the weight of each. */
export interface WeighedPartitions {
  readonly rows: Int32Array;
  readonly partitions: readonly Int32Array[];
  readonly weights: Float64Array;
}

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

export type Fact = readonly [name: string, text: string];
