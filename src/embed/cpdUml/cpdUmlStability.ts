import { random, type Progress } from "../../core/index.ts";
import type { ProgressGate } from "../../core/internal.ts";
import { multiply, nearestRows, takeRows, type Matrix } from "../../matrix/index.ts";
import { adjustedRand } from "../../score/index.ts";
import { alternate, type AlternationOptions, spectralStart } from "./cpdUmlAlternation.ts";
import { fieldBasis, fieldCenters, fieldKernel } from "./cpdUmlField.ts";
import { means } from "./cpdUmlSpectral.ts";

/** One setting of the grid and its stability. */
export interface StabilityCell {
  readonly sigma: number;
  /** For n rows lambda is n^2 times this: then halves of the rows, or doubled rows, have the same field. */
  readonly lambdaPerPair: number;
  /** Mean adjusted Rand index of the labels of all rows from fits to two halves of the rows. */
  readonly stability: number;
}

/** Widths as multiples of the rms radius, lambdas as multiples of n^2. */
const SIGMAS = [0.5, 1, 2, 4] as const;
const LAMBDAS = [1 / 4000, 1 / 400, 1 / 40] as const;
const SPLITS = 3;

/**
 * Stability under resampling (after Lange, Roth, Braun and Buhmann, 2004): the rows are split into two halves
 * a few times; a setting is good if the fits to the halves give all rows the same labels. A given value is
 * not varied.
 */
export function stabilityGrid(
  X: Matrix,
  radius: number,
  options: Omit<AlternationOptions, "lambda"> & { readonly sigma?: number; readonly lambda?: number },
  landmarks: number | undefined,
  gate: ProgressGate,
): StabilityCell[] {
  const { clusters, seed } = options;
  const sigmas = options.sigma === undefined ? SIGMAS.map((factor) => factor * radius) : [options.sigma];
  const lambdas = options.lambda === undefined ? LAMBDAS : [options.lambda / X.rows ** 2];
  const cells = sigmas.flatMap((sigma) => lambdas.map((lambdaPerPair) => ({ sigma, lambdaPerPair, sum: 0 })));
  const stream = random(seed);
  const half = Math.max(clusters, X.rows >> 1);
  const grid = { sigmas, lambdas: lambdas.map((perPair) => perPair * half ** 2) };
  let splits = 0;
  for (; splits < SPLITS && !gate.stopped; splits++) {
    const order = stream.sample(X.rows, X.rows);
    const quiet = quietGate(gate, splits / SPLITS, `split ${splits + 1} of ${SPLITS}`);
    const [first, second] = [order.subarray(0, half), order.subarray(X.rows - half)].map((rows) =>
      gridLabels(takeRows(X, rows), X, grid, options, landmarks, quiet),
    );
    cells.forEach((cell, c) => (cell.sum += adjustedRand(first[c], second[c])));
  }
  return cells.map(({ sigma, lambdaPerPair, sum }) => ({ sigma, lambdaPerPair, stability: sum / splits }));
}

/**
 * The clusters of the targets under the field of X for every sigma and lambda: those whose centres are nearest
 * after the move. The start is shared, and for each sigma the kernel and its square. X and the targets must
 * have the same centring.
 */
function gridLabels(
  X: Matrix,
  targets: Matrix,
  { sigmas, lambdas }: { readonly sigmas: readonly number[]; readonly lambdas: readonly number[] },
  options: Omit<AlternationOptions, "lambda">,
  landmarks: number | undefined,
  gate: ProgressGate,
): Int32Array[] {
  const start = spectralStart(X, options);
  const centers = fieldCenters(X, landmarks, options.seed);
  return sigmas.flatMap((sigma) => {
    const basis = fieldBasis(X, centers, sigma);
    const kernel = fieldKernel(targets, basis);
    return lambdas.map((lambda) => {
      const run = alternate(X, basis, start, { ...options, lambda }, gate);
      const moved = multiply(kernel, run.weights);
      for (let p = 0; p < moved.data.length; p++) moved.data[p] += targets.data[p];
      return nearestRows(means(run.moved, run.partition), 1, { queries: moved }).indices;
    });
  });
}

/** For fits inside a larger search: they can be stopped, and report the progress of the search. */
function quietGate(gate: ProgressGate, fraction: number, label: string): ProgressGate {
  const report = (inner: Progress): boolean => gate({ ...inner, fraction, label });
  return Object.defineProperty(report, "stopped", { get: () => gate.stopped }) as ProgressGate;
}
