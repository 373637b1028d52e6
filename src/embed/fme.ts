import { kmeansInOrder } from "../cluster/internal.ts";
import { asGiven, centered, inValueOrder, columnMeans, mapped, scaledColumns } from "../matrix/internal.ts";
import {
  asMatrix,
  identity,
  matrix,
  multiply,
  cholesky,
  multiplyTransposeA,
  multiplyTransposeB,
  topEigen,
  type Matrix,
  type MatrixLike,
  type Operator,
} from "../matrix/index.ts";
import { extended, inputError, option, optionError, rule } from "../core/internal.ts";
import { encodeLabels, type Label, type Labeling } from "../score/index.ts";
import { requireRows, type EmbeddedRows } from "./embedding.ts";
import { means } from "./cpdUml/cpdUmlAlternation.ts";
import { KERNEL_SPACE_RULES, kernelSpace } from "./kernelPca.ts";
import { placedProjection, type Projection } from "./projection.ts";
import { neighborGraph } from "../graph/index.ts";
import { principalAxes } from "./pca.ts";

/**
 * Flexible manifold embedding (F. Nie, D. Xu, I. W.-H. Tsang and C. Zhang, 2010): coordinates F that are smooth on the
 * graph of nearest neighbours and almost an affine function of the rows,
 *
 *     minimise over F, W, b:   tr(F'LF) + mu ( |W|^2 + gamma |XW + 1b' - F|^2 ) + tr((F - Y)'U(F - Y))
 *
 * Without labels U = 0, F'F = I and F'1 = 0; the clusters are those of k-means on F. With labels Y is the indicator of
 * the classes, U is `trust` on the labelled rows, and a row belongs to the class of its largest coordinate. W and b
 * place new rows.
 */
export const fmeOptions = {
  /** K; with labels: their number of classes. */
  clusters: rule.integer({ min: 1 }),
  /** One label per row; empty, null and -1 are unknown. */
  labels: rule.given<Labeling>("an array of labels", rule.isList),
  /** Number of coordinates without labels; default: K - 1 and at least 1. */
  dims: rule.integer({
    min: 1,
    says: "number of coordinates without labels",
    usual: "one less than the clusters",
  }),
  /** Nearest neighbours of the graph; default 10. */
  neighbors: rule.integer({ min: 1, default: 10, says: "neighbours of each row in the graph" }),
  /** Weight of the affine part relative to the graph, whose mean degree counts as 1; default 0.01. */
  mu: rule.real({ above: 0, default: 0.01, says: "weight of the affine function against the graph" }),
  /** How closely F follows the affine function, in units of 1 / the mean eigenvalue of X'X; default 100. */
  gamma: rule.real({
    above: 0,
    default: 100,
    says: "how closely the coordinates follow the affine function",
  }),
  /** Weight of the labels; default 1000. */
  trust: rule.real({ above: 0, default: 1000, says: "weight of the known labels" }),
  ...KERNEL_SPACE_RULES,
  /** Starts of k-means. */
  restarts: rule.integer({ min: 1, max: 10_000, default: 10, says: "starts of k-means; the best is kept" }),
  seed: rule.seed,
};

export type FmeOptions = rule.OptionsOf<typeof fmeOptions>;

export interface Fme extends EmbeddedRows, Projection {
  readonly method: "fme";
  readonly clusters: number;
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
  /** The class of cluster k, with labels. */
  readonly classes?: readonly Label[];
  readonly centers: Matrix;
  /** The minimised objective, at the solution. */
  readonly objective: number;
  readonly certificate: {
    /** Largest residual of the eigenvectors, or of the linear system, relative to the size of the matrix. */
    readonly residual: number;
  };
  readonly placement: "projection";
}

const NAME = "fme";

type Options = rule.ResolvedOptions<typeof fmeOptions>;

export function fme(input: MatrixLike, options: FmeOptions): Fme {
  return inValueOrder(asMatrix(input, "fme"), options, ["labels"], fitted, asGiven<Fme>("embedding"));
}

function fitted(X: Matrix, options: FmeOptions): Fme {
  const resolved = rule.resolveOptions(NAME, options, fmeOptions);
  if (options.trust !== undefined && resolved.labels === undefined) {
    throw optionError(`${NAME}: ${option("trust")} is the weight of ${option("labels")}, and there are none`);
  }
  requireRows(X, NAME, 3);
  const space = kernelSpace(X, resolved, NAME);
  const { neighbors, mu, gamma } = resolved;
  const problem = fmeProblem(space.rows, { neighbors, mu, gamma });
  const fit =
    resolved.labels === undefined
      ? unsupervised(problem, X.rows, resolved)
      : labelled(problem, X.rows, resolved);
  const { map, offset, mean } = problem.affine(fit.F);
  const sizes = new Int32Array(fit.clusters);
  for (const label of fit.labels) sizes[label]++;
  // Only the affine function applies to new rows, so the centres are means of its values on the training
  // rows.
  const fitted = multiply(centered(space.rows, mean), map);
  for (let p = 0; p < fitted.data.length; p++) fitted.data[p] += offset[p % map.cols];
  const centers = fit.centers ?? means(fitted, { labels: fit.labels, sizes });
  const model = placedProjection(X, fit.labels, {
    method: NAME,
    mean,
    map,
    offset,
    centers,
    ...(space.model !== undefined && { kernel: space.model }),
  });
  const { residual, converged } = fit;
  return extended(model, {
    method: "fme" as const,
    placement: "projection" as const,
    clusters: sizes.length,
    labels: fit.labels,
    sizes,
    ...(fit.classes !== undefined && { classes: fit.classes }),
    centers,
    embedding: fit.F,
    objective: fit.objective,
    certificate: { residual },
    iterations: fit.iterations,
    converged,
    warnings: [...space.warnings, ...problem.warnings, ...fit.warnings],
  });
}

interface Fit {
  readonly F: Matrix;
  readonly labels: Int32Array;
  readonly clusters: number;
  /** If they are not the means of the clusters. */
  readonly centers?: Matrix;
  readonly classes?: readonly Label[];
  readonly objective: number;
  readonly residual: number;
  readonly iterations: number;
  readonly converged: boolean;
  readonly warnings: readonly string[];
}

function unsupervised(problem: FmeProblem, n: number, options: Options): Fit {
  const { clusters, restarts, seed } = options;
  if (clusters === undefined)
    throw optionError(`${NAME}: ${option("clusters")} is required where no labels are given`);
  if (clusters > n) throw optionError(`${NAME}: cannot make ${clusters} clusters of ${n} rows`);
  const dims = options.dims ?? Math.max(1, clusters - 1);
  if (dims > n - 1)
    throw optionError(`${NAME}: ${option("dims")} is ${dims}, but ${n} rows have at most ${n - 1}`);
  const { F, values, residual, converged, iterations } = problem.smoothest(dims, seed);
  const found = kmeansInOrder(F, { clusters, restarts, seed });
  const warnings = [...found.warnings];
  if (!converged) warnings.push("the eigenvectors had not converged");
  return {
    F,
    labels: found.labels,
    clusters: found.clusters,
    objective: values.reduce((sum, value) => sum + value, 0),
    residual,
    iterations,
    converged,
    warnings,
  };
}

function labelled(problem: FmeProblem, n: number, options: Options): Fit {
  const { clusters, dims, trust } = options;
  const given = options.labels as Labeling;
  if (given.length !== n) throw inputError(`${NAME}: ${n} rows, but ${given.length} labels`);
  if (dims !== undefined)
    throw optionError(`${NAME}: with labels there is one coordinate for each class, not ${option("dims")}`);
  const { codes, classes } = encodeLabels(given);
  const K = classes.length;
  if (K < 2)
    throw inputError(`${NAME}: the labels name ${K === 0 ? "no class" : "one class only"}; two are needed`);
  if (clusters !== undefined && clusters !== K) {
    throw optionError(
      `${NAME}: ${option("clusters")} is ${clusters}, but the labels name ${K} classes, and no others can be found`,
    );
  }
  const Y = matrix(n, K);
  codes.forEach((code, i) => {
    if (code >= 0) Y.data[i * K + code] = 1;
  });
  const { F, objective, residual } = problem.followLabels(codes, Y, trust);
  const labels = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    for (let k = 1; k < K; k++) if (F.data[i * K + k] > F.data[i * K + labels[i]]) labels[i] = k;
  }
  // The nearest unit vector is that of the largest coordinate, so `predict` is the rule of the paper.
  return {
    F,
    labels,
    clusters: K,
    centers: identity(K),
    classes,
    objective,
    residual,
    iterations: 0,
    converged: true,
    warnings: [],
  };
}

/**
 * FME with W and b eliminated: tr(F'AF) with A = L + mu gamma (H - N), N = Xc (Xc'Xc + I / gamma)^-1 Xc', H centring.
 * Centring belongs in both terms; then A1 = 0, and A is positive definite on everything else, for any graph.
 */
type FmeProblem = ReturnType<typeof fmeProblem>;

/** Up to this many rows A is factored, and its smallest eigenvalues come from its inverse. */
const DENSE_ROWS = 2000;
/**
 * Added to A before inversion; the graph's eigenvalues are of order 1, so small ones stay separate and the
 * inverse is bounded.
 */
const SHIFT = 0.01;
/** Beyond this many rows the linear system of the labels does not fit. */
const MANY_ROWS = 8000;

function fmeProblem(
  X: Matrix,
  { neighbors, mu, gamma }: { readonly neighbors: number; readonly mu: number; readonly gamma: number },
) {
  const n = X.rows;
  const { graph, components, warnings } = neighborGraph(X, { neighbors, kind: "union" });
  const degrees = new Float64Array(n);
  for (let e = 0; e < graph.weights.length; e++) {
    degrees[graph.from[e]] += graph.weights[e];
    degrees[graph.to[e]] += graph.weights[e];
  }
  const meanDegree = degrees.reduce((sum, degree) => sum + degree / n, 0);
  if (meanDegree === 0) throw inputError("fme: no two rows are neighbours");
  const mean = columnMeans(X);
  const { Z, solveRidge, Xc } = ridge(X, mean, gamma);
  const strength = mu * gamma;

  /** y = A x. */
  const apply = (x: Float64Array, y: Float64Array): void => {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += x[i] / n;
    for (let i = 0; i < n; i++) y[i] = (degrees[i] / meanDegree) * x[i] + strength * (x[i] - sum);
    const { from, to, weights } = graph;
    for (let e = 0; e < weights.length; e++) {
      const w = weights[e] / meanDegree;
      y[from[e]] -= w * x[to[e]];
      y[to[e]] -= w * x[from[e]];
    }
    const z = new Float64Array(Z.cols);
    for (let i = 0, p = 0; i < n; i++) for (let r = 0; r < Z.cols; r++, p++) z[r] += Z.data[p] * x[i];
    for (let i = 0, p = 0; i < n; i++) {
      let along = 0;
      for (let r = 0; r < Z.cols; r++, p++) along += Z.data[p] * z[r];
      y[i] -= strength * along;
    }
  };
  /** A + shift 11'. */
  const dense = (shift: number): Matrix => {
    const A = multiplyTransposeB(Z, Z);
    for (let p = 0; p < A.data.length; p++) A.data[p] = shift - strength * (A.data[p] + 1 / n);
    for (let i = 0; i < n; i++) A.data[i * n + i] += degrees[i] / meanDegree + strength;
    for (let e = 0; e < graph.weights.length; e++) {
      const [i, j, w] = [graph.from[e], graph.to[e], graph.weights[e] / meanDegree];
      A.data[i * n + j] -= w;
      A.data[j * n + i] -= w;
    }
    return A;
  };
  const largestDegree = degrees.reduce((most, degree) => Math.max(most, degree / meanDegree), 0);
  const bound = 2 * largestDegree + strength;

  return {
    warnings:
      components > 1
        ? [...warnings, `the graph of neighbours has ${components} parts; the affine term joins them`]
        : warnings,
    /** The eigenvectors of A with the smallest eigenvalues, without the constant one. */
    smoothest(dims: number, seed: number) {
      // The constant vector is moved to the other end of the spectrum.
      const { vectors, converged, iterations } =
        n <= DENSE_ROWS
          ? topEigen(inverse(dense(bound / n), SHIFT), dims, { seed })
          : topEigen(liftedOperator(n, apply, bound), dims, { which: "smallest", seed, tolerance: 1e-9 });
      return { F: vectors, ...rayleigh(vectors, apply, bound), converged, iterations };
    },
    /** (U + A)^-1 U Y, U = trust where `codes` is not negative. */
    followLabels(codes: Int32Array, Y: Matrix, trust: number) {
      if (n > MANY_ROWS) {
        throw inputError(
          `fme: labels with ${n} rows need a system of ${n} unknowns; at most ${MANY_ROWS} are possible`,
        );
      }
      const A = dense(0);
      codes.forEach((code, i) => {
        if (code >= 0) A.data[i * n + i] += trust;
      });
      const right = mapped(Y, (value) => trust * value);
      const F = cholesky(A).solve(right);
      const AF = multiply(A, F);
      let residual = 0;
      let objective = 0;
      for (let p = 0; p < F.data.length; p++) {
        residual = Math.max(residual, Math.abs(AF.data[p] - right.data[p]));
        // At the solution tr(F'AF) + |F - Y|_U^2 = tr(Y'U(Y - F)).
        objective += right.data[p] * (Y.data[p] - F.data[p]);
      }
      return { F, objective, residual: residual / (trust + bound) };
    },
    /** The affine function closest to F: (x - mean) map + offset. */
    affine(F: Matrix) {
      const map = solveRidge(multiplyTransposeA(Xc, F));
      return { map, offset: columnMeans(F), mean };
    },
  };
}

/** (A + shift I)^-1: its largest eigenvalues belong to the smallest of A, and are well separated. */
function inverse(A: Matrix, shift: number): Operator {
  const n = A.rows;
  for (let i = 0; i < n; i++) A.data[i * n + i] += shift;
  const { data: L } = cholesky(A).L;
  return {
    size: n,
    apply(x, y) {
      for (let i = 0, p = 0; i < n; i++, p = i * n) {
        let sum = x[i];
        for (let j = 0; j < i; j++, p++) sum -= L[p] * y[j];
        y[i] = sum / L[p];
      }
      for (let i = n - 1; i >= 0; i--) {
        const value = (y[i] /= L[i * n + i]);
        for (let j = 0, p = i * n; j < i; j++, p++) y[j] -= L[p] * value;
      }
    },
  };
}

/** f'Af of each column, and the largest |Af - (f'Af) f| in units of `size`. */
function rayleigh(F: Matrix, apply: (x: Float64Array, y: Float64Array) => void, size: number) {
  const { rows: n, cols } = F;
  const values = new Float64Array(cols);
  const y = new Float64Array(n);
  let residual = 0;
  for (let r = 0; r < cols; r++) {
    const x = Float64Array.from({ length: n }, (_, i) => F.data[i * cols + r]);
    apply(x, y);
    for (let i = 0; i < n; i++) values[r] += x[i] * y[i];
    let square = 0;
    for (let i = 0; i < n; i++) square += (y[i] - values[r] * x[i]) ** 2;
    residual = Math.max(residual, Math.sqrt(square) / size);
  }
  return { values, residual };
}

/** x -> A x + shift 1 (mean of x). */
function liftedOperator(
  n: number,
  apply: (x: Float64Array, y: Float64Array) => void,
  shift: number,
): Operator {
  return {
    size: n,
    apply(x, y) {
      apply(x, y);
      let mean = 0;
      for (let i = 0; i < n; i++) mean += x[i] / n;
      for (let i = 0; i < n; i++) y[i] += shift * mean;
    },
  };
}

/** Z with ZZ' = N, and (Xc'Xc + I / gamma)^-1, gamma in units of 1 / the mean eigenvalue. */
function ridge(X: Matrix, mean: Float64Array, gamma: number) {
  const Xc = centered(X, mean);
  const { V, values, meanValue } = principalAxes(Xc);
  if (V.cols === 0) throw inputError("fme: all rows are equal, so there is nothing to separate");
  const shift = meanValue / gamma;
  const inverted = scaledColumns(V, (r) => 1 / (values[r] + shift));
  return {
    Xc,
    Z: multiply(
      Xc,
      scaledColumns(V, (r) => 1 / Math.sqrt(values[r] + shift)),
    ),
    // Xc'F lies in the span of V, so the orthogonal part needs no solve.
    solveRidge: (B: Matrix) => multiply(inverted, multiplyTransposeA(V, B)),
  };
}
