/**
 * The same in plain loops: test/metric/pairs/itmlReference.ts.
 *
 * Information-theoretic metric learning (Davis, Kulis, Jain, Sra and Dhillon 2007): the metric closest to a prior M_0, in
 * the LogDet divergence, that brings must-links under u and cannot-links over l as far as slack allows,
 *
 *     minimise  D(M, M_0) + gamma sum_c D(xi_c, b_c),   D(A, B) = tr(A B^-1) - log det(A B^-1) - d
 *     subject to  v_c'M v_c <= xi_c (must-links, b_c = u),   v_c'M v_c >= xi_c (cannot-links, b_c = l)
 *
 * The exact projection on one constraint moves its multiplier by gamma/(gamma + 1) (1/p - 1/xi): derived from
 * 1/p - alpha = 1/xi + alpha/gamma. The printed Algorithm 1 has 1/2 (1/p - gamma/xi), which agrees for gamma = 1 only.
 * All constraints are solved together here (logDetNewton.ts); the minimiser is the same, and unique.
 */
import {
  matrix,
  multiply,
  multiplyTransposeB,
  squaredNorms,
  takeRows,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import { columnVariances } from "../../matrix/internal.ts";
import {
  given,
  inputError,
  integer,
  namesRule,
  option,
  optionError,
  progressGate,
  progressRule,
  real,
  resolveOptions,
  type OptionsOf,
} from "../../core/internal.ts";
import { PAIR_RULES } from "../../data/internal.ts";
import { calibratedBy } from "../calibrate.ts";
import { distancePercentiles } from "./distancePercentiles.ts";
import { logDetNewton } from "./logDetNewton.ts";
import { mahalanobis, type Mahalanobis } from "../mahalanobis.ts";
import { pairDifferences, pairedRows } from "./pairedRows.ts";
import { priorFactor, priorRule } from "./prior.ts";

export const itmlOptions = {
  ...PAIR_RULES,
  /** Weight of the bounds against the prior. */
  gamma: real({ above: 0, default: 1, says: "weight of the bounds on the pairs" }),
  /**
   * [u, l] on squared distances; or their source: the 5th and 95th percentile of the Euclidean distances
   * between the rows, unsquared (`percentile`, the default and metric-learn's choice) or squared (`squared`).
   */
  bounds: {
    ...given<"percentile" | "squared" | readonly [number, number]>(
      '"percentile", "squared" or two numbers [u, l]',
      (value) =>
        value === "percentile" || value === "squared" || (Array.isArray(value) && value.length === 2),
      "percentile",
    ),
    control: {
      kind: "choice" as const,
      says: "bounds on the distances: percentiles of distances, or of squared distances",
      choices: ["percentile", "squared"],
    },
  },
  prior: priorRule,
  /** The relative KKT residual at which the fit counts as converged. */
  tolerance: real({ above: 0, default: 1e-8, says: "residual at which to stop" }),
  maxIterations: integer({ min: 0, default: 200, says: "maximum number of iterations" }),
  names: namesRule,
  onProgress: progressRule,
};

export type ItmlOptions = OptionsOf<typeof itmlOptions>;

export interface Itml extends Mahalanobis {
  /** [u, l], the bounds on squared distances that were used. */
  readonly bounds: readonly [number, number];
  /** Pairs that keep their bound, to a relative 1e-6. */
  readonly satisfied: { readonly mustLink: number; readonly cannotLink: number };
}

/** The metric nearest to a prior that brings must-links under one distance and cannot-links over another. */
export function itml(input: MatrixLike, options: ItmlOptions = {}): Itml {
  const { gamma, bounds, prior, tolerance, maxIterations, names, onProgress } = resolveOptions(
    "itml",
    options,
    itmlOptions,
  );
  const { X, mustLink, cannotLink, warnings } = pairedRows("itml", input, options, "any");
  const [u, l] =
    typeof bounds === "string"
      ? distancePercentiles(X, [5, 95], bounds === "squared")
      : checkedBounds(bounds);
  const L0 = priorFactor("itml", X, prior, warnings);
  const alike = multiplyTransposeB(pairDifferences(X, mustLink), L0);
  const all = multiplyTransposeB(pairDifferences(X, cannotLink), L0);
  const different = takeRows(all, distinct(all, requireUsable(alike, all, [u, l])));
  if (different.rows < cannotLink.length) {
    warnings.push(
      `${cannotLink.length - different.rows} cannot-links join equal rows, which no metric can separate; ` +
        `they are left out`,
    );
  }

  const V = matrix(alike.rows + different.rows, X.cols);
  V.data.set(alike.data);
  V.data.set(different.data, alike.data.length);
  const sign = Int8Array.from({ length: V.rows }, (_, c) => (c < alike.rows ? 1 : -1));
  const bound = Float64Array.from(sign, (side) => (side > 0 ? u : l));
  const report = progressGate(onProgress);
  const solution = logDetNewton({ V, sign, bound, gamma }, { tolerance, maxIterations }, report);
  if (!solution.converged) {
    const why = report.stopped ? "stopped by onProgress" : "did not converge";
    warnings.push(
      `${why} after ${solution.iterations} iterations at KKT residual ${solution.residual.toExponential(1)}`,
    );
  }

  const kept = { mustLink: 0, cannotLink: 0 };
  solution.squares.forEach((square, c) => {
    if (sign[c] * (square / bound[c] - 1) <= 1e-6) kept[sign[c] > 0 ? "mustLink" : "cannotLink"]++;
  });
  const metric = mahalanobis({
    method: "itml",
    factor: multiply(solution.R, L0),
    names,
    variances: columnVariances(X),
    converged: solution.converged,
    iterations: solution.iterations,
    objective: solution.value - X.cols,
    history: solution.history.map((value) => value - X.cols),
    certificate: {
      kind: "KKT |L (M_0^-1 + sum lambda v v') L' - I| / sqrt(d), lambda > 0 only where p = xi",
      residual: solution.residual,
    },
    warnings,
  });
  return Object.assign(calibratedBy(metric, X, { mustLink, cannotLink }), {
    bounds: [u, l] as const,
    satisfied: kept,
  });
}

function checkedBounds([u, l]: readonly [number, number]): readonly [number, number] {
  for (const bound of [u, l]) {
    if (!(bound > 0) || !Number.isFinite(bound)) {
      throw optionError(`itml: ${option("bounds")} must be two numbers above 0, got ${bound}`);
    }
  }
  return [u, l];
}

/** The largest squared distance of a pair. Sizes that cannot be squared in floating point are refused. */
function requireUsable(alike: Matrix, different: Matrix, bounds: readonly number[]): number {
  let largest = 0;
  for (const V of [alike, different]) {
    for (const square of squaredNorms(V)) largest = Math.max(largest, square);
  }
  for (const size of largest > 0 ? [...bounds, largest] : bounds) {
    if (!(size > 1e-100 && size < 1e100)) {
      throw inputError(
        `itml: squared distances and bounds of size ${size} are out of range; scale the columns`,
      );
    }
  }
  return largest;
}

/** Pairs that differ by more than rounding: |v|^2 above 1e-24 of the largest. */
function distinct(V: Matrix, largest: number): number[] {
  const kept: number[] = [];
  squaredNorms(V).forEach((square, c) => {
    if (square > 1e-24 * largest) kept.push(c);
  });
  return kept;
}
