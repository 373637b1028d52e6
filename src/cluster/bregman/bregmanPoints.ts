import { sizesOf } from "../../core/internal.ts";
import type { CheckedConstraints } from "../../data/index.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import type { BregmanDistance } from "../../metric/index.ts";
import { convex } from "../../metric/internal.ts";
import { plainPoints, type Points } from "../kmeans/points.ts";
import { groupMembers } from "../pairs/contracted.ts";

export type BregmanForm = "divergence" | "symmetrised";

/** Points with masses, the rows of each group. */
export interface BregmanPoints extends Points {
  readonly masses: Float64Array;
}

/** Costs are differences of larger numbers: a smaller change of a cost is rounding. */
const SLACK = 1e-10;

/**
 * Rows in the coordinates of a Bregman distance, u = (x_k'x)_k, joined to must-link groups. Over a group g of
 * n_g rows with mean u_g the mean of the divergences from a centre v is
 *
 *     mean phi - phi(v) - g'(u_g - v),   phi(u) = sum_k w_k h(u_k),   g = (w_k h'(v_k))_k
 *
 * and that of the symmetrised distances mean s'u - g'u_g - s_g'v + g'v with s = (w_k h'(u_k))_k and
 * its mean s_g: one product with each centre, for any number of rows in the group.
 */
export function bregmanPoints(
  metric: Pick<BregmanDistance, "h" | "weights">,
  form: BregmanForm,
  U: Matrix,
  { group, groups }: Pick<CheckedConstraints, "group" | "groups">,
): BregmanPoints {
  const { weights } = metric;
  const m = U.cols;
  const h = convex(metric.h);
  const masses = Float64Array.from(sizesOf(group, groups));
  const means = matrix(groups, m);
  /** s_g, for the symmetrised form. */
  const slopes = matrix(form === "symmetrised" ? groups : 0, m);
  /** Mean phi, or mean s'u, of each group. */
  const constants = new Float64Array(groups);
  const members = groupMembers(group, groups);
  for (let i = 0; i < U.rows; i++) {
    const g = group[i];
    const share = 1 / masses[g];
    for (let k = 0, p = i * m, q = g * m; k < m; k++, p++, q++) {
      const u = U.data[p];
      means.data[q] += share * u;
      if (form === "divergence") {
        constants[g] += share * weights[k] * h.value(u);
      } else {
        const slope = weights[k] * h.slope(u);
        slopes.data[q] += share * slope;
        constants[g] += share * slope * u;
      }
    }
  }
  const distance = rowDistance(metric, form);
  const ofGroups = (list: ArrayLike<number>): BregmanPoints => ({
    ...plainPoints({
      rows: list.length,
      cols: m,
      slack: SLACK,
      distanceTo: (C) => (e, k) => {
        let sum = 0;
        for (const i of members[list[e]]) sum += distance(U.data, i, C, k);
        return sum / masses[list[e]];
      },
      distances(from, to, C, K, out) {
        const tangent = new Float64Array(K * m);
        const offset = new Float64Array(K);
        for (let k = 0, q = 0; k < K; k++) {
          for (let j = 0; j < m; j++, q++) {
            tangent[q] = weights[j] * h.slope(C[q]);
            offset[k] += tangent[q] * C[q];
            if (form === "divergence") offset[k] -= weights[j] * h.value(C[q]);
          }
        }
        for (let e = from, at = 0; e < to; e++) {
          for (let k = 0; k < K; k++, at++) {
            let sum = constants[list[e]] + offset[k];
            for (let j = 0, p = list[e] * m, q = k * m; j < m; j++, p++, q++) {
              sum -= tangent[q] * means.data[p];
              if (form === "symmetrised") sum -= slopes.data[p] * C[q];
            }
            out[at] = Math.max(0, sum);
          }
        }
      },
      add(e, factor, target, at) {
        for (let j = 0, p = list[e] * m; j < m; j++) target[at + j] += factor * means.data[p + j];
      },
      take: (rows) => ofGroups(rows.map((e) => list[e])),
    }),
    masses,
  });
  return ofGroups(Array.from(masses.keys()));
}

/** The nearest of K centres for each projected row, the first among equals. */
export function nearestByBregman(
  metric: Pick<BregmanDistance, "h" | "weights">,
  form: BregmanForm,
  V: Matrix,
  C: Float64Array,
): Int32Array {
  const K = C.length / V.cols;
  const distance = rowDistance(metric, form);
  return Int32Array.from({ length: V.rows }, (_, i) => {
    const costs = Array.from({ length: K }, (_, k) => distance(V.data, i, C, k));
    return costs.indexOf(Math.min(...costs));
  });
}

/** D(v_i || c_k), or the symmetrised distance, accurate where sums would cancel. */
function rowDistance(
  { h: name, weights }: Pick<BregmanDistance, "h" | "weights">,
  form: BregmanForm,
): (V: Float64Array, i: number, C: Float64Array, k: number) => number {
  const h = convex(name);
  const m = weights.length;
  return (V, i, C, k) => {
    let sum = 0;
    for (let j = 0, p = i * m, q = k * m; j < m; j++, p++, q++) {
      const [u, v] = [V[p], C[q]];
      sum += weights[j] * (form === "divergence" ? h.excess(u, v) : (h.slope(u) - h.slope(v)) * (u - v));
    }
    return sum;
  };
}
