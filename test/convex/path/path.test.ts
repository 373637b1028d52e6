import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { random } from "../../../src/core/random.ts";
import { COMMON } from "../../../src/convex/path/setting.ts";
import { squareLoss } from "../../../src/convex/recipe/loss.ts";
import { solveConvex } from "../../../src/convex/solve/solve.ts";
import { resolveOptions } from "../../../src/core/options.ts";
import { fusionBounds } from "../../../src/convex/path/fusionBounds.ts";
import { fusionTree, gaps } from "../../../src/convex/path/fusionTree.ts";
import { clusterPath } from "../../../src/convex/path/path.ts";
import type { ConvexProblem, Norm } from "../../../src/convex/solve/problem.ts";
import { components, neighborGraph } from "../../../src/graph/index.ts";
import { matrix } from "../../../src/matrix/index.ts";
import { gaussians } from "../gaussians.ts";

function problemOf(seed: number, n: number, d: number, norm: Norm): ConvexProblem {
  const draw = random(seed);
  const X = matrix(
    n,
    d,
    Float64Array.from({ length: n * d }, () => draw.normal()),
  );
  return { X, graph: neighborGraph(X, { neighbors: 4, alpha: 0.1 }).graph, norm };
}

describe("fusionBounds", () => {
  test("everything is fused above the upper bound, and something is apart below the lower one", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e6 }),
        fc.integer({ min: 5, max: 30 }),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom<Norm>(1, 2),
        (seed, n, d, norm) => {
          const problem = problemOf(seed, n, d, norm);
          const parts = components(problem.graph).count;
          const { lower, upper } = fusionBounds(problem);
          expect(lower).toBeLessThanOrEqual(upper);
          const count = (gamma: number): number =>
            components(problem.graph, solveConvex(problem, { gamma, tolerance: 1e-9 }).fused).count;
          expect(count(upper * 1.001)).toBe(parts);
          expect(lower === 0 || count(lower * 0.99) > parts).toBe(true);
        },
      ),
      { numRuns: 40 },
    );
  });

  test("a metric moves them, equal points make them zero", () => {
    const { X, graph } = problemOf(1, 12, 2, 1);
    const plain = fusionBounds({ X, graph, norm: 1 });
    const doubled = fusionBounds({ X, graph, norm: 1, metric: Float64Array.from([2, 2]) });
    expect(doubled.upper).toBeCloseTo(2 * plain.upper, 10);
    expect(fusionBounds({ X: matrix(12, 2), graph, norm: 2 })).toEqual({ lower: 0, upper: 0 });
  });
});

describe("clusterPath", () => {
  const { X } = gaussians(3, 20, 3, 7);
  const { graph } = neighborGraph(X, { neighbors: 8, join: true });
  const problem: ConvexProblem = { X, graph, norm: 1 };
  const family = squareLoss(problem, {
    options: resolveOptions("test", {}, COMMON),
    solve: solveConvex,
    hints: undefined,
  });
  const whole = clusterPath({ ...family, enough: (step) => step.clusters === X.rows });

  test("near its end it is the same path, but for steps beyond the first that is enough", () => {
    let shorter = 0;
    for (let count = 4; count <= X.rows; count += 4) {
      const enough = (step: { readonly clusters: number }): boolean => step.clusters >= count;
      const plan = { ...family, enough, level: () => 1 };
      const plain = clusterPath(plan).steps.map(({ gamma }) => gamma);
      const { steps, complete } = clusterPath({ ...plan, ending: () => true });
      expect(complete && steps.findIndex(enough) === steps.length - 1).toBe(true);
      expect(steps.slice(0, -1).map(({ gamma }) => gamma)).toEqual(plain.slice(0, -1));
      expect(steps[steps.length - 1].gamma).toBeGreaterThanOrEqual(plain[plain.length - 1]);
      if (steps[steps.length - 1].gamma > plain[plain.length - 1]) shorter++;
    }
    expect(shorter).toBeGreaterThan(3);
  });

  test("gammas whose product is zero end it too", () => {
    const tiny = { ...family, bounds: { lower: 1e-200, upper: 1e-200 } };
    const path = clusterPath({
      ...tiny,
      enough: () => false,
      ending: () => true,
      level: () => 1,
      maxSteps: 9,
    });
    expect(path.complete).toBe(false);
  });

  test("runs from one cluster to all rows apart, every step proven", () => {
    expect(whole.complete).toBe(true);
    expect(whole.steps[0].clusters).toBe(1);
    expect(whole.steps[whole.steps.length - 1].clusters).toBe(X.rows);
    for (let s = 1; s < whole.steps.length; s++) {
      const [above, below] = [whole.steps[s - 1], whole.steps[s]];
      expect(below.gamma).toBeLessThan(above.gamma);
      // Where the count changes, the gammas are at most a ratio of 1.25 apart.
      expect(above.clusters === below.clusters || above.gamma / below.gamma < 1.2513).toBe(true);
    }
    for (const step of whole.steps) {
      expect(step.certificate.relativeGap).toBeLessThan(1e-6);
      expect(step.sizes.reduce((a, b) => a + b, 0)).toBe(X.rows);
    }
  });

  test("a step is the solution at its gamma", () => {
    for (const step of whole.steps.filter((_, s) => s % 5 === 0)) {
      const { fused } = solveConvex(problem, { gamma: step.gamma });
      expect(Array.from(components(graph, fused).labels)).toEqual(Array.from(step.labels));
    }
  });

  test("the merge table has every fusion once", () => {
    const { fusions, splits } = fusionTree(whole.steps, X.rows);
    expect(fusions).toHaveLength(X.rows - 1);
    expect(fusions[fusions.length - 1].size).toBe(X.rows);
    expect(splits).toBeGreaterThanOrEqual(0);
    const used = new Set<number>();
    fusions.forEach(({ a, b, gamma }, m) => {
      expect(a).toBeLessThan(b);
      expect(b).toBeLessThan(X.rows + m);
      expect(used.has(a) || used.has(b)).toBe(false);
      used.add(a).add(b);
      expect(gamma).toBeGreaterThanOrEqual(fusions[Math.max(0, m - 1)].gamma);
    });
  });

  test("gaps cover the path, and the true number of clusters lasts", () => {
    const found = gaps(whole.steps);
    expect(found[0].to).toBe(whole.steps[0].gamma);
    expect(found[found.length - 1].from).toBe(whole.steps[whole.steps.length - 1].gamma);
    for (const gap of found) expect(gap.length).toBeGreaterThanOrEqual(0);
  });

  test("all given gammas are taken, however many", () => {
    const gammas = Float64Array.from({ length: 400 }, (_, g) => 1 + g / 400);
    const path = clusterPath({ ...family, gammas, enough: () => false });
    expect(path.steps).toHaveLength(400);
    expect(path.complete).toBe(true);
  });

  test("given gammas are taken as they are, largest first", () => {
    const path = clusterPath({ ...family, gammas: [0.5, 2, 0], enough: () => false });
    expect(path.steps.map((step) => step.gamma)).toEqual([2, 0.5, 0]);
    expect(path.steps[2].clusters).toBe(X.rows);
  });

  test("a wanted count between two steps is looked for", () => {
    const wanted = 7;
    const path = clusterPath({ ...family, wanted, enough: (step) => step.clusters > 20 });
    const counts = path.steps.map((step) => step.clusters);
    const nearest = (list: number[]): number => Math.min(...list.map((count) => Math.abs(count - wanted)));
    expect(nearest(counts)).toBeLessThanOrEqual(nearest(whole.steps.map((step) => step.clusters)));
  });
});
