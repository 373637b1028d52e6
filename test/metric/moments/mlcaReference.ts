/** MLCA as Law et al. (2016) have it, for src/metric/moments/mlca.ts. */
import { matrix, type Matrix } from "../../../src/matrix/matrix.ts";
import { multiply, multiplyTransposeB } from "../../../src/matrix/multiply.ts";
import { pseudoInverse } from "../../../src/matrix/factor/svd.ts";

/** The formula of the text, through the pseudo-inverse of the centred data. */
export function direct(X: Matrix, labels: number[]): Matrix {
  const Z = matrix(X.rows, X.cols, X.data.slice());
  for (let f = 0; f < X.cols; f++) {
    let mean = 0;
    for (let i = 0; i < X.rows; i++) mean += X.data[i * X.cols + f] / X.rows;
    for (let i = 0; i < X.rows; i++) Z.data[i * X.cols + f] -= mean;
  }
  const J = matrix(X.rows, 3);
  const counts = [0, 1, 2].map((c) => labels.filter((label) => label === c).length);
  labels.forEach((c, i) => (J.data[i * 3 + c] = 1 / Math.sqrt(counts[c])));
  const W = multiply(pseudoInverse(Z, { cut: 1e-7 }).inverse, J);
  return multiplyTransposeB(W, W);
}
