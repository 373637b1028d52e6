import { kmeansInOrder, knownRowsForm } from "../cluster/internal.ts";
import {
  asGiven,
  dot,
  inValueOrder,
  leadingColumns,
  mapped,
  scaledColumns,
  symmetrize,
  columnMeans,
  diagonalOf,
  matrixForm,
  requireFinite,
} from "../matrix/internal.ts";
import {
  asMatrix,
  cholesky,
  matrix,
  multiply,
  symmetricEigen,
  nearestRows,
  type Matrix,
  type MatrixLike,
} from "../matrix/index.ts";
import { extended, form, inputError, optionError, plain, progressGate, rule } from "../core/internal.ts";
import { kernelFunction, shiftedKernelMatrix } from "../metric/index.ts";
import { ascend, type View } from "./aml.ts";
import {
  PARTITION_RULES,
  requireRows,
  requireColumns,
  type EmbeddedRows,
  type PlacingMap,
} from "./embedding.ts";
import { partitionIndicator, means, type Partition } from "./cpdUml/cpdUmlAlternation.ts";
import { keepingLabels, withKnown } from "./projection.ts";
import { centreKernel } from "./kernelPca.ts";

/**
 * Nonlinear adaptive metric learning (J. Chen, Z. Zhao, J. Ye and H. Liu, 2007): AML in the feature space of a kernel
 * that is learned with the partition,
 *
 *     maximise over theta (weights, sum 1) and partitions L:   f = tr( L'K (K + lambda I)^-1 L ),   K = sum_k theta_k K_k
 *
 * K_k are centred Gaussian kernels of several widths, each of trace n. For given theta this is AML on the
 * kernel's principal coordinates; for given L, f is concave in theta (the paper solves a QCQP; here Newton's
 * method on the simplex, and the gap of the linearisation bounds the rest). No step lowers f.
 */
export const namlOptions = {
  ...PARTITION_RULES,
  /** Widths of the kernels; default: 1/4, 1/2, 1, 2 and 4 times the median distance. */
  sigmas: rule.reals({
    above: 0,
    says: "widths of the gaussian kernels to mix",
    usual: "1/4 to 4 times the median distance",
  }),
  /** Alternations between theta and the partition. */
  maxIterations: rule.integer({ min: 1, default: 30, says: "maximum number of iterations" }),
};

export type NamlOptions = rule.OptionsOf<typeof namlOptions>;

export interface Naml extends EmbeddedRows, NamlModel {
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
  /** f, at most K - 1. */
  readonly objective: number;
  /** f after each step of theta and of the partition; never falls. */
  readonly history: readonly number[];
  readonly certificate: {
    /** Bound on the gain of f from other weights, with a fixed partition. */
    readonly gap: number;
  };
}

const NAME = "naml";
const FACTORS = [0.25, 0.5, 1, 2, 4];
const MANY_ROWS = 4000;
/** Steps of theta between two partitions. */
const WEIGHT_STEPS = 30;
const GAP = 1e-6;

export function naml(input: MatrixLike, options: NamlOptions): Naml {
  return inValueOrder(asMatrix(input, "naml"), options, [], fitted, asGiven<Naml>("embedding"));
}

function fitted(X: Matrix, options: NamlOptions): Naml {
  const resolved = rule.resolveOptions(NAME, options, namlOptions);
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
  const first = mixed(kernels, weights);
  const starts = startingRows(first, lambda).map((rows) =>
    kmeansInOrder(rows, { clusters: asked, restarts, seed }),
  );
  const K = Math.min(...starts.map(({ clusters }) => clusters));
  const warnings = K < asked ? [...starts[0].warnings] : [];
  let solve = regularised(first, lambda);
  const viewOf = (partition: Partition): KernelView => kernelView(solve, partition, lambda);
  let ascent = starts
    .map((start) => ascend(viewOf, start, 100, gate))
    .reduce((a, b) => (b.history.at(-1)! > a.history.at(-1)! ? b : a));
  let { partition } = ascent;
  const history = [ascent.history.at(-1)!];
  let gap = Infinity;
  let converged = false;
  let turns = 0;
  while (!converged && turns < maxIterations && !gate.stopped) {
    turns++;
    partition = ascent.partition;
    const step = betterWeights(kernels, weights, partition, lambda, solve);
    ({ weights, solve, gap } = step);
    history.push(step.f);
    ascent = ascend(viewOf, partition, 100, gate);
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
  const { P: embedding, coefficients } = ascent.view;
  const model = namlModel({
    rows: X,
    mixture: { sigmas, scales: mixture.scales, means: mixture.means },
    weights,
    coefficients,
    centers: means(embedding, partition),
  });
  return extended(keepingLabels(model, X, partition.labels), {
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

/** The start of k-means: Z with ZZ' = K (K + lambda I)^-1, and the principal coordinates of K. */
function startingRows(K: Matrix, lambda: number): Matrix[] {
  const { values, vectors } = symmetricEigen(K);
  const kept = leadingColumns(vectors, values.filter((value) => value > 1e-12 * values[0]).length);
  return [
    scaledColumns(kept, (r) => Math.sqrt(values[r] / (values[r] + lambda))),
    scaledColumns(kept, (r) => Math.sqrt(values[r])),
  ];
}

/** (K + lambda I)^-1 times a matrix. */
type Inverse = (L: Matrix) => Matrix;

function regularised(K: Matrix, lambda: number): Inverse {
  for (let i = 0; i < K.rows; i++) K.data[i * (K.rows + 1)] += lambda;
  return cholesky(K).solve;
}

interface KernelView extends View {
  /** n x r: K times these is P. */
  readonly coefficients: Matrix;
}

/**
 * The rows in the best directions for a partition, without kernel coordinates: with A = K (K + lambda I)^-1 =
 * ZZ' the directions are V = Z'L Q S^-1, L'A L = Q S^2 Q', so Z V = A L Q S^-1 and A L = L - lambda (K +
 * lambda I)^-1 L.
 */
function kernelView(solve: Inverse, { labels, sizes }: Partition, lambda: number): KernelView {
  const indicator = partitionIndicator(labels, sizes);
  const L = indicator.dense();
  const inverse = solve(L);
  const AL = mapped(L, (value, p) => value - lambda * inverse.data[p]);
  const { values, vectors } = symmetricEigen(symmetrize(indicator.timesTranspose(AL)));
  const kept = leadingColumns(vectors, values.filter((value) => value > 1e-10 * values[0]).length);
  const turn = scaledColumns(kept, (r) => 1 / Math.sqrt(values[r]));
  return { P: multiply(AL, turn), coefficients: multiply(inverse, turn) };
}

/**
 * Raises f in theta for a given partition. f = |L|^2 - lambda h, h = tr(L'(K + lambda I)^-1 L) convex in theta, with
 * slopes -s_k, s_k = tr(V'K_k V), V = (K + lambda I)^-1 L; h - min h <= max_k s_k - sum_k theta_k s_k.
 * Newton's method on the simplex: the second derivatives 2 tr(V'K_j (K + lambda I)^-1 K_k V) cost a few more
 * solves with the existing factor.
 */
function betterWeights(
  kernels: readonly Matrix[],
  start: Float64Array,
  { labels, sizes }: Partition,
  lambda: number,
  known: Inverse,
): { weights: Float64Array<ArrayBuffer>; f: number; gap: number; solve: Inverse } {
  const L = partitionIndicator(labels, sizes).dense();
  const m = kernels.length;
  const valued = (weights: Float64Array<ArrayBuffer>, solve: Inverse) => {
    const V = solve(L);
    return { weights, solve, V, h: dot(V.data, L.data) };
  };
  let at = valued(Float64Array.from(start), known);
  let gap = Infinity;
  for (let step = 0; step < WEIGHT_STEPS; step++) {
    const pulled = kernels.map((K) => multiply(K, at.V));
    const slopes = Float64Array.from(pulled, (KV) => dot(KV.data, at.V.data));
    const most = slopes.reduce((a, b) => Math.max(a, b), 0);
    gap = lambda * (most - slopes.reduce((sum, slope, k) => sum + slope * at.weights[k], 0));
    if (gap <= GAP * sizes.length || most === 0) break;
    const turned = pulled.map((KV) => at.solve(KV));
    const H = matrix(m, m);
    for (let j = 0; j < m; j++)
      for (let k = 0; k < m; k++) H.data[j * m + k] = 2 * dot(pulled[j].data, turned[k].data);
    const goal = simplexNewton(at.weights, slopes, H);
    let next: typeof at | undefined;
    for (let rate = 1; rate > 1e-4; rate /= 2) {
      const trial = simplex(at.weights.map((weight, k) => Math.max(0, weight + rate * (goal[k] - weight))));
      const tried = valued(trial, regularised(mixed(kernels, trial), lambda));
      if (tried.h >= at.h) continue;
      next = tried;
      break;
    }
    if (next === undefined) break;
    at = next;
  }
  return { weights: at.weights, f: sizes.length - lambda * at.h, gap, solve: at.solve };
}

/**
 * Minimises -s'(x - theta) + 1/2 (x - theta)'H (x - theta) over the simplex by exchanges between two weights,
 * always the pair whose derivatives differ most.
 */
function simplexNewton(theta: Float64Array, slopes: Float64Array, H: Matrix): Float64Array {
  const m = theta.length;
  const x = Float64Array.from(theta);
  const gradient = slopes.map((slope) => -slope);
  const size = slopes.reduce((most, slope) => Math.max(most, Math.abs(slope)), 0);
  for (let round = 0; round < 1000 * m; round++) {
    let [up, down] = [0, -1];
    for (let k = 0; k < m; k++) {
      if (gradient[k] < gradient[up]) up = k;
      if (x[k] > 0 && (down < 0 || gradient[k] > gradient[down])) down = k;
    }
    const pull = gradient[down] - gradient[up];
    if (!(pull > 1e-12 * size)) break;
    const bend = H.data[up * m + up] + H.data[down * m + down] - 2 * H.data[up * m + down];
    const by = Math.min(x[down], bend > 0 ? pull / bend : Infinity);
    x[up] += by;
    x[down] = by === x[down] ? 0 : x[down] - by;
    for (let k = 0; k < m; k++) gradient[k] += by * (H.data[k * m + up] - H.data[k * m + down]);
  }
  return x;
}

/** Weights that add up to 1. */
function simplex(weights: Float64Array): Float64Array<ArrayBuffer> {
  const sum = weights.reduce((a, b) => a + b, 0);
  return Float64Array.from(weights, (weight) => weight / sum);
}

/** The form in a file. */
const namlForm = form.record({
  method: form.choice("naml"),
  /** Its training rows, for comparison with new rows. */
  rows: matrixForm("rows"),
  /** The kernels (`KernelMixture`). */
  sigmas: form.asStored(form.numbers("kernels", { above: 0 })),
  scales: form.numbers("kernels", { min: 0 }),
  means: form.list(form.numbers("rows"), "kernels"),
  /** theta, one for each width. */
  weights: form.numbers("kernels", { min: 0, max: 1 }),
  /** n x r: the mixture of kernels times these are the coordinates. */
  coefficients: matrixForm("rows", "coordinates"),
  /** K x r. */
  centers: matrixForm("clusters", "coordinates"),
  known: form.optional(knownRowsForm),
});

export interface NamlData extends form.StoredOf<typeof namlForm> {}

interface NamlParts extends Pick<
  form.LoadedOf<typeof namlForm>,
  "rows" | "weights" | "coefficients" | "centers"
> {
  readonly mixture: Pick<KernelMixture, "sigmas" | "scales" | "means">;
}

/** What places new rows. */
export interface NamlModel extends NamlParts, PlacingMap<NamlData> {
  readonly method: "naml";
  readonly clusters: number;
  readonly placement: "projection";
}

function namlModel(parts: NamlParts): NamlModel {
  const { rows, mixture, weights, coefficients, centers } = parts;
  const transform = (input: MatrixLike): Matrix => {
    const Y = asMatrix(input, "naml");
    requireFinite(Y);
    requireColumns("naml", rows.cols, Y);
    return multiply(mixedCross(Y, rows, mixture, weights), coefficients);
  };
  return plain({
    ...parts,
    method: "naml",
    clusters: centers.rows,
    transform,
    predict: (Y) => nearestRows(centers, 1, { queries: transform(Y) }).indices,
    placement: "projection",
    model: () => namlForm.save({ method: "naml", ...parts, ...mixture }),
  });
}

/** Reads the output of `model()`. */
export function loadNaml(data: NamlData): NamlModel {
  const { known, sigmas, scales, means, ...parts } = form.load(namlForm, data, "naml");
  return withKnown(namlModel({ ...parts, mixture: { sigmas, scales, means } }), known);
}

/** Gaussian kernels of several widths on the same rows, each centred and of trace n, to be mixed by weights. */
interface KernelMixture {
  readonly sigmas: readonly number[];
  /** n x n each. */
  readonly kernels: readonly Matrix[];
  /** The factors that bring each to trace n. */
  readonly scales: Float64Array;
  /** Column means of each before centring, and their mean. */
  readonly means: readonly Float64Array[];
}

export function kernelMixture(X: Matrix, sigmas: readonly number[]): KernelMixture {
  const n = X.rows;
  const scales = new Float64Array(sigmas.length);
  const means: Float64Array[] = [];
  const kernels = sigmas.map((sigma, k) => {
    const K = shiftedKernelMatrix(X, X, { kind: "gaussian", sigma });
    means.push(columnMeans(K));
    centreKernel(K, means[k]);
    const trace = diagonalOf(K).reduce((sum, value) => sum + value, 0);
    if (!(trace > 0)) throw inputError(`naml: all rows are equal under the kernel of width ${sigma}`);
    scales[k] = n / trace;
    for (let p = 0; p < K.data.length; p++) K.data[p] *= scales[k];
    return K;
  });
  return { sigmas, kernels, scales, means };
}

/** sum_k weights_k K_k. */
function mixed(kernels: readonly Matrix[], weights: Float64Array): Matrix {
  const { rows, cols } = kernels[0];
  const M = matrix(rows, cols);
  kernels.forEach((K, k) => {
    if (weights[k] > 0) for (let p = 0; p < M.data.length; p++) M.data[p] += weights[k] * K.data[p];
  });
  return M;
}

/** The mixture between new rows and its training rows, with the same centring. */
function mixedCross(
  Y: Matrix,
  rows: Matrix,
  { sigmas, scales, means }: Pick<KernelMixture, "sigmas" | "scales" | "means">,
  weights: Float64Array,
): Matrix {
  const parts = sigmas.map((sigma, k) => {
    // Exponentials of a kernel without weight are skipped.
    if (weights[k] === 0) return matrix(Y.rows, rows.rows);
    return centreKernel(shiftedKernelMatrix(Y, rows, { kind: "gaussian", sigma }), means[k]);
  });
  return mixed(
    parts,
    weights.map((weight, k) => weight * scales[k]),
  );
}
