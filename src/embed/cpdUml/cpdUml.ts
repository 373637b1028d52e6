import {
  asMatrix,
  multiplyTransposeA,
  multiply,
  nearestRows,
  takeRows,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import {
  asGiven,
  columnMeans,
  inValueOrder,
  mapped,
  rowsInGivenOrder,
  scaledColumns,
} from "../../matrix/internal.ts";
import { distinctRows, kmeansInOrder, withPoints } from "../../cluster/internal.ts";
import {
  extended,
  inputError,
  option,
  optionError,
  progressGate,
  rule,
  type ProgressGate,
} from "../../core/internal.ts";
import { requireRows, type EmbeddedRows } from "../embedding.ts";
import {
  alternate,
  spectralStart,
  means,
  spectralEmbedding,
  type Alternation,
  type AlternationOptions,
} from "./cpdUmlAlternation.ts";
import {
  fieldBasis,
  fieldCenters,
  fieldKernel,
  cpdUmlModel,
  type FieldBasis,
  type CpdUmlModel,
} from "./cpdUmlField.ts";
import { KERNEL_SPACE_RULES, kernelSpace } from "../kernelPca.ts";
import { random, type Progress } from "../../core/index.ts";
import { adjustedRand } from "../../score/index.ts";

/**
 * The Psi step as printed: test/embed/cpdUmlReference.ts.
 *
 * Unsupervised metric learning by coherent point drifting ("Unsupervised metric learning via nonlinear
 * feature space transformations", whose equation numbers are used below): a smooth field moves the rows until
 * k-means can separate them,
 *
 *     minimise over Psi and Y, Y'Y = I:   J = |X1|^2 - |Y'X1|^2 + lambda |Psi|^2,   X1 = X + G Psi      (11)
 *
 * with G Gaussian of width sigma. Y is the normalised indicator of a partition found by k-means on the K leading left
 * singular vectors of X1 (discrete), or those vectors themselves (relaxed). Two repairs of the paper: (12)
 * must use the moved rows X1, not X, or Y never changes; and J need not fall when Y is discrete, so the best
 * iterate is kept. J cannot choose sigma or lambda: with lambda near 0 any partition reaches J = 0.
 *
 * For a fixed field J is the objective of k-means on the moved rows. So at the end each row goes to the
 * nearest centre of the moved clusters, which does not raise J and is the paper's rule for new rows: one rule
 * for both.
 */
export const cpdUmlOptions = {
  /** K. */
  clusters: rule.required(rule.integer({ min: 1 })),
  /** Width of the field; default: twice the root mean square distance of the rows from their mean. */
  sigma: rule.real({
    above: 0,
    says: "width of the field",
    usual: "twice the root mean square distance from the mean",
  }),
  /**
   * Stiffness of the field; default: n^2 / 40. The eigenvalues of GG grow like n^2, and this default grows
   * with them.
   */
  lambda: rule.real({ above: 0, says: "stiffness of the field", usual: "the squared number of rows / 40" }),
  /**
   * How to find a missing sigma or lambda: the defaults above, or the most stable setting of a small grid.
   */
  choose: rule.oneOf(["default", "stability"] as const, "default", {
    says: "how to find a missing sigma or lambda",
  }),
  indicator: rule.oneOf(["discrete", "relaxed"] as const, "discrete", {
    says: "a partition, or the singular vectors that relax it",
  }),
  /** Which iterate is returned: the one with the smallest J, or the last, as in the paper. */
  iterate: rule.oneOf(["best", "last"] as const, "best", {
    says: "returns the iterate with the smallest objective, or the last one",
  }),
  /** Spectral coordinates of `embedding` and `transform`; default: K. Does not change the clusters. */
  dims: rule.integer({ min: 1 }),
  /** Subtract the means of the columns first; on by default. */
  center: rule.flag(true, { says: "subtracts the means of the columns" }),
  ...KERNEL_SPACE_RULES,
  /** Centres of the field; default: every row up to 3000 rows, 500 landmarks beyond. */
  landmarks: rule.integer({
    min: 1,
    says: "number of centres of the field",
    usual: "all rows, or 500 beyond 3000",
  }),
  /** Starts of k-means in each iteration. */
  restarts: rule.integer({ min: 1, max: 10_000, default: 5, says: "starts of k-means in each iteration" }),
  maxIterations: rule.integer({ min: 1, default: 30, says: "maximum number of iterations" }),
  /** Relaxed form: stop when an iteration lowers J by no more than this share. */
  tolerance: rule.real({ min: 0, below: 1, default: 1e-6 }),
  seed: rule.seed,
  onProgress: rule.progress,
};

export type CpdUmlOptions = rule.OptionsOf<typeof cpdUmlOptions>;

export interface CpdUml extends CpdUmlModel, EmbeddedRows {
  /** The output of `predict` for the rows: the cluster whose centre is nearest to the moved row. */
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
  /** The partition of Algorithm 1, by k-means on singular vectors; `centers` are the means of its moved rows. */
  readonly alternationLabels: Int32Array;
  /** J of the iterate that is returned. */
  readonly objective: number;
  /** J after each iteration; rises are possible in the discrete form. */
  readonly history: readonly number[];
  /** The iteration that is returned, counted from 1. */
  readonly returned: number;
  /** `cycle`: the partitions repeat with period `period` and never settle. */
  readonly outcome: Alternation["outcome"];
  readonly period: number;
  readonly certificate: {
    /** `fixed point`: the field of Algorithm 1 reproduces its own partition. */
    readonly kind: "fixed point" | "none";
    /** Size of the gradient (15) at the returned field, relative to its largest term G'X. */
    readonly gradient: number;
  };
  readonly setting: {
    readonly sigma: number;
    readonly lambda: number;
    readonly sigmaFrom: Origin;
    readonly lambdaFrom: Origin;
    /** Centres of the field; 0 when every row is one. */
    readonly landmarks: number;
  };
  /** The grid that was searched; empty without `choose: "stability"`. */
  readonly grid: readonly StabilityCell[];
  /**
   * Rows before and after the move, n x d each (kernel form: in kernel components), for drawing the field.
   */
  readonly field: { readonly points: Matrix; readonly moved: Matrix };
  /** Leading left singular vectors of the moved rows, n x min(dims, rank). */
  readonly embedding: Matrix;
  /** The spectral step alone (Psi = 0): the result without any field. */
  readonly spectralLabels: Int32Array;
}

export type Origin = "given" | "default" | "stability";

const NAME = "cpdUml";
const MANY_ROWS = 3000;
const MANY_LANDMARKS = 500;

/** Moves the rows along a smooth field until k-means can separate them. */
export function cpdUml(input: MatrixLike, options: CpdUmlOptions): CpdUml {
  return inValueOrder(asMatrix(input, "cpdUml"), options, [], fitted, rowsAsGiven);
}

function rowsAsGiven(fit: CpdUml, order: Int32Array): CpdUml {
  const whole = asGiven<CpdUml>("alternationLabels", "spectralLabels", "embedding")(fit, order);
  const { points, moved } = fit.field;
  return extended(whole, {
    field: { points: rowsInGivenOrder(points, order), moved: rowsInGivenOrder(moved, order) },
  }) as unknown as CpdUml;
}

function fitted(X: Matrix, options: CpdUmlOptions): CpdUml {
  const resolved = rule.resolveOptions(NAME, options, cpdUmlOptions);
  const { clusters: asked, center, seed, choose } = resolved;
  requireRows(X, NAME);
  if (asked > X.rows) throw optionError(`${NAME}: cannot make ${asked} clusters of ${X.rows} rows`);
  const gate = progressGate(resolved.onProgress);
  const space = kernelSpace(X, resolved, NAME);
  const points = space.rows;
  const mean = center ? columnMeans(points) : new Float64Array(points.cols);
  const Z = shifted(points, mean, -1);
  const radius = rmsRadius(points);
  if (radius === 0) throw inputError(`${NAME}: all rows are equal, so there is nothing to separate`);
  const landmarks = resolved.landmarks ?? (X.rows > MANY_ROWS ? MANY_LANDMARKS : undefined);
  const centers = fieldCenters(Z, landmarks, seed);
  const warnings: string[] = [...space.warnings];
  const K = withPoints(points, (p) => distinctRows(p, undefined, asked));
  if (K < asked) {
    warnings.push(`the data has only ${K} distinct rows, so ${K} clusters were made instead of ${asked}`);
  }
  const settled = { ...resolved, clusters: K };

  let sigma = resolved.sigma ?? 2 * radius;
  let lambda = resolved.lambda ?? X.rows ** 2 / 40;
  let grid: readonly StabilityCell[] = [];
  const search = choose === "stability";
  if (search) {
    if (resolved.sigma !== undefined && resolved.lambda !== undefined) {
      throw optionError(
        `${NAME}: with ${option("sigma")} and ${option("lambda")} given, ${option("choose")} has nothing to choose`,
      );
    }
    grid = stabilityGrid(Z, radius, settled, landmarks, gate);
    const best = grid.reduce((a, b) => (b.stability > a.stability ? b : a));
    sigma = best.sigma;
    lambda = best.lambdaPerPair * X.rows ** 2;
  }
  const basis = fieldBasis(Z, centers, sigma);
  checkWidth(basis, Z, radius, warnings);
  const start = spectralStart(Z, settled);
  const run = alternate(Z, basis, start, { ...settled, lambda }, gate);
  explain(run, settled, start.embedding.U.cols, warnings);
  const origin = (value: number | undefined): Origin =>
    value !== undefined ? "given" : search ? "stability" : "default";
  const moved = shifted(run.moved, mean, 1);
  const embedding = resolved.dims === undefined ? run.embedding : spectralEmbedding(run.moved, resolved.dims);
  const placing = (centers: Matrix): CpdUmlModel =>
    cpdUmlModel({
      mean,
      sigma,
      fieldCenters: basis.centers,
      fieldWeights: scaledRows(run.weights, basis.counts),
      centers,
      directions: scaledColumns(embedding.V, (r) => 1 / embedding.values[r]),
      ...(space.model !== undefined && { kernel: space.model }),
    });
  const { model, labels, sizes } = placedRows(X, moved, means(moved, run.partition), placing);
  return extended(model, {
    labels,
    sizes,
    alternationLabels: run.partition.labels,
    objective: run.objective,
    history: run.history,
    iterations: run.history.length,
    returned: run.returned,
    converged: run.outcome === "converged",
    outcome: run.outcome,
    period: run.period,
    certificate: {
      kind:
        run.outcome === "converged" && run.returned === run.history.length
          ? ("fixed point" as const)
          : ("none" as const),
      gradient: gradientShare(Z, basis, run, lambda),
    },
    setting: {
      sigma,
      lambda,
      sigmaFrom: origin(resolved.sigma),
      lambdaFrom: origin(resolved.lambda),
      landmarks: basis.counts?.length ?? 0,
    },
    grid,
    field: { points, moved },
    embedding: embedding.U,
    spectralLabels: start.partition.labels,
    warnings,
  });
}

interface PlacedRows {
  readonly model: CpdUmlModel;
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
}

/**
 * The rows at their nearest centres. If some centre is nearest to no row, k-means on the moved rows
 * continues from all centres.
 */
function placedRows(
  X: Matrix,
  moved: Matrix,
  centers: Matrix,
  placing: (centers: Matrix) => CpdUmlModel,
): PlacedRows {
  const at = (C: Matrix): PlacedRows => {
    const model = placing(C);
    const labels = model.predict(X);
    const sizes = new Int32Array(C.rows);
    for (const label of labels) sizes[label]++;
    return { model, labels, sizes };
  };
  const placed = at(centers);
  return placed.sizes.every((size) => size > 0)
    ? placed
    : at(kmeansInOrder(moved, { initialCenters: centers }).centers);
}

function shifted(X: Matrix, mean: Float64Array, sign: 1 | -1): Matrix {
  const d = X.cols;
  return mapped(X, (value, p) => value + sign * mean[p % d]);
}

/** Square root of the mean squared distance from the mean. */
function rmsRadius(X: Matrix): number {
  const mean = columnMeans(X);
  let sum = 0;
  for (let p = 0; p < X.data.length; p++) sum += (X.data[p] - mean[p % X.cols]) ** 2 / X.rows;
  return Math.sqrt(sum);
}

/** Phi to Psi: the weights for the plain kernel. */
function scaledRows(weights: Matrix, counts: Float64Array | undefined): Matrix {
  if (counts === undefined) return weights;
  const d = weights.cols;
  return mapped(weights, (value, p) => value * Math.sqrt(counts[Math.floor(p / d)]));
}

/** A field so wide that it shifts all rows equally, or so narrow that each row has its own, is useless. */
function checkWidth({ G, counts, sigma }: FieldBasis, X: Matrix, radius: number, warnings: string[]): void {
  const said = `sigma = ${sigma} (the rows lie about ${radius.toPrecision(3)} from their mean)`;
  let least = Infinity;
  let near = 0;
  for (let p = 0; p < G.data.length; p++) {
    const value = counts === undefined ? G.data[p] : G.data[p] / Math.sqrt(counts[p % G.cols]);
    least = Math.min(least, value);
    if (value > 1e-8) near++;
  }
  if (least > 1 - 1e-12) {
    throw optionError(
      `cpdUml: ${said} is so large that the field shifts all rows equally; use a smaller one`,
    );
  }
  if (near <= X.rows) {
    warnings.push(`${said} is so small that each row moves on its own, and new rows do not move`);
  }
}

function explain(
  run: Alternation,
  {
    clusters: K,
    indicator,
    maxIterations,
  }: Pick<AlternationOptions, "clusters" | "indicator" | "maxIterations">,
  rank: number,
  warnings: string[],
): void {
  if (rank < K) {
    warnings.push(`the rows have rank ${rank}, so ${rank} singular vectors represent ${K} clusters`);
  }
  if (indicator === "relaxed" && rank <= K) {
    warnings.push(
      `${rank} relaxed indicators span all rows of rank ${rank}, so nothing moves; use the discrete form`,
    );
  }
  if (run.outcome === "cycle") {
    warnings.push(
      `the partitions repeat every ${run.period} iterations; the one with the smallest J is returned`,
    );
  }
  if (run.outcome === "limit") warnings.push(`not converged after ${maxIterations} iterations`);
  if (run.outcome === "stopped") warnings.push("stopped by onProgress; the best so far is returned");
}

/** |G'(I - YY')X1 + lambda Phi| / |G'X|: (15) at the field. */
function gradientShare(
  X: Matrix,
  { G }: FieldBasis,
  { Y, moved, weights }: Alternation,
  lambda: number,
): number {
  const residual = Y.times(Y.timesTranspose(moved));
  for (let p = 0; p < residual.data.length; p++) residual.data[p] = moved.data[p] - residual.data[p];
  const gradient = multiplyTransposeA(G, residual);
  const whole = multiplyTransposeA(G, X);
  let size = 0;
  let scale = 0;
  for (let p = 0; p < gradient.data.length; p++) {
    size += (gradient.data[p] + lambda * weights.data[p]) ** 2;
    scale += whole.data[p] ** 2;
  }
  return scale === 0 ? 0 : Math.sqrt(size / scale);
}

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
function stabilityGrid(
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
