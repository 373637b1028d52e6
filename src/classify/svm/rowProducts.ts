/**
 * w'x_i for w = sum_i c_i x_i under changes of single c_i: the inner loop of dual coordinate descent. Either
 * w is kept (a product or a change costs d), or, with few rows, all products through the rows' Gram matrix (a
 * product is free, a change costs n). With an intercept every x_i has one more feature, which is 1.
 */
import { matrix, multiplyTransposeB, squaredNorms, takeRows, type Matrix } from "../../matrix/index.ts";

export interface RowProducts {
  /** x_i'x_i. */
  readonly norms: Float64Array;
  /** Features of a row, including the intercept. */
  readonly features: number;
  /** x_i'x_j of the given rows. */
  among(rows: Int32Array): Matrix;
  /** The given rows, each multiplied by its sign. */
  signed(rows: Int32Array, signs: Float64Array): Matrix;
  /** A separate w, initially 0. */
  start(): MovingWeights;
}

export interface MovingWeights {
  /** w'x_i. */
  product(i: number): number;
  /** w += amount x_i. */
  move(i: number, amount: number): void;
  clear(): void;
}

/** Rows up to which the Gram matrix is kept: 72 MB. */
const MOST_ROWS = 3000;

export function rowProducts(X: Matrix, intercept: boolean): RowProducts {
  const one = Number(intercept);
  return X.rows <= Math.min(MOST_ROWS, 2 * X.cols) ? byGram(X, one) : byWeights(X, one);
}

function byWeights(X: Matrix, one: number): RowProducts {
  const { cols: d, data } = X;
  const even = d & ~3;
  return {
    norms: squaredNorms(X).map((norm) => norm + one),
    features: d + one,
    signed: (rows, signs) => signedRows(X, one, rows, signs),
    among: (rows) => innerProducts(takeRows(X, rows), one),
    start() {
      const w = new Float64Array(d);
      let w0 = 0;
      return {
        product(i) {
          const p = i * d;
          let s0 = w0 * one;
          let s1 = 0;
          let s2 = 0;
          let s3 = 0;
          for (let f = 0; f < even; f += 4) {
            s0 += w[f] * data[p + f];
            s1 += w[f + 1] * data[p + f + 1];
            s2 += w[f + 2] * data[p + f + 2];
            s3 += w[f + 3] * data[p + f + 3];
          }
          for (let f = even; f < d; f++) s0 += w[f] * data[p + f];
          return s0 + s1 + (s2 + s3);
        },
        move(i, amount) {
          const p = i * d;
          w0 += amount;
          for (let f = 0; f < d; f++) w[f] += amount * data[p + f];
        },
        clear() {
          w.fill(0);
          w0 = 0;
        },
      };
    },
  };
}

function byGram(X: Matrix, one: number): RowProducts {
  const G = innerProducts(X, one);
  const n = X.rows;
  return {
    norms: Float64Array.from({ length: n }, (_, i) => G.data[i * n + i]),
    features: X.cols + one,
    signed: (rows, signs) => signedRows(X, one, rows, signs),
    among(rows) {
      const m = rows.length;
      const Q = matrix(m, m);
      for (let p = 0; p < m; p++) {
        const at = rows[p] * n;
        for (let q = 0; q < m; q++) Q.data[p * m + q] = G.data[at + rows[q]];
      }
      return Q;
    },
    start() {
      const products = new Float64Array(n);
      return {
        product: (i) => products[i],
        move(i, amount) {
          const at = i * n;
          for (let j = 0; j < n; j++) products[j] += amount * G.data[at + j];
        },
        clear: () => products.fill(0),
      };
    },
  };
}

function innerProducts(X: Matrix, one: number): Matrix {
  const G = multiplyTransposeB(X, X);
  if (one !== 0) for (let p = 0; p < G.data.length; p++) G.data[p] += one;
  return G;
}

function signedRows(X: Matrix, one: number, rows: Int32Array, signs: Float64Array): Matrix {
  const d = X.cols;
  const Z = matrix(rows.length, d + one);
  for (let p = 0; p < rows.length; p++) {
    const sign = signs[rows[p]];
    for (let f = 0; f < d; f++) Z.data[p * Z.cols + f] = sign * X.data[rows[p] * d + f];
    if (one !== 0) Z.data[p * Z.cols + d] = sign;
  }
  return Z;
}
