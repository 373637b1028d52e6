import { gram, matrix, transpose, tryCholesky, type Matrix } from "../../matrix/index.ts";
import type { BregmanProblem } from "./bregmanProblem.ts";

/**
 * The problem of bregmanProblem.ts with only the weights of `set` (its last variable is b), the others being 0:
 *
 *     minimise over x >= 0   f = 1/2 x'Q x + C sum_p max(0, 1 + y_p r_p'x)^2,   r_p = (z_p over the set, -1)
 *
 * by Newton's method with an active set. A step p = -H^-1 g over the variables that are positive or would
 * increase is cut at 0 if that lowers f enough; otherwise the variables at 0 that it would make negative
 * leave, and f is minimised along p up to the first variable that reaches 0. f falls in every step, and near
 * the minimum a step is exact.
 */
export class BregmanFace {
  readonly x: Float64Array;
  private readonly C: number;
  private readonly y: Int8Array;
  private readonly rows: Matrix;
  private readonly Q: Matrix;
  /** Q + 2 C sum over the pairs with a slack of r r'. */
  private readonly H: Matrix;
  private readonly counted: Uint8Array;
  private readonly slack: Float64Array;
  private readonly gradient: Float64Array;
  private value = 0;

  constructor({ K, Z, y, C }: BregmanProblem, set: Int32Array, x: Float64Array) {
    const m = K.rows;
    const w = set.length;
    this.C = C;
    this.y = y;
    this.x = Float64Array.from(set, (k) => x[k]);
    this.rows = matrix(y.length, w);
    for (let p = 0; p < y.length; p++) {
      for (let s = 0; s < w - 1; s++) this.rows.data[p * w + s] = Z.data[p * m + set[s]];
      this.rows.data[p * w + w - 1] = -1;
    }
    this.Q = matrix(w, w);
    for (let s = 0; s < w - 1; s++) {
      for (let t = 0; t < w - 1; t++) this.Q.data[s * w + t] = K.data[set[s] * m + set[t]];
    }
    this.H = matrix(w, w);
    this.H.data.set(this.Q.data);
    this.counted = new Uint8Array(y.length);
    this.slack = new Float64Array(y.length);
    this.gradient = new Float64Array(w);
  }

  /**
   * Returns the number of steps, after `sweeps` of descent; ends at the tolerance, at the limit, or when
   * rounding prevents a further decrease of f.
   */
  minimise(tolerance: number, limit: number, sweeps: number): number {
    if (sweeps > 0) this.sweep(sweeps);
    this.moveTo(this.x);
    for (let steps = 0; steps < limit; steps++) {
      if (this.residual() <= tolerance) return steps;
      this.updateHessian();
      if (!this.step()) return steps;
    }
    return limit;
  }

  /**
   * Coordinate descent, each weight by its bound on the curvature: a sweep costs a fraction of a Newton step and settles
   * most of the variables that end at 0.
   */
  private sweep(times: number): void {
    const { x, y, C, Q } = this;
    const w = x.length;
    const pairs = y.length;
    const columns = transpose(this.rows).data;
    const margins = new Float64Array(pairs).fill(1);
    const slope = new Float64Array(w);
    const curvature = new Float64Array(w);
    for (let s = 0; s < w; s++) {
      for (let t = 0, q = s * w; t < w; t++) slope[s] += Q.data[q + t] * x[t];
      curvature[s] = Q.data[s * w + s];
      for (let i = 0, q = s * pairs; i < pairs; i++, q++) {
        margins[i] += y[i] * columns[q] * x[s];
        curvature[s] += 2 * C * columns[q] * columns[q];
      }
    }
    for (let time = 0; time < times; time++) {
      for (let s = w - 1; s >= 0; s--) {
        let derivative = slope[s];
        for (let i = 0, q = s * pairs; i < pairs; i++, q++) {
          if (margins[i] > 0) derivative += 2 * C * margins[i] * y[i] * columns[q];
        }
        const step = Math.max(-x[s], -derivative / curvature[s]);
        if (step === 0 || !Number.isFinite(step)) continue;
        x[s] += step;
        for (let i = 0, q = s * pairs; i < pairs; i++, q++) margins[i] += step * y[i] * columns[q];
        for (let t = 0, q = s * w; t < w; t++, q++) slope[t] += step * Q.data[q];
      }
    }
  }

  private residual(): number {
    let largest = 0;
    for (let s = 0; s < this.x.length; s++) {
      const r = this.x[s] > 0 ? Math.abs(this.gradient[s]) : Math.max(0, -this.gradient[s]);
      largest = Math.max(largest, r * Math.max(1, this.x[s]));
    }
    return largest / Math.max(1, this.value);
  }

  private step(): boolean {
    const { x, gradient, value } = this;
    const w = x.length;
    let free: number[] = [];
    for (let s = 0; s < w; s++) if (x[s] > 0 || gradient[s] < 0) free.push(s);
    const p = new Float64Array(w);
    this.newton(free, p);
    const trial = x.map((at, s) => Math.max(0, at + p[s]));
    let predicted = 0;
    for (let s = 0; s < w; s++) predicted += gradient[s] * (trial[s] - x[s]);
    if (predicted < 0 && this.valueAt(trial) <= value + 0.2 * predicted) {
      this.moveTo(trial);
      return true;
    }
    for (;;) {
      const leaving = new Set(free.filter((s) => x[s] === 0 && p[s] < 0));
      if (leaving.size === 0) break;
      const kept = free.filter((s) => !leaving.has(s));
      const entering = kept.some((s) => x[s] === 0);
      // A single variable that enters a minimised face always moves inwards.
      if (!entering && leaving.size > 1) {
        let steepest = -1;
        for (const s of leaving) if (steepest < 0 || gradient[s] < gradient[steepest]) steepest = s;
        kept.push(steepest);
      }
      free = kept;
      if (free.length === 0) return false;
      this.newton(free, p);
    }
    return this.search(p);
  }

  /** Minimises f along p, up to the first variable that reaches 0. */
  private search(p: Float64Array): boolean {
    const { x, value } = this;
    let most = 1e6;
    for (let s = 0; s < x.length; s++) if (p[s] < 0) most = Math.min(most, -x[s] / p[s]);
    const slope = this.slopeAlong(p);
    if (!(slope(0) < 0) || !(most > 0)) return false;
    let low = 0;
    let high = most;
    if (slope(most) > 0) {
      for (let tries = 0; tries < 60 && high - low > 1e-12 * high; tries++) {
        const middle = low === 0 && tries === 0 && most > 1 ? 1 : (low + high) / 2;
        if (slope(middle) > 0) high = middle;
        else low = middle;
      }
    } else {
      low = most;
    }
    const next = x.map((at, s) => {
      const moved = at + low * p[s];
      return moved <= 1e-14 * at ? 0 : moved;
    });
    this.moveTo(next);
    return this.value < value;
  }

  /** The derivative of f(x + a p) in a. */
  private slopeAlong(p: Float64Array): (a: number) => number {
    const { x, Q, rows, y, C } = this;
    const w = x.length;
    let linear = 0;
    let square = 0;
    for (let s = 0; s < w; s++) {
      if (p[s] === 0) continue;
      for (let t = 0, q = s * w; t < w; t++) {
        linear += p[s] * Q.data[q + t] * x[t];
        square += p[s] * Q.data[q + t] * p[t];
      }
    }
    const at = new Float64Array(y.length);
    const rate = new Float64Array(y.length);
    for (let i = 0; i < y.length; i++) {
      let here = 0;
      let along = 0;
      for (let s = 0, q = i * w; s < w; s++, q++) {
        here += rows.data[q] * x[s];
        along += rows.data[q] * p[s];
      }
      at[i] = 1 + y[i] * here;
      rate[i] = y[i] * along;
    }
    return (a) => {
      let sum = linear + a * square;
      for (let i = 0; i < at.length; i++) {
        const slack = at[i] + a * rate[i];
        if (slack > 0) sum += 2 * C * slack * rate[i];
      }
      return sum;
    };
  }

  /** p = -H^-1 g over the free variables, 0 elsewhere. */
  private newton(free: readonly number[], p: Float64Array): void {
    const k = free.length;
    const w = this.x.length;
    const right = matrix(k, 1);
    let size = 0;
    free.forEach((s, a) => {
      right.data[a] = -this.gradient[s];
      size = Math.max(size, this.H.data[s * w + s]);
    });
    p.fill(0);
    // Equal points make H singular; the shift is far below the accuracy of their weights.
    for (let shift = 1e-11; shift < 1; shift *= 100) {
      const A = matrix(k, k);
      for (let a = 0; a < k; a++) {
        for (let b = 0; b < k; b++) A.data[a * k + b] = this.H.data[free[a] * w + free[b]];
        A.data[a * k + a] += shift * size;
      }
      const factor = tryCholesky(A);
      if (factor === undefined) continue;
      const { data } = factor.solve(right);
      if (!data.every(Number.isFinite)) continue;
      free.forEach((s, a) => (p[s] = data[a]));
      return;
    }
  }

  /** Updates H for the pairs with a slack. */
  private updateHessian(): void {
    const { H, Q, rows, slack, counted, C } = this;
    const w = this.x.length;
    const changed: number[] = [];
    const active: number[] = [];
    for (let i = 0; i < slack.length; i++) {
      const now = slack[i] > 0 ? 1 : 0;
      if (now === 1) active.push(i);
      if (now !== counted[i]) changed.push(i);
    }
    // One pair in a loop costs as much as a dozen in a product.
    if (12 * changed.length > active.length) {
      const violated = matrix(active.length, w);
      active.forEach((i, a) => violated.data.set(rows.data.subarray(i * w, (i + 1) * w), a * w));
      const curvature = gram(violated);
      for (let q = 0; q < H.data.length; q++) H.data[q] = Q.data[q] + 2 * C * curvature.data[q];
    } else {
      for (const i of changed) {
        const factor = slack[i] > 0 ? 2 * C : -2 * C;
        for (let s = 0, q = 0; s < w; s++) {
          const scaled = factor * rows.data[i * w + s];
          for (let t = 0, r = i * w; t < w; t++, q++, r++) H.data[q] += scaled * rows.data[r];
        }
      }
    }
    for (let i = 0; i < slack.length; i++) counted[i] = slack[i] > 0 ? 1 : 0;
  }

  private valueAt(x: Float64Array): number {
    const { Q, rows, y, C } = this;
    const w = x.length;
    let value = 0;
    for (let s = 0; s < w; s++) {
      if (x[s] === 0) continue;
      for (let t = 0, q = s * w; t < w; t++) value += (x[s] * Q.data[q + t] * x[t]) / 2;
    }
    for (let i = 0; i < y.length; i++) {
      const slack = slackOf(rows.data, i * w, y[i], x);
      value += C * slack * slack;
    }
    return value;
  }

  /** Moves to x, with f, the slacks and the gradient there. */
  private moveTo(x: Float64Array): void {
    const { Q, rows, y, C, gradient, slack } = this;
    const w = x.length;
    this.x.set(x);
    let value = 0;
    for (let s = 0; s < w; s++) {
      let sum = 0;
      for (let t = 0, q = s * w; t < w; t++) sum += Q.data[q + t] * x[t];
      gradient[s] = sum;
      value += (x[s] * sum) / 2;
    }
    for (let i = 0; i < y.length; i++) {
      slack[i] = slackOf(rows.data, i * w, y[i], x);
      if (slack[i] === 0) continue;
      value += C * slack[i] * slack[i];
      const pull = 2 * C * y[i] * slack[i];
      for (let s = 0, q = i * w; s < w; s++) gradient[s] += pull * rows.data[q + s];
    }
    this.value = value;
  }
}

function slackOf(rows: Float64Array, at: number, y: number, x: Float64Array): number {
  let sum = 0;
  for (let s = 0; s < x.length; s++) sum += rows[at + s] * x[s];
  return Math.max(0, 1 + y * sum);
}
