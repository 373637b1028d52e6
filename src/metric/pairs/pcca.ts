/**
 * PCCA, pairwise constrained component analysis (Mignon and Jurie 2012): a low-dimensional projection in which must-links
 * are closer than 1 and cannot-links farther,
 *
 *     minimise over L (dims x d)  mean_c softplus(beta y_c (|L v_c|^2 - 1)) / beta + ridge/2 |L|^2
 *
 * softplus(t) = log(1 + e^t), y = +1 for must-links and -1 for cannot-links. The loss of separable pairs has
 * no minimiser, because it falls as L grows; the paper stops early, here a small ridge gives a minimum. The
 * kernel form is `pccaKernel`.
 */
import { type MatrixLike } from "../../matrix/index.ts";
import { columnVariances } from "../../matrix/internal.ts";
import {
  inputError,
  integer,
  namesRule,
  option,
  progressRule,
  real,
  resolveOptions,
  type OptionsOf,
} from "../../core/internal.ts";
import { PAIR_RULES } from "../../data/internal.ts";
import { calibrate } from "../calibrate.ts";
import { mahalanobis, type Mahalanobis } from "../mahalanobis.ts";
import { fitPcca } from "./pccaFit.ts";
import { pairedRows } from "./pairedRows.ts";

export const pccaOptions = {
  ...PAIR_RULES,
  /** Rows of L, 1 to d; default d. */
  dims: integer({ min: 1, says: "maximum number of directions", usual: "all" }),
  /** Sharpness of the loss. */
  beta: real({ above: 0, default: 3, says: "sharpness of the loss" }),
  /** Weight of |L|^2, in units in which the mean squared pair distance is 1. */
  ridge: real({ min: 0, default: 1e-3, says: "weight of the size of the directions" }),
  /** The relative gradient at which the fit counts as converged. */
  tolerance: real({ above: 0, default: 1e-6, says: "residual at which to stop" }),
  maxIterations: integer({ min: 0, default: 1000, says: "maximum number of iterations" }),
  names: namesRule,
  onProgress: progressRule,
};

export type PccaOptions = OptionsOf<typeof pccaOptions>;

export function pcca(input: MatrixLike, options: PccaOptions = {}): Mahalanobis {
  const { dims, names, ...settings } = resolveOptions("pcca", options, pccaOptions);
  const { X, mustLink, cannotLink } = pairedRows("pcca", input, options, "both");
  if (dims !== undefined && dims > X.cols) {
    throw inputError(`pcca: ${option("dims")} is ${dims}, but there are ${X.cols} columns`);
  }
  const both = { mustLink, cannotLink };
  const { L, fit } = fitPcca(X, both, { ...settings, dims: dims ?? X.cols });
  const parts = { method: "pcca", factor: L, names, variances: columnVariances(X) };
  return calibrate(mahalanobis({ ...parts, ...fit }), X, both);
}
