/**
 * The triplets (i, j, l) of a list by loops: sum_t h(1 + d_ij - d_il) with d_ij = (x_i - x_j)'(y_i - y_j), h the hinge
 * smoothed over `width`, its slopes, and the forces, the slope times x_i - x_j on row i and the opposite on row j.
 */
import { matrix, type Matrix } from "../../../src/matrix/index.ts";
import type { TripletProblem } from "../../../src/metric/neighbours/triplets.ts";

export function referenceTriplets(
  { X, pairs, groups }: TripletProblem,
  Y: Matrix,
  width: number,
): { value: number; slopes: number; forces: Matrix } {
  const { rows: n, cols } = X;
  const forces = matrix(n, cols);
  const d = (p: number): number => {
    let sum = 0;
    for (let f = 0; f < cols; f++) {
      const [a, b] = [pairs[2 * p] * cols + f, pairs[2 * p + 1] * cols + f];
      sum += (X.data[a] - X.data[b]) * (Y.data[a] - Y.data[b]);
    }
    return sum;
  };
  const add = (p: number, weight: number): void => {
    for (let f = 0; f < cols; f++) {
      const [a, b] = [pairs[2 * p] * cols + f, pairs[2 * p + 1] * cols + f];
      forces.data[a] += weight * (X.data[a] - X.data[b]);
      forces.data[b] -= weight * (X.data[a] - X.data[b]);
    }
  };
  let value = 0;
  let slopes = 0;
  for (let g = 0; g < groups.length; g += 4) {
    for (let near = groups[g]; near < groups[g + 1]; near++) {
      for (let far = groups[g + 2]; far < groups[g + 3]; far++) {
        const z = 1 + d(near) - d(far);
        if (z <= 0) continue;
        const slope = width === 0 ? 1 : Math.min(1, z / width);
        value += z < width ? z ** 2 / (2 * width) : z - width / 2;
        slopes += slope;
        add(near, slope);
        add(far, -slope);
      }
    }
  }
  return { value, slopes, forces };
}
