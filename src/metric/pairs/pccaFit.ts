import type { OnProgress } from "../../core/index.ts";
import type { Constraints, Pair } from "../../data/index.ts";
import {
  identity,
  matrix,
  multiplyTransposeA,
  multiplyTransposeB,
  symmetricEigen,
  type Matrix,
} from "../../matrix/index.ts";
import { columnsAsRows, mapped } from "../../matrix/internal.ts";
import { lbfgs } from "../../optimize/index.ts";
import type { Fit } from "../mahalanobis.ts";
import { pairScatter } from "./pairedRows.ts";

export interface PccaSettings {
  readonly dims: number;
  readonly beta: number;
  readonly ridge: number;
  readonly tolerance: number;
  readonly maxIterations: number;
  readonly onProgress?: OnProgress | undefined;
}

/**
 * The common part of linear and kernel PCCA: minimises mean_c softplus(beta y_c (|L v_c|^2 - 1)) / beta + ridge/2 |L|^2 by L-BFGS, with v measured in
 * units in which the mean |v|^2 of must-links and cannot-links is 1: the 1 of the loss is absolute, so the
 * data need a scale. L is in the units of Y: squared distances around 1 separate similar from different rows.
 *
 * The gradient is 2 L Y' Lap Y with Lap = sum w_c (e_i - e_j)(e_i - e_j)', w_c = y_c sigma(beta y_c (|L v_c|^2 - 1)) (the
 * printed eq. (3) has the other sign). Lap Y L' is summed pair by pair: memory does not grow with the pairs.
 */
export function fitPcca(
  Y: Matrix,
  { mustLink, cannotLink }: Constraints,
  settings: PccaSettings,
): { readonly L: Matrix; readonly fit: Fit } {
  const { dims, beta, ridge } = settings;
  const d = Y.cols;
  const alike = pairScatter(Y, mustLink);
  const different = pairScatter(Y, cannotLink);
  let unit = 0;
  for (let f = 0; f < d; f++) unit += (alike.data[f * (d + 1)] + different.data[f * (d + 1)]) / 2;
  const scale = unit > 0 ? 1 / Math.sqrt(unit) : 1;
  const scaled = mapped(Y, (value) => scale * value);
  const start = leadingDirections(alike, different, dims).data;
  const groups = [
    { pairs: mustLink, sign: 1 },
    { pairs: cannotLink, sign: -1 },
  ];
  const count = mustLink.length + cannotLink.length;
  const laplacian = matrix(Y.rows, dims);
  const run = lbfgs(
    (x, gradient) => {
      const L = matrix(dims, d, x);
      const Z = multiplyTransposeB(scaled, L);
      laplacian.data.fill(0);
      let value = 0;
      for (const { pairs, sign } of groups) {
        for (const pair of pairs) value += addPair(Z, laplacian, pair, sign, beta) / count;
      }
      const LG = multiplyTransposeA(laplacian, scaled);
      for (let p = 0; p < x.length; p++) {
        gradient[p] = (2 * LG.data[p]) / count + ridge * x[p];
        value += (ridge / 2) * x[p] * x[p];
      }
      return value;
    },
    start,
    {
      tolerance: settings.tolerance,
      maxIterations: settings.maxIterations,
      ...(settings.onProgress === undefined ? {} : { onProgress: settings.onProgress }),
    },
  );
  const x = run.x.map((value) => scale * value);
  return {
    L: matrix(dims, d, x),
    fit: {
      converged: run.converged,
      iterations: run.iterations,
      objective: run.value,
      history: run.history,
      certificate: { kind: "relative gradient", residual: run.relativeGradient },
      warnings: run.warnings,
    },
  };
}

/** Adds w (e_i - e_j)(z_i - z_j)' to Lap Z and returns the loss of the pair. */
function addPair(Z: Matrix, laplacian: Matrix, [i, j]: Pair, sign: number, beta: number): number {
  const r = Z.cols;
  let square = 0;
  for (let f = 0; f < r; f++) square += (Z.data[i * r + f] - Z.data[j * r + f]) ** 2;
  const t = beta * sign * (square - 1);
  // softplus and the logistic function without overflow: exp of non-positive values only.
  const small = Math.exp(-Math.abs(t));
  const loss = (Math.max(t, 0) + Math.log1p(small)) / beta;
  const w = (sign * (t > 0 ? 1 : small)) / (1 + small);
  for (let f = 0; f < r; f++) {
    const step = w * (Z.data[i * r + f] - Z.data[j * r + f]);
    laplacian.data[i * r + f] += step;
    laplacian.data[j * r + f] -= step;
  }
  return loss;
}

/** The identity, or, for fewer rows than columns, the main directions of all pairs. */
function leadingDirections(alike: Matrix, different: Matrix, dims: number): Matrix {
  if (dims === alike.rows) return identity(dims);
  const both = mapped(alike, (value, p) => value + different.data[p]);
  return columnsAsRows(symmetricEigen(both).vectors, dims);
}
