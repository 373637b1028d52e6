import { asGiven, inValueOrder } from "../cluster/inValueOrder.ts";
import { asMatrix, type MatrixLike } from "../matrix/asMatrix.ts";
import { knownPlacing } from "../cluster/knownRows.ts";
import { extended } from "../core/result.ts";
import { kmeansInOrder } from "../cluster/kmeans/kmeans.ts";
import { inputError, optionError } from "../core/errors.ts";
import { given, integer, real, reals, required, resolveOptions, type RulesOf } from "../core/options.ts";
import { progressGate, type OnProgress } from "../core/progress.ts";
import { cholesky } from "../matrix/factor/cholesky.ts";
import { symmetricEigen } from "../matrix/factor/eigen.ts";
import { takeColumns, type Matrix } from "../matrix/matrix.ts";
import { multiply } from "../matrix/multiply.ts";
import { kernelFunction } from "../metric/kernelFunction.ts";
import { ascend } from "./amlAscent.ts";
import { requireRows } from "./checkedRows.ts";
import { partitionIndicator } from "./cpdUml/cpdUmlIndicator.ts";
import { means, type Partition } from "./cpdUml/cpdUmlSpectral.ts";
import type { Embedding } from "./embedding.ts";
import { kernelMixture, mixed } from "./kernelMixture.ts";
import { type NamlData, type NamlModel, namlModel } from "./namlModel.ts";
import { scaledColumns } from "./principalAxes.ts";

/**
 * Nonlinear adaptive metric learning (J. Chen, Z. Zhao, J. Ye and H. Liu, 2007): AML in the feature space of a kernel
 * that is learned with the partition,
 *
 *     maximise over theta (weights, sum 1) and partitions L:   f = tr( L'K (K + lambda I)^-1 L ),   K = sum_k theta_k K_k
 *
 * K_k are centred Gaussian kernels of several widths, each of trace n. For given theta this is AML on the kernel's
 * principal coordinates; for given L, f is concave in theta (the text solves a QCQP; here exponentiated gradient with a
 * line search, and the gap of the linearisation bounds what is left). No step lowers f.
 */
export interface NamlOptions {
  /** K. */
  clusters: number;
  /** Widths of the kernels; default: 1/4, 1/2, 1, 2 and 4 times the median distance. */
  sigmas?: readonly number[];
  /** In mean eigenvalues of the kernel, which are 1; default 1. */
  lambda?: number;
  /** Starts of the first k-means. */
  restarts?: number;
  /** Turns between theta and the partition. */
  maxIterations?: number;
  seed?: number;
  onProgress?: OnProgress;
}

export interface Naml extends Embedding, NamlModel {
  readonly method: "naml";
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
  /** f, at most K - 1. */
  readonly objective: number;
  /** f after each step of theta and of the partition; never falls. */
  readonly history: readonly number[];
  readonly certificate: {
    /** Bound on how much f could gain from other weights, the partition kept. */
    readonly gap: number;
  };
  transform(Y: MatrixLike): Matrix;
  model(): NamlData;
  toJSON(): object;
}

const NAME = "naml";
const FACTORS = [0.25, 0.5, 1, 2, 4];
const MANY_ROWS = 4000;
/** Steps of theta between two partitions. */
const WEIGHT_STEPS = 30;
const GAP = 1e-6;

export const namlOptions: RulesOf<NamlOptions> = {
  clusters: required(integer({ min: 1 })),
  sigmas: reals({
    above: 0,
    says: "widths of the gaussian kernels to mix",
    usual: "1/4 to 4 times the median distance",
  }),
  lambda: real({
    above: 0,
    default: 1,
    says: "from whitened rows (small) to k-means (large), in mean eigenvalues",
  }),
  restarts: integer({ min: 1, max: 10_000, default: 10, says: "starts of k-means; the best is kept" }),
  maxIterations: integer({ min: 1, default: 30, says: "iterations at most" }),
  seed: integer({ min: 0, default: 0 }),
  onProgress: given<OnProgress>("a function", (value) => typeof value === "function"),
};

export function naml(input: MatrixLike, options: NamlOptions): Naml {
  return inValueOrder(asMatrix(input, "naml"), options, [], fitted, asGiven<Naml>("embedding"));
}

function fitted(X: Matrix, options: NamlOptions): Naml {
  const resolved = resolveOptions<NamlOptions, typeof namlOptions>(NAME, options, namlOptions);
  const { clusters: asked, lambda, restarts, maxIterations, seed } = resolved;
  requireRows(X, NAME, 2);
  const n = X.rows;
  if (asked > n) throw optionError(`${NAME}: cannot make ${asked} clusters of ${n} rows`);
  if (n > MANY_ROWS)
    throw inputError(`${NAME}: ${n} rows are too many for n x n kernels; at most ${MANY_ROWS}`);
  const sigmas = resolved.sigmas ?? defaultWidths(X);
  const mixture = kernelMixture(X, sigmas);
  const { kernels } = mixture;
  const gate = progressGate(resolved.onProgress);

  let weights = new Float64Array(kernels.length).fill(1 / kernels.length);
  let space = coordinates(mixed(kernels, weights), lambda);
  const starts = [space.Z, space.principal].map((rows) =>
    kmeansInOrder(rows, { clusters: asked, restarts, seed }),
  );
  const K = Math.min(...starts.map(({ clusters }) => clusters));
  const warnings = K < asked ? [...starts[0].warnings] : [];
  let ascent = starts
    .map((start) => ascend(space.Z, start, K, 100, gate))
    .reduce((a, b) => (b.history.at(-1)! > a.history.at(-1)! ? b : a));
  let { partition } = ascent;
  const history = [ascent.history.at(-1)!];
  let gap = Infinity;
  let converged = false;
  let turns = 0;
  while (!converged && turns < maxIterations && !gate.stopped) {
    turns++;
    partition = ascent.partition;
    const step = betterWeights(kernels, weights, partition, lambda);
    weights = step.weights;
    gap = step.gap;
    history.push(step.f);
    space = coordinates(mixed(kernels, weights), lambda);
    ascent = ascend(space.Z, partition, K, 100, gate);
    history.push(ascent.history.at(-1)!);
    const kept = partition.labels;
    converged = ascent.partition.labels.every((label, i) => label === kept[i]) && gap <= GAP * K;
    gate({
      fraction: turns / (maxIterations + 1),
      label: `turn ${turns}`,
      objective: history[history.length - 1],
    });
  }
  partition = ascent.partition;
  if (gate.stopped) warnings.push("stopped by onProgress");
  else if (!converged) warnings.push(`not converged after ${maxIterations} turns`);
  const embedding = multiply(space.Z, ascent.directions);
  const model = namlModel({
    rows: X,
    mixture: { sigmas, scales: mixture.scales, means: mixture.means },
    weights,
    coefficients: multiply(space.coefficients, ascent.directions),
    centers: means(embedding, partition),
  });
  const { predict, stored } = knownPlacing(X, partition.labels, (Y: Matrix) => model.predict(Y));
  return extended(model, {
    predict,
    model: (): NamlData => ({ ...model.model(), ...stored() }),
    labels: partition.labels,
    sizes: partition.sizes,
    embedding,
    objective: history[history.length - 1],
    history,
    certificate: { gap },
    iterations: turns,
    converged,
    warnings,
  });
}

function defaultWidths(X: Matrix): number[] {
  const kernel = kernelFunction(X, {}, NAME);
  const median = kernel.kind === "gaussian" ? kernel.sigma : 1;
  return FACTORS.map((factor) => factor * median);
}

/** Z with ZZ' = K (K + lambda I)^-1, the coefficients that give it (Z = K coefficients), and principal coordinates. */
function coordinates(K: Matrix, lambda: number): { Z: Matrix; principal: Matrix; coefficients: Matrix } {
  const { values, vectors } = symmetricEigen(K);
  let rank = 0;
  while (rank < values.length && values[rank] > 1e-12 * values[0]) rank++;
  const kept = takeColumns(
    vectors,
    Array.from({ length: rank }, (_, r) => r),
  );
  return {
    Z: scaledColumns(kept, (r) => Math.sqrt(values[r] / (values[r] + lambda))),
    principal: scaledColumns(kept, (r) => Math.sqrt(values[r])),
    coefficients: scaledColumns(kept, (r) => 1 / Math.sqrt(values[r] * (values[r] + lambda))),
  };
}

/**
 * Raises f in theta for a given partition. f = |L|^2 - lambda h, h = tr(L'(K + lambda I)^-1 L) convex in theta, with
 * slopes -s_k, s_k = tr(V'K_k V), V = (K + lambda I)^-1 L; h - min h <= max_k s_k - sum_k theta_k s_k.
 */
function betterWeights(
  kernels: readonly Matrix[],
  start: Float64Array,
  { labels, sizes }: Partition,
  lambda: number,
): { weights: Float64Array<ArrayBuffer>; f: number; gap: number } {
  const n = labels.length;
  const L = partitionIndicator(labels, sizes).dense();
  const evaluate = (weights: Float64Array): { h: number; V: Matrix } => {
    const B = mixed(kernels, weights);
    for (let i = 0; i < n; i++) B.data[i * (n + 1)] += lambda;
    const V = cholesky(B).solve(L);
    return { h: V.data.reduce((sum, value, p) => sum + value * L.data[p], 0), V };
  };
  let weights = Float64Array.from(start);
  let { h, V } = evaluate(weights);
  let gap = Infinity;
  let rate = 1;
  for (let step = 0; step < WEIGHT_STEPS; step++) {
    const slopes = Float64Array.from(kernels, (K) => {
      const KV = multiply(K, V);
      return KV.data.reduce((sum, value, p) => sum + value * V.data[p], 0);
    });
    const most = slopes.reduce((a, b) => Math.max(a, b), 0);
    gap = lambda * (most - slopes.reduce((sum, slope, k) => sum + slope * weights[k], 0));
    if (gap <= GAP * sizes.length || most === 0) break;
    let found = false;
    for (; rate > 1e-4 && !found; rate /= 2) {
      const raised = weights.map((weight, k) => weight * Math.exp((rate * (slopes[k] - most)) / most));
      const sum = raised.reduce((a, b) => a + b, 0);
      const trial = simplex(raised.map((weight) => (weight < 1e-9 * sum ? 0 : weight)));
      const next = evaluate(trial);
      if (next.h >= h) continue;
      weights = trial;
      ({ h, V } = next);
      found = true;
    }
    if (!found) break;
    // Twice for the halving at the end of the loop, twice to grow: weights that must vanish do so in steps of a power.
    rate *= 4;
  }
  return { weights, f: sizes.length - lambda * h, gap };
}

/** Weights that add up to 1. */
function simplex(weights: Float64Array): Float64Array<ArrayBuffer> {
  const sum = weights.reduce((a, b) => a + b, 0);
  return Float64Array.from(weights, (weight) => weight / sum);
}
