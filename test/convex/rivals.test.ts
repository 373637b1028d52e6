import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Hints } from "../../src/convex/path/hints.ts";
import { groupGraph } from "../../src/convex/path/hints.ts";
import { solveHuber } from "../../src/convex/recipe/huber.ts";
import type { ConvexProblem, Norm } from "../../src/convex/solve/problem.ts";
import { solveConvex, solveScc } from "../../src/convex/solve/solve.ts";
import { checkConstraints } from "../../src/data/index.ts";
import { fromRows } from "../../src/matrix/matrix.ts";
import { rcc } from "../../src/recipes/index.ts";
import { clouds } from "../cluster/clouds.ts";
import { instance, largestDifference } from "./instances.ts";

interface Case {
  readonly norm: "1" | "2" | "inf";
  readonly gamma: number;
  readonly objective: number;
  readonly U: readonly number[][];
}

interface Fixture {
  readonly X: readonly number[][];
  readonly edges: readonly (readonly [number, number, number])[];
  readonly huber: readonly (Case & { readonly beta: number; readonly mustLink: [number, number][] })[];
  readonly sparse: readonly (Case & { readonly gamma2: number })[];
}

const { X, edges, huber, sparse } = JSON.parse(
  readFileSync(new URL("../fixtures/convex-rivals.json", import.meta.url), "utf8"),
) as Fixture;

function problemOf({ norm }: Case): ConvexProblem {
  const column = (c: 0 | 1 | 2): number[] => edges.map((edge) => edge[c]);
  const graph = {
    nodes: X.length,
    from: Int32Array.from(column(0)),
    to: Int32Array.from(column(1)),
    weights: Float64Array.from(column(2)),
  };
  return { X: fromRows(X), graph, norm: (norm === "inf" ? norm : Number(norm)) as Norm };
}

function hintsOf(rows: number, mustLink: readonly [number, number][]): Hints | undefined {
  if (mustLink.length === 0) return undefined;
  const constraints = checkConstraints(rows, { mustLink });
  const masses = new Float64Array(constraints.groups);
  for (const g of constraints.group) masses[g]++;
  return { constraints, masses, excluded: new Set() };
}

describe("the Huber loss of cells", () => {
  test.each(huber)("is the minimum of cvxpy: norm $norm, gamma $gamma, must-links $mustLink", (one) => {
    const rows = problemOf(one);
    const hints = hintsOf(X.length, one.mustLink);
    const problem = { ...rows, graph: groupGraph(rows.graph, hints) };
    const { gamma, beta } = one;
    const fit = solveHuber(problem, { gamma, beta, hints, tolerance: 1e-9 }, solveConvex);
    expect(fit.certificate.relativeGap).toBeLessThan(1e-9);
    expect(Math.abs(fit.certificate.primal / one.objective - 1)).toBeLessThan(1e-8);
  });

  test("bounds what any other centres lose, at any end of the search", () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 6 }), (seed, maxIterations) => {
        const rows = instance({ seed, n: 12, d: 2 });
        const exact = solveHuber(rows, { gamma: 0.2, beta: 0.8, tolerance: 1e-10 }, solveConvex);
        const early = solveHuber(
          rows,
          { gamma: 0.2, beta: 0.8, maxIterations, tolerance: 1e-10 },
          solveConvex,
        );
        const { primal, dual } = early.certificate;
        expect(primal).toBeGreaterThanOrEqual(exact.certificate.primal * (1 - 1e-9));
        expect(dual).toBeLessThanOrEqual(exact.certificate.primal * (1 + 1e-9));
      }),
      { numRuns: 20 },
    );
  });

  test("is plain convex clustering where no residual is beyond beta", () => {
    const rows = instance({ seed: 3, n: 30, d: 3 });
    const plain = solveConvex(rows, { gamma: 0.3 });
    const large = solveHuber(rows, { gamma: 0.3, beta: 1e6 }, solveConvex);
    expect(largestDifference(plain.U, large.U)).toBeLessThan(1e-9);
    expect([...large.robustShares]).toEqual([0, 0, 0]);
  });

  test("as an option of rcc: it forgives wild cells, and knows in which columns they are", () => {
    const { X: rows } = clouds(60, 4, 1, 0, 5);
    for (let i = 0; i < 60; i += 10) rows.data[4 * i + 1] += 30;
    const fit = rcc(rows, { clusters: 1, outlying: "cells", join: true });
    expect(fit.converged).toBe(true);
    expect(fit.robustShares.indexOf(Math.max(...fit.robustShares))).toBe(1);
    expect(fit.metric.relevance.indexOf(Math.min(...fit.metric.relevance))).toBe(1);
    expect(() => rcc(rows, { outlying: "rows" as "cells" })).toThrow(/"features", "cells"/);
  });
});

test.each(sparse)(
  "adaptive weights of sparse convex clustering, as cvxpy: norm $norm, gamma2 $gamma2",
  (one) => {
    const { gamma, gamma2 } = one;
    const fit = solveScc(problemOf(one), { gamma, gamma2, tolerance: 1e-10 });
    expect(fit.converged).toBe(true);
    expect(Math.abs(fit.certificate.primal / one.objective - 1)).toBeLessThan(1e-6);
    expect(largestDifference(fit.U, fromRows(one.U))).toBeLessThan(1e-4);
  },
);
