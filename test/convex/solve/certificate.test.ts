import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { certificate, primalObjective } from "../../../src/convex/solve/certificate.ts";
import { projectDual } from "../../../src/convex/solve/dualBall.ts";
import { checkProblem, type ConvexProblem, type Norm } from "../../../src/convex/solve/problem.ts";
import { random } from "../../../src/core/random.ts";
import { matrix, type Matrix, mapped } from "../../../src/matrix/matrix.ts";
import { solve } from "../../../src/matrix/factor/solve.ts";
import { graphOf, instance } from "../instances.ts";

const NORMS: readonly Norm[] = [1, 2, "inf"];

describe("certificate", () => {
  it("is P(U) - dual(Z), written out, for any U and feasible Z", () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.constantFrom(...NORMS),
        fc.constantFrom(undefined, "diagonal" as const, "full" as const),
        fc.boolean(),
        (seed, norm, metric, masses) => {
          const problem = instance({ seed, n: 12, d: 3, norm, metric, masses });
          const gamma = 0.7;
          const { U, Z } = feasiblePair(problem, gamma, seed);
          const proof = certificate(problem, gamma, U, Z);
          const primal = primalObjective(problem, gamma, U);
          expect(proof.primal).toBeCloseTo(primal, 9);
          expect(proof.dual).toBeCloseTo(writtenOutDual(problem, Z), 8);
          expect(proof.gap).toBeGreaterThan(0);
          expect(proof.relativeGap).toBe(proof.gap / Math.max(1, proof.primal));
        },
      ),
      { numRuns: 60 },
    );
  });

  it("refuses duals outside their ball", () => {
    for (const norm of NORMS) {
      const problem = instance({ seed: 3, n: 8, d: 3, norm });
      const { U, Z } = feasiblePair(problem, 1, 4);
      Z.data[0] += 10;
      expect(() => certificate(problem, 1, U, Z)).toThrow(/edge 0 has a dual vector/);
    }
  });

  it("refuses a metric that is not positive definite", () => {
    const problem = {
      ...instance({ seed: 3, n: 8, d: 2 }),
      metric: matrix(2, 2, Float64Array.of(1, 2, 2, 1)),
    };
    const { U, Z } = feasiblePair({ ...problem, metric: undefined }, 1, 4);
    expect(() => certificate(problem, 1, U, Z)).toThrow(/positive definite/);
  });
});

describe("projectDual", () => {
  it("gives the nearest point of the ball", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...NORMS),
        fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 1, maxLength: 6 }),
        fc.double({ min: 0, max: 4, noNaN: true }),
        fc.integer(),
        (norm, values, radius, seed) => {
          const z = Float64Array.from(values);
          projectDual(z, 0, z.length, norm, radius);
          const size = (v: ArrayLike<number>): number =>
            norm === 1
              ? Math.max(...Array.from(v, Math.abs))
              : norm === 2
                ? Math.hypot(...Array.from(v))
                : Array.from(v, Math.abs).reduce((a, b) => a + b, 0);
          expect(size(z)).toBeLessThanOrEqual(radius * (1 + 1e-12) + 1e-150);
          // Obtuse angle at the projection: (y - z)'(p - z) <= 0 for every p of the ball.
          const r = random(seed);
          for (let trial = 0; trial < 10; trial++) {
            const p = Array.from(z, () => r.normal());
            const shrink = size(p) > 0 ? (radius * r.uniform()) / size(p) : 0;
            const angle = values.reduce((sum, y, k) => sum + (y - z[k]) * (shrink * p[k] - z[k]), 0);
            expect(angle).toBeLessThan(1e-9);
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe("checkProblem", () => {
  const good = instance({ seed: 1, n: 5, d: 2, density: 1 });
  const broken =
    (change: Partial<ConvexProblem>, gamma = 1) =>
    (): void => {
      checkProblem({ ...good, ...change }, gamma);
    };
  const weights = (w: number): Partial<ConvexProblem> => ({
    graph: graphOf(5, [
      [0, 1, 1],
      [1, 2, w],
    ]),
  });

  it("accepts what is right", () => {
    expect(broken({})).not.toThrow();
    expect(broken({ masses: new Float64Array(5).fill(2), metric: Float64Array.of(1, 2) }, 0)).not.toThrow();
  });

  it.each([
    [weights(Number.NaN), /edge 1 \(1, 2\) has weight NaN/],
    [weights(-1), /edge 1 \(1, 2\) has weight -1/],
    [weights(0), /edge 1 \(1, 2\) has weight 0/],
    [weights(Infinity), /has weight Infinity/],
    [{ graph: graphOf(5, [[0, 5, 1]]) }, /edge 0 joins nodes 0 and 5/],
    [{ graph: graphOf(5, [[2, 2, 1]]) }, /edge 0 joins nodes 2 and 2/],
    [{ graph: graphOf(4, []) }, /4 nodes, but the data has 5 rows/],
    [{ masses: Float64Array.of(1, 1, 0, 1, 1) }, /masses: row 2 has 0/],
    [{ masses: Float64Array.of(1) }, /masses: 5 values needed, got 1/],
    [{ metric: Float64Array.of(1, -1) }, /diagonal metric: feature 1 has -1/],
    [{ metric: matrix(2, 2, Float64Array.of(1, 2, 3, 4)) }, /not symmetric: entry \(1, 0\)/],
    [{ metric: matrix(3, 3) }, /3 x 3, but the data has 2 features/],
    [{ norm: 3 as unknown as Norm }, /norm must be/],
    [{ X: matrix(5, 2, new Float64Array(10).fill(Number.NaN)) }, /row 0, column 0/],
  ] as [Partial<ConvexProblem>, RegExp][])("refuses case %#", (change, message) => {
    expect(broken(change)).toThrow(message);
  });

  it("refuses gammas that are negative, NaN or infinite", () => {
    for (const gamma of [-1, Number.NaN, Infinity]) expect(broken({}, gamma)).toThrow(/gamma/);
  });
});

function feasiblePair(problem: ConvexProblem, gamma: number, seed: number): { U: Matrix; Z: Matrix } {
  const r = random(seed + 99);
  const { X, graph, norm } = problem;
  const U = mapped(X, (value) => value + r.normal());
  const Z = matrix(graph.from.length, X.cols);
  for (let e = 0; e < Z.rows; e++) {
    for (let k = 0; k < X.cols; k++) Z.data[e * X.cols + k] = 2 * r.normal();
    projectDual(Z.data, e * X.cols, X.cols, norm, gamma * graph.weights[e]);
  }
  return { U, Z };
}

/** sum_i g_i'x_i - 1/2 sum_i g_i' B^-1 g_i / m_i, with B^-1 by solving. */
function writtenOutDual({ X, graph, masses, metric }: ConvexProblem, Z: Matrix): number {
  const d = X.cols;
  const g = new Float64Array(X.rows * d);
  for (let e = 0; e < Z.rows; e++) {
    for (let k = 0; k < d; k++) {
      g[graph.from[e] * d + k] += Z.data[e * d + k];
      g[graph.to[e] * d + k] -= Z.data[e * d + k];
    }
  }
  let dual = 0;
  for (let i = 0; i < X.rows; i++) {
    const own = g.slice(i * d, (i + 1) * d);
    const inverse =
      metric === undefined
        ? own
        : metric instanceof Float64Array
          ? own.map((value, k) => value / metric[k])
          : solve(metric, own);
    for (let k = 0; k < d; k++) {
      dual += own[k] * X.data[i * d + k] - (0.5 * own[k] * inverse[k]) / (masses?.[i] ?? 1);
    }
  }
  return dual;
}
