/**
 * Relevant component analysis (Bar-Hillel, Hertz, Shental and Weinshall 2005): chunklets, groups of similar
 * rows, show which directions vary although they should not. With C the covariance within the chunklets,
 *
 *     M = C^-1,   L = C^(-1/2)
 *
 * (whitening with the power -1/2; +1/2, seen in a peer, gives the inverse metric). In many dimensions full
 * whitening amplifies noise: `dims` keeps the directions with the largest ratio of between-chunklet to total
 * variance (constrained Fisher discriminant, which needs no further labels).
 */
import {
  asMatrix,
  generalizedEigen,
  multiply,
  symmetricEigen,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import { columnsAsRows, requireModerate } from "../../matrix/internal.ts";
import {
  inputError,
  integer,
  namesRule,
  option,
  resolveOptions,
  type OptionsOf,
} from "../../core/internal.ts";
import type { Labeling } from "../../score/index.ts";
import { classMoments, classMomentsAccumulator, scatter, type ClassMoments } from "./classMoments.ts";
import { closedForm, mahalanobis, type Mahalanobis } from "../mahalanobis.ts";
import { covarianceWithin, shrinkageRule, shrinkToDiagonal, whiteness } from "./shrink.ts";

export const rcaOptions = {
  /** Directions to keep, 1 to d; default all. */
  dims: integer({ min: 1, says: "maximum number of directions", usual: "all" }),
  /** Share of diag(C) in C; default 0 with enough rows (more than d beyond one per chunklet), else d / (d + rows). */
  shrinkage: shrinkageRule,
  names: namesRule,
};

export type RcaOptions = OptionsOf<typeof rcaOptions>;

/**
 * @param chunklets one entry per row: rows with the same entry are alike; -1, null or "" belongs to no chunklet. Class
 * labels are chunklets too.
 */
export function rca(input: MatrixLike, chunklets: Labeling, options: RcaOptions = {}): Mahalanobis {
  const X = asMatrix(input, "rca");
  requireModerate(X);
  const inside = classMomentsAccumulator(X.cols); // -1 is always "in no chunklet" here
  inside.add(X, chunklets);
  // Directions and relevance use the variance of all rows, in chunklets or not.
  const moments = inside.result();
  const known = moments.counts.reduce((sum, n) => sum + n, 0);
  return rcaFromMoments(
    moments,
    options,
    known === X.rows ? moments : classMoments(X, new Int32Array(X.rows)),
  );
}

/**
 * From accumulated statistics of the rows in chunklets.
 *
 * @param all statistics of all rows, where there are rows outside of chunklets: `dims` and relevance look at them, too
 */
export function rcaFromMoments(
  moments: ClassMoments,
  options: RcaOptions = {},
  all: ClassMoments = moments,
): Mahalanobis {
  const { dims, shrinkage, names } = resolveOptions("rca", options, rcaOptions);
  const d = moments.features;
  const chunks = moments.counts.filter((n) => n > 0).length;
  const rows = moments.counts.reduce((sum, n) => sum + n, 0);
  if (rows - chunks < 1) {
    throw inputError("rca needs a chunklet with at least two rows; every chunklet given has only one");
  }
  if (dims !== undefined && dims > d)
    throw inputError(`rca: ${option("dims")} is ${dims}, but there are ${d} columns`);
  const warnings: string[] = [];
  const own = scatter(moments);
  const { count, total } = all === moments ? own : scatter(all);
  const C = covarianceWithin(own.within, rows, rows - chunks, shrinkage, warnings);
  if (C.data.every((value) => value === 0)) {
    throw inputError("rca: the rows of every chunklet are equal, so there is nothing to learn from them");
  }
  const { L, floored } = dims === undefined ? whitening(C) : discriminant(C, total, dims);
  if (floored > 0) {
    warnings.push(`${floored} directions do not vary within the chunklets at all; their weight is bounded`);
  }
  return mahalanobis({
    method: "rca",
    factor: L,
    names,
    variances: Float64Array.from({ length: d }, (_, f) => total.data[f * (d + 1)] / count),
    ...closedForm("whitening max |L C L' - I|", whiteness(L, C)),
    warnings,
  });
}

/** C^(-1/2), symmetric. Eigenvalues under 1e-10 of the largest are raised to it: they would give infinite weights. */
function whitening(C: Matrix): { L: Matrix; floored: number } {
  const d = C.rows;
  const { values, vectors } = symmetricEigen(C);
  const floor = 1e-10 * values[0];
  const scaled = columnsAsRows(vectors, d, (value, r) => (1 / Math.sqrt(Math.max(values[r], floor))) * value);
  return { L: multiply(vectors, scaled), floored: values.filter((value) => value < floor).length };
}

/** The `dims` directions with the largest total variance relative to C, scaled to unit variance within. */
function discriminant(C: Matrix, total: Matrix, dims: number): { L: Matrix; floored: number } {
  const { vectors } = generalizedEigen(total, shrinkToDiagonal(C, 1e-8));
  return { L: columnsAsRows(vectors, dims), floored: 0 };
}
