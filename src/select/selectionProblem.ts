import { inputError, noClass, optionError } from "../core/internal.ts";
import { asMatrix, type MatrixLike } from "../matrix/index.ts";
import { requireFinite } from "../matrix/internal.ts";
import type { Label, Labeling } from "../score/index.ts";
import { labelledRows, requireTwoClasses } from "../score/internal.ts";
import { type Discrete, type LevelTables, tablesOf, withVariable } from "./discrete.ts";
import { applyDiscretization, discretize, type Discretization } from "./discretize.ts";
import { informationTable, type InformationTable } from "./informationTable.ts";
import { type LevelCounts, occupiedClasses, tablesOfCounts } from "./levelCounts.ts";
import { pairInformation, type PairInformation, withPairInformation } from "./pairInformation.ts";
import type { ResolvedCounts, ResolvedSelect } from "./selection.ts";

/** A selection problem: the features and, after them, the class as discrete variables. */
export interface SelectionProblem {
  readonly tables: LevelTables;
  withPairs<R>(work: (pairs: PairInformation) => R): R;
  /** The number of the class among the variables. */
  readonly target: number;
  readonly classes: readonly Label[];
  /** How many to select. */
  readonly features: number;
  /** 1 for columns with two levels or more. */
  readonly candidates: Uint8Array;
  readonly constant: Int32Array;
  readonly discretization: Discretization;
  readonly names: readonly string[];
  readonly warnings: string[];
}

/** A problem with its rows. */
export interface RowsProblem extends SelectionProblem {
  readonly variables: Discrete;
  readonly table: InformationTable;
}

/** Number of features to select by default. */
export const DEFAULT_FEATURES: number = 20;

export function selectionProblem(
  method: string,
  input: MatrixLike,
  labels: Labeling,
  options: ResolvedSelect,
): RowsProblem {
  const X = asMatrix(input, method);
  const warnings: string[] = [];
  requireFeatures(method, options.features, X.cols);
  requireFinite(X);
  const { rows, codes, classes, counts } = labelledRows(method, X, labels);
  checkClasses(method, classes, counts, X.rows, warnings);
  const { discretize: kind, bins, names } = options;
  const discretization = discretize(rows, { kind, bins, names });
  const variables = withVariable(applyDiscretization(discretization, rows), codes, classes.length);
  const table = informationTable(rows.rows, options.estimator, options.unit);
  const varies = (f: number): boolean => {
    for (let i = 1; i < rows.rows; i++) if (rows.data[i * rows.cols + f] !== rows.data[f]) return true;
    return false;
  };
  return {
    variables,
    table,
    withPairs: (work) => withPairInformation(variables, table, false, work),
    ...problemOf(
      method,
      tablesOf(variables),
      { classes, discretization },
      options.features,
      warnings,
      varies,
    ),
  };
}

/** The same problem from counts: for columns with one level it is unknown whether their values vary. */
export function countsProblem(
  method: string,
  counts: LevelCounts,
  options: ResolvedCounts,
): SelectionProblem {
  const { discretization, rows, unlabelled } = counts;
  const warnings: string[] = [];
  requireFeatures(method, options.features, discretization.columns.length);
  if (counts.pairTables === undefined) {
    throw inputError(`${method} needs the counts of pairs, and these were made without (pairs: false)`);
  }
  const { classes, sizes } = occupiedClasses(counts);
  checkClasses(method, classes, sizes, rows + unlabelled, warnings);
  const tables = tablesOfCounts(counts);
  const table = informationTable(rows, options.estimator, options.unit);
  return {
    withPairs: (work) => work(pairInformation(tables, table)),
    ...problemOf(method, tables, { classes, discretization }, options.features, warnings),
  };
}

function requireFeatures(method: string, wanted: number | undefined, available: number): void {
  if (wanted === undefined || wanted <= available) return;
  throw optionError(`${method}: ${wanted} features are asked for, but there are only ${available}`);
}

/** @param varies whether the values of a column differ, if known */
function problemOf(
  method: string,
  tables: LevelTables,
  { classes, discretization }: Pick<SelectionProblem, "classes" | "discretization">,
  features: number | undefined,
  warnings: string[],
  varies?: (f: number) => boolean,
): Omit<SelectionProblem, "withPairs"> {
  const { columns, kind } = discretization;
  const d = columns.length;
  const candidates = new Uint8Array(d);
  for (let f = 0; f < d; f++) {
    const occupied = Array.from(tables.margin(f)).filter((count) => count > 0).length;
    candidates[f] = occupied > 1 ? 1 : 0;
  }
  const constant = Int32Array.from(candidates.keys()).filter((f) => candidates[f] === 0);
  warnConstant(constant, discretization, warnings, varies);
  const available = d - constant.length;
  if (available === 0) {
    throw inputError(
      `${method}: every column has one level only${kind === "given" ? "" : " once discretised"}`,
    );
  }
  const wanted = features ?? Math.min(DEFAULT_FEATURES, available);
  if (wanted > available) {
    warnings.push(
      `only ${available} of ${d} features have more than one level, so ${available} are selected`,
    );
  }
  return {
    tables,
    target: d,
    classes,
    features: Math.min(wanted, available),
    candidates,
    constant,
    discretization,
    names: columns,
    warnings,
  };
}

/** @param total number of rows, including those without a class */
function checkClasses(
  method: string,
  classes: readonly Label[],
  sizes: ArrayLike<number>,
  total: number,
  warnings: string[],
): void {
  requireTwoClasses(method, classes);
  const known = Array.from(sizes).reduce((sum, size) => sum + size, 0);
  if (known < total) warnings.push(noClass(total - known, total));
  if (classes.length > Math.max(10, known / 2)) {
    throw inputError(
      `${method}: there are ${classes.length} classes in ${known} rows; ` +
        `the labels look continuous: group them into a few classes first`,
    );
  }
  const single = classes.filter((_, c) => sizes[c] === 1);
  if (single.length > 0) {
    const listed = single.map((name) => `"${name}"`).join(", ");
    warnings.push(
      `${single.length === 1 ? "one class has" : `${single.length} classes have`} a single row (${listed}): ` +
        `what it says about a feature is chance`,
    );
  }
}

function warnConstant(
  constant: Int32Array,
  { kind, columns }: Discretization,
  warnings: string[],
  varies: ((f: number) => boolean) | undefined,
): void {
  const merged = Array.from(constant).filter((f) => varies === undefined || varies(f));
  const plain = constant.length - merged.length;
  if (plain > 0) warnings.push(`${plain} constant feature${plain === 1 ? " was" : "s were"} left out`);
  if (merged.length === 0) return;
  const listed = merged
    .slice(0, 5)
    .map((f) => columns[f])
    .join(", ");
  const count = `${merged.length} feature${merged.length === 1 ? "" : "s"}`;
  const named = `left out (${listed}${merged.length > 5 ? ", ..." : ""})`;
  warnings.push(
    varies === undefined
      ? `${count} with one level only under "${kind}" ${merged.length === 1 ? "was" : "were"} ${named}`
      : `${count} that vary fall into one level under "${kind}" and were ${named}; another discretization may keep them`,
  );
}
