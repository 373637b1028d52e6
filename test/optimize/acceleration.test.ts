import { describe, expect, it } from "vitest";
import { acceleration } from "../../src/optimize/internal.ts";

/** f = 1/2 sum_k c_k (x_k - a_k)^2 over x >= 0, whose minimum is max(0, a). */
const curvature = [1, 10, 300, 40];
const target = [2, -1, 0.5, -3];
const gradient = (x: Float64Array): Float64Array => x.map((value, k) => curvature[k] * (value - target[k]));

/** The recurrences of the header, term by term. */
function reference(steps: number[], rounds: number): { points: number[][]; restarts: number } {
  let x = [1, 1, 1, 1];
  let y = x;
  let t = 1;
  let restarts = 0;
  const points = [x];
  for (let round = 0; round < rounds; round++) {
    const slope = gradient(Float64Array.from(y));
    const next = y.map((value, k) => Math.max(0, value - steps[k] * slope[k]));
    let uphill = 0;
    for (let k = 0; k < 4; k++) uphill += ((y[k] - next[k]) * (next[k] - x[k])) / steps[k];
    const grown = (1 + Math.sqrt(1 + 4 * t * t)) / 2;
    if (uphill > 0) [y, t, restarts] = [next, 1, restarts + 1];
    else [y, t] = [next.map((value, k) => value + ((t - 1) / grown) * (value - x[k])), grown];
    x = next;
    points.push(x);
  }
  return { points, restarts };
}

describe("acceleration", () => {
  it.each([
    ["one step for all variables", [1 / 300, 1 / 300, 1 / 300, 1 / 300]],
    ["a step for each", [1 / 30, 1 / 50, 1 / 600, 1 / 400]],
  ])("follows the recurrences, with restarts: %s", (_, steps) => {
    const rounds = 600;
    const { points, restarts } = reference(steps, rounds);
    expect(restarts).toBeGreaterThan(0);
    const run = acceleration(new Float64Array(4).fill(1));
    for (let round = 0; round < rounds; round++) {
      expect(Array.from(run.x)).toEqual(points[round]);
      const slope = gradient(run.ahead);
      const before = run.x;
      const next = run.ahead.map((value, k) => Math.max(0, value - steps[k] * slope[k]));
      expect(run.advance(next, Float64Array.from(steps))).toBe(before);
      expect(run.x).toBe(next);
    }
    target.forEach((value, k) => expect(run.x[k]).toBeCloseTo(Math.max(0, value), 9));
  });

  it("shares one array where there is no momentum, as at the start and after a restart", () => {
    const run = acceleration(Float64Array.of(1));
    expect(run.ahead).toBe(run.x);
    run.advance(Float64Array.of(0.5));
    run.advance(Float64Array.of(0.25));
    expect(run.ahead[0]).toBeLessThan(0.25);
    run.advance(Float64Array.of(0.24));
    expect(run.ahead).toBe(run.x);
  });
});
