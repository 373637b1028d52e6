import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { certificate } from "../../../src/convex/solve/certificate.ts";
import { projectDual } from "../../../src/convex/solve/dualBall.ts";
import { solveL2 } from "../../../src/convex/solve/l2.ts";
import { solveLinf } from "../../../src/convex/solve/linf.ts";
import type { ConvexProblem } from "../../../src/convex/solve/problem.ts";
import { fromRows } from "../../../src/matrix/matrix.ts";
import { blobs } from "../smallProblems.ts";
import { inCross, METRICS } from "../instances.ts";

const project = (values: number[], radius: number): number[] => {
  const copy = Float64Array.from(values);
  projectDual(copy, 0, values.length, "inf", radius);
  return [...copy];
};

describe("projection on the L1 ball", () => {
  it("equals the bisection on the level", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -100, max: 100, noNaN: true }), { minLength: 1, maxLength: 12 }),
        fc.double({ min: 0, max: 50, noNaN: true }),
        (values, radius) => {
          const slow = inCross(values, radius);
          for (const [k, v] of project(values, radius).entries()) expect(v).toBeCloseTo(slow[k], 9);
        },
      ),
    );
  });

  it("handles ties, zeros and radius 0", () => {
    expect(project([2, -2, 2], 3)).toEqual([1, -1, 1]);
    expect(project([0, 0], 0)).toEqual([0, 0]);
    expect(project([3, 1], 0).every((v) => v === 0)).toBe(true);
  });
});

describe("solveLinf", () => {
  const two = (a: number[], b: number[]): ConvexProblem => ({
    X: fromRows([a, b]),
    graph: { nodes: 2, from: Int32Array.of(0), to: Int32Array.of(1), weights: Float64Array.of(1) },
    norm: "inf",
  });

  it("has the closed form of two points: z is half their difference, projected on the L1 ball", () => {
    const [a, b] = [
      [1, 5, -2],
      [4, 0, -1.5],
    ];
    for (const gamma of [0.3, 1, 2, 3.9, 4.1, 10]) {
      const solution = solveLinf(two(a, b), { gamma, tolerance: 1e-10 });
      const z = inCross(
        a.map((v, k) => (v - b[k]) / 2),
        gamma,
      );
      for (let k = 0; k < 3; k++) {
        expect(solution.U.data[k]).toBeCloseTo(a[k] - z[k], 4);
        expect(solution.U.data[3 + k]).toBeCloseTo(b[k] + z[k], 4);
      }
      // Half the difference has L1 norm 4.25: from there on the points are one.
      expect(solution.fused[0]).toBe(gamma > 4.25 ? 1 : 0);
    }
  });

  it.each(METRICS)("reaches 1e-6 and 1e-9 and certifies the rounded U (%s metric, masses)", (_, metric) => {
    const masses = Float64Array.from({ length: 30 }, (_, i) => 1 + (i % 3));
    const problem: ConvexProblem = { ...blobs(30, 3, 7), norm: "inf", masses, ...(metric && { metric }) };
    for (const gamma of [0, 0.05, 0.5, 2, 1e4]) {
      for (const tolerance of [1e-6, 1e-9]) {
        const solution = solveLinf(problem, { gamma, tolerance });
        expect(solution.converged).toBe(true);
        const proof = certificate(problem, gamma, solution.U, solution.Z);
        expect(proof.relativeGap).toBeLessThanOrEqual(tolerance);
        expect(proof).toEqual(solution.certificate);
      }
    }
  });

  it("is the L2 problem for one feature", () => {
    const problem = blobs(40, 1, 3);
    for (const gamma of [0.1, 0.6, 2]) {
      const linf = solveLinf({ ...problem, norm: "inf" }, { gamma, tolerance: 1e-8 }).certificate.primal;
      const l2 = solveL2(problem, { gamma, tolerance: 1e-8 }).certificate.primal;
      expect(Math.abs(linf - l2)).toBeLessThanOrEqual(2e-8 * Math.max(1, l2));
    }
  });

  it("fuses components at a huge gamma, starts from a solution, and says when it gave up", () => {
    const problem: ConvexProblem = { ...blobs(30, 2, 5), norm: "inf" };
    const all = solveLinf(problem, { gamma: 1e3 });
    expect([...all.fused].every((f) => f === 1)).toBe(true);
    const first = solveLinf(problem, { gamma: 0.5 });
    const again = solveLinf(problem, { gamma: 0.5, start: first });
    expect(again.iterations).toBe(0);
    const short = solveLinf(problem, { gamma: 0.5, maxIterations: 3 });
    expect(short.converged).toBe(false);
    expect(short.iterations).toBe(3);
    expect(() => solveLinf({ ...problem, norm: 2 }, { gamma: 1 })).toThrow(/norm "inf"/);
  });
});
