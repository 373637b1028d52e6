import type { Random } from "../../core/index.ts";
import type { CheckedConstraints } from "../../data/index.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import type { BregmanDistance } from "../../metric/index.ts";
import { convex, type Convex } from "../../metric/internal.ts";

/**
 * Rows in the coordinates of a Bregman distance, u = (x_k'x)_k, joined to must-link groups. Over a group g of
 * n_g rows with mean u_g the sum of the divergences from a centre v is
 *
 *     n_g [ mean phi - phi(v) - g'(u_g - v) ],   phi(u) = sum_k w_k h(u_k),   g = (w_k h'(v_k))_k
 *
 * and that of the symmetrised distances n_g [ mean s'u - g'u_g - s_g'v + g'v ] with s = (w_k h'(u_k))_k and
 * its mean s_g: one product with each centre, for any number of rows in the group.
 */
export class BregmanPoints {
  readonly groups: number;
  readonly masses: Float64Array;
  /** Groups x m. */
  readonly means: Matrix;
  private readonly form: "divergence" | "symmetrised";
  private readonly U: Matrix;
  private readonly group: Int32Array;
  private readonly weights: Float64Array;
  private readonly h: Convex;
  /** Mean phi, or mean s'u, of each group. */
  private readonly constants: Float64Array;
  /** s_g, for the symmetrised form. */
  private readonly slopes: Matrix;

  constructor(
    { h, weights }: Pick<BregmanDistance, "h" | "weights">,
    form: "divergence" | "symmetrised",
    U: Matrix,
    { group, groups }: Pick<CheckedConstraints, "group" | "groups">,
  ) {
    const m = U.cols;
    this.form = form;
    this.U = U;
    this.group = group;
    this.weights = weights;
    this.h = convex(h);
    this.groups = groups;
    this.masses = new Float64Array(groups);
    for (const g of group) this.masses[g]++;
    this.means = matrix(groups, m);
    this.slopes = matrix(form === "symmetrised" ? groups : 0, m);
    this.constants = new Float64Array(groups);
    for (let i = 0; i < U.rows; i++) {
      const g = group[i];
      const share = 1 / this.masses[g];
      for (let k = 0, p = i * m, q = g * m; k < m; k++, p++, q++) {
        const u = U.data[p];
        this.means.data[q] += share * u;
        if (form === "divergence") {
          this.constants[g] += share * weights[k] * this.h.value(u);
        } else {
          const slope = weights[k] * this.h.slope(u);
          this.slopes.data[q] += share * slope;
          this.constants[g] += share * slope * u;
        }
      }
    }
  }

  /** D[g K + k]: the sum over the rows of group g of their distances from centre k. */
  costs(centers: Float64Array, D: Float64Array): void {
    const m = this.means.cols;
    const K = centers.length / m;
    const tangent = new Float64Array(centers.length);
    const offset = new Float64Array(K);
    for (let k = 0, q = 0; k < K; k++) {
      for (let j = 0; j < m; j++, q++) {
        tangent[q] = this.weights[j] * this.h.slope(centers[q]);
        offset[k] += tangent[q] * centers[q];
        if (this.form === "divergence") offset[k] -= this.weights[j] * this.h.value(centers[q]);
      }
    }
    for (let g = 0, at = 0; g < this.groups; g++) {
      for (let k = 0; k < K; k++, at++) {
        let sum = this.constants[g] + offset[k];
        for (let j = 0, p = g * m, q = k * m; j < m; j++, p++, q++) {
          sum -= tangent[q] * this.means.data[p];
          if (this.form === "symmetrised") sum -= this.slopes.data[p] * centers[q];
        }
        D[at] = this.masses[g] * Math.max(0, sum);
      }
    }
  }

  /** E, row by row: accurate where sums would cancel. */
  objective(labels: Int32Array, centers: Float64Array): number {
    let sum = 0;
    for (let i = 0; i < this.U.rows; i++) {
      sum += this.rowDistance(this.U.data, i, centers, labels[this.group[i]]);
    }
    return sum;
  }

  /** The nearest centre of each projected row. */
  nearest(V: Matrix, centers: Float64Array): Int32Array {
    const K = centers.length / V.cols;
    return Int32Array.from({ length: V.rows }, (_, i) => {
      let best = 0;
      let least = Infinity;
      for (let k = 0; k < K; k++) {
        const distance = this.rowDistance(V.data, i, centers, k);
        if (distance < least) {
          least = distance;
          best = k;
        }
      }
      return best;
    });
  }

  /** k-means++: each centre is a group, drawn with probability proportional to its distance from those before it. */
  seedCenters(K: number, stream: Random): Float64Array {
    const m = this.means.cols;
    const centers = new Float64Array(K * m);
    const least = this.masses.slice();
    const D = new Float64Array(this.groups);
    for (let k = 0; k < K; k++) {
      let total = 0;
      for (const value of least) total += value;
      let left = stream.uniform() * total;
      let chosen = total > 0 ? -1 : stream.integer(this.groups);
      for (let g = 0; chosen < 0; g++) {
        left -= least[g];
        if (left < 0 || g === this.groups - 1) chosen = g;
      }
      const center = this.means.data.subarray(chosen * m, (chosen + 1) * m);
      centers.set(center, k * m);
      this.costs(center, D);
      for (let g = 0; g < this.groups; g++) least[g] = k === 0 ? D[g] : Math.min(least[g], D[g]);
    }
    return centers;
  }

  private rowDistance(V: Float64Array, i: number, centers: Float64Array, k: number): number {
    const m = this.means.cols;
    const { h, weights } = this;
    let sum = 0;
    for (let j = 0, p = i * m, q = k * m; j < m; j++, p++, q++) {
      const u = V[p];
      const v = centers[q];
      sum += weights[j] * (this.form === "divergence" ? h.excess(u, v) : (h.slope(u) - h.slope(v)) * (u - v));
    }
    return sum;
  }
}
