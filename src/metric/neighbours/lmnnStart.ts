import { random } from "../../core/index.ts";
import { squaredDistances, takeRows, type Matrix } from "../../matrix/index.ts";
import type { LmnnProblem } from "./lmnnObjective.ts";

/** Number of rows that represent all. */
const SAMPLE = 100;

/**
 * The t > 0 that minimises the LMNN objective of the metric t I, over a sample of the rows: convex in t,
 * found by golden section on its logarithm. It makes the start, and so the run, independent of the units of
 * the data.
 */
export function startingScale(X: Matrix, problem: LmnnProblem, seed: number): number {
  const { codes, offsets, targets, push } = problem;
  const n = X.rows;
  const chosen = n <= SAMPLE ? Int32Array.from({ length: n }, (_, i) => i) : random(seed).sample(SAMPLE, n);
  const D = squaredDistances(takeRows(X, chosen), X).data;
  let sum = 0;
  let count = 0;
  for (let a = 0; a < chosen.length; a++) {
    for (let p = offsets[chosen[a]]; p < offsets[chosen[a] + 1]; p++, count++) sum += D[a * n + targets[p]];
  }
  let others = 0;
  for (let p = 0; p < D.length; p++) others += D[p] / D.length;
  const unit = Math.max(sum / count, 1e-6 * others); // targets may all be duplicates
  const objective = (t: number): number => {
    let value = 0;
    for (let a = 0; a < chosen.length; a++) {
      const i = chosen[a];
      for (let p = offsets[i]; p < offsets[i + 1]; p++) {
        const near = D[a * n + targets[p]];
        value += (1 - push) * t * near;
        const edge = near + 1 / t;
        for (let l = 0; l < n; l++) {
          const d = D[a * n + l];
          if (d < edge && codes[l] !== codes[i]) value += push * t * (edge - d);
        }
      }
    }
    return value;
  };
  const golden = (Math.sqrt(5) - 1) / 2;
  // Classes far apart have their margin at a scale where targets almost coincide.
  let low = Math.log(1e-3 / Math.max(unit, others));
  let high = Math.log(1e3 / unit);
  let a = high - golden * (high - low);
  let b = low + golden * (high - low);
  let fa = objective(Math.exp(a));
  let fb = objective(Math.exp(b));
  while (high - low > 0.2) {
    if (fa <= fb) {
      [high, b, fb] = [b, a, fa];
      a = high - golden * (high - low);
      fa = objective(Math.exp(a));
    } else {
      [low, a, fa] = [a, b, fb];
      b = low + golden * (high - low);
      fb = objective(Math.exp(b));
    }
  }
  return Math.exp((low + high) / 2);
}
