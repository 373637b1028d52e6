import { real, resolveOptions } from "../../core/internal.ts";
import { leadingColumns, mapped, type Matrix } from "../matrix.ts";
import { multiplyTransposeB } from "../multiply.ts";
import { svd } from "./svd.ts";

export interface PseudoInverseOptions {
  /** Singular values up to `cut` times the largest one count as zero; default max(m, n) 2^-52. */
  cut?: number;
}

export interface PseudoInverse {
  /** n x m, for A of m x n. */
  readonly inverse: Matrix;
  /** Number of singular values above the cut. */
  readonly rank: number;
  /** The relative cut that was used. */
  readonly cut: number;
}

/** Moore-Penrose inverse V diag(1 / s) U' over the singular values s above the cut. */
export function pseudoInverse(A: Matrix, options: PseudoInverseOptions = {}): PseudoInverse {
  const { cut } = resolveOptions("pseudoInverse", options, {
    cut: real({ min: 0, below: 1, default: Math.max(A.rows, A.cols, 1) * 2 ** -52 }),
  });
  const { U, values, V } = svd(A);
  const limit = cut * (values.length === 0 ? 0 : values[0]);
  let rank = 0;
  while (rank < values.length && values[rank] > limit) rank++;
  const W = mapped(leadingColumns(V, rank), (value, p) => value / values[p % rank]);
  return { inverse: multiplyTransposeB(W, leadingColumns(U, rank)), rank, cut };
}
