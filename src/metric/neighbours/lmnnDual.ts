/**
 * A lower bound of the LMNN objective over all metrics. The dual of the convex problem in M has a multiplier a_t between 0
 * and push for each triplet,
 *
 *     maximise sum_t a_t   where   G(a) = P + Q(a) is positive semidefinite,
 *     P = (1 - push) sum_ij C_ij,   Q(a) = sum_ijl a_ijl (C_ij - C_il),   C_ij = (x_i - x_j)(x_i - x_j)'
 *
 * The slopes of the smoothed hinge at any L are such multipliers except that G may have negative eigenvalues.
 * With mu the smallest eigenvalue of G relative to P, the multipliers s a, s = 1 / (1 - min(0, mu)), are
 * feasible: P + s Q = (1 - s) P + s G. So s sum_t a_t is a lower bound of every objective, for any L.
 */
import {
  generalizedEigen,
  matrix,
  multiplyTransposeA,
  multiplyTransposeB,
  type Matrix,
} from "../../matrix/index.ts";
import type { Impostors } from "./lmnnImpostors.ts";
import { pairForces, targetScatter, type LmnnProblem } from "./lmnnObjective.ts";

export interface DualBound {
  readonly bound: number;
  /** The share of the multipliers' sum that feasibility costs. */
  readonly infeasible: number;
  /** v with v'Gv < 0, in the coordinates of Z: M + t vv' is better than M for some t. Absent if G has no negative eigenvalue. */
  readonly escape?: Float64Array;
}

/** The bound from the slopes at L over `width`; `value` is the objective at L. */
export function dualBound(
  problem: LmnnProblem,
  impostors: Impostors,
  L: Matrix,
  width: number,
  value: number,
): DualBound {
  const { Z, push } = problem;
  // The objective is not negative, and its unit is the margin of one triplet: this is its minimum up to
  // rounding.
  if (value <= 1e-12 * push) return { bound: value, infeasible: 0 };
  const { slopes, forces } = pairForces(problem, impostors, multiplyTransposeB(Z, L), Z, width);
  const G = multiplyTransposeA(forces, Z);
  const P = targetScatter(problem);
  const q = Z.cols;
  const Q = matrix(q, q);
  let size = 0;
  for (let f = 0; f < q; f++) {
    for (let g = 0; g < q; g++) {
      const p = f * q + g;
      P.data[p] *= 1 - push;
      Q.data[p] = (G.data[p] + G.data[g * q + f]) / 2 - P.data[p];
    }
    size += (P.data[f * q + f] + Math.abs(Q.data[f * q + f])) / q;
  }
  // Neither pull nor push: every impostor is beyond the margin, and targets are duplicates.
  if (size === 0) return { bound: value, infeasible: 0 };
  // Directions in which no target differs make P singular; there any negative part of G is fatal to the bound.
  for (let f = 0; f < q; f++) P.data[f * q + f] += 1e-12 * size;
  const { values, vectors } = generalizedEigen(Q, P);
  const mu = 1 + values[q - 1]; // G = P + Q
  const share = 1 / (1 - Math.min(0, mu));
  return {
    bound: share * slopes,
    infeasible: 1 - share,
    ...(mu < 0 && { escape: Float64Array.from({ length: q }, (_, f) => vectors.data[f * q + q - 1]) }),
  };
}
