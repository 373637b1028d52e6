import type { ProgressGate } from "../../core/internal.ts";
import { multiply, nearestRows, type Matrix } from "../../matrix/index.ts";
import { alternate, type Alternation, type AlternationOptions, spectralStart } from "./cpdUmlAlternation.ts";
import { fieldBasis, fieldCenters, fieldKernel } from "./cpdUmlField.ts";
import { means, type Partition } from "./cpdUmlSpectral.ts";

export interface GridFit {
  readonly sigma: number;
  readonly lambda: number;
  /** The cluster of each target: the one whose centre is nearest after the move. */
  readonly labels: Int32Array;
  readonly run: Alternation;
}

/**
 * CPD-UML for every sigma and lambda with shared parts: the start, and for each sigma the kernel and its
 * square. X and the targets must have the same centring.
 */
export function fitGrid(
  X: Matrix,
  targets: Matrix,
  grid: { readonly sigmas: readonly number[]; readonly lambdas: readonly number[] },
  options: Omit<AlternationOptions, "lambda">,
  landmarks: number | undefined,
  gate: ProgressGate,
): { fits: GridFit[]; start: Partition } {
  const start = spectralStart(X, options);
  const centers = fieldCenters(X, landmarks, options.seed);
  const fits = grid.sigmas.flatMap((sigma) => {
    const basis = fieldBasis(X, centers, sigma);
    const kernel = fieldKernel(targets, basis);
    return grid.lambdas.map((lambda): GridFit => {
      const run = alternate(X, basis, start, { ...options, lambda }, gate);
      const moved = multiply(kernel, run.weights);
      for (let p = 0; p < moved.data.length; p++) moved.data[p] += targets.data[p];
      const { indices } = nearestRows(means(run.moved, run.partition), 1, { queries: moved });
      return { sigma, lambda, labels: indices, run };
    });
  });
  return { fits, start: start.partition };
}
