import { generalizedEigen, matrix, type Matrix } from "kindred/matrix";

/** The eigenvalues of (S_W + ridge diag(S_W))^-1 S_B of a partition, in falling order. */
export function fisherValues(X: Matrix, labels: ArrayLike<number>, ridge = 0): Float64Array {
  const { rows: n, cols: d, data } = X;
  const clusters = Math.max(...Array.from(labels)) + 1;
  const sizes = new Float64Array(clusters);
  const means = matrix(clusters, d);
  const center = new Float64Array(d);
  for (let i = 0; i < n; i++) sizes[labels[i]]++;
  for (let i = 0; i < n; i++) {
    for (let f = 0; f < d; f++) {
      means.data[labels[i] * d + f] += data[i * d + f] / sizes[labels[i]];
      center[f] += data[i * d + f] / n;
    }
  }
  const [within, between] = [matrix(d, d), matrix(d, d)];
  const add = (S: Matrix, difference: (f: number) => number): void => {
    const apart = Float64Array.from({ length: d }, (_, f) => difference(f));
    for (let f = 0; f < d; f++) for (let g = 0; g < d; g++) S.data[f * d + g] += apart[f] * apart[g];
  };
  for (let i = 0; i < n; i++) add(within, (f) => data[i * d + f] - means.data[labels[i] * d + f]);
  for (let c = 0; c < clusters; c++) add(between, (f) => means.data[c * d + f] - center[f]);
  for (let f = 0; f < d; f++) within.data[f * (d + 1)] *= 1 + ridge;
  return generalizedEigen(between, within).values;
}
