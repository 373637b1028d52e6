import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rcc, scc } from "../../src/recipes/index.ts";
import { primalObjective } from "../../src/convex/solve/certificate.ts";
import { solveL1 } from "../../src/convex/solve/l1.ts";
import type { ConvexProblem } from "../../src/convex/solve/problem.ts";
import { solveRcc } from "../../src/convex/solve/rcc.ts";
import { solveScc } from "../../src/convex/solve/solve.ts";
import { random } from "../../src/core/random.ts";
import { gaussianMixtureOutliers, scale } from "../../src/data/index.ts";
import { matrix, type Matrix } from "../../src/matrix/matrix.ts";
import { rand } from "../../src/score/index.ts";
import { inCross, instance, largestDifference, outflow } from "./instances.ts";

describe("robust convex clustering", () => {
  it("is certified to rounding, with and without masses, cold and warm", () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.double({ min: 0.05, max: 30, noNaN: true }),
        fc.boolean(),
        (seed, beta, masses) => {
          const problem = instance({ seed, n: 25, d: 3, masses });
          let start;
          for (const gamma of [0.05, 0.4, 2]) {
            start = solveRcc(problem, { gamma, beta, start, tolerance: 1e-9 });
            expect(start.certificate.relativeGap).toBeLessThan(1e-9);
            expect(start.certificate.primal).toBeCloseTo(huberObjective(problem, gamma, beta, start.U), 8);
            expect(start.iterations).toBeLessThan(60);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it("is the limit of the alternation of Sui et al. 2018, (7), and each alternation is above it", () => {
    const problem = instance({ seed: 4, n: 30, d: 3 });
    const [gamma, beta] = [0.3, 2.5];
    const exact = solveRcc(problem, { gamma, beta, tolerance: 1e-12 });
    let U = solveL1(problem, { gamma }).U;
    let before = Infinity;
    for (let round = 0; round < 200; round++) {
      const X = matrix(30, 3, lessRobustPart(problem.X, U, beta));
      U = solveL1({ ...problem, X }, { gamma }).U;
      const value = huberObjective(problem, gamma, beta, U);
      expect(value).toBeLessThanOrEqual(before * (1 + 1e-12));
      expect(value).toBeGreaterThanOrEqual(exact.certificate.primal * (1 - 1e-12));
      before = value;
    }
    expect(before / exact.certificate.primal - 1).toBeLessThan(1e-6);
  });

  it("is plain convex clustering when beta is large, and knows the features it distrusts", () => {
    const problem = instance({ seed: 9, n: 40, d: 3 });
    for (let i = 0; i < 40; i++) problem.X.data[i * 3 + 2] *= 50;
    const plain = solveL1(problem, { gamma: 0.4 });
    const large = solveRcc(problem, { gamma: 0.4, beta: 1e6 });
    expect(largestDifference(plain.U, large.U)).toBeLessThan(1e-12);
    expect([...large.robustShares]).toEqual([0, 0, 0]);
    const robust = solveRcc(problem, { gamma: 2, beta: 20 });
    expect(robust.robustShares[2]).toBeGreaterThan(0.3);
    expect(robust.gammas[2]).toBeGreaterThan(3);
    expect(robust.gammas[0]).toBe(2);
  });

  it("takes gamma 0, constant features and refuses what it does not solve", () => {
    const problem = instance({ seed: 9, n: 12, d: 2 });
    for (let i = 0; i < 12; i++) problem.X.data[i * 2] = 3;
    expect(largestDifference(solveRcc(problem, { gamma: 0, beta: 1 }).U, problem.X)).toBe(0);
    const some = solveRcc(problem, { gamma: 1, beta: 0.5, tolerance: 1e-9 });
    expect(some.converged).toBe(true);
    expect(some.U.data[0]).toBe(3);
    expect(() => solveRcc(problem, { gamma: 1, beta: 0 })).toThrow(/beta/);
    expect(() => solveRcc({ ...problem, norm: 2 }, { gamma: 1, beta: 1 })).toThrow(/norm 1/);
    expect(() => solveRcc({ ...problem, metric: Float64Array.of(1, 1) }, { gamma: 1, beta: 1 })).toThrow(
      /metric/,
    );
  });
});

describe("sparse convex clustering", () => {
  it("is certified to rounding, and no nearby point is better", () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.double({ min: 0, max: 60, noNaN: true }),
        fc.boolean(),
        (seed, gamma2, masses) => {
          const problem = instance({ seed, n: 20, d: 3, masses });
          const solution = solveScc(problem, { gamma: 0.3, gamma2, tolerance: 1e-9 });
          expect(solution.certificate.relativeGap).toBeLessThan(1e-12);
          const penalties = solution.featureWeights.map((v) => (v < Infinity ? gamma2 * v : 0));
          const value = sparseObjective(problem, 0.3, penalties, solution.U);
          expect(solution.certificate.primal).toBeCloseTo(value, 8);
          const r = random(seed);
          for (let trial = 0; trial < 20; trial++) {
            const near = matrix(
              20,
              3,
              solution.U.data.map((u) => u + 10 ** -(trial % 5) * r.normal()),
            );
            expect(sparseObjective(problem, 0.3, penalties, near)).toBeGreaterThanOrEqual(
              value * (1 - 1e-13),
            );
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it("drops exactly the features with ||a_f||^2 <= gamma2 and is convex clustering at gamma2 = 0", () => {
    const problem = instance({ seed: 7, n: 30, d: 3 });
    for (let i = 0; i < 30; i++) problem.X.data[i * 3 + 1] *= 0.01;
    const plain = solveL1(problem, { gamma: 0.3 });
    expect(largestDifference(solveScc(problem, { gamma: 0.3, gamma2: 0 }).U, plain.U)).toBe(0);
    const sparse = solveScc(problem, { gamma: 0.3, gamma2: 1 });
    expect(sparse.factors[1]).toBe(0);
    expect(sparse.factors[0]).toBeGreaterThan(0.5);
    for (let i = 0; i < 30; i++) expect(sparse.U.data[i * 3 + 1]).toBe(sparse.U.data[1]);
    const warm = solveScc(problem, { gamma: 0.35, gamma2: 1, start: sparse });
    const cold = solveScc(problem, { gamma: 0.35, gamma2: 1 });
    expect(largestDifference(warm.U, cold.U)).toBeLessThan(1e-10);
  });

  it.each([2, "inf"] as const)("with norm %s agrees with a primal-dual reference", (norm) => {
    for (const [seed, gamma, gamma2, masses] of [
      [1, 0.2, 5, false],
      [2, 0.5, 12, true],
      [3, 0.1, 60, false],
    ] as const) {
      const problem = instance({ seed, n: 12, d: 3, norm, masses });
      for (let i = 0; i < 12; i++) problem.X.data[i * 3 + 1] *= 0.2;
      const solution = solveScc(problem, { gamma, gamma2, tolerance: 1e-9 });
      expect(solution.converged).toBe(true);
      const penalties = solution.featureWeights.map((v) => gamma2 * v);
      const slow = sparseReference(problem, gamma, penalties);
      const [value, reference] = [solution.U, slow].map((U) => sparseObjective(problem, gamma, penalties, U));
      expect(solution.certificate.primal).toBeCloseTo(value, 9);
      expect(Math.abs(value / reference - 1)).toBeLessThan(1e-7);
      expect(largestDifference(solution.U, slow)).toBeLessThan(1e-3);
    }
  });

  it.each([2, "inf"] as const)("with norm %s drops features, starts warm, and is certified", (norm) => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.double({ min: 0, max: 60, noNaN: true }),
        fc.boolean(),
        (seed, gamma2, masses) => {
          const problem = instance({ seed, n: 20, d: 3, norm, masses });
          for (let i = 0; i < 20; i++) problem.X.data[i * 3 + 1] *= 0.01;
          const cold = solveScc(problem, { gamma: 0.3, gamma2 });
          expect(cold.certificate.relativeGap).toBeLessThan(1e-6);
          expect(gamma2 <= 0.1 || cold.factors[1] === 0).toBe(true);
          const warm = solveScc(problem, { gamma: 0.33, gamma2, start: cold });
          expect(warm.certificate.relativeGap).toBeLessThan(1e-6);
        },
      ),
      { numRuns: 30 },
    );
  });

  it.each(["rcc", "scc"] as const)(
    "%s finds clusters that come and go within a long step of the path",
    (name) => {
      // Large components: one, then three, and one again where they dissolve.
      const drawn = gaussianMixtureOutliers({ outliers: 7, seed: 2 });
      const X = scale(drawn.X, "zscore").X as Matrix;
      const { labels, coverage, warnings } = { rcc, scc }[name](X, { clusters: 3 });
      expect(warnings).toEqual([]);
      expect(coverage).toBeGreaterThan(0.5);
      expect(rand(labels, drawn.labels)).toBeGreaterThan(0.98);
    },
  );

  it("takes given feature weights and refuses wrong ones", () => {
    const problem = instance({ seed: 7, n: 15, d: 2 });
    const given = solveScc(problem, { gamma: 0.2, gamma2: 2, featureWeights: Float64Array.of(1, 0) });
    expect(given.factors[0]).toBeLessThan(1);
    expect(given.factors[1]).toBe(1);
    expect(given.certificate.relativeGap).toBeLessThan(1e-12);
    const solve = (featureWeights: Float64Array) => () =>
      solveScc(problem, { gamma: 0.2, gamma2: 2, featureWeights });
    expect(solve(Float64Array.of(1))).toThrow(/2 values needed/);
    expect(solve(Float64Array.of(1, Number.NaN))).toThrow(/feature 1 has NaN/);
    expect(() => solveScc(problem, { gamma: 0.2, gamma2: -1 })).toThrow(/gamma2/);
  });
});

/** sum_f h(||x_f - u_f||) + gamma TV(U), h the Huber function, masses counted. */
function huberObjective(problem: ConvexProblem, gamma: number, beta: number, U: Matrix): number {
  const { X, masses } = problem;
  const d = X.cols;
  let value = primalObjective({ ...problem, X: U }, gamma, U); // the penalty alone
  for (let f = 0; f < d; f++) {
    let square = 0;
    for (let i = 0; i < X.rows; i++) {
      square += (masses?.[i] ?? 1) * (X.data[i * d + f] - U.data[i * d + f]) ** 2;
    }
    const r = Math.sqrt(square);
    value += r <= beta ? square / 2 : beta * r - beta ** 2 / 2;
  }
  return value;
}

/** X - Q with Q_f = max(0, 1 - beta / r_f) (x_f - u_f). */
function lessRobustPart(X: Matrix, U: Matrix, beta: number): Float64Array {
  const d = X.cols;
  const squares = new Float64Array(d);
  X.data.forEach((x, p) => {
    squares[p % d] += (x - U.data[p]) ** 2;
  });
  return X.data.map((x, p) => x - Math.max(0, 1 - beta / Math.sqrt(squares[p % d])) * (x - U.data[p]));
}

function sparseObjective(problem: ConvexProblem, gamma: number, penalties: Float64Array, U: Matrix): number {
  const { masses } = problem;
  const d = U.cols;
  let value = primalObjective(problem, gamma, U);
  for (let f = 0; f < d; f++) {
    let [total, mean, square] = [0, 0, 0];
    for (let i = 0; i < U.rows; i++) total += masses?.[i] ?? 1;
    for (let i = 0; i < U.rows; i++) mean += ((masses?.[i] ?? 1) * U.data[i * d + f]) / total;
    for (let i = 0; i < U.rows; i++) square += (masses?.[i] ?? 1) * (U.data[i * d + f] - mean) ** 2;
    value += penalties[f] * Math.sqrt(square);
  }
  return value;
}

/** Chambolle and Pock's primal-dual steps, 12,000 of them, with one small step size: nothing is shared with the solver. */
function sparseReference(
  { X, graph, norm, masses }: ConvexProblem,
  gamma: number,
  penalties: Float64Array,
): Matrix {
  const { from, to, weights } = graph;
  const [n, d, m] = [X.rows, X.cols, from.length];
  const mass = (i: number): number => masses?.[i] ?? 1;
  let total = 0;
  for (let i = 0; i < n; i++) total += mass(i);
  const U = matrix(n, d, X.data.slice());
  const bar = U.data.slice();
  const z = new Float64Array(m * d);
  const y = new Float64Array(n * d);
  const step = 1 / Math.sqrt(2 * n + 4);
  for (let round = 0; round < 12_000; round++) {
    for (let e = 0; e < m; e++) {
      const moved = Array.from(
        { length: d },
        (_, k) => z[e * d + k] + step * (bar[from[e] * d + k] - bar[to[e] * d + k]),
      );
      z.set(norm === 2 ? inEuclidean(moved, gamma * weights[e]) : inCross(moved, gamma * weights[e]), e * d);
    }
    for (let f = 0; f < d; f++) {
      let mean = 0;
      for (let i = 0; i < n; i++) mean += (mass(i) * bar[i * d + f]) / total;
      const moved = Array.from(
        { length: n },
        (_, i) => y[i * d + f] + step * Math.sqrt(mass(i)) * (bar[i * d + f] - mean),
      );
      inEuclidean(moved, penalties[f]).forEach((value, i) => (y[i * d + f] = value));
    }
    const pull = outflow(graph, z, d);
    for (let f = 0; f < d; f++) {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += Math.sqrt(mass(i)) * y[i * d + f];
      for (let i = 0; i < n; i++) {
        const p = i * d + f;
        pull[p] += Math.sqrt(mass(i)) * y[p] - (mass(i) * sum) / total;
        const next = (U.data[p] - step * pull[p] + step * mass(i) * X.data[p]) / (1 + step * mass(i));
        bar[p] = 2 * next - U.data[p];
        U.data[p] = next;
      }
    }
  }
  return U;
}

function inEuclidean(v: readonly number[], radius: number): number[] {
  const size = Math.hypot(...v);
  return v.map((one) => (size > radius ? (one * radius) / size : one));
}
