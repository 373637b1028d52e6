import type { AppendedColumn, Column, Contradiction, NumberTable, Pair, ReadFile } from "kindred/data";
import type { FeatureColumn, FeatureScale, MissingCells } from "kindred/features";
import type { Needs } from "kindred/method";
import type { Profile, Representatives, Trust } from "kindred/model";
import type { Contrast } from "kindred/report";

/**
 * The messages between the page and its worker. The page keeps the table. A worker gets it with the first
 * question and keeps it, so later questions carry only its number; a worker that replaces another gets it
 * again. Ending a worker loses nothing.
 */
export type DataSource =
  | { readonly kind: "named"; readonly name: string; readonly options: Readonly<Record<string, number>> }
  | { readonly kind: "file"; readonly name: string; readonly file: Blob; readonly with?: Beside };

/** A file with the same rows, whose columns stand beside those of another. */
export interface Beside {
  readonly name: string;
  readonly file: Blob;
}

/** How the columns of a file are read; absent fields are decided by the cells. */
export interface Reading {
  /** The column of known classes; empty for none; absent: guessed from its name. */
  readonly label?: string;
  /** The kinds of columns: "number", "category", "text", "id", ... */
  readonly as: Readonly<Record<string, string>>;
}

/** A table as it was read. Numbers are in shared memory where the browser allows it. */
export interface TableData {
  /** Identifies tables, in the page and in its workers. */
  readonly key: number;
  readonly source: string;
  readonly rows: number;
  readonly columns: readonly Column[];
  /** The column of known classes, which no method sees. */
  readonly label?: string;
  /** The column that names the rows. */
  readonly id?: string;
  readonly notes: readonly string[];
  /** The options with which a command line or a program reads the same table. */
  readonly origin: Origin;
  /** What is needed to read the cells of a file again as they are written. */
  readonly files?: readonly ReadFile[];
  /** For a LIBSVM file: its numbers, which are used unscaled. */
  readonly numbers?: NumberTable;
}

/** A table that the worker already has. */
export interface KnownTable {
  readonly key: number;
}

export interface Origin {
  readonly name: string;
  readonly kind: "named" | "file" | "sparse";
  /** Of a generated set. */
  readonly generator?: Readonly<Record<string, number>>;
  readonly as: Readonly<Record<string, string>>;
  /** The file beside it. */
  readonly with?: string;
}

/** An option of a method; a list of numbers is a text to the page. */
export type OwnValue = string | number | boolean | readonly number[];

/** A statement about several rows at once, as the user made it. */
export type Statement =
  | { readonly kind: "together"; readonly rows: readonly number[] }
  | { readonly kind: "apart"; readonly rows: readonly number[]; readonly others: readonly number[] };

/** Manual changes to the clusters, in order; numbers are those at the time of the change. */
export type Edit =
  | { readonly kind: "merge"; readonly clusters: readonly number[] }
  | { readonly kind: "split"; readonly cluster: number; readonly into?: number };

/** A method with its options and hints. */
export interface MethodChoice {
  readonly method: string;
  readonly clusters?: number;
  readonly seed: number;
  readonly own: Readonly<Record<string, OwnValue>>;
  readonly same: readonly Pair[];
  readonly different: readonly Pair[];
  readonly statements: readonly Statement[];
}

export interface CopyQuestion {
  readonly table: TableData;
  readonly file: Blob;
  readonly columns: readonly AppendedColumn[];
}

/** The rows in the form used for clustering. */
export interface RowsQuestion {
  readonly table: TableData;
  /** Names of the columns left out. */
  readonly off: readonly string[];
  readonly scale: FeatureScale;
  /** "auto": columns are weighted by their relation to others; "equal": all have the same weight. */
  readonly weights: "auto" | "equal";
  /** The treatment of rows with missing cells. */
  readonly missing: MissingCells;
  /** The method for which the rows are prepared. */
  readonly method?: string;
  /**
   * There are hints: a method that learns weights then also gets columns that are unrelated to the others.
   */
  readonly told?: boolean;
  readonly seed: number;
}

export interface SolveQuestion extends MethodChoice, RowsQuestion {
  readonly method: string;
  /** Manual changes to the clusters. */
  readonly edits: readonly Edit[];
  /** Names of the clusters; absent: suggested. */
  readonly names?: readonly string[];
}

/** Two dimensions of the rows: x and y of each row in turn. */
export interface View {
  readonly xy: Float32Array;
  readonly axes: readonly [string, string];
}

/** The rows before any clustering, and the conversion of the columns. */
export interface Look {
  readonly view: View;
  readonly columns: readonly FeatureColumn[];
  readonly notes: readonly string[];
}

export interface Solution {
  readonly method: string;
  /** -1: in no cluster. */
  readonly labels: Int32Array;
  readonly sizes: readonly number[];
  /** The names of the clusters: given, or suggested. */
  readonly names: readonly string[];
  /** This concerns the method's objective, not whether the groups are right. */
  readonly converged: boolean;
  /** The relative duality gap: what is proved of the optimum. */
  readonly gap?: number;
  /** How far the groups can be trusted; absent if unknown. */
  readonly trust?: Trust;
  readonly warnings: readonly string[];
  /** The method's own report lines. */
  readonly facts: readonly (readonly [string, string])[];
  readonly seconds: number;
  /** The conversion of each column. */
  readonly columns: readonly FeatureColumn[];
  /** The weight of each column, and its share of variance between the clusters. */
  readonly features: readonly Feature[];
  /** The learned metric on the numbers of the rows, row-major; absent if none was learned. */
  readonly metric?: Float64Array;
  /** The rows as numbers, n x dimensions, with the column of the table that each number comes from. */
  readonly numbers: {
    readonly values: Float32Array;
    readonly dimensions: number;
    readonly sources: readonly string[];
  };
  /** The rows under the metric, n x dimensions. */
  readonly space: { readonly values: Float32Array; readonly dimensions: number };
  readonly plain: View;
  /** In the learned metric. */
  readonly learned?: View;
  /** What makes each cluster differ. */
  readonly profiles: readonly Profile[];
  /** Typical rows of each cluster, and borderline rows. */
  readonly representatives: readonly Representatives[];
  /** The top of the tree, where the method has one. */
  readonly tree?: TreeShown;
  /** The method used the known classes: agreement with them is not evidence. */
  readonly given?: boolean;
  /** For the automatic choice: the numbers of clusters tried. */
  readonly path?: readonly PathEntry[];
  /** Rows that look as if they belong to no cluster. */
  readonly outliers?: readonly number[];
  /** What hints taught. */
  readonly taught?: Taught;
  readonly command: string;
  readonly code: string;
  /** The model file. */
  readonly model: Blob;
}

/** The last merges of a tree: leaves are numbered first, then the merges in their order. */
export interface TreeShown {
  /** What the height is. */
  readonly height: string;
  /** Folded branches: the number of rows, one of them, and the cluster of all of them, or -1. */
  readonly leaves: readonly { readonly size: number; readonly row: number; readonly cluster: number }[];
  readonly merges: readonly { readonly a: number; readonly b: number; readonly height: number }[];
}

export interface PathEntry {
  readonly clusters: number;
  /** Of the best partition into this number: expected agreement and own evidence. */
  readonly support: number;
}

export interface Feature {
  readonly column: string;
  /** Share of the mean squared distance. */
  readonly weight: number;
  /** Share of its variance that lies between the clusters, 0 to 1; not known of a vector or a text. */
  readonly separation: number | undefined;
}

/** The report of the method that learns from hints. */
export interface Taught {
  readonly answers: number;
  /** Share of the held-out hints that were predicted. */
  readonly foreseen: number;
  /** The hints do not support a change, so the default partition was kept. */
  readonly guarded: boolean;
  /** Rows in another cluster than without the hints. */
  readonly moved: readonly { readonly row: number; readonly why: "hint" | "vote" }[];
  /** Share of each column in the distance, before and after, largest first. */
  readonly columns: readonly { readonly name: string; readonly before: number; readonly after: number }[];
  readonly contradictions: readonly Contradiction[];
  readonly advice: string;
}

export interface PathQuestion extends RowsQuestion {
  /** The learned metric, and the clusters that determine its view. */
  readonly learned?: { readonly metric: Float64Array; readonly labels: Int32Array };
}

/** The positions of the rows in the neighbour layout, and notes about it. */
export interface Layout extends View {
  readonly notes: readonly string[];
}

/** From separate rows to one cluster. */
export interface FusionPath {
  readonly steps: readonly {
    readonly gamma: number;
    readonly clusters: number;
    readonly labels: Int32Array;
    readonly xy: Float32Array;
  }[];
  readonly axes: readonly [string, string];
  readonly warnings: readonly string[];
  /**
   * The call that gives the partition of a step, with GAMMA instead of its gamma; absent if a metric was
   * learned.
   */
  readonly equivalent?: { readonly command: string; readonly code: string };
}

/** The placeholder for gamma in these. */
export const GAMMA = "GAMMA";

/** The rows to place by a model file, and their own file if there is one. */
export interface PlaceQuestion {
  readonly table: TableData;
  readonly file?: Blob;
  readonly model: Blob;
}

export interface Placed {
  readonly labels: Int32Array;
  readonly sizes: readonly number[];
  readonly names: readonly string[];
  readonly notes: readonly string[];
}

/** Which pair of rows to ask about next. */
export interface JudgeQuestion extends RowsQuestion {
  readonly clusters?: number;
  readonly same: readonly Pair[];
  readonly different: readonly Pair[];
  readonly statements: readonly Statement[];
  readonly skipped: readonly Pair[];
  /** The partition without hints, if known: the start of the questions. */
  readonly free?: Int32Array;
}

export interface Judged {
  readonly pair: Pair;
  readonly why: string;
  /** Further questions stop paying. */
  readonly enough: boolean;
  /** Share of the rows whose cluster is undecided. */
  readonly open: number;
}

/** The request to compare all methods. */
export interface CompareQuestion extends RowsQuestion {
  readonly clusters?: number;
}

export interface Compared {
  /** The distinct ones, the recommended one first. */
  readonly partitions: readonly ComparedShown[];
  /** Methods without a result, and why. */
  readonly failed: readonly string[];
  /** Which to take. */
  readonly words: string;
}

export interface ComparedShown {
  /** What gives it again. */
  readonly choice: {
    readonly method: string;
    readonly clusters: number | undefined;
    readonly own: Readonly<Record<string, OwnValue>>;
  };
  /** The methods that found it. */
  readonly titles: readonly string[];
  readonly sizes: readonly number[];
  readonly labels: Int32Array;
  /** Adjusted Rand index with the recommended one. */
  readonly agreement: number;
  readonly expected: number | null;
  /** The difference from the recommended one: in words, and the number of rows. */
  readonly differs?: string;
  readonly moved?: number;
}

/** The contents of a column. */
export type ColumnSummary =
  | {
      readonly name: string;
      readonly kind: "numbers";
      readonly missing: number;
      readonly low: number;
      readonly high: number;
      readonly bins: number;
      readonly counts: Uint32Array;
    }
  | {
      readonly name: string;
      readonly kind: "levels";
      readonly missing: number;
      /** The most frequent ones. */
      readonly levels: readonly { readonly code: number; readonly level: string; readonly count: number }[];
      /** How many there are. */
      readonly all: number;
    }
  | { readonly name: string; readonly kind: "other"; readonly missing: number };

/** A part of a column: a range, both ends included, or some of its levels. */
export type Brush = { readonly from: number; readonly to: number } | { readonly levels: readonly number[] };

/** Stands for the cluster in place of a column name. */
export const CLUSTER_KEY = "\u0000cluster";

/** Stands for the nearness to a row. */
export const NEAR_KEY = "\u0000near";

/** Which rows are listed, and in which order. */
export interface BrowseQuestion {
  readonly table: TableData;
  readonly brushes: Readonly<Record<string, Brush>>;
  readonly text: string;
  readonly order?: { readonly column: string; readonly down: boolean };
  /** The distances that order the rows by nearness. */
  readonly distances?: Float32Array;
  /** The clusters, if requested, and the only cluster to list. */
  readonly labels?: ArrayLike<number>;
  readonly only?: number;
}

export interface Browsed {
  readonly rows: Int32Array;
  /** 1 for each row inside the brushes; absent: there are none. */
  readonly inside?: Uint8Array;
  /** For each column: its histogram, or the counts of its frequent levels, in these rows; absent: they are all rows. */
  readonly counts?: readonly (Uint32Array | undefined)[];
}

export interface ContrastQuestion {
  readonly table: TableData;
  readonly labels: ArrayLike<number>;
  readonly profiles: readonly Pick<Profile, "differences">[];
}

/** An option of a method as the page shows it. */
export interface OptionShown {
  readonly name: string;
  readonly label: string;
  /** What it does. */
  readonly says: string;
  readonly kind: "integer" | "number" | "numbers" | "choice" | "flag";
  /** The default, in words. */
  readonly usual?: string;
  readonly fallback?: OwnValue;
  readonly min?: number;
  readonly max?: number;
  /** Exclusive bounds. */
  readonly above?: number;
  readonly below?: number;
  readonly choices?: readonly (string | number)[];
}

/** What the page knows about a method; its options are loaded when it is chosen. */
export interface MethodShown {
  readonly name: string;
  readonly title: string;
  /** The heading in the list. */
  readonly group: string;
  readonly sentence: string;
  readonly needs: Needs;
}

export interface Questions {
  options: { readonly asked: { readonly method: string }; readonly answer: readonly OptionShown[] };
  open: {
    readonly asked: { readonly key: number; readonly source: DataSource; readonly reading: Reading };
    readonly answer: TableData;
  };
  look: { readonly asked: RowsQuestion; readonly answer: Look };
  solve: { readonly asked: SolveQuestion; readonly answer: Solution };
  path: { readonly asked: PathQuestion; readonly answer: FusionPath };
  /** The neighbours are those in the learned metric, if there is one. */
  layout: { readonly asked: PathQuestion; readonly answer: Layout };
  judge: { readonly asked: JudgeQuestion; readonly answer: Judged | undefined };
  report: { readonly asked: SolveQuestion; readonly answer: string };
  compare: { readonly asked: CompareQuestion; readonly answer: Compared };
  summary: { readonly asked: { readonly table: TableData }; readonly answer: readonly ColumnSummary[] };
  browse: { readonly asked: BrowseQuestion; readonly answer: Browsed };
  contrast: {
    readonly asked: ContrastQuestion;
    readonly answer: readonly (readonly Contrast[])[];
  };
  /** The rows of the file as they are written, as CSV, with these columns after them. */
  copy: { readonly asked: CopyQuestion; readonly answer: Blob };
  /** The clusters that a model file gives the rows. */
  place: { readonly asked: PlaceQuestion; readonly answer: Placed };
  /** The fingerprint of a file: its length and a hash of its bytes. */
  fingerprint: { readonly asked: { readonly file: Blob }; readonly answer: string };
}

export type QuestionKind = keyof Questions;

export interface Told {
  readonly fraction: number;
  readonly label: string;
}

export type FromWorker =
  | { readonly type: "hello"; readonly methods: readonly MethodShown[] }
  | { readonly type: "progress"; readonly id: number; readonly told: Told }
  | { readonly type: "answer"; readonly id: number; readonly answer: unknown }
  | { readonly type: "failure"; readonly id: number; readonly message: string };

export interface ToWorker {
  readonly id: number;
  readonly kind: QuestionKind;
  readonly asked: unknown;
}
