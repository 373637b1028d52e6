import { inputError, optionError } from "../core/errors.ts";
import { given, integer, oneOf, type Rule } from "../core/options.ts";
import { type Matrix, takeRows } from "../matrix/matrix.ts";
import { encodeLabels, type Label, type Labeling } from "../score/labels.ts";
import type { ChowLiuTree } from "./chowLiuTree.ts";
import {
  applyDiscretization,
  discretize,
  type Discretization,
  type DiscretizationKind,
} from "./discretize.ts";
import { type Discrete, levelCounts, withVariable } from "./discrete.ts";
import { INFORMATION_RULES, type InformationOptions } from "./information.ts";
import { type Estimator, informationTable, type InformationTable, type Unit } from "./informationTable.ts";

/** What the selections have in common. */
export interface SelectOptions extends InformationOptions {
  /** How many to select; default 20, or all if there are fewer. */
  readonly features?: number;
  /** How values become levels; see `discretize`. */
  readonly discretize?: DiscretizationKind;
  /** Of the discretizations "width" and "frequency". */
  readonly bins?: number;
  /** Column names; default c0, c1, ... */
  readonly names?: readonly string[];
}

/** The selected features, the first choice first; arrays go by rank. */
export interface Selection {
  readonly method: string;
  /** Columns of X. */
  readonly features: Int32Array;
  readonly names: readonly string[];
  /** The criterion by which each was chosen. */
  readonly scores: Float64Array;
  /** What each added to the score, where the criterion is one of the whole set. */
  readonly gains?: Float64Array;
  /** I(feature; class). */
  readonly relevance: Float64Array;
  /** Mean of I(feature; feature selected before); 0 for the first. */
  readonly redundancy: Float64Array;
  /** Of the selected features and the class; only of `chowLiuSelect`. */
  readonly tree?: ChowLiuTree;
  /** Features from this rank on were chosen by mRMR because no gain was left; only of `chowLiuSelect`. */
  readonly filledFrom?: number;
  /** No set of as many features has a higher score than `upperBound`; where the criterion is one of the whole set. */
  readonly certificate?: SelectionCertificate;
  /** Columns with one level only, which were never candidates. */
  readonly constant: Int32Array;
  readonly discretization: Discretization;
  readonly estimator: Estimator;
  /** Of scores, relevance and redundancy. */
  readonly unit: Unit;
  readonly warnings: readonly string[];
}

export interface SelectionCertificate {
  readonly score: number;
  readonly upperBound: number;
  readonly gap: number;
}

export const SELECT_RULES: { readonly [K in keyof ResolvedSelect]: Rule<ResolvedSelect[K]> } = {
  ...INFORMATION_RULES,
  features: integer({ min: 1 }),
  discretize: oneOf(["sigma", "width", "frequency", "given"], "sigma"),
  bins: integer({ min: 2, max: 256 }),
  names: given<readonly string[]>("an array of names", Array.isArray),
};

export interface ResolvedSelect {
  readonly estimator: Estimator;
  readonly unit: Unit;
  readonly features: number;
  readonly discretize: DiscretizationKind;
  readonly bins: number;
  readonly names: readonly string[];
}

/** A selection problem: the features and, behind them, the class as discrete variables. */
export interface SelectionProblem {
  readonly variables: Discrete;
  readonly table: InformationTable;
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

const DEFAULT_FEATURES = 20;

export function selectionProblem(
  method: string,
  X: Matrix,
  labels: Labeling,
  options: ResolvedSelect,
): SelectionProblem {
  const warnings: string[] = [];
  if (options.features > X.cols) {
    throw optionError(`${method}: ${options.features} features are asked for, but there are only ${X.cols}`);
  }
  const { rows, codes, classes } = classRows(method, X, labels, warnings);
  const { discretize: kind, bins, names: given } = options;
  const discretization = discretize(rows, { kind, bins, names: given });
  const names = discretization.columns;
  const features = applyDiscretization(discretization, rows);
  const candidates = new Uint8Array(X.cols);
  const constant: number[] = [];
  for (let f = 0; f < X.cols; f++) {
    const occupied = levelCounts(features, f).reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0);
    candidates[f] = occupied > 1 ? 1 : 0;
    if (occupied < 2) constant.push(f);
  }
  warnConstant(constant, rows, names, kind, warnings);
  const available = X.cols - constant.length;
  if (available === 0) {
    throw inputError(
      `${method}: every column has one level only${kind === "given" ? "" : " once discretised"}`,
    );
  }
  const wanted = options.features ?? Math.min(DEFAULT_FEATURES, available);
  if (wanted > available) {
    warnings.push(
      `only ${available} of ${X.cols} features have more than one level, so ${available} are selected`,
    );
  }
  return {
    variables: withVariable(features, codes, classes.length),
    table: informationTable(rows.rows, options.estimator, options.unit),
    target: X.cols,
    classes,
    features: Math.min(wanted, available),
    candidates,
    constant: Int32Array.from(constant),
    discretization,
    names,
    warnings,
  };
}

/** The rows whose class is known. */
function classRows(
  method: string,
  X: Matrix,
  labels: Labeling,
  warnings: string[],
): { readonly rows: Matrix; readonly codes: Int32Array; readonly classes: readonly Label[] } {
  if (labels.length !== X.rows) {
    throw inputError(`${method}: there are ${labels.length} labels for ${X.rows} rows`);
  }
  const { codes, classes } = encodeLabels(labels);
  if (classes.length < 2) {
    throw inputError(
      `${method} needs at least two classes, got ${classes.length === 0 ? "none" : `only "${classes[0]}"`}`,
    );
  }
  const known = Int32Array.from(codes.keys()).filter((i) => codes[i] >= 0);
  if (known.length < X.rows) {
    const missing = X.rows - known.length;
    warnings.push(`${missing} of ${X.rows} rows have no class and were left out`);
  }
  if (classes.length > Math.max(10, known.length / 2)) {
    throw inputError(
      `${method}: there are ${classes.length} classes in ${known.length} rows; ` +
        `the labels look continuous: group them into a few classes first`,
    );
  }
  const sizes = new Int32Array(classes.length);
  for (const i of known) sizes[codes[i]]++;
  const single = classes.filter((_, c) => sizes[c] === 1);
  if (single.length > 0) {
    const listed = single.map((name) => `"${name}"`).join(", ");
    warnings.push(
      `${single.length === 1 ? "one class has" : `${single.length} classes have`} a single row (${listed}): ` +
        `what it tells about a feature is chance`,
    );
  }
  const rows = known.length === X.rows ? X : takeRows(X, known);
  return { rows, codes: Int32Array.from(known, (i) => codes[i]), classes };
}

function warnConstant(
  constant: readonly number[],
  X: Matrix,
  names: readonly string[],
  kind: DiscretizationKind,
  warnings: string[],
): void {
  const varies = (f: number): boolean => {
    for (let i = 1; i < X.rows; i++) if (X.data[i * X.cols + f] !== X.data[f]) return true;
    return false;
  };
  const merged = constant.filter(varies);
  const plain = constant.length - merged.length;
  if (plain > 0) warnings.push(`${plain} constant feature${plain === 1 ? " was" : "s were"} left out`);
  if (merged.length > 0) {
    const listed = merged
      .slice(0, 5)
      .map((f) => names[f])
      .join(", ");
    warnings.push(
      `${merged.length} feature${merged.length === 1 ? "" : "s"} that vary fall into one level under "${kind}" ` +
        `and were left out (${listed}${merged.length > 5 ? ", ..." : ""}); another discretization may keep them`,
    );
  }
}
