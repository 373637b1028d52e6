/**
 * LMNN in the symbols of Weinberger and Saul (2009), by loops over all rows:
 *
 *     (1 - push) sum_ij d_ij + push sum_ijl h(1 + d_ij - d_il),   d_ij = ||y_i - y_j||^2
 *
 * j a target of i, l a row of another class, h the hinge smoothed over `width`: z^2 / (2 width) below it.
 */
import { matrix, type Matrix } from "../../../src/matrix/index.ts";
import type { Impostors, LmnnProblem } from "../../../src/metric/neighbours/lmnnObjective.ts";

function d(Y: Matrix, i: number, j: number): number {
  let sum = 0;
  for (let f = 0; f < Y.cols; f++) sum += (Y.data[i * Y.cols + f] - Y.data[j * Y.cols + f]) ** 2;
  return sum;
}

function targetsOf({ offsets, targets }: LmnnProblem, i: number): number[] {
  return Array.from(targets.subarray(offsets[i], offsets[i + 1]));
}

/** All rows of other classes within 1.3 times 1 + the farthest target's squared distance. */
export function referenceImpostors(problem: LmnnProblem, Y: Matrix): Impostors {
  const { codes } = problem;
  const offsets = [0];
  const rows: number[] = [];
  for (let i = 0; i < Y.rows; i++) {
    const farthest = Math.max(...targetsOf(problem, i).map((j) => d(Y, i, j)));
    for (let l = 0; l < Y.rows; l++) {
      if (codes[l] !== codes[i] && d(Y, i, l) < 1.3 * (1 + farthest)) rows.push(l);
    }
    offsets.push(rows.length);
  }
  return { offsets: Int32Array.from(offsets), rows: Int32Array.from(rows) };
}

/**
 * The sum, push times the slopes of h, and the forces: for each pair (i, j) its weight in the gradient times v_i - v_j on
 * row i, and the opposite on row j.
 */
export function referenceForces(
  problem: LmnnProblem,
  impostors: Impostors,
  Y: Matrix,
  V: Matrix,
  width: number,
): { value: number; slopes: number; forces: Matrix } {
  const { push } = problem;
  const forces = matrix(Y.rows, V.cols);
  const add = (i: number, j: number, weight: number): void => {
    for (let f = 0; f < V.cols; f++) {
      const step = weight * (V.data[i * V.cols + f] - V.data[j * V.cols + f]);
      forces.data[i * V.cols + f] += step;
      forces.data[j * V.cols + f] -= step;
    }
  };
  let value = 0;
  let slopes = 0;
  for (let i = 0; i < Y.rows; i++) {
    for (const j of targetsOf(problem, i)) {
      value += (1 - push) * d(Y, i, j);
      add(i, j, 1 - push);
      for (const l of impostors.rows.subarray(impostors.offsets[i], impostors.offsets[i + 1])) {
        const z = 1 + d(Y, i, j) - d(Y, i, l);
        if (z <= 0) continue;
        const slope = push * Math.min(1, width === 0 ? 1 : z / width);
        value += push * (z < width ? z ** 2 / (2 * width) : z - width / 2);
        slopes += slope;
        add(i, j, slope);
        add(i, l, -slope);
      }
    }
  }
  return { value, slopes, forces };
}
