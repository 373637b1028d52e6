/** The Psi step of CPD-UML as it is printed, for src/embed/cpdUml/cpdUml.ts. */
import {
  identity,
  matrix,
  multiply,
  multiplyTransposeA,
  solve,
  type Matrix,
} from "../../src/matrix/index.ts";
import { kernelMatrix } from "../../src/metric/index.ts";

/** (20) and (11) as they are printed, with rows for columns. */
export function direct(
  X: Matrix,
  Y: Matrix,
  sigma: number,
  lambda: number,
): { Psi: Matrix; moved: Matrix; objective: number } {
  const n = X.rows;
  const G = kernelMatrix(X, X, { kind: "gaussian", sigma });
  const P = identity(n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      for (let k = 0; k < Y.cols; k++) P.data[i * n + j] -= Y.data[i * Y.cols + k] * Y.data[j * Y.cols + k];
    }
  }
  const M = multiply(multiply(G, P), G);
  for (let i = 0; i < n; i++) M.data[i * n + i] += lambda;
  const N = multiply(G, multiply(P, X));
  const Psi = solve(
    M,
    matrix(
      n,
      X.cols,
      N.data.map((value) => -value),
    ),
  );
  const moved = multiply(G, Psi);
  for (let p = 0; p < moved.data.length; p++) moved.data[p] += X.data[p];
  const within = squares(moved) - squares(multiplyTransposeA(Y, moved));
  return { Psi, moved, objective: within + lambda * squares(Psi) };
}

const squares = (A: Matrix): number => A.data.reduce((sum, value) => sum + value * value, 0);
