import type { Missing, Pair, ScaleKind } from "kindred/data";

/**
 * What the page and its worker say to each other. The page keeps the table, in shared memory where the browser allows
 * it, and sends it along with every question, so that the worker holds nothing: ending it loses nothing.
 */
export type DataSource =
  | { readonly kind: "named"; readonly name: string; readonly options: Readonly<Record<string, number>> }
  | { readonly kind: "file"; readonly name: string; readonly file: Blob };

/** How the columns of a file are read; what is absent is guessed from names and contents. */
export interface Reading {
  /** The column of known classes; empty for none. */
  readonly label?: string;
  /** Columns of text to encode as 0 and 1. */
  readonly encode: readonly string[];
  readonly missing?: Missing;
}

export interface ColumnInfo {
  readonly name: string;
  readonly text: boolean;
  readonly role: "feature" | "label" | "id" | "left out" | "encoded";
}

export interface TextValues {
  readonly name: string;
  readonly values: readonly string[];
}

export interface TableData {
  readonly source: string;
  readonly rows: number;
  /** One name per column of `values`. */
  readonly names: readonly string[];
  /** Row-major, rows x names. */
  readonly values: Float64Array;
  readonly columns: readonly ColumnInfo[];
  readonly label?: TextValues;
  readonly ids?: TextValues;
  readonly notes: readonly string[];
  /** How a command line or a program reads the same table. */
  readonly origin: Origin;
}

export interface Origin {
  readonly name: string;
  /** Of a generated set. */
  readonly generator?: Readonly<Record<string, number>>;
  readonly label?: string;
  readonly id?: string;
  readonly ignore: readonly string[];
  readonly encode: readonly string[];
  readonly missing?: Missing;
}

export type OwnValue = string | number | boolean;

/** A method with its options and hints. */
export interface MethodChoice {
  readonly method: string;
  readonly clusters?: number;
  readonly seed: number;
  readonly own: Readonly<Record<string, OwnValue>>;
  readonly same: readonly Pair[];
  readonly different: readonly Pair[];
}

export interface SolveQuestion extends MethodChoice, RowsQuestion {}

/** Two dimensions of the rows: x and y of each row in turn. */
export interface View {
  readonly xy: Float32Array;
  readonly axes: readonly [string, string];
}

export interface Solution {
  readonly method: string;
  readonly labels: Int32Array;
  readonly sizes: readonly number[];
  readonly converged: boolean;
  readonly warnings: readonly string[];
  /** What the method has to say about itself. */
  readonly facts: readonly (readonly [string, string])[];
  readonly seconds: number;
  readonly features: readonly Feature[];
  /** The learned metric on the scaled features, row-major; absent if none was learned. */
  readonly metric?: Float64Array;
  /** The rows under the metric, n x dimensions. */
  readonly space: { readonly values: Float32Array; readonly dimensions: number };
  readonly plain: View;
  /** In the learned metric. */
  readonly learned?: View;
  /** In words, what makes each cluster differ. */
  readonly profiles: readonly string[];
  readonly command: string;
  readonly code: string;
  /** The fitted model for a file. */
  readonly model: object;
}

export interface Feature {
  readonly name: string;
  /** Its column in the table. */
  readonly column: number;
  readonly center: number;
  readonly scale: number;
  /** Share of the mean squared distance. */
  readonly weight: number;
  /** Share of its variance that lies between the clusters, 0 to 1. */
  readonly separation: number;
}

/** The rows as they are clustered. */
export interface RowsQuestion {
  readonly table: TableData;
  /** Names of the features left out. */
  readonly off: readonly string[];
  readonly scale: ScaleKind;
}

export interface PathQuestion extends RowsQuestion {
  /** The metric that the path is followed in, and the clusters that its view is chosen by. */
  readonly learned?: { readonly metric: Float64Array; readonly labels: Int32Array };
}

/** From every row apart to all in one. */
export interface FusionPath {
  readonly steps: readonly {
    readonly gamma: number;
    readonly clusters: number;
    readonly labels: Int32Array;
    readonly xy: Float32Array;
  }[];
  readonly axes: readonly [string, string];
  readonly warnings: readonly string[];
  /** What gives the partition of a step, with GAMMA in the place of its gamma; not where a metric was learned before. */
  readonly equivalent?: { readonly command: string; readonly code: string };
}

/** What stands for gamma in these. */
export const GAMMA = "GAMMA";

export interface ReportQuestion extends SolveQuestion {
  readonly solution: Pick<Solution, "labels" | "sizes" | "converged" | "warnings" | "facts" | "metric">;
  readonly command: string;
  readonly code: string;
}

/** An option of a method as the page shows it. */
export type OptionShown =
  | {
      readonly name: string;
      readonly label: string;
      readonly kind: "number";
      readonly default: number;
      readonly min: number;
      readonly max: number;
      readonly step: number;
    }
  | {
      readonly name: string;
      readonly label: string;
      readonly kind: "choice";
      /** How the command spells it, where it is not the library's name with dashes. */
      readonly flag?: string;
      readonly default: string;
      readonly choices: readonly string[];
    }
  | { readonly name: string; readonly label: string; readonly kind: "flag" };

/** What the page knows of a method; how it runs is known to the worker. */
export interface MethodShown {
  readonly name: string;
  readonly title: string;
  /** The heading that it is listed under. */
  readonly group: string;
  readonly summary: string;
  readonly clusters: "required" | "optional";
  /** Whether it takes hints; "needed": it cannot do without both kinds. */
  readonly pairs: "no" | "taken" | "needed";
  readonly options: readonly OptionShown[];
}

export interface Questions {
  open: { readonly asked: { source: DataSource; reading: Reading }; readonly answer: TableData };
  /** The rows before anything is known about them. */
  look: { readonly asked: RowsQuestion; readonly answer: View };
  solve: { readonly asked: SolveQuestion; readonly answer: Solution };
  path: { readonly asked: PathQuestion; readonly answer: FusionPath };
  report: { readonly asked: ReportQuestion; readonly answer: string };
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
