import { given, inputError, option } from "../../core/internal.ts";
import { gram, identity, matrix, symmetricEigen, type Matrix } from "../../matrix/index.ts";
import { centered, columnMeans, columnsAsRows, requireFinite } from "../../matrix/internal.ts";
import { classCentred } from "../moments/classCoordinates.ts";
import { discriminants } from "../moments/discriminants.ts";

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
  members: readonly Int32Array[],
  dims: number,
): Matrix {
  const classes = members.length;
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
    const within = gram(classCentred(X, members));
    return discriminants(method, { count: X.rows, classes, total: totalScatter(X), within }, dims, []).L;
  }
  if (rule === "pca") return columnsAsRows(symmetricEigen(totalScatter(X)).vectors, dims);
  return matrix(dims, d, identity(d).data.slice(0, dims * d));
}

function totalScatter(X: Matrix): Matrix {
  return gram(centered(X, columnMeans(X)));
}
