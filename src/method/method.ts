import type { Control, Rule } from "../core/options.ts";
import type { OnProgress } from "../core/progress.ts";
import type { Pair, TextColumn } from "../data/index.ts";
import type { EngineTable, Labelling, Route } from "../engine/index.ts";
import type { FeatureRecord } from "../features/index.ts";
import type { Matrix } from "../matrix/matrix.ts";
import type { Sparse } from "../matrix/sparse.ts";
import type { RowBatch } from "../scale/index.ts";
import type { Drawing } from "./drawing.ts";
import type { PlacingRule } from "./placing.ts";

/**
 * A clustering method, said once: what it is called, what it needs, its options, how it fits. The command line, its
 * help, `--grid`, the explorer's controls, the model file and the tables of the documentation are made from this.
 */
export interface ClusteringMethod {
  /** As on the command line: "cop-kmeans". */
  readonly name: string;
  /** As a heading: "k-means, hints kept". */
  readonly title: string;
  /** The heading that it is listed under. */
  readonly group: string;
  /** One sentence that says what it does and when to take it. */
  readonly sentence: string;
  readonly needs: Needs;
  /** How long it takes beside the others; absent: about as long as k-means. */
  readonly takes?: "longer" | "longest";
  /** From pairs or known labels it learns which columns count: with them it is given all, not those that count without. */
  readonly weighs?: true;
  /** Loads the code of the method. */
  open(): Promise<OpenMethod>;
}

export interface Needs {
  /** The number of clusters. */
  readonly clusters: "required" | "optional";
  /** Pairs of rows; absent: it takes none. */
  readonly pairs?: "required" | "optional";
  /** Known labels of some rows; absent: it takes none. */
  readonly labels?: "required" | "optional";
  /** Columns of one unit, as it also groups columns: a comparison tries it only where it is named. */
  readonly oneUnit?: true;
  /** It makes random choices. */
  readonly seed: boolean;
  /** It works on sparse rows as they are. */
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
  readonly options: OptionRules;
  fit(X: Matrix | Sparse, options: FitOptions, context?: FitContext): Fitted | Promise<Fitted>;
  /** Loads how it learns from rows that are never in memory at once; absent: it needs them all. */
  elsewhere?(): Promise<Elsewhere>;
}

/** A method over rows in a stream, or in a table of an engine, by passes over them. */
export interface Elsewhere {
  /** With the defaults that hold there. */
  readonly options: OptionRules;
  stream(pass: () => AsyncGenerator<RowBatch, void, undefined>, options: FitOptions): Promise<StreamFit>;
  onEngine(table: EngineTable, options: FitOptions): Promise<EngineFit>;
}

/** What passes over the rows give: everything but their labels. */
export interface PassFit extends Omit<Fitted, "labels" | "drawing" | "call"> {
  readonly rows: number;
  readonly passes: number;
}

export interface StreamFit extends PassFit {
  /** The labels, by one more pass. */
  labels(): AsyncIterable<{ readonly labels: Int32Array; readonly ids?: TextColumn }>;
}

export interface EngineFit extends PassFit {
  /** What the engine labels its rows by. */
  readonly labelling: Labelling;
  readonly route: Route;
}

export type OptionRules = Readonly<Record<string, Rule<never>>>;

/** What a method is called with: the common options, and its own by their names. */
export interface FitOptions {
  readonly clusters?: number;
  readonly seed?: number;
  readonly mustLink?: readonly Pair[];
  readonly cannotLink?: readonly Pair[];
  /** One per row, empty where it is not known. */
  readonly labels?: readonly string[];
  readonly onProgress?: OnProgress;
  readonly [own: string]: unknown;
}

/** What is known of the columns of X. */
export interface FitContext {
  readonly names?: readonly string[];
  /** What they were made from, where that was a table. */
  readonly record?: FeatureRecord;
  /** The rows with columns weighed without hints, where X has them all: what the default is found on. */
  readonly unhinted?: { readonly X: Matrix; readonly record: FeatureRecord };
  /** The row of the table that a row is, and what people call it. */
  readonly tableRow?: (row: number) => number;
  readonly nameOf?: (row: number) => string;
}

/** What every clustering method gives. */
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
  /** What the method has to say of itself: lines for people, fields for programs. */
  readonly facts: readonly Fact[];
  readonly details: object;
  readonly drawing: Drawing;
  /** The function of the library and its options that do the same; absent where it takes more than one call. */
  readonly call?: { readonly name: string; readonly options: object };
}

export type Fact = readonly [name: string, text: string];

/** An option of a method as people see it. */
export interface ShownOption {
  readonly name: string;
  readonly fallback: unknown;
  readonly control: Control;
}

/** Options that every method is given in the same way, and that are not listed as its own. */
const COMMON: ReadonlySet<string> = new Set(["clusters", "seed", "mustLink", "cannotLink", "labels"]);

/** The options of a method that people may set, in the order of their declaration. */
export function shownOptions(rules: OptionRules): ShownOption[] {
  return Object.entries(rules).flatMap(([name, { control, fallback }]) =>
    control === undefined || COMMON.has(name) ? [] : [{ name, fallback, control }],
  );
}

/** The value that a text stands for, or undefined where it is none that the option takes. */
export function parseValue({ kind, choices, ...range }: Control, text: string): unknown {
  if (kind === "choice") return choices!.find((choice) => String(choice) === text);
  if (kind === "flag") return text === "true" ? true : text === "false" ? false : undefined;
  if (kind === "numbers") {
    const values = text.split(",").map((part) => parseValue({ kind: "number", ...range }, part));
    return values.includes(undefined) ? undefined : values;
  }
  const value = Number(text);
  const { min = -Infinity, max = Infinity, above = -Infinity, below = Infinity } = range;
  const inRange = value >= min && value <= max && value > above && value < below;
  const whole = kind === "number" || Number.isSafeInteger(value);
  return text.trim() !== "" && Number.isFinite(value) && inRange && whole ? value : undefined;
}

/** What an option takes, in words: "an integer, at least 1". */
export function expectation({ kind, choices, min, max, above, below }: Control): string {
  if (kind === "choice") return `one of ${choices!.join(", ")}`;
  if (kind === "flag") return "true or false";
  const bounds = [
    ...(min === undefined ? [] : [`at least ${min}`]),
    ...(above === undefined ? [] : [`above ${above}`]),
    ...(max === undefined ? [] : [`at most ${max}`]),
    ...(below === undefined ? [] : [`below ${below}`]),
  ];
  const what = { integer: "an integer", number: "a number", numbers: "numbers, separated by commas" }[kind];
  return [what, ...bounds].join(", ");
}

/** What happens when an option is not given: "10", "by the size of the data"; nothing for a switch. */
export function fallbackText({ fallback, control }: ShownOption): string | undefined {
  if (control.usual !== undefined) return control.usual;
  if (fallback === undefined || control.kind === "flag") return undefined;
  return String(fallback);
}

/** Options that every method of a family is offered, and that not all take. */
const OFFERED: ReadonlySet<string> = new Set(["names", "seed", "onProgress"]);

/** The options to call a method with: those that were given, and of those offered to all the ones that it takes. */
export function passed(rules: OptionRules, given: object): object {
  return Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) => value !== undefined && (name in rules || !OFFERED.has(name)),
    ),
  );
}
