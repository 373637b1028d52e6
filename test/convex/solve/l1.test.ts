import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { admm } from "../../../src/convex/solve/admm.ts";
import { certificate } from "../../../src/convex/solve/certificate.ts";
import { solveL1 } from "../../../src/convex/solve/l1.ts";
import { random } from "../../../src/core/random.ts";
import { components } from "../../../src/graph/unionFind.ts";
import { engine, useEngine, type EngineName } from "../../../src/matrix/engine.ts";
import { matrix, takeRows } from "../../../src/matrix/matrix.ts";
import { graphOf, instance, largestDifference, permute } from "../instances.ts";

const metrics = fc.constantFrom(undefined, "diagonal" as const, "full" as const);

describe("solveL1", () => {
  it("is certified to rounding for every metric, with masses, from cold and warm starts", () => {
    fc.assert(
      fc.property(
        fc.integer(),
        metrics,
        fc.boolean(),
        fc.integer({ min: 1, max: 30 }),
        (seed, metric, masses, n) => {
          const problem = instance({ seed, n, d: 3, metric, masses });
          let start;
          for (const gamma of [0.05, 0.6, 3, 0.3]) {
            const solution = solveL1(problem, { gamma, tolerance: 1e-9, start });
            expect(solution.converged).toBe(true);
            expect(solution.certificate.relativeGap).toBeLessThan(1e-9);
            const cold = solveL1(problem, { gamma, tolerance: 1e-12 });
            // ||U - U*||_B <= sqrt(2 gap) for both, and the metrics of the instances are at least 0.2.
            const apart = Math.sqrt(2 * solution.certificate.gap) + Math.sqrt(2 * cold.certificate.gap);
            expect(largestDifference(solution.U, cold.U)).toBeLessThanOrEqual(apart / Math.sqrt(0.2) + 1e-12);
            start = solution;
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it("agrees with ADMM run to 1e-8, on the graph and on all pairs", () => {
    for (const metric of [undefined, "diagonal", "full"] as const) {
      const problem = instance({ seed: 11, n: 24, d: 3, metric, masses: metric === "diagonal" });
      for (const gamma of [0.2, 1]) {
        const exact = solveL1(problem, { gamma, tolerance: 1e-10 });
        for (const split of ["graph", "complete"] as const) {
          const reference = admm(problem, { gamma, tolerance: 1e-8, split });
          expect(reference.converged).toBe(true);
          expect(exact.certificate.primal).toBeLessThanOrEqual(reference.certificate.primal * (1 + 1e-12));
          expect(reference.certificate.primal / exact.certificate.primal - 1).toBeLessThan(1e-8);
          expect(largestDifference(exact.U, reference.U)).toBeLessThan(5e-3);
        }
      }
    }
  });

  it("does not depend on the order of rows and features", () => {
    fc.assert(
      fc.property(fc.integer(), metrics, (seed, metric) => {
        const problem = instance({ seed, n: 20, d: 4, metric, masses: true });
        const r = random(seed);
        const rows = r.shuffle(Int32Array.from({ length: 20 }, (_, i) => i));
        const features = r.shuffle(Int32Array.from({ length: 4 }, (_, k) => k));
        const { U } = solveL1(problem, { gamma: 0.4, tolerance: 1e-13 });
        const other = solveL1(permute(problem, rows, features), { gamma: 0.4, tolerance: 1e-13 });
        const expected = permute({ ...problem, X: U }, rows, features).X;
        expect(largestDifference(other.U, expected)).toBeLessThan(1e-5);
      }),
      { numRuns: 25 },
    );
  });

  it("moves with the data, and u(s x, s gamma) = s u(x, gamma)", () => {
    fc.assert(
      fc.property(fc.integer(), metrics, fc.double({ min: 0.2, max: 5, noNaN: true }), (seed, metric, s) => {
        const problem = instance({ seed, n: 15, d: 3, metric });
        const { U } = solveL1(problem, { gamma: 0.4, tolerance: 1e-13 });
        const X = matrix(
          15,
          3,
          problem.X.data.map((value) => s * value + 2),
        );
        const moved = solveL1({ ...problem, X }, { gamma: s * 0.4, tolerance: 1e-13 });
        const expected = matrix(
          15,
          3,
          U.data.map((value) => s * value + 2),
        );
        expect(largestDifference(moved.U, expected)).toBeLessThan(1e-5 * Math.max(1, s));
      }),
      { numRuns: 25 },
    );
  });

  it("gives duplicate rows, tied together, the centre of one row of mass 2", () => {
    for (const metric of [undefined, "full"] as const) {
      const problem = instance({ seed: 21, n: 14, d: 3, metric });
      const heavy = { ...problem, masses: Float64Array.from({ length: 14 }, (_, i) => (i === 4 ? 2 : 1)) };
      const { graph } = problem;
      const doubled = {
        ...problem,
        X: takeRows(problem.X, [...Array(14).keys(), 4]),
        graph: graphOf(15, [
          ...Array.from(graph.from, (i, e) => [i, graph.to[e], graph.weights[e]] as const),
          [4, 14, 1e6] as const,
        ]),
      };
      const a = solveL1(heavy, { gamma: 0.3, tolerance: 1e-13 });
      const b = solveL1(doubled, { gamma: 0.3, tolerance: 1e-13 });
      expect(largestDifference(a.U, takeRows(b.U, [...Array(14).keys()]))).toBeLessThan(1e-6);
      expect(b.fused[b.fused.length - 1]).toBe(1);
    }
  });

  it("leaves the data alone at gamma 0 and ends at the component means", () => {
    for (const metric of [undefined, "diagonal", "full"] as const) {
      const problem = instance({ seed: 5, n: 18, d: 2, density: 0.08, metric, masses: true });
      const none = solveL1(problem, { gamma: 0 });
      expect([...none.U.data]).toEqual([...problem.X.data]);
      expect(none.certificate.gap).toBe(0);

      const { labels, count } = components(problem.graph);
      expect(count).toBeGreaterThan(1);
      const all = solveL1(problem, { gamma: 1e7, tolerance: 1e-12 });
      expect(all.certificate.relativeGap).toBeLessThan(1e-12);
      expect(all.fused.every((flag) => flag === 1)).toBe(true);
      for (let c = 0; c < count; c++) {
        for (let k = 0; k < 2; k++) {
          const own = [...labels.keys()].filter((i) => labels[i] === c);
          const mass = own.reduce((sum, i) => sum + problem.masses![i], 0);
          const mean = own.reduce(
            (sum, i) => sum + (problem.masses![i] / mass) * problem.X.data[i * 2 + k],
            0,
          );
          for (const i of own) expect(all.U.data[i * 2 + k]).toBeCloseTo(mean, 7);
        }
      }
    }
  });

  it("flags edges as fused exactly where the centres are the same numbers", () => {
    const problem = instance({ seed: 31, n: 60, d: 2, density: 0.2 });
    const { U, fused } = solveL1(problem, { gamma: 0.25 });
    let count = 0;
    problem.graph.from.forEach((i, e) => {
      const j = problem.graph.to[e];
      const same = U.data[2 * i] === U.data[2 * j] && U.data[2 * i + 1] === U.data[2 * j + 1];
      expect(fused[e]).toBe(same ? 1 : 0);
      count += fused[e];
    });
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(fused.length);
  });

  it("takes constant and duplicate features, more features than rows, no edges and isolated nodes", () => {
    const constant = instance({ seed: 2, n: 10, d: 3 });
    for (let i = 0; i < 10; i++) constant.X.data[i * 3 + 1] = 7;
    const flat = solveL1(constant, { gamma: 0.5 });
    for (let i = 0; i < 10; i++) expect(flat.U.data[i * 3 + 1]).toBe(7);

    const twice = instance({ seed: 2, n: 10, d: 2 });
    for (let i = 0; i < 10; i++) twice.X.data[i * 2 + 1] = twice.X.data[i * 2];
    const { U } = solveL1(twice, { gamma: 0.5 });
    for (let i = 0; i < 10; i++) expect(U.data[i * 2 + 1]).toBe(U.data[i * 2]);

    for (const metric of [undefined, "full"] as const) {
      const wide = instance({ seed: 6, n: 5, d: 12, density: 0.7, metric });
      expect(solveL1(wide, { gamma: 0.3, tolerance: 1e-9 }).converged).toBe(true);
      const loose = { ...wide, graph: graphOf(5, [[0, 3, 1]]) };
      const result = solveL1(loose, { gamma: 0.3, tolerance: 1e-9 });
      expect(result.converged).toBe(true);
      const none = solveL1({ ...wide, graph: graphOf(5, []) }, { gamma: 0.3 });
      expect(largestDifference(none.U, wide.X)).toBeLessThan(1e-14);
    }
  });

  it("says so when the sweeps of a full metric are cut short", () => {
    const problem = instance({ seed: 8, n: 30, d: 5, metric: "full" });
    const short = solveL1(problem, { gamma: 0.5, tolerance: 1e-12, maxIterations: 1 });
    expect(short.converged).toBe(false);
    expect(short.iterations).toBe(1);
    expect(short.certificate.relativeGap).toBeGreaterThan(1e-12);
  });

  it("never raises the objective from sweep to sweep of a full metric", () => {
    const problem = instance({ seed: 18, n: 40, d: 6, metric: "full" });
    let before = Infinity;
    for (let sweeps = 1; sweeps <= 8; sweeps++) {
      const { certificate: proof } = solveL1(problem, { gamma: 0.6, tolerance: 0, maxIterations: sweeps });
      expect(proof.primal).toBeLessThanOrEqual(before * (1 + 1e-14));
      before = proof.primal;
    }
  });

  it("returns the point that its certificate is about", () => {
    const problem = instance({ seed: 41, n: 25, d: 3, metric: "full" });
    const { gamma, U, Z, certificate: proof } = solveL1(problem, { gamma: 0.5 });
    expect(certificate(problem, gamma, U, Z)).toEqual(proof);
  });

  it("gives the same answer under every engine", () => {
    const before = engine().name as EngineName;
    try {
      for (const metric of [undefined, "diagonal", "full"] as const) {
        const problem = instance({ seed: 51, n: 40, d: 3, metric, masses: true });
        const [fast, relaxed] = (["simd", "relaxed"] as const).map((name) => {
          useEngine(name);
          const first = solveL1(problem, { gamma: 0.3, tolerance: 1e-12 });
          return solveL1(problem, { gamma: 0.5, tolerance: 1e-12, start: first });
        });
        expect(largestDifference(fast.U, relaxed.U)).toBeLessThan(1e-5);
        expect([...fast.fused]).toEqual([...relaxed.fused]);
        expect(relaxed.certificate.relativeGap).toBeLessThan(1e-12);
      }
    } finally {
      useEngine(before);
    }
  });

  it("refuses other norms", () => {
    expect(() => solveL1(instance({ seed: 1, n: 4, d: 2, norm: 2 }), { gamma: 1 })).toThrow(/needs norm 1/);
  });
});
