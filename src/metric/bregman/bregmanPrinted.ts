import type { ProgressGate } from "../../core/internal.ts";
import type { BregmanSolution, Stop, BregmanSystem } from "./bregmanSystem.ts";

/**
 * Algorithm 1 of Wu et al. (2009) as printed, for what it does: subgradient steps of length C / t on
 *
 *     1/2 a'K a + C sum_p max(0, 1 - y_p (z_p'a - b)) ,   a >= 0 after each step, b free, from a = 0 and b = 0.
 *
 * In the terms of bregmanSystem.ts y_p (z_p'a - b) is r_p'x. `residual` is the length of the last step against that of x:
 * steps of C / t make it small anywhere, so `converged` also asks that no earlier objective was smaller by a percent.
 */
export function printedSteps(
  { Q, R, C }: BregmanSystem,
  { tolerance, maxIterations }: Stop,
  report: ProgressGate,
): BregmanSolution {
  const w = Q.rows;
  const x = new Float64Array(w);
  const before = new Float64Array(w);
  const gradient = new Float64Array(w);
  const history: number[] = [];
  let residual = Infinity;
  let iterations = 0;
  for (; ; iterations++) {
    // The objective, and its subgradient K a - C sum of y_p (z_p, -1) over the pairs with a loss.
    gradient.fill(0);
    let quadratic = 0;
    for (let i = 0; i < w; i++) {
      for (let k = 0; k < w; k++) gradient[i] += Q.data[i * w + k] * x[k];
      quadratic += x[i] * gradient[i];
    }
    let loss = 0;
    for (let p = 0; p < R.rows; p++) {
      let margin = 0;
      for (let k = 0; k < w; k++) margin += R.data[p * w + k] * x[k];
      if (margin >= 1) continue;
      loss += 1 - margin;
      for (let k = 0; k < w; k++) gradient[k] -= C * R.data[p * w + k];
    }
    history.push(quadratic / 2 + C * loss);
    if (!(history[iterations] < Infinity)) {
      // The last step left the number range; it is undone.
      x.set(before);
      history.pop();
      iterations--;
      break;
    }
    if (iterations >= maxIterations || residual <= tolerance) break;
    if (!report({ fraction: iterations / maxIterations, label: `step ${iterations}` })) break;
    const step = C / (iterations + 1);
    before.set(x);
    let moved = 0;
    let size = 0;
    for (let k = 0; k < w; k++) {
      const next = x[k] - step * gradient[k];
      const kept = k < w - 1 ? Math.max(0, next) : next;
      moved += (kept - x[k]) ** 2;
      size += kept ** 2;
      x[k] = kept;
    }
    residual = Math.sqrt(moved / Math.max(size, Number.MIN_VALUE));
  }
  const objective = history[iterations];
  const least = Math.min(...history);
  return {
    weights: x.subarray(0, w - 1),
    threshold: x[w - 1],
    objective,
    history,
    residual,
    converged: residual <= tolerance && objective <= 1.01 * least,
    iterations,
    stopped: report.stopped,
  };
}
