/**
 * Principal component analysis (Pearson 1901, Hotelling 1933): the orthonormal directions V of largest variance,
 *
 *     maximise over V'V = I  tr(V' S V),   S = (X - 1m')'(X - 1m') / (n - 1)
 *
 * Small problems, and many components, use the singular values of X - 1m' (accurate relative to the largest);
 * a few components of a large matrix use `topEigen` on products with X, in which a sparse X is centred
 * without being made dense.
 */
import { requireColumns, requireCoordinates, type EmbeddedRows, type RowMap } from "./embedding.ts";
import {
  asMatrix,
  asRows,
  isSparse,
  multiply,
  multiplyTransposeB,
  gram,
  matrix,
  multiplyTransposeVector,
  multiplyVector,
  svd,
  toDense,
  topEigen,
  multiplyTransposeA,
  symmetricEigen,
  type Matrix,
  type MatrixLike,
  type Sparse,
  type Operator,
  type TopEigen,
} from "../matrix/index.ts";
import {
  centered,
  mapped,
  matrixForm,
  requireFinite,
  requireFiniteSparse,
  requireSquares,
  columnMeans,
  columnsAsRows,
  dot,
  leadingColumns,
  scaledColumns,
} from "../matrix/internal.ts";
import { extended, form, inputError, option, optionError, plain, rule } from "../core/internal.ts";

export const pcaOptions = {
  /** Number of components; default: all that have variance. */
  dims: rule.integer({ min: 1 }),
  /** Subtract the mean first; default true. */
  center: rule.flag(true, { says: "subtracts the means of the columns" }),
  /** Divide every coordinate by its standard deviation; default false. */
  whiten: rule.flag(false, { says: "divides every coordinate by its standard deviation" }),
  /** "full": singular values; "top": iterate for the leading components only; default: by the sizes. */
  solver: rule.oneOf(["auto", "full", "top"] as const, "auto", {
    says: "all singular values, or only the requested ones; auto decides by the size",
  }),
  seed: rule.seed,
  /** For "top": the residual of each component, relative to the largest variance; default 1e-12. */
  tolerance: rule.real({ above: 0, below: 1, default: 1e-12 }),
};

export type PcaOptions = rule.OptionsOf<typeof pcaOptions>;

/** A PCA as it is written to a file. */
const pcaForm = form.record({
  method: form.choice("pca"),
  /** dims x d, orthonormal rows; the entry of largest absolute value of each is positive. */
  components: matrixForm("components", "columns"),
  /** Zeros without centring. */
  mean: form.numbers("columns"),
  /** Variance along each component (divisor n - 1), descending. */
  variances: form.numbers("components", { min: 0 }),
  /** Their shares of the variance of the data. */
  shares: form.numbers("components", { min: 0 }),
  whiten: form.boolean(),
});

export interface PcaData extends form.StoredOf<typeof pcaForm> {}

type Parts = form.LoadedOf<typeof pcaForm>;

/** The transform of a `Pca` without its training rows. */
export interface PcaModel extends Parts, RowMap<PcaData> {
  readonly method: "pca";
  transform(Y: MatrixLike | Sparse): Matrix;
  /** From coordinates to rows: the nearest points in the plane of the components. */
  inverse(Z: MatrixLike): Matrix;
}

export interface Pca extends EmbeddedRows, PcaModel {}

export function pca(input: MatrixLike | Sparse, options: PcaOptions = {}): Pca {
  const X = asRows(input, "pca");
  const { dims, center, whiten, solver, seed, tolerance } = rule.resolveOptions("pca", options, pcaOptions);
  if (Number.isNaN(requireSquares(X, "pca"))) {
    if (isSparse(X)) requireFiniteSparse(X);
    else requireFinite(X);
  }
  const most = Math.min(X.rows, X.cols);
  if (X.rows < 2 || X.cols === 0) throw inputError(`pca: the data is too small (${X.rows} x ${X.cols})`);
  if (dims !== undefined && dims > most) {
    throw optionError(
      `pca: ${option("dims")} is ${dims}, but ${X.rows} x ${X.cols} values have at most ${most}`,
    );
  }
  const mean = center ? meanOf(X) : new Float64Array(X.cols);
  const found = leadingDirections(X, mean, dims ?? most, solver, seed, tolerance);
  const warnings: string[] = [];
  const rank = found.values.length;
  if (rank === 0) {
    throw inputError(`pca: all rows are ${center ? "equal" : "zero"}, so there is no direction to find`);
  }
  if (dims !== undefined && rank < dims) {
    warnings.push(
      `the data has variance in ${rank} ${rank === 1 ? "direction" : "directions"} only, so ${rank} instead of ` +
        `${dims} components were made`,
    );
  }
  if (!found.converged) warnings.push("the eigenvectors had not converged: solver full is safer");
  const variances = found.values.map((value) => value / (X.rows - 1));
  const total = found.total / (X.rows - 1);
  const model = pcaModel({
    method: "pca",
    components: found.components,
    mean,
    variances,
    shares: variances.map((variance) => Math.min(1, variance / total)),
    whiten,
  });
  return extended(model, {
    embedding: model.transform(X),
    converged: found.converged,
    iterations: found.iterations,
    warnings,
  });
}

/** Reads the output of `model()`. */
export function loadPca(data: PcaData): PcaModel {
  return pcaModel(form.load(pcaForm, data, "the pca"));
}

function pcaModel(parts: Parts): PcaModel {
  const { components, mean, variances, whiten } = parts;
  const { rows: k, cols: d } = components;
  const deviations = variances.map((variance) => (whiten ? Math.sqrt(variance) : 1));
  return plain({
    ...parts,
    transform(input) {
      const Y = asRows(input, "pca");
      requireColumns("the pca", d, Y);
      const Z = isSparse(Y) ? multiplyTransposeB(Y, components) : matrix(Y.rows, k);
      const shift = new Float64Array(k);
      if (isSparse(Y)) {
        for (let r = 0; r < k; r++)
          for (let f = 0; f < d; f++) shift[r] += components.data[r * d + f] * mean[f];
      } else {
        centredBlocks(Y, mean, (block, first) =>
          Z.data.set(multiplyTransposeB(block, components).data, first * k),
        );
      }
      for (let p = 0; p < Z.data.length; p++) Z.data[p] = (Z.data[p] - shift[p % k]) / deviations[p % k];
      return requireCoordinates(Z, "pca");
    },
    inverse(input) {
      const Z = asMatrix(input, "pca");
      if (Z.cols !== k) throw inputError(`the pca has ${k} components, but these rows have ${Z.cols}`);
      const unscaled = mapped(Z, (value, p) => value * deviations[p % k]);
      const Y = multiply(unscaled, components);
      for (let p = 0; p < Y.data.length; p++) Y.data[p] += mean[p % d];
      return Y;
    },
    model: () => pcaForm.save(parts),
  });
}

/** The leading right singular vectors of X - 1m'. */
export interface Directions {
  /** k x d, with the entry of largest absolute value of each row positive. */
  readonly components: Matrix;
  /** Squared singular values, descending; none of them zero up to rounding. */
  readonly values: Float64Array;
  /** ||X - 1m'||^2. */
  readonly total: number;
  readonly converged: boolean;
  readonly iterations: number;
}

/** Up to this smaller side all singular values are cheaper than iterating. */
const SMALL = 400;
/** Up to this smaller side the matrix of inner products is formed; beyond that, only products with X. */
const FORMED = 3000;
/**
 * Eigenvalues of C'C below this share of the largest, or of ||X||^2, are rounding of its formation, or of C
 * itself.
 */
const PRODUCT_CUT = 1e-13;
const CENTRING_CUT = 1e-28;

export function leadingDirections(
  X: Matrix | Sparse,
  mean: Float64Array,
  k: number,
  solver: "auto" | "full" | "top",
  seed: number,
  tolerance: number,
): Directions {
  const small = Math.min(X.rows, X.cols);
  const full = solver === "full" || (solver === "auto" && !isSparse(X) && (8 * k >= small || small <= SMALL));
  if (!full) return fromTop(X, mean, k, seed, tolerance);
  return (solver === "auto" ? fromProduct(X, mean, k) : undefined) ?? fromSingularValues(X, mean, k);
}

/** Values from which the product costs a fraction of the singular values; fewer take no time either way. */
const MANY_VALUES = 1e5;
/**
 * Eigenvalues of C'C are exact relative to the largest: above this share of it they, and their vectors, are as good to
 * some 11 digits as those of singular values.
 */
const WELL = 1e-4;

/** From the eigenpairs of C'C or CC', whichever is smaller; undefined where components are too small for that. */
function fromProduct(X: Matrix | Sparse, mean: Float64Array, k: number): Directions | undefined {
  if (isSparse(X) || X.data.length < MANY_VALUES) return undefined;
  const { V, values, meanValue } = X.cols > X.rows ? principalAxes(centered(X, mean)) : scatterAxes(X, mean);
  if (values.length < k || values[k - 1] < WELL * values[0]) return undefined;
  if (values[k - 1] <= rankCut(X, mean, Math.sqrt(values[0])) ** 2) return undefined;
  return {
    components: signed(columnsAsRows(V, k)),
    values: values.slice(0, k),
    total: meanValue * X.cols,
    converged: true,
    iterations: 0,
  };
}

export function meanOf(X: Matrix | Sparse): Float64Array {
  if (!isSparse(X)) return columnMeans(X);
  const ones = new Float64Array(X.rows).fill(1 / X.rows);
  return multiplyTransposeVector(X, ones);
}

function fromSingularValues(X: Matrix | Sparse, mean: Float64Array, k: number): Directions {
  const C = centered(isSparse(X) ? toDense(X) : X, mean);
  const { values, V } = svd(C);
  const cut = rankCut(X, mean, values[0]);
  let rank = 0;
  while (rank < Math.min(k, values.length) && values[rank] > cut) rank++;
  return {
    components: signed(columnsAsRows(V, rank)),
    values: values.slice(0, rank).map((value) => value * value),
    total: values.reduce((sum, value) => sum + value * value, 0),
    converged: true,
    iterations: 0,
  };
}

/** Singular values up to this are rounding; that of the centring is relative to the size of the original rows. */
function rankCut(X: Matrix | Sparse, mean: Float64Array, largest: number): number {
  return Math.max(X.rows, X.cols) * 2 ** -52 * Math.max(largest, Math.sqrt(dot(mean, mean) * X.rows));
}

function fromTop(
  X: Matrix | Sparse,
  mean: Float64Array,
  k: number,
  seed: number,
  tolerance: number,
): Directions {
  const { rows: n, cols: d } = X;
  const wide = d > n;
  const small = Math.min(n, d);
  const { total, size } = squares(X, mean);
  let found: TopEigen;
  if (!isSparse(X) && small <= FORMED) {
    const C = centered(X, mean);
    found = topEigen(wide ? multiplyTransposeB(C, C) : gram(C), k, { seed, tolerance });
  } else {
    found = topEigen(centeredProducts(X, mean, wide), k, { seed, tolerance });
  }
  let rank = 0;
  const cut = Math.max(PRODUCT_CUT * found.values[0], CENTRING_CUT * size);
  while (rank < k && found.values[rank] > cut) rank++;
  const components = matrix(rank, d);
  for (let r = 0; r < rank; r++) {
    const vector = Float64Array.from({ length: small }, (_, i) => found.vectors.data[i * k + r]);
    const direction = wide ? transposeTimes(X, mean, vector) : vector;
    const norm = Math.sqrt(dot(direction, direction));
    for (let f = 0; f < d; f++) components.data[r * d + f] = direction[f] / norm;
  }
  const { converged, iterations } = found;
  return {
    components: signed(components),
    values: found.values.slice(0, rank),
    total: Math.max(
      total,
      found.values.slice(0, rank).reduce((sum, value) => sum + value, 0),
    ),
    converged,
    iterations,
  };
}

/** C'C v or C C'v, C = X - 1m', without forming C. */
function centeredProducts(X: Matrix | Sparse, mean: Float64Array, wide: boolean): Operator {
  return {
    size: wide ? X.rows : X.cols,
    apply(x, y) {
      y.set(wide ? times(X, mean, transposeTimes(X, mean, x)) : transposeTimes(X, mean, times(X, mean, x)));
    },
  };
}

/** C v. */
function times(X: Matrix | Sparse, mean: Float64Array, v: Float64Array): Float64Array {
  const w = multiplyVector(X, v);
  const shift = dot(mean, v);
  for (let i = 0; i < w.length; i++) w[i] -= shift;
  return w;
}

/** C'u. */
function transposeTimes(X: Matrix | Sparse, mean: Float64Array, u: Float64Array): Float64Array {
  const w = multiplyTransposeVector(X, u);
  let sum = 0;
  for (let i = 0; i < u.length; i++) sum += u[i];
  for (let f = 0; f < w.length; f++) w[f] -= sum * mean[f];
  return w;
}

/** ||X - 1m'||^2, and ||X||^2, the size to which rounding is relative. */
function squares(X: Matrix | Sparse, mean: Float64Array): { total: number; size: number } {
  let size = 0;
  if (isSparse(X)) {
    let total = dot(mean, mean) * X.rows;
    for (let p = 0; p < X.values.length; p++) {
      const m = mean[X.indices[p]];
      total += (X.values[p] - m) ** 2 - m * m;
      size += X.values[p] ** 2;
    }
    return { total: Math.max(0, total), size };
  }
  let total = 0;
  for (let i = 0, p = 0; i < X.rows; i++) {
    for (let f = 0; f < X.cols; f++, p++) {
      total += (X.data[p] - mean[f]) ** 2;
      size += X.data[p] ** 2;
    }
  }
  return { total, size };
}

function signed(components: Matrix): Matrix {
  const { rows, cols, data } = components;
  for (let r = 0; r < rows; r++) {
    let largest = 0;
    for (let p = r * cols; p < (r + 1) * cols; p++)
      if (Math.abs(data[p]) > Math.abs(largest)) largest = data[p];
    if (largest < 0) for (let p = r * cols; p < (r + 1) * cols; p++) data[p] = -data[p];
  }
  return components;
}

/** Below this share of the largest, an eigenvalue of X'X is rounding. */
const CUT = 1e-13;

/**
 * X'X = V diag(values) V' without its null space, by the eigenvectors of X'X or of XX', whichever is smaller: V is d x rank
 * with orthonormal columns, the values are descending and positive, and meanValue is tr(X'X) / d. Zero rows have none.
 */
export function principalAxes(X: Matrix) {
  const { rows: n, cols: d } = X;
  const wide = d > n;
  return axesOf(wide ? multiplyTransposeB(X, X) : gram(X), d, wide ? X : undefined);
}

/** The same of X - 1m', which is not formed as a whole. */
function scatterAxes(X: Matrix, mean: Float64Array) {
  const S = matrix(X.cols, X.cols);
  centredBlocks(X, mean, (block) => {
    const part = gram(block).data;
    for (let p = 0; p < part.length; p++) S.data[p] += part[p];
  });
  return axesOf(S, X.cols);
}

/** From X'X, or from XX' and X. */
function axesOf(S: Matrix, d: number, X?: Matrix) {
  const { values, vectors } = symmetricEigen(S);
  let total = 0;
  for (const value of values) total += Math.max(0, value);
  const rank = values.filter((value) => value > 0 && value > CUT * values[0]).length;
  const kept = leadingColumns(vectors, rank);
  // With XX' = U S^2 U' the axes are X'U / S.
  const V =
    X === undefined ? kept : scaledColumns(multiplyTransposeA(X, kept), (r) => 1 / Math.sqrt(values[r]));
  return { V, values: values.slice(0, rank), meanValue: total / d };
}

/** Values of a block: 8 MB, so that copies cost little and a product still has work for several threads. */
const BLOCK_VALUES = 2 ** 20;

/** X - 1m', some rows at a time, in memory that the next ones take over. */
function centredBlocks(X: Matrix, mean: Float64Array, use: (block: Matrix, first: number) => void): void {
  const { rows: n, cols: d, data } = X;
  const height = Math.max(1, Math.min(n, Math.floor(BLOCK_VALUES / d)));
  const values = new Float64Array(height * d);
  for (let first = 0; first < n; first += height) {
    const rows = Math.min(height, n - first);
    for (let i = 0, p = 0, q = first * d; i < rows; i++) {
      for (let f = 0; f < d; f++, p++, q++) values[p] = data[q] - mean[f];
    }
    use(matrix(rows, d, values.subarray(0, rows * d)), first);
  }
}
