import { inputError, noClass, optionError, rule } from "../core/internal.ts";
import { asMatrix, type MatrixLike } from "../matrix/index.ts";
import { requireFinite } from "../matrix/internal.ts";
import type { Label, Labeling } from "../score/index.ts";
import { labelledRows, requireTwoClasses } from "../score/internal.ts";
import {
  tablesOf,
  withVariable,
  occupiedClasses,
  tablesOfCounts,
  type LevelTables,
  type LevelCounts,
} from "./discrete.ts";
import { applyDiscretization, discretize, type Discretization } from "./discretize.ts";
import {
  informationTable,
  pairInformation,
  withPairInformation,
  type Estimator,
  type JointInformation,
  type Unit,
  type PairInformation,
} from "./pairInformation.ts";
import type { ChowLiuTree } from "./chowLiuTree.ts";
import { INFORMATION_RULES } from "./information.ts";

/** A selection problem: the features and, after them, the class as discrete variables. */
export interface SelectionProblem<P extends PairInformation = PairInformation> {
  readonly tables: LevelTables;
  withPairs<R>(work: (pairs: P) => R): R;
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

/** Number of features to select by default. */
export const DEFAULT_FEATURES: number = 20;

export function selectionProblem(
  method: string,
  input: MatrixLike,
  labels: Labeling,
  options: ResolvedSelect,
): SelectionProblem<JointInformation> {
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

const COUNTS_RULES = {
  ...INFORMATION_RULES,
  /** Number of features to select; default 20, or all if there are fewer. */
  features: rule.integer({ min: 1 }),
};

/** The common options of the selections. */
export const SELECT_RULES = {
  ...COUNTS_RULES,
  /** How values become levels; see `discretize`. */
  discretize: rule.oneOf(["sigma", "width", "frequency", "given"], "sigma", {
    says: "how values become levels; sigma cuts at mean - sd and mean + sd",
  }),
  /** Number of intervals of the discretizations "width" and "frequency". */
  bins: rule.integer({ min: 2, max: 256, says: "number of levels, for width and frequency", usual: "5" }),
  /** Column names; default c0, c1, ... */
  names: rule.given<readonly string[]>("an array of names", Array.isArray),
};

export type SelectOptions = rule.OptionsOf<typeof SELECT_RULES>;
type ResolvedCounts = rule.ResolvedOptions<typeof COUNTS_RULES>;
type ResolvedSelect = rule.ResolvedOptions<typeof SELECT_RULES>;

/** Options of a selection from counts, which fix levels and names. */
export type FromCounts<O extends SelectOptions> = Omit<O, "discretize" | "bins" | "names">;

/** A selection method, from a ranking without features. */
type Steps<R, S, P extends PairInformation> = (
  problem: SelectionProblem<P>,
  options: rule.ResolvedOptions<R>,
  ranking: Ranking,
  pairs: P,
) => S;

/** A selection from rows: options, problem and result of the method `steps`. */
export function selectedFromRows<R extends typeof SELECT_RULES, S>(
  method: string,
  [X, labels, options]: readonly [MatrixLike, Labeling, rule.OptionsOf<R>],
  rules: R,
  steps: Steps<R, S, JointInformation>,
): S {
  const resolved = rule.resolveOptions<R>(method, options, rules);
  const problem = selectionProblem(method, X, labels, resolved as ResolvedSelect);
  return problem.withPairs((pairs) => steps(problem, resolved, startRanking(problem, pairs), pairs));
}

/** The same from counts. */
export function selectedFromCounts<R extends typeof SELECT_RULES, S>(
  method: string,
  [counts, options]: readonly [LevelCounts, FromCounts<SelectOptions>],
  rules: R,
  steps: Steps<R, S, PairInformation>,
): S {
  const known = rule.without(rules, "discretize", "bins", "names") as rule.OptionRules;
  const resolved = rule.resolveOptions(method, options, known) as rule.ResolvedOptions<R>;
  const problem = countsProblem(method, counts, resolved as ResolvedCounts);
  return problem.withPairs((pairs) => steps(problem, resolved, startRanking(problem, pairs), pairs));
}

/** The selected features, the first choice first; arrays are by rank. */
export interface Selection {
  readonly method: string;
  /** Columns of X. */
  readonly features: Int32Array;
  readonly names: readonly string[];
  /** The criterion by which each was chosen. */
  readonly scores: Float64Array;
  /** The gain of each in the score, if the criterion concerns the whole set. */
  readonly gains?: Float64Array;
  /** I(feature; class). */
  readonly relevance: Float64Array;
  /** Mean of I(feature; feature selected before); 0 for the first. */
  readonly redundancy: Float64Array;
  /** Tree of the selected features and the class; only for `chowLiuSelect`. */
  readonly tree?: ChowLiuTree;
  /** Features from this rank on were chosen by mRMR because no gain was left; only of `chowLiuSelect`. */
  readonly filledFrom?: number;
  /**
   * No set with the same number of features has a higher score than `upperBound`; if the criterion concerns
   * the whole set.
   */
  readonly certificate?: SelectionCertificate;
  /** Columns with only one level, which were never candidates. */
  readonly constant: Int32Array;
  readonly discretization: Discretization;
  readonly estimator: Estimator;
  /** Unit of scores, relevance and redundancy. */
  readonly unit: Unit;
  readonly warnings: readonly string[];
  /** The JSON form: typed arrays as arrays. */
  toJSON(): object;
}

export interface SelectionCertificate {
  readonly score: number;
  readonly upperBound: number;
  readonly gap: number;
}

/**
 * The state of a greedy selection: the selected features, the candidates, and the information of the selected
 * ones about each of the others. Rows of mutual information are computed when a feature is selected, so k
 * features cost k rows.
 */
export interface Ranking {
  /** Columns of X, the first choice first. */
  readonly selected: readonly number[];
  /** I(i; class) of every feature. */
  readonly relevance: Float64Array;
  /** sum_b I(i; b) over the selected b, of every feature. */
  readonly shared: Float64Array;
  /** Rows of mutual information of the selected, by rank. */
  readonly rows: readonly Float64Array[];
  /**
   * The candidate with the largest value; values within 1e-12 are a tie, broken by relevance and then by
   * order.
   */
  best(value: (i: number) => number): number;
  /** The same, but copies of selected features, possibly with renamed levels (for example negated), come last. */
  bestOriginal(value: (i: number) => number): number;
  select(feature: number, score: number): void;
  /** The common parts of a `Selection`. */
  result(options: Pick<Selection, "estimator" | "unit">): Omit<Selection, "method" | "toJSON">;
}

const TIE = 1e-12;

function startRanking(problem: Omit<SelectionProblem, "withPairs">, pairs: PairInformation): Ranking {
  const d = problem.target;
  const relevance = pairs.row(problem.target).subarray(0, d);
  const open = problem.candidates.slice();
  const copies = new Uint8Array(d);
  const shared = new Float64Array(d);
  const selected: number[] = [];
  const rows: Float64Array[] = [];
  const scores: number[] = [];
  const redundancy: number[] = [];
  const best = (value: (i: number) => number): number => {
    let first = -1;
    let highest = -Infinity;
    for (let i = 0; i < d; i++) {
      if (open[i] === 0) continue;
      const v = value(i);
      const level = Math.abs(v - highest) <= TIE;
      if (first >= 0 && (level ? relevance[i] <= relevance[first] : v < highest)) continue;
      first = i;
      highest = v;
    }
    return first;
  };
  return {
    selected,
    relevance,
    shared,
    rows,
    best,
    bestOriginal(value) {
      const original = best((i) => (copies[i] === 1 ? -Infinity : value(i)));
      return copies[original] === 1 ? best(value) : original;
    },
    select(feature, score) {
      const row = pairs.row(feature);
      redundancy.push(selected.length === 0 ? 0 : shared[feature] / selected.length);
      selected.push(feature);
      rows.push(row);
      scores.push(score);
      open[feature] = 0;
      const own = pairs.entropies[feature];
      for (let i = 0; i < d; i++) {
        shared[i] += row[i];
        // Both are functions of each other. Sums of counts are exact, so a copy meets this with equality.
        if (row[i] >= own && row[i] >= pairs.entropies[i] && own > 0) copies[i] = 1;
      }
    },
    result: ({ estimator, unit }) => ({
      features: Int32Array.from(selected),
      names: selected.map((f) => problem.names[f]),
      scores: Float64Array.from(scores),
      relevance: Float64Array.from(selected, (f) => relevance[f]),
      redundancy: Float64Array.from(redundancy),
      constant: problem.constant,
      discretization: problem.discretization,
      estimator,
      unit,
      warnings: problem.warnings,
    }),
  };
}

/** The sum of the k largest relevances of the candidates. */
export function largestRelevances(relevance: Float64Array, candidates: Uint8Array, k: number): number {
  return relevance
    .filter((_, i) => candidates[i] === 1)
    .sort()
    .subarray(-k)
    .reduce((sum, value) => sum + value, 0);
}
