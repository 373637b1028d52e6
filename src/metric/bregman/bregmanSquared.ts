/**
 * The problem of bregmanSystem.ts with the squared hinge. At the minimum most weights are 0, so it is found on a growing
 * set of the others: solve on the set by Newton's method (`minimiseFace`; f is piecewise quadratic), add the points whose
 * derivative is most negative, and repeat until there is none. If a set takes more than a few steps, an interior
 * point method (bregmanInterior.ts) first gets near the minimum. The residual is taken over all m + 1 variables.
 */
import type { ProgressGate } from "../../core/internal.ts";
import { nearMinimum } from "./bregmanInterior.ts";
import {
  kktResidual,
  restricted,
  squaredPoint,
  type BregmanSolution,
  type Stop,
  type BregmanSystem,
  type SquaredPoint,
} from "./bregmanSystem.ts";
import {
  gram,
  matrix,
  multiplyVector,
  takeRows,
  transpose,
  tryCholesky,
  type Matrix,
} from "../../matrix/index.ts";
import { dot } from "../../matrix/internal.ts";

/**
 * Newton steps over all points that the sets may take before the interior point method is tried, which takes
 * some 12.
 */
const PATIENCE = 0.6;
/** And on one set: with inseparable pairs it takes up to some 30. */
const STEPS = 50;
/** Sweeps of coordinate descent before the Newton steps on a set. */
const SWEEPS = 30;

export function solveSquared(
  system: BregmanSystem,
  { tolerance, maxIterations }: Stop,
  report: ProgressGate,
): BregmanSolution {
  const w = system.Q.cols;
  let patience = PATIENCE;
  let point = squaredPoint(system, new Float64Array(w));
  let residual = kktResidual(point);
  const history = [point.value];
  let iterations = 0;
  const start = residual;
  while (residual > tolerance && iterations < maxIterations) {
    const fraction = Math.log(start / residual) / Math.log(start / tolerance);
    const label = `Bregman distance, residual ${residual.toExponential(1)}`;
    const objective = point.value;
    if (!report({ fraction: Math.min(0.99, Math.max(0, fraction)), label, objective })) break;
    const set = workingSet(point);
    const limit = maxIterations - iterations;
    const price = (set.length / w) ** 2;
    const most = patience < Infinity ? Math.min(STEPS, Math.floor(patience / price)) : limit;
    const allowed = Math.max(1, Math.min(limit, most));
    const face = minimiseFace(
      restricted(system, set),
      Float64Array.from(set, (k) => point.x[k]),
      {
        // A set that will grow need not be solved exactly.
        tolerance: Math.max(tolerance / 4, 1e-3 * residual),
        limit: allowed,
        sweeps: patience < Infinity ? SWEEPS : 0,
      },
    );
    iterations += Math.max(1, face.steps);
    patience -= face.steps * price;
    let x: Float64Array = point.x.slice();
    if (face.steps === allowed && face.steps < limit) {
      patience = Infinity;
      const near = nearMinimum(system, report);
      iterations += near.steps;
      x = near.x;
    } else {
      set.forEach((k, s) => (x[k] = face.x[s]));
    }
    const before = residual;
    point = squaredPoint(system, x);
    residual = kktResidual(point);
    history.push(point.value);
    // Rounding: neither the value nor the residual changes any more. (The absence of a step alone says
    // little: descent may have been enough.)
    if (face.steps === 0 && residual >= before && point.value >= objective) break;
  }
  return {
    weights: point.x.slice(0, -1),
    threshold: point.x[w - 1],
    objective: point.value,
    history,
    residual,
    converged: residual <= tolerance,
    iterations,
    stopped: report.stopped,
  };
}

/** The points in use, b, and those with the most negative derivatives: as many as are in use, and at least 100. */
function workingSet({ x, gradient }: SquaredPoint): Int32Array {
  const m = x.length - 1;
  const points = Array.from({ length: m }, (_, k) => k);
  const used = points.filter((k) => x[k] > 0);
  const wanted = points.filter((k) => !(x[k] > 0) && gradient[k] < 0);
  wanted.sort((i, j) => gradient[i] - gradient[j] || i - j);
  return Int32Array.from([...used, ...wanted.slice(0, Math.max(100, used.length)), m]);
}

/**
 * The problem of bregmanSystem.ts with the squared hinge, on few variables, by Newton's method with an active
 * set. A step p = -H^-1 g over the variables that are positive or would increase is cut at 0 if that lowers f
 * enough; otherwise the variables at 0 that it would make negative leave, and f is minimised along p up to the
 * first variable that reaches 0. f falls in every step, and near the minimum a step is exact.
 *
 * Minimises from `start`, after `sweeps` of coordinate descent; ends at the tolerance, at the limit of steps, or when
 * rounding prevents a further decrease of f.
 */
function minimiseFace(
  system: BregmanSystem,
  start: Float64Array,
  {
    tolerance,
    limit,
    sweeps,
  }: { readonly tolerance: number; readonly limit: number; readonly sweeps: number },
): { readonly x: Float64Array; readonly steps: number } {
  let point = squaredPoint(system, sweeps > 0 ? swept(system, start, sweeps) : start);
  const hessian = movingHessian(system);
  for (let steps = 0; steps < limit; steps++) {
    if (kktResidual(point) <= tolerance) return { x: point.x, steps };
    const step = newtonStep(system, point, hessian(point.margins));
    if (step === undefined) return { x: point.x, steps };
    ({ point } = step);
    // The last step lowers the derivatives, even where rounding hides that f falls.
    if (!step.lowered) return { x: point.x, steps };
  }
  return { x: point.x, steps: limit };
}

/**
 * Coordinate descent, each weight by its bound on the curvature: a sweep costs a fraction of a Newton step and settles
 * most of the variables that end at 0.
 */
function swept({ Q, R, C }: BregmanSystem, start: Float64Array, times: number): Float64Array {
  const x = start.slice();
  const w = x.length;
  const pairs = R.rows;
  const columns = transpose(R).data;
  const margins = multiplyVector(R, x).map((along) => 1 + along);
  const slope = multiplyVector(Q, x);
  const curvature = Float64Array.from(x, (_, s) => {
    const column = columns.subarray(s * pairs, (s + 1) * pairs);
    return Q.data[s * (w + 1)] + 2 * C * dot(column, column);
  });
  for (let time = 0; time < times; time++) {
    for (let s = w - 1; s >= 0; s--) {
      let derivative = slope[s];
      for (let i = 0, q = s * pairs; i < pairs; i++, q++) {
        if (margins[i] > 0) derivative += 2 * C * margins[i] * columns[q];
      }
      const step = Math.max(-x[s], -derivative / curvature[s]);
      if (step === 0 || !Number.isFinite(step)) continue;
      x[s] += step;
      for (let i = 0, q = s * pairs; i < pairs; i++, q++) margins[i] += step * columns[q];
      for (let t = 0, q = s * w; t < w; t++, q++) slope[t] += step * Q.data[q];
    }
  }
  return x;
}

/** H = Q + 2 C sum of r_p r_p' over the pairs with a slack, updated for those that changed. */
function movingHessian({ Q, R, C }: BregmanSystem): (margins: Float64Array) => Matrix {
  const w = Q.cols;
  const H = matrix(w, w, Q.data.slice());
  const counted = new Uint8Array(R.rows);
  return (margins) => {
    const active = Int32Array.from(margins.keys()).filter((p) => margins[p] > 0);
    const changed = Int32Array.from(margins.keys()).filter((p) => Number(margins[p] > 0) !== counted[p]);
    // One pair in a loop costs as much as a dozen in a product.
    if (12 * changed.length > active.length) {
      const curvature = gram(takeRows(R, active));
      for (let q = 0; q < H.data.length; q++) H.data[q] = Q.data[q] + 2 * C * curvature.data[q];
    } else {
      for (const p of changed) {
        const factor = margins[p] > 0 ? 2 * C : -2 * C;
        for (let s = 0, q = 0; s < w; s++) {
          const scaled = factor * R.data[p * w + s];
          for (let t = 0, r = p * w; t < w; t++, q++, r++) H.data[q] += scaled * R.data[r];
        }
      }
    }
    for (const p of changed) counted[p] ^= 1;
    return H;
  };
}

interface Step {
  readonly point: SquaredPoint;
  /** Whether f fell, in double precision. */
  readonly lowered: boolean;
}

function newtonStep(system: BregmanSystem, point: SquaredPoint, H: Matrix): Step | undefined {
  const { x, gradient, value } = point;
  let free = Array.from(x.keys()).filter((s) => x[s] > 0 || gradient[s] < 0);
  let p = newtonDirection(H, gradient, free);
  const trial = x.map((at, s) => Math.max(0, at + p[s]));
  let predicted = 0;
  for (let s = 0; s < x.length; s++) predicted += gradient[s] * (trial[s] - x[s]);
  if (predicted < 0) {
    const next = squaredPoint(system, trial);
    if (next.value <= value + 0.2 * predicted) return { point: next, lowered: true };
  }
  for (;;) {
    const leaving = free.filter((s) => x[s] === 0 && p[s] < 0);
    if (leaving.length === 0) break;
    const kept = free.filter((s) => !(x[s] === 0 && p[s] < 0));
    const entering = kept.some((s) => x[s] === 0);
    // A single variable that enters a minimised face always moves inwards.
    if (!entering && leaving.length > 1)
      kept.push(leaving.reduce((a, b) => (gradient[b] < gradient[a] ? b : a)));
    free = kept;
    if (free.length === 0) return undefined;
    p = newtonDirection(H, gradient, free);
  }
  return lineSearch(system, point, p);
}

/** Minimises f along p, up to the first variable that reaches 0. */
function lineSearch(system: BregmanSystem, point: SquaredPoint, p: Float64Array): Step | undefined {
  const { x, value } = point;
  let most = 1e6;
  for (let s = 0; s < x.length; s++) if (p[s] < 0) most = Math.min(most, -x[s] / p[s]);
  const slope = slopeAlong(system, point, p);
  if (!(slope(0) < 0) || !(most > 0)) return undefined;
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
  const next = squaredPoint(
    system,
    x.map((at, s) => {
      const moved = at + low * p[s];
      return moved <= 1e-14 * at ? 0 : moved;
    }),
  );
  return { point: next, lowered: next.value < value };
}

/** The derivative of f(x + a p) in a. */
function slopeAlong(
  { Q, R, C }: BregmanSystem,
  { x, margins }: SquaredPoint,
  p: Float64Array,
): (a: number) => number {
  const Qp = multiplyVector(Q, p);
  const [linear, square] = [dot(Qp, x), dot(Qp, p)];
  const rate = multiplyVector(R, p);
  return (a) => {
    let sum = linear + a * square;
    for (let i = 0; i < rate.length; i++) {
      const slack = margins[i] + a * rate[i];
      if (slack > 0) sum += 2 * C * slack * rate[i];
    }
    return sum;
  };
}

/** p = -H^-1 g over the free variables, 0 elsewhere. */
function newtonDirection(H: Matrix, gradient: Float64Array, free: readonly number[]): Float64Array {
  const k = free.length;
  const w = H.cols;
  const p = new Float64Array(w);
  const right = Float64Array.from(free, (s) => -gradient[s]);
  const size = free.reduce((most, s) => Math.max(most, H.data[s * (w + 1)]), 0);
  // Equal points make H singular; the shift is far below the accuracy of their weights.
  for (let shift = 1e-11; shift < 1; shift *= 100) {
    const A = matrix(k, k);
    for (let a = 0; a < k; a++) {
      for (let b = 0; b < k; b++) A.data[a * k + b] = H.data[free[a] * w + free[b]];
      A.data[a * k + a] += shift * size;
    }
    const solution = tryCholesky(A)?.solve(right);
    if (solution === undefined || !solution.every(Number.isFinite)) continue;
    free.forEach((s, a) => (p[s] = solution[a]));
    break;
  }
  return p;
}
