/**
 * The same in plain loops: test/metric/neighbours/ncaReference.ts.
 *
 * Neighbourhood component analysis (Goldberger, Roweis, Hinton and Salakhutdinov 2004): the L under which a
 * row, picking a neighbour at random with probability decreasing in the squared distance, picks one of its
 * own class as often as possible,
 *
 *     maximise mean_i p_i,   p_i = sum_{j of class of i} p_ij,   p_ij = exp(-||L x_i - L x_j||^2) / sum_{l != i} exp(...)
 *
 * or, with `objective: "log"`, mean_i log p_i: the first counts rows, the second is a likelihood that no row may drop out
 * of. Neither is concave: the answer is a local optimum near the start, and it depends on the scale of the data. The descent
 * runs in coordinates in which classes are round (`classCoordinates`), where it takes far fewer steps.
 */
import {
  asMatrix,
  matrix,
  multiply,
  multiplyTransposeA,
  multiplyTransposeB,
  parallelKernel,
  gram,
  identity,
  symmetricEigen,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import {
  centered,
  columnMeans,
  columnVariances,
  mapped,
  requireModerate,
  placedRows,
  unpadded,
  columnsAsRows,
  requireFinite,
} from "../../matrix/internal.ts";
import type { OnProgress } from "../../core/index.ts";
import { inputError, option, rule } from "../../core/internal.ts";
import { lbfgs, type Minimum } from "../../optimize/index.ts";
import type { Labeling } from "../../score/index.ts";
import { labelledRows } from "../../score/internal.ts";
import { mahalanobis, type Mahalanobis } from "../mahalanobis.ts";
import * as binary from "../kernel/nca.wasm.ts";
import { discriminants } from "../moments/covariance.ts";

/** The start of a method that improves L step by step: a rule, or the matrix itself (dims x d). */
export type Start = "auto" | "identity" | "pca" | "lda" | Matrix;

const startRule = rule.given<Start>(
  'one of "auto", "identity", "pca", "lda", or a matrix',
  (value) =>
    ["auto", "identity", "pca", "lda"].includes(value as string) ||
    (typeof value === "object" && value !== null && "data" in value),
  "auto",
);

export const ncaOptions = {
  /** Rows of L, 1 to d; default d. */
  dims: rule.integer({ min: 1, says: "maximum number of directions", usual: "all" }),
  /** Mean of p_i ("sum", default) or of log p_i ("log"). */
  objective: rule.oneOf(["sum", "log"] as const, "sum", {
    says: "sum of the probabilities, or of their logarithms",
  }),
  /** The start: "auto" (default), "identity", "pca", "lda", or L itself. */
  init: startRule,
  maxIterations: rule.integer({ min: 0, default: 50, says: "maximum number of iterations" }),
  /** The relative gradient, in coordinates in which classes are round, at which to stop. */
  tolerance: rule.real({ min: 0, default: 1e-5, says: "relative gradient at which to stop" }),
  names: rule.names,
  onProgress: rule.progress,
};

export type NcaOptions = rule.OptionsOf<typeof ncaOptions>;

/**
 * A row far from its class has no gradient left, which gives a local optimum. So other paths are tried while
 * rows are lost, and the best is kept; a path must win at least one row. From L / 4 rows see beyond their
 * nearest neighbours, which alone decide under a large L. With few rows: original coordinates, and the sum
 * instead of the mean, which makes the first step bold (L-BFGS starts with the length of the gradient, at
 * most 1).
 */
const MANY_ROWS = 5000;
const FEW_ROWS = 200;
const SOFT = 1 / 4;
/** The p_i from which a row counts as decided. */
const DECIDED = 0.75;

/** `objective` and `history` of the result are the mean of p_i (or log p_i), which grows. */
export function nca(input: MatrixLike, labels: Labeling, options: NcaOptions = {}): Mahalanobis {
  const X = asMatrix(input, "nca");
  const resolved = rule.resolveOptions("nca", options, ncaOptions);
  const { objective, init, maxIterations, tolerance, names, onProgress, ...rest } = resolved;
  requireModerate(X);
  const d = X.cols;
  const dims = rest.dims ?? d;
  if (dims > d) throw inputError(`nca: ${option("dims")} is ${dims}, but there are ${d} columns`);
  const { rows, codes, members } = labelledRows("nca", X, labels);
  const alone = members.filter((group) => group.length === 1).length;
  const warnings: string[] = [];
  if (alone > 0) {
    warnings.push(
      `${alone} classes have one row, which has no neighbour of its own class and only misleads others`,
    );
  }
  const counted = rows.rows - alone;
  if (counted === 0) throw inputError("nca needs a class with at least two rows; every class has only one");

  const logarithm = objective === "log";
  // Distances do not depend on the mean, and products of centred rows lose fewer digits.
  const centred = centered(rows, columnMeans(rows));
  const start = startingFactor("nca", init, rows, members, dims);
  const lifted = matrix(evenColumns(dims), d);
  // Weights this small change the gradient by less than a thousandth of the tolerance, all weights of a row
  // together.
  const least = Math.min(1e-8, 1e-3 * tolerance) / rows.rows;
  const small = Math.max(1e-12, 0.1 * tolerance);
  let stopped = false;
  const watched: OnProgress = (progress) => {
    stopped = onProgress?.(progress) === false;
    return !stopped;
  };
  const descend = (Y: Matrix, from: Matrix, unit: number): Minimum => {
    const { note, leap } = scaleLeap(small);
    return lbfgs(
      (A, gradient) => {
        lifted.data.set(A);
        const Z = multiplyTransposeB(Y, lifted);
        const { values, force } = softNeighbors(Z, codes, logarithm, least);
        let sum = 0;
        for (let i = 0; i < values.length; i++) if (values[i] !== -Infinity) sum += values[i];
        note(values);
        const G = multiplyTransposeA(force, Y);
        for (let p = 0; p < gradient.length; p++) gradient[p] = (-2 * G.data[p]) / unit;
        return -sum / unit;
      },
      from.data,
      {
        maxIterations,
        tolerance,
        ...(logarithm ? {} : { leap }),
        onProgress: onProgress && watched,
      },
    );
  };
  const { to, from } = classCoordinates(rows, members);
  const round = multiply(centred, to);
  const inRound = multiply(start, from);
  const paths: { run: () => Minimum; unit: number; back: (x: Float64Array) => Matrix }[] = [
    {
      run: () => descend(round, inRound, counted),
      unit: counted,
      back: (x) => multiply(matrix(dims, d, x), to),
    },
  ];
  if (!logarithm && counted <= MANY_ROWS) {
    const soft = mapped(inRound, (value) => SOFT * value);
    paths.push({ ...paths[0], run: () => descend(round, soft, counted) });
  }
  if (!logarithm && counted <= FEW_ROWS) {
    paths.push({ run: () => descend(centred, start, 1), unit: 1, back: (x) => matrix(dims, d, x) });
  }
  let { unit, back } = paths[0];
  let minimum = paths[0].run();
  for (const path of paths.slice(1)) {
    const best = (unit / counted) * minimum.value;
    if (stopped || maxIterations === 0 || !(best > -1 + 0.5 / counted)) break;
    const other = path.run();
    if (!((path.unit / counted) * other.value < best - 0.5 / counted)) continue;
    minimum = other;
    ({ unit, back } = path);
  }
  const factor = back(minimum.x);
  const mean = -unit / counted;
  return mahalanobis({
    method: "nca",
    factor,
    names,
    variances: columnVariances(rows),
    converged: minimum.converged,
    iterations: minimum.iterations,
    objective: mean * minimum.value,
    history: minimum.history.map((value) => mean * value),
    certificate: { kind: "relative gradient", residual: minimum.relativeGradient },
    warnings: [...warnings, ...minimum.warnings],
  });
}

/**
 * Once every row is either decided for its class or lost (p_i nearly 0, no gradient left), further gains only
 * enlarge L: p_i -> 1 like 1 - exp(-t h), t the factor of the squared distances, and each step of a
 * quasi-Newton method removes only a constant share. The leap takes the t at which the least decided row has
 * 1 - p_i = `small`.
 */
function scaleLeap(small: number) {
  let least = 0;
  let needed = DECIDED;
  return {
    note(p: Float64Array): void {
      least = 1;
      for (let i = 0; i < p.length; i++) if (p[i] > small && p[i] < least) least = p[i];
    },
    leap(A: Float64Array, to: Float64Array): boolean {
      if (!(least > needed)) return false;
      const t = Math.log(small) / Math.log((1 - least) / least);
      if (!(t > 1)) return false;
      // If it fails, the next one waits until rows are decided more clearly.
      needed = 1 - (1 - least) / 4;
      for (let p = 0; p < A.length; p++) to[p] = Math.sqrt(t) * A[p];
      return true;
    },
  };
}

/**
 * Stochastic neighbours: row i picks row j with probability p_ij = exp(-d_ij) / sum_{l != i} exp(-d_il), d the squared
 * Euclidean distances of the rows of Z, and p_i is the probability that the pick is of the row's own class. Gives
 *
 *     values_i = p_i  (or log p_i),   force = d(sum_i values_i) / dZ / 2,   an n x r matrix
 *
 * so that with Z = X L' the gradient in L is 2 force' X. Rows are processed a few at a time: memory is O(n
 * r), not O(n^2), beyond a few rows.
 */

export type SoftNeighbors = ReturnType<typeof softNeighbors>;

/** Tasks of the kernel, each with its own sums; the results do not depend on the number of threads. */
const TASKS = 8;
/** Number of pairs up to which all of them are kept (48 MB), by one thread. */
const FEW_PAIRS = 4e6;

/** Number of columns in the kernel: with this many, padded with zeros, nothing has to be copied twice. */
function evenColumns(cols: number): number {
  return (cols + 3) & ~3;
}

/**
 * p_i, or log p_i, which is -Infinity for the only row of its class, which has no gradient; and the force.
 *
 * @param least pairs that change the force by no more than this, in units of their distance, are left out of it
 */
export function softNeighbors(Z: Matrix, codes: Int32Array, logarithm: boolean, least: number = 0) {
  const { rows: n, cols: r } = Z;
  const s = evenColumns(r);
  const padded = (n + 3) & ~3;
  const whole = n * n <= FEW_PAIRS;
  const span = whole ? padded : 4 * Math.ceil(n / TASKS / 4);
  const tasks = Math.ceil(n / span);
  const mutual = whole && !logarithm;
  const kernel = parallelKernel<binary.Exports>("metric/nca", binary, !whole);
  return kernel.scope(() => {
    const at = {
      Z: placedRows(kernel, Z, s),
      packed: kernel.reserve(8 * padded * s),
      norms: kernel.reserve(8 * padded),
      codes: kernel.reserve(8 * padded),
      U: kernel.reserve(8 * tasks * n * s),
      degrees: kernel.reserve(8 * tasks * n),
      values: kernel.reserve(8 * n),
      scratch: mutual ? kernel.reserve(kernel.exports.mutualBytes(n)) : 0,
    };
    kernel.f64(at.codes, padded).fill(-1).set(codes);
    const { exports } = kernel;
    exports.prepare(n, s, at.Z, at.packed, at.norms);
    const places = [at.Z, at.packed, at.norms, at.codes, at.U, at.degrees, at.values] as const;
    if (!mutual || exports.mutualNeighbors(at.scratch, n, s, least, ...places) === 0) {
      const shape = [Number(whole), span, n, s, Number(logarithm), least] as const;
      kernel.run("softNeighbors", tasks, exports.scratchBytes(n, Number(whole)), [...shape, ...places]);
    }
    exports.force(n, s, tasks, at.Z, at.U, at.degrees);
    return { values: kernel.f64(at.values, n).slice(), force: unpadded(kernel.f64(at.U, n * s), s, r) };
  });
}

/**
 * L of dims x d. "auto" is Fisher's discriminant if the classes give as many directions, else the leading
 * principal components, and the identity if nothing is reduced.
 */
function startingFactor(
  method: string,
  start: Start,
  X: Matrix,
  members: readonly Int32Array[],
  dims: number,
): Matrix {
  const classes = members.length;
  const d = X.cols;
  if (typeof start === "object") {
    if (start.rows !== dims || start.cols !== d) {
      throw inputError(
        `${method}: ${option("init")} is ${start.rows} x ${start.cols}, but ${dims} x ${d} is needed`,
      );
    }
    requireFinite(start, `${method}: ${option("init")}`);
    return matrix(dims, d, start.data.slice());
  }
  const rule =
    start !== "auto" ? start : dims <= Math.min(d, classes - 1) ? "lda" : dims < d ? "pca" : "identity";
  if (rule === "lda") {
    if (dims > classes - 1) {
      throw inputError(
        `${method}: ${option("init")} is "lda", which gives ${classes - 1} directions, not ${dims}`,
      );
    }
    const within = gram(classCentred(X, members));
    return discriminants(method, { count: X.rows, classes, total: totalScatter(X), within }, dims, []).L;
  }
  if (rule === "pca") return columnsAsRows(symmetricEigen(totalScatter(X)).vectors, dims);
  return matrix(dims, d, identity(d).data.slice(0, dims * d));
}

function totalScatter(X: Matrix): Matrix {
  return gram(centered(X, columnMeans(X)));
}

/**
 * Coordinates in which classes are round: x -> T x with T = (S / s)^(-1/2), S the within-class covariance and s the mean of
 * its eigenvalues. A descent over A, L = A T, is a descent over L with steps measured by their change of
 * distances within classes: noisy and collinear columns no longer limit the pace.
 */

/** Directions with less than this share of the mean variance count as having that much. */
const FLOOR = 1e-3;

/** T, d x d and symmetric, and its inverse. */
export function classCoordinates(X: Matrix, members: readonly Int32Array[]): { to: Matrix; from: Matrix } {
  const d = X.cols;
  const { values, vectors: V } = symmetricEigen(gram(classCentred(X, members)));
  const mean = values.reduce((sum, value) => sum + value, 0) / d;
  if (!(mean > 0)) return { to: identity(d), from: identity(d) };
  const roots = values.map((value) => Math.max(FLOOR, value / mean) ** 0.25);
  const narrow = mapped(V, (value, p) => value / roots[p % d]);
  const wide = mapped(V, (value, p) => value * roots[p % d]);
  return { to: multiplyTransposeB(narrow, narrow), from: multiplyTransposeB(wide, wide) };
}

/**
 * Rows minus the mean of their class, each class summed separately so that distant classes cost no digits.
 */
function classCentred(X: Matrix, members: readonly Int32Array[]): Matrix {
  const d = X.cols;
  const C = matrix(X.rows, d);
  const mean = new Float64Array(d);
  for (const group of members) {
    mean.fill(0);
    for (const i of group) for (let f = 0; f < d; f++) mean[f] += X.data[i * d + f];
    for (const i of group) {
      for (let f = 0; f < d; f++) C.data[i * d + f] = X.data[i * d + f] - mean[f] / group.length;
    }
  }
  return C;
}
