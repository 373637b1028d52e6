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
 * runs in coordinates in which classes are round (classCoordinates.ts), where it takes far fewer steps.
 */
import {
  asMatrix,
  matrix,
  multiply,
  multiplyTransposeA,
  multiplyTransposeB,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import { centered, columnMeans, columnVariances, mapped, requireModerate } from "../../matrix/internal.ts";
import type { OnProgress } from "../../core/index.ts";
import {
  inputError,
  integer,
  namesRule,
  oneOf,
  option,
  progressRule,
  real,
  resolveOptions,
  type OptionsOf,
} from "../../core/internal.ts";
import { lbfgs, type Minimum } from "../../optimize/index.ts";
import type { Labeling } from "../../score/index.ts";
import { labelledRows } from "../../score/internal.ts";
import { classCoordinates } from "../moments/classCoordinates.ts";
import { mahalanobis, type Mahalanobis } from "../mahalanobis.ts";
import { evenColumns, softNeighbors } from "./softNeighbors.ts";
import { startingFactor, startRule } from "./startingFactor.ts";

export const ncaOptions = {
  /** Rows of L, 1 to d; default d. */
  dims: integer({ min: 1, says: "maximum number of directions", usual: "all" }),
  /** Mean of p_i ("sum", default) or of log p_i ("log"). */
  objective: oneOf(["sum", "log"] as const, "sum", {
    says: "sum of the probabilities, or of their logarithms",
  }),
  /** The start: "auto" (default), "identity", "pca", "lda", or L itself. */
  init: startRule,
  maxIterations: integer({ min: 0, default: 50, says: "maximum number of iterations" }),
  /** The relative gradient, in coordinates in which classes are round, at which to stop. */
  tolerance: real({ min: 0, default: 1e-5, says: "relative gradient at which to stop" }),
  names: namesRule,
  onProgress: progressRule,
};

export type NcaOptions = OptionsOf<typeof ncaOptions>;

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
  const { objective, init, maxIterations, tolerance, names, onProgress, ...rest } = resolveOptions(
    "nca",
    options,
    ncaOptions,
  );
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
