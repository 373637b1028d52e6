import { given, inputError, option } from "../../core/internal.ts";
import { identity, matrix, symmetricEigen, type Matrix } from "../../matrix/index.ts";
import { requireFinite } from "../../matrix/internal.ts";
import { lda } from "../moments/lda.ts";
import { classMoments, scatter } from "../moments/classMoments.ts";

/** The start of a method that improves L step by step: a rule, or the matrix itself (dims x d). */
export type Start = "auto" | "identity" | "pca" | "lda" | Matrix;

export const startRule = given<Start>(
  'one of "auto", "identity", "pca", "lda", or a matrix',
  (value) =>
    ["auto", "identity", "pca", "lda"].includes(value as string) ||
    (typeof value === "object" && value !== null && "data" in value),
  "auto",
);

/**
 * L of dims x d. "auto" is Fisher's discriminant if the classes give as many directions, else the leading
 * principal components, and the identity if nothing is reduced.
 */
export function startingFactor(
  method: string,
  start: Start,
  X: Matrix,
  codes: Int32Array,
  classes: number,
  dims: number,
): Matrix {
  const d = X.cols;
  if (typeof start === "object") {
    if (start.rows !== dims || start.cols !== d) {
      throw inputError(
        `${method}: ${option("init")} is ${start.rows} x ${start.cols}, but ${dims} x ${d} is needed`,
      );
    }
    requireFinite(start, `${method}: ${option("init")}`);
    return matrix(dims, d, start.data.slice());
  }
  const rule =
    start !== "auto" ? start : dims <= Math.min(d, classes - 1) ? "lda" : dims < d ? "pca" : "identity";
  if (rule === "lda") {
    if (dims > classes - 1) {
      throw inputError(
        `${method}: ${option("init")} is "lda", which gives ${classes - 1} directions, not ${dims}`,
      );
    }
    return lda(X, codes, { dims }).factor;
  }
  if (rule === "pca") {
    const { vectors } = symmetricEigen(scatter(classMoments(X, codes)).total);
    const L = matrix(dims, d);
    for (let r = 0; r < dims; r++) for (let f = 0; f < d; f++) L.data[r * d + f] = vectors.data[f * d + r];
    return L;
  }
  return matrix(dims, d, identity(d).data.slice(0, dims * d));
}
