import { unknownOption } from "../unknownOption.ts";
import type { OnProgress } from "../../core/index.ts";
import { inputError, option, optionError } from "../../core/internal.ts";
import { requireSquares } from "../../matrix/internal.ts";
import type { ClusterOptions } from "../cluster.ts";
import { COLUMN_OPTIONS, type Prepared } from "../prepare.ts";
import type { TaskRunner } from "./compareTasks.ts";
import type { MethodChoice } from "./methodChoices.ts";

/** The options of a comparison: the options of `cluster` for columns, and these. */
export interface CompareOptions extends ColumnChoice {
  /** The number of clusters; default: the number that the default of `cluster` finds. */
  readonly clusters?: number;
  readonly seed?: number;
  /** Names of methods, or methods with their own options; default: all that need only the rows. */
  readonly methods?: readonly (string | MethodChoice)[];
  /** Time limit in seconds for everything; the comparison uses the methods finished by then. Default 60. */
  readonly budget?: number;
  /** Number of resamples (80 % of the rows each) for the stability of every distinct partition; default 0. */
  readonly resamples?: number;
  /** Returning false compares the finished methods. */
  readonly onProgress?: OnProgress;
  /** Called after every method. */
  readonly onMethod?: (done: {
    readonly name: string;
    readonly seconds: number;
    readonly kept: boolean;
  }) => void;
  /** Called before resamples are drawn and fitted. */
  readonly onResample?: (plan: { readonly partitions: number; readonly resamples: number }) => void;
  /** Where the fits run; default: one after the other, in this thread. */
  readonly run?: TaskRunner;
  /** How options are written in messages. */
  readonly spell?: (option: string) => string;
}

type ColumnChoice = Pick<ClusterOptions, (typeof COLUMN_OPTIONS)[number]>;

const KNOWN: ReadonlySet<string> = new Set([
  ...COLUMN_OPTIONS,
  "clusters",
  "seed",
  "methods",
  "budget",
  "resamples",
  "onProgress",
  "onMethod",
  "onResample",
  "run",
  "spell",
]);

/** The given ones among these options. */
export function given(options: CompareOptions, names: readonly (keyof CompareOptions)[]): ClusterOptions {
  return Object.fromEntries(
    names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
}

export async function checkOptions(
  { table, X }: Prepared,
  { clusters, budget, resamples, ...rest }: CompareOptions,
): Promise<void> {
  for (const name of Object.keys(rest)) {
    if (!KNOWN.has(name)) throw unknownOption("compare", name, []);
  }
  if (X.rows < 3) throw inputError(`${table.source} has fewer than three rows; comparing needs three`);
  requireSquares(X, "compare");
  if (clusters !== undefined && !(Number.isSafeInteger(clusters) && clusters >= 1)) {
    throw optionError(`${option("clusters")} must be an integer, at least 1`);
  }
  if (clusters !== undefined && clusters > X.rows) {
    throw optionError(`${option("clusters")} is ${clusters}, but ${table.source} has only ${X.rows} rows`);
  }
  if (budget !== undefined && !(budget > 0)) {
    throw optionError(`${option("budget")} must be a number of seconds above 0`);
  }
  if (resamples !== undefined && !(Number.isSafeInteger(resamples) && resamples >= 0)) {
    throw optionError(`${option("resamples")} must be an integer, at least 0`);
  }
}
