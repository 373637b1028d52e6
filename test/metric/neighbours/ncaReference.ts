/**
 * The stochastic neighbours of NCA in the symbols of Goldberger et al. (2004), by loops over the pairs:
 *
 *     p_ij = exp(-d_ij) / sum_{l != i} exp(-d_il),   p_i = sum_{j of class of i} p_ij
 *
 * and the force, half the derivative of sum_i p_i (or of sum_i log p_i) in the rows of Z.
 */
import { matrix, type Matrix } from "../../../src/matrix/index.ts";
import type { SoftNeighbors } from "../../../src/metric/neighbours/nca.ts";

export function referenceNeighbors(Z: Matrix, codes: Int32Array, logarithm: boolean): SoftNeighbors {
  const { rows: n, cols: r, data } = Z;
  const values = new Float64Array(n);
  const force = matrix(n, r);
  for (let i = 0; i < n; i++) {
    const d = Float64Array.from({ length: n }, (_, j) => {
      let sum = j === i ? Infinity : 0;
      for (let f = 0; f < r; f++) sum += (data[i * r + f] - data[j * r + f]) ** 2;
      return sum;
    });
    const own = d.map((square, j) => (codes[j] === codes[i] ? square : Infinity));
    // Shifted by their least: no sum vanishes.
    const [nearest, nearestOwn] = [least(d), least(own)];
    const all = d.map((square) => Math.exp(nearest - square));
    const within = own.map((square) => (nearestOwn === Infinity ? 0 : Math.exp(nearestOwn - square)));
    const [total, totalOwn] = [sum(all), sum(within)];
    const log = totalOwn === 0 ? -Infinity : nearest - nearestOwn + Math.log(totalOwn / total);
    values[i] = logarithm ? log : Math.exp(log);
    if (totalOwn === 0) continue; // the only row of its class: no gradient
    for (let j = 0; j < n; j++) {
      if (j === i) continue;
      const weight = (all[j] / total - within[j] / totalOwn) * (logarithm ? 1 : values[i]);
      for (let f = 0; f < r; f++) {
        const step = weight * (data[i * r + f] - data[j * r + f]);
        force.data[i * r + f] += step;
        force.data[j * r + f] -= step;
      }
    }
  }
  return { values, force };
}

function least(values: Float64Array): number {
  return values.reduce((a, b) => Math.min(a, b), Infinity);
}

function sum(values: Float64Array): number {
  return values.reduce((a, b) => a + b, 0);
}
