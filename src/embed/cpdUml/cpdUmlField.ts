import { kmeansInOrder, knownRowsForm } from "../../cluster/internal.ts";
import { form, numericError, option, plain } from "../../core/internal.ts";
import {
  cholesky,
  gram,
  matrix,
  multiply,
  multiplyTransposeA,
  tryCholesky,
  asMatrix,
  nearestRows,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import { symmetrize, centered, matrixForm, requireFinite } from "../../matrix/internal.ts";
import { kernelMatrix } from "../../metric/index.ts";
import type { Indicator } from "./cpdUmlAlternation.ts";
import { requireColumns, requireCoordinates, type PlacingMap } from "../embedding.ts";
import { kernelSpaceFields, loadKernelPca, type KernelPcaModel } from "../kernelPca.ts";
import { withKnown } from "../projection.ts";

/**
 * The smooth field of displacements of CPD-UML: x moves to x + sum_l psi_l g(x, z_l), g Gaussian of width sigma.
 *
 * The centres z_l of the field are the rows themselves, or m landmarks. A landmark for c rows replaces c
 * equal centres, whose penalty lambda sum |psi|^2 is smallest when they share its weight evenly: lambda
 * |psi_l|^2 / c. With psi_l = sqrt(c_l) phi_l both forms are one: G = k(X, Z) diag(sqrt(c)), penalty lambda
 * |Phi|^2.
 */
export interface FieldBasis {
  readonly sigma: number;
  /** z, m x d. */
  readonly centers: Matrix;
  /** c; absent if every row is a centre. */
  readonly counts?: Float64Array;
  /** n x m. */
  readonly G: Matrix;
  /** G'G, m x m. */
  readonly GG: Matrix;
}

/** `landmarks` centres found by k-means, or every row if there are no more than that. */
export function fieldCenters(
  X: Matrix,
  landmarks: number | undefined,
  seed: number,
): Pick<FieldBasis, "centers" | "counts"> {
  if (landmarks === undefined || landmarks >= X.rows) return { centers: X };
  // The exact positions of the landmarks matter little, so a few iterations of one start are enough.
  const { centers, sizes } = kmeansInOrder(X, { clusters: landmarks, restarts: 1, maxIterations: 5, seed });
  return { centers, counts: Float64Array.from(sizes) };
}

export function fieldBasis(
  X: Matrix,
  { centers, counts }: Pick<FieldBasis, "centers" | "counts">,
  sigma: number,
): FieldBasis {
  const G = fieldKernel(X, { centers, counts, sigma });
  return { sigma, centers, ...(counts !== undefined && { counts }), G, GG: gram(G) };
}

/** k(Y, Z) diag(sqrt(c)). */
export function fieldKernel(
  Y: Matrix,
  { centers, counts, sigma }: Pick<FieldBasis, "centers" | "counts" | "sigma">,
): Matrix {
  const G = kernelMatrix(Y, centers, { kind: "gaussian", sigma });
  if (counts !== undefined) {
    const roots = counts.map(Math.sqrt);
    for (let p = 0; p < G.data.length; p++) G.data[p] *= roots[p % G.cols];
  }
  return G;
}

/** The best field for one Y. */
export type FieldStep = ReturnType<ReturnType<typeof fieldSolver>["step"]>;

/**
 * The Psi step (20) for many Y and one lambda. With R = I - G (G'G + lambda I)^-1 G', which is factored once,
 * eliminating Phi leaves a system of K unknowns (the Woodbury identity in its simplest form):
 *
 *     Q = (Y'R Y)^-1 Y'R X,   X1 = R X + (Y - R Y) Q,   J = <X - Y Q, X1 - Y Q>,   Phi = -(G'G + lambda I)^-1 G'(X - Y Q)
 *
 * When all rows are centres, R = lambda (G G + lambda I)^-1 has no cancellation, for any lambda.
 */
export function fieldSolver(X: Matrix, { G, GG, counts }: FieldBasis, lambda: number) {
  const m = G.cols;
  const B = matrix(m, m, GG.data.slice());
  for (let l = 0; l < m; l++) B.data[l * m + l] += lambda;
  const { solve } = cholesky(B);
  const residual = (A: Matrix): Matrix => {
    if (counts === undefined) {
      const S = solve(A);
      for (let p = 0; p < S.data.length; p++) S.data[p] *= lambda;
      return S;
    }
    const fitted = multiply(G, solve(multiplyTransposeA(G, A)));
    for (let p = 0; p < fitted.data.length; p++) fitted.data[p] = A.data[p] - fitted.data[p];
    return fitted;
  };
  const RX = residual(X);
  /** X1 = X + G Phi, Q = Y'X1, and J of (11). */
  const step = (Y: Indicator) => {
    const dense = Y.dense();
    const RY = residual(dense);
    const T = tryCholesky(symmetrize(Y.timesTranspose(RY)));
    if (T === undefined) {
      throw numericError(
        `cpdUml: lambda = ${lambda} is too small for sigma: the field could move every row anywhere; use a larger ${option("lambda")}`,
      );
    }
    const Q = T.solve(Y.timesTranspose(RX));
    for (let p = 0; p < RY.data.length; p++) RY.data[p] = dense.data[p] - RY.data[p];
    const moved = multiply(RY, Q);
    for (let p = 0; p < moved.data.length; p++) moved.data[p] += RX.data[p];
    const targets = Y.times(Q);
    let objective = 0;
    for (let p = 0; p < targets.data.length; p++) {
      objective += (X.data[p] - targets.data[p]) * (moved.data[p] - targets.data[p]);
    }
    return { moved, Q, objective: Math.max(0, objective) };
  };
  /** Phi of a step, m x d. */
  const weights = (Y: Indicator, { Q }: { readonly Q: Matrix }): Matrix => {
    const pull = Y.times(Q);
    for (let p = 0; p < pull.data.length; p++) pull.data[p] -= X.data[p];
    return solve(multiplyTransposeA(G, pull));
  };
  return { step, weights };
}

/** The form in a file. */
const cpdUmlForm = form.record({
  method: form.choice("cpd-uml"),
  /** Width of the field. */
  sigma: form.number({ above: 0 }),
  /** z, m x d, minus the mean. */
  fieldCenters: matrixForm("field", "coordinates"),
  /** Psi, m x d. */
  fieldWeights: matrixForm("field", "coordinates"),
  /** K x d, means of the moved rows of each cluster. */
  centers: matrixForm("clusters", "coordinates"),
  /** d x r: moved rows times this matrix are the spectral coordinates. */
  directions: matrixForm("coordinates"),
  /** The subtracted means; zeros without centring. */
  mean: form.numbers("coordinates"),
  known: form.optional(knownRowsForm),
  ...kernelSpaceFields,
});

export interface CpdUmlData extends form.StoredOf<typeof cpdUmlForm> {}

/** The field and its clusters, without the fitted rows. */
interface CpdUmlParts extends Omit<form.LoadedOf<typeof cpdUmlForm>, "method" | "known" | "kernel"> {
  /** Kernel form: rows are first converted to their kernel components. */
  readonly kernel?: KernelPcaModel;
}

/** What places new rows: `transform` gives the spectral coordinates of moved rows. */
export interface CpdUmlModel extends CpdUmlParts, PlacingMap<CpdUmlData> {
  readonly method: "cpd-uml";
  readonly clusters: number;
  /** Moved rows (kernel form: their components): x + sum_l psi_l g(x, z_l). */
  move(Y: MatrixLike): Matrix;
  readonly placement: "projection";
}

export function cpdUmlModel(parts: CpdUmlParts): CpdUmlModel {
  const { sigma, mean, fieldCenters, fieldWeights, centers, directions, kernel } = parts;
  const d = mean.length;
  const centred = (input: MatrixLike): Matrix => {
    const rows = asMatrix(input, "cpdUml");
    requireFinite(rows);
    const Y = kernel === undefined ? rows : kernel.transform(rows);
    requireColumns("the field", d, Y);
    const Z = centered(Y, mean);
    const shift = multiply(kernelMatrix(Z, fieldCenters, { kind: "gaussian", sigma }), fieldWeights);
    for (let p = 0; p < Z.data.length; p++) Z.data[p] += shift.data[p];
    return Z;
  };
  const move = (Y: MatrixLike): Matrix => {
    const Z = centred(Y);
    for (let p = 0; p < Z.data.length; p++) Z.data[p] += mean[p % d];
    return Z;
  };
  return plain({
    ...parts,
    method: "cpd-uml",
    clusters: centers.rows,
    move,
    transform: (Y) => requireCoordinates(multiply(centred(Y), directions), "cpd-uml"),
    predict: (Y) => nearestRows(centers, 1, { queries: move(Y) }).indices,
    placement: "projection",
    model: () => cpdUmlForm.save({ method: "cpd-uml", ...parts, kernel: kernel?.model() }),
  });
}

/** Reads the output of `model()`. */
export function loadCpdUml(data: CpdUmlData): CpdUmlModel {
  const { known, kernel, ...parts } = form.load(cpdUmlForm, data, "cpd-uml");
  return withKnown(cpdUmlModel({ ...parts, ...(kernel && { kernel: loadKernelPca(kernel) }) }), known);
}
