import { describe, expect, it } from "vitest";
import { admm } from "../../../src/convex/solve/admm.ts";
import type { Norm } from "../../../src/convex/solve/problem.ts";
import { matrix } from "../../../src/matrix/matrix.ts";
import { graphOf, instance, largestDifference } from "../instances.ts";

const NORMS: readonly Norm[] = [1, 2, "inf"];

describe("admm", () => {
  it("has the closed form of two points in every norm", () => {
    // The difference (3, 4) is shrunk by the proximal map of 2 gamma ||.||_q, the mean stays.
    const X = matrix(2, 2, Float64Array.of(3, 4, 0, 0));
    const graph = graphOf(2, [[0, 1, 1]]);
    const expected: Record<string, number[]> = {
      1: [2, 3], // soft thresholding by 1
      2: [2.4, 3.2], // shortened by 1
      inf: [3, 3], // less the projection on the L1 ball of radius 1
    };
    for (const norm of NORMS) {
      const { U } = admm({ X, graph, norm }, { gamma: 0.5, tolerance: 1e-13 });
      expect(U.data[0] - U.data[2]).toBeCloseTo(expected[norm][0], 6);
      expect(U.data[1] - U.data[3]).toBeCloseTo(expected[norm][1], 6);
      expect(U.data[0] + U.data[2]).toBeCloseTo(3, 6);
    }
  });

  it("reaches the same point whether it splits the graph or all pairs, for every norm and metric", () => {
    for (const norm of NORMS) {
      for (const metric of [undefined, "diagonal", "full"] as const) {
        const problem = instance({ seed: 12, n: 15, d: 3, norm, metric, masses: metric !== undefined });
        const a = admm(problem, { gamma: 0.5, tolerance: 1e-9 });
        const b = admm(problem, { gamma: 0.5, tolerance: 1e-9, split: "complete" });
        expect(a.converged && b.converged).toBe(true);
        expect(largestDifference(a.U, b.U)).toBeLessThan(1e-3);
        expect(a.certificate.primal / b.certificate.primal - 1).toBeLessThan(1e-9);
      }
    }
  });

  it("is right for any penalty, and continues from a start", () => {
    const problem = instance({ seed: 13, n: 15, d: 2 });
    const first = admm(problem, { gamma: 0.5, tolerance: 1e-9 });
    for (const penalty of [0.02, 2]) {
      const other = admm(problem, { gamma: 0.5, tolerance: 1e-9, penalty });
      expect(largestDifference(first.U, other.U)).toBeLessThan(1e-3);
    }
    const again = admm(problem, { gamma: 0.5, tolerance: 1e-9, start: first });
    expect(again.iterations).toBeLessThanOrEqual(first.iterations);
  });

  it("refuses a graph whose Laplacian is too large, but splits all pairs of it", () => {
    const n = 4001;
    const chain = Array.from({ length: n - 1 }, (_, i) => [i, i + 1, 1] as const);
    const X = matrix(
      n,
      1,
      Float64Array.from({ length: n }, (_, i) => i % 7),
    );
    const problem = { X, graph: graphOf(n, chain), norm: 1 as const };
    expect(() => admm(problem, { gamma: 0.1 })).toThrow(/4001 rows/);
    expect(admm(problem, { gamma: 0.1, split: "complete", maxIterations: 3 }).iterations).toBe(3);
  });

  it("needs far more iterations where nu is 100 times as large or as small, against the text", () => {
    const problem = instance({ seed: 13, n: 40, d: 2 });
    const penalty = (10 * problem.X.rows) / (2 * problem.graph.from.length);
    const iterations = (options: object): number =>
      admm(problem, { gamma: 0.1, tolerance: 1e-6, maxIterations: 5000, ...options }).iterations;
    const usual = iterations({ penalty });
    expect(iterations({})).toBeLessThan(2 * usual);
    for (const factor of [0.01, 100]) {
      expect(iterations({ penalty: factor * penalty })).toBeGreaterThan(5 * usual);
    }
  });

  it("reports when it has not converged", () => {
    const short = admm(instance({ seed: 13, n: 15, d: 2 }), {
      gamma: 0.5,
      tolerance: 1e-12,
      maxIterations: 3,
    });
    expect(short.converged).toBe(false);
    expect(short.iterations).toBe(3);
    expect(short.certificate.relativeGap).toBeGreaterThan(1e-12);
  });
});
