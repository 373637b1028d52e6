/**
 * Principal component analysis (Pearson 1901, Hotelling 1933): the orthonormal directions V of largest variance,
 *
 *     maximise over V'V = I  tr(V' S V),   S = (X - 1m')'(X - 1m') / (n - 1)
 *
 * Small problems, and many components, use the singular values of X - 1m' (accurate relative to the largest);
 * a few components of a large matrix use `topEigen` on products with X, in which a sparse X is centred
 * without being made dense.
 */
import { requireColumns, requireCoordinates } from "./checkedRows.ts";
import {
  asMatrix,
  asRows,
  isSparse,
  multiply,
  multiplyTransposeB,
  type Matrix,
  type MatrixLike,
  type Sparse,
} from "../matrix/index.ts";
import {
  centered,
  mapped,
  matrixForm,
  requireFinite,
  requireFiniteSparse,
  requireSquares,
} from "../matrix/internal.ts";
import {
  boolean,
  choice,
  extended,
  flag,
  inputError,
  integer,
  load,
  numbers,
  oneOf,
  option,
  optionError,
  plain,
  real,
  record,
  resolveOptions,
  seedRule,
  type LoadedOf,
  type OptionsOf,
  type StoredOf,
} from "../core/internal.ts";
import type { EmbeddedRows, RowMap } from "./embedding.ts";
import { leadingDirections, meanOf } from "./pcaDirections.ts";

export const pcaOptions = {
  /** Number of components; default: all that have variance. */
  dims: integer({ min: 1 }),
  /** Subtract the mean first; default true. */
  center: flag(true, { says: "subtracts the means of the columns" }),
  /** Divide every coordinate by its standard deviation; default false. */
  whiten: flag(false, { says: "divides every coordinate by its standard deviation" }),
  /** "full": singular values; "top": iterate for the leading components only; default: by the sizes. */
  solver: oneOf(["auto", "full", "top"] as const, "auto", {
    says: "all singular values, or only the requested ones; auto decides by the size",
  }),
  seed: seedRule,
  /** For "top": the residual of each component, relative to the largest variance; default 1e-12. */
  tolerance: real({ above: 0, below: 1, default: 1e-12 }),
};

export type PcaOptions = OptionsOf<typeof pcaOptions>;

/** A PCA as it is written to a file. */
const pcaForm = record({
  method: choice("pca"),
  /** dims x d, orthonormal rows; the entry of largest absolute value of each is positive. */
  components: matrixForm("components", "columns"),
  /** Zeros without centring. */
  mean: numbers("columns"),
  /** Variance along each component (divisor n - 1), descending. */
  variances: numbers("components", { min: 0 }),
  /** Their shares of the variance of the data. */
  shares: numbers("components", { min: 0 }),
  whiten: boolean(),
});

export interface PcaData extends StoredOf<typeof pcaForm> {}

type Parts = LoadedOf<typeof pcaForm>;

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
  const { dims, center, whiten, solver, seed, tolerance } = resolveOptions("pca", options, pcaOptions);
  if (isSparse(X)) requireFiniteSparse(X);
  else requireFinite(X);
  requireSquares(X, "pca");
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
  return pcaModel(load(pcaForm, data, "the pca"));
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
      const Z = multiplyTransposeB(isSparse(Y) ? Y : centered(Y, mean), components);
      const shift = new Float64Array(k);
      if (isSparse(Y)) {
        for (let r = 0; r < k; r++)
          for (let f = 0; f < d; f++) shift[r] += components.data[r * d + f] * mean[f];
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
