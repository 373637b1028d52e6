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
  matrix,
  multiplyTransposeB,
  row,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import { columnsAsRows, requireModerate, columnVariances, symmetrize } from "../../matrix/internal.ts";
import { inputError, numericError, option, rule } from "../../core/internal.ts";
import { encodeLabels, type Labeling, type Label } from "../../score/index.ts";
import { requireLabels } from "../../score/internal.ts";
import { classMoments, classMomentsAccumulator, scatter, type ClassMoments } from "./classMoments.ts";
import { closedForm, mahalanobis, type Mahalanobis } from "../mahalanobis.ts";
import { covarianceWithin, DIRECTION_RULES, shrinkToDiagonal, whiteness } from "./covariance.ts";
import { checkConstraints, type Pair } from "../../data/index.ts";
import { PAIR_RULES } from "../../data/internal.ts";
import { pairScatter } from "../pairs/pairedRows.ts";

/** Default shrinkage: 0 with enough rows (more than d beyond one per chunklet), else d / (d + rows). */
export const rcaOptions = DIRECTION_RULES;

export type RcaOptions = rule.OptionsOf<typeof rcaOptions>;

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
  const { dims, shrinkage, names } = rule.resolveOptions("rca", options, rcaOptions);
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

/** Default shrinkage as for `rca`. */
export const dcaOptions = {
  ...DIRECTION_RULES,
  /** Pairs of rows whose chunklets differ; a row of no chunklet counts as its own. */
  cannotLink: rule.required(PAIR_RULES.cannotLink),
  /** Maximum number of directions; default all in which the negative links differ. */
  dims: rule.integer({
    min: 1,
    says: "maximum number of directions",
    usual: "all directions in which the cannot-links differ",
  }),
};

export type DcaOptions = rule.OptionsOf<typeof dcaOptions>;

/**
 * Discriminative component analysis (Hoi, Liu, Lyu and Ma 2006): RCA that also knows which chunklets differ. With m_j the
 * chunklet means,
 *
 *     C_b = mean over pairs of different chunklets of (m_j - m_i)(m_j - m_i)'
 *     C_w = mean over the rows in chunklets of (x - m_j)(x - m_j)'
 *     Z = U Lambda^(-1/2) from C_b = U Lambda U',   Z' C_w Z = V D V',   L = D^(-1/2) V' Z'
 *
 * The null space of C_b is dropped before whitening: no negative link concerns it, and whitening it would
 * amplify noise. Rows of L are ordered by the ratio of variation between to variation within; `dims` keeps
 * the first. If C_b has full rank and all directions are kept, M is C_w^-1, the metric of RCA.
 *
 * @param chunklets one entry per row: rows with the same entry are alike; -1, null or "" belongs to no chunklet.
 */
export function dca(input: MatrixLike, chunklets: Labeling, options: DcaOptions): Mahalanobis {
  const X = asMatrix(input, "dca");
  const { cannotLink, dims, shrinkage, names } = rule.resolveOptions("dca", options, dcaOptions);
  requireModerate(X);
  requireLabels(chunklets);
  if (chunklets.length !== X.rows) {
    throw inputError(`there are ${chunklets.length} chunklet entries for ${X.rows} rows`);
  }
  const d = X.cols;
  const pairs = checkConstraints(X.rows, { cannotLink }).cannotLink;
  if (pairs.length === 0) throw inputError("dca needs cannot-links between chunklets; without them use rca");
  const { codes, classes } = encodeLabels(chunklets);
  const moments = classMoments(X, codes);
  const rows = codes.filter((code) => code >= 0).length;
  const freedom = rows - classes.length;
  if (freedom < 1) throw inputError("dca needs a chunklet with at least two rows");

  const { within, classMeans } = scatter(moments);
  const meanOf = new Map(moments.classes.map((code, c) => [code, row(classMeans, c)]));
  const Cb = betweenChunklets(X, codes, chunklets, pairs, meanOf);
  const warnings: string[] = [];
  const Cw = covarianceWithin(within, rows, freedom, shrinkage, warnings);
  const Z = whitenedSpan(Cb); // r x d, Z C_b Z' = I
  if (Z.rows < d) {
    warnings.push(`the negative links differ in ${Z.rows} of ${d} directions; the metric ignores the others`);
  }
  const { values, vectors } = symmetricEigen(symmetrize(multiplyTransposeB(multiply(Z, Cw), Z)));
  const kept = Math.min(dims ?? Z.rows, Z.rows);
  const floor = 1e-10 * values[0];
  const V = matrix(kept, Z.rows);
  for (let r = 0; r < kept; r++) {
    const at = Z.rows - 1 - r; // the smallest variance within first
    const root = 1 / Math.sqrt(Math.max(values[at], floor));
    for (let f = 0; f < Z.rows; f++) V.data[r * Z.rows + f] = root * vectors.data[f * Z.rows + at];
  }
  const floored = values.subarray(Z.rows - kept).filter((value) => value < floor).length;
  if (floored > 0) {
    warnings.push(`${floored} directions do not vary within the chunklets at all; their weight is bounded`);
  }
  const L = multiply(V, Z);
  return mahalanobis({
    method: "dca",
    factor: L,
    names,
    variances: columnVariances(X),
    ...closedForm("whitening max |L C_w L' - I|", whiteness(L, Cw)),
    warnings,
  });
}

/** C_b: each pair of chunklets counts once, for any number of row pairs. */
function betweenChunklets(
  X: Matrix,
  codes: Int32Array,
  chunklets: Labeling,
  pairs: readonly Pair[],
  meanOf: ReadonlyMap<Label, Float64Array>,
): Matrix {
  // A node is a chunklet or a single row, at its mean.
  const nodeOf = new Map<number, number>();
  const points: Float64Array[] = [];
  const node = (i: number): number => {
    const key = codes[i] >= 0 ? codes[i] : -1 - i;
    const known = nodeOf.get(key);
    if (known !== undefined) return known;
    nodeOf.set(key, points.length);
    return points.push(meanOf.get(codes[i]) ?? row(X, i)) - 1;
  };
  const seen = new Set<string>();
  const links: Pair[] = [];
  for (const [i, j] of pairs) {
    const a = node(i);
    const b = node(j);
    if (a === b) {
      throw inputError(
        `rows ${i} and ${j} are a cannot-link, but both belong to chunklet ${JSON.stringify(chunklets[i])}; ` +
          `remove the pair or split the chunklet`,
      );
    }
    const key = a < b ? `${a} ${b}` : `${b} ${a}`;
    if (seen.has(key)) continue;
    seen.add(key);
    links.push([a, b]);
  }
  const means = matrix(points.length, X.cols);
  points.forEach((point, p) => means.data.set(point, p * X.cols));
  return pairScatter(means, links);
}

/** Lambda^(-1/2) U' over the eigenvalues that are not zero to working precision. */
function whitenedSpan(C: Matrix): Matrix {
  const d = C.rows;
  const { values, vectors } = symmetricEigen(C);
  const rank = values.filter((value) => value > 1e-10 * d * values[0] && value > 0).length;
  if (rank === 0) throw numericError("dca: the chunklets of all negative links have the same mean");
  return columnsAsRows(vectors, rank, (value, r) => value / Math.sqrt(values[r]));
}
