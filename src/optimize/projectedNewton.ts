import type { OnProgress } from "../core/index.ts";
import { given, inputError, integer, progressGate, real, resolveOptions } from "../core/internal.ts";
import { matrix, tryCholesky, type Matrix } from "../matrix/index.ts";
import { arcSearch, splitVariables } from "./arcSearch.ts";
import { isBounds, makeBox, project, type Bounds } from "./box.ts";
import { Descent, type Minimum, type Objective } from "./minimum.ts";

/**
 * Newton's method in a box (D. P. Bertsekas, 1982, "Projected Newton methods for optimization problems with simple
 * constraints"): over the variables that no bound holds, solve H p = -g by Cholesky, then search along the projection
 * arc. Quadratic convergence where the Hessian is positive definite; elsewhere multiples of its diagonal's size are
 * added until it is. For few variables (the Hessian is dense).
 */
export interface ProjectedNewtonOptions {
  lower?: Bounds;
  upper?: Bounds;
  /** The relative projected gradient (box.ts) at which the run counts as converged. */
  tolerance?: number;
  maxIterations?: number;
  onProgress?: OnProgress;
}

/**
 * @param hessian writes the n x n second derivatives at x; called only where the objective was just
 * evaluated
 */
export function projectedNewton(
  objective: Objective,
  hessian: (x: Float64Array, H: Matrix) => void,
  start: ArrayLike<number>,
  options: ProjectedNewtonOptions = {},
): Minimum {
  const { lower, upper, tolerance, maxIterations, onProgress } = resolveOptions<
    ProjectedNewtonOptions,
    typeof RULES
  >("projectedNewton", options, RULES);
  const x = Float64Array.from(start);
  const n = x.length;
  if (n === 0) throw inputError("projectedNewton: there are no variables");
  const box = makeBox("projectedNewton", n, lower, upper);
  project(x, box);
  const descent = new Descent(objective, x, box, { tolerance, maxIterations }, progressGate(onProgress));
  const direction = new Float64Array(n);
  const free = new Uint8Array(n);
  const H = matrix(n, n);
  while (descent.goesOn()) {
    splitVariables(descent, box, free, direction);
    hessian(descent.x, H);
    newtonDirection(H, descent.gradient, free, direction);
    if (!arcSearch(descent, direction, free, box)) {
      descent.stuck();
      break;
    }
    descent.accept();
  }
  return descent.result();
}

const RULES = {
  lower: given<Bounds>("a number or an array of numbers", isBounds),
  upper: given<Bounds>("a number or an array of numbers", isBounds),
  tolerance: real({ min: 0, default: 1e-10 }),
  maxIterations: integer({ min: 0, default: 200 }),
  onProgress: given<OnProgress>("a function", (value) => typeof value === "function"),
};

/** Replaces the free part of `direction` by -H^-1 g over the free variables. */
function newtonDirection(H: Matrix, gradient: Float64Array, free: Uint8Array, direction: Float64Array): void {
  const n = H.rows;
  const indices = Int32Array.from(free.keys()).filter((i) => free[i] === 1);
  const k = indices.length;
  if (k === 0) return;
  const right = matrix(
    k,
    1,
    Float64Array.from(indices, (i) => -gradient[i]),
  );
  let size = 0;
  for (const i of indices) size = Math.max(size, Math.abs(H.data[i * n + i]));
  for (let shift = 0; shift < 1e10; shift = shift === 0 ? 1e-8 : 10 * shift) {
    const A = matrix(k, k);
    for (let a = 0; a < k; a++) {
      for (let b = 0; b < k; b++) A.data[a * k + b] = H.data[indices[a] * n + indices[b]];
      A.data[a * k + a] += shift * (size > 0 ? size : 1);
    }
    const factor = tryCholesky(A);
    if (factor === undefined) continue;
    const p = factor.solve(right).data;
    if (!p.every(Number.isFinite)) continue;
    for (let a = 0; a < k; a++) direction[indices[a]] = p[a];
    return;
  }
}
