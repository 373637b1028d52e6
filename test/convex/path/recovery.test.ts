import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cc } from "../../../src/recipes/index.ts";
import { recovery } from "../../../src/convex/path/recovery.ts";
import type { ConvexProblem, Norm } from "../../../src/convex/solve/problem.ts";
import { solveConvex } from "../../../src/convex/solve/solve.ts";
import { random } from "../../../src/core/random.ts";
import { components } from "../../../src/graph/unionFind.ts";
import { matrix } from "../../../src/matrix/matrix.ts";
import { adjustedRand } from "../../../src/score/rand.ts";
import { graphOf } from "../instances.ts";

/** Clouds that far apart, with edges inside and across. */
function clouds(
  seed: number,
  far: number,
  norm: Norm,
  masses = false,
): { problem: ConvexProblem; labels: Int32Array } {
  const r = random(seed);
  const n = 24;
  const X = matrix(n, 2);
  const labels = Int32Array.from({ length: n }, (_, i) => i % 3);
  for (let i = 0; i < n; i++) {
    X.data[2 * i] = r.normal() + far * labels[i];
    X.data[2 * i + 1] = r.normal() + (labels[i] === 1 ? far : 0);
  }
  const list: [number, number, number][] = [];
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) {
      const inside = labels[i] === labels[j];
      if (r.uniform() < (inside ? 0.7 : 0.1)) list.push([i, j, (inside ? 1 : 0.05) * (0.5 + r.uniform())]);
    }
  }
  const problem = {
    X,
    graph: graphOf(n, list),
    norm,
    ...(masses && { masses: Float64Array.from({ length: n }, () => 1 + r.integer(3)) }),
  };
  return { problem, labels };
}

describe("what must be recovered", () => {
  test("every gamma of the interval gives the partition", () => {
    let held = 0;
    fc.assert(
      fc.property(
        fc.integer(),
        fc.constantFrom<Norm>(1, 2, "inf"),
        fc.boolean(),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (seed, norm, masses, at) => {
          const { problem, labels } = clouds(seed, 12, norm, masses);
          const { lower, upper, holds } = recovery(problem, labels);
          if (!holds) return;
          held++;
          const gamma = lower + at * (Math.min(upper, 10 * lower) - lower);
          const { fused } = solveConvex(problem, { gamma, tolerance: 1e-9 });
          const { from, to, weights } = problem.graph;
          const kept = Array.from(from.keys()).filter((e) => fused[e] === 1);
          const found = components(
            graphOf(
              problem.X.rows,
              kept.map((e) => [from[e], to[e], weights[e]] as const),
            ),
          );
          expect(found.count).toBe(3);
          expect(adjustedRand(found.labels, labels)).toBe(1);
        },
      ),
      { numRuns: 60 },
    );
    expect(held).toBeGreaterThan(30);
  });

  test("on a complete graph of equal weights the bounds are those of the text", () => {
    const { problem, labels } = clouds(3, 15, 2);
    const n = problem.X.rows;
    const list: [number, number, number][] = [];
    for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) list.push([i, j, 0.02]);
    const { lower, upper } = recovery({ ...problem, graph: graphOf(n, list) }, labels);
    const size = n / 3;
    const row = (i: number): [number, number] => [problem.X.data[2 * i], problem.X.data[2 * i + 1]];
    let widest = 0;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < i; j++) {
        if (labels[i] !== labels[j]) continue;
        widest = Math.max(widest, Math.hypot(row(i)[0] - row(j)[0], row(i)[1] - row(j)[1]));
      }
    }
    // mu_ij = 0: gamma_min = max ||a_i - a_j|| / (n_c w).
    expect(lower).toBeCloseTo(widest / (size * 0.02), 5);
    const means = [0, 1, 2].map((c) => {
      const own = Array.from({ length: n }, (_, i) => i).filter((i) => labels[i] === c);
      return [0, 1].map((f) => own.reduce((sum, i) => sum + row(i)[f] / size, 0));
    });
    let nearest = Infinity;
    for (let a = 0; a < 3; a++) {
      for (let b = 0; b < a; b++) {
        nearest = Math.min(nearest, Math.hypot(means[a][0] - means[b][0], means[a][1] - means[b][1]));
      }
    }
    // w^(a) = n_a (n - n_a) w.
    expect(upper).toBeCloseTo(nearest / (2 * (n - size) * 0.02), 9);
  });

  test("a wrong partition is not promised, and cc says what is", () => {
    const { problem, labels } = clouds(5, 15, 1);
    expect(recovery(problem, labels).holds).toBe(true);
    expect(
      recovery(
        problem,
        labels.map((_, i) => i % 2),
      ).holds,
    ).toBe(false);
    expect(
      recovery(
        problem,
        labels.map((k, i) => (i === 0 ? -1 : k)),
      ).holds,
    ).toBe(false);
    const found = cc(problem.X, { clusters: 3, join: true });
    expect(found.recovery!.holds).toBe(true);
    const again = cc(problem.X, {
      gamma: Math.sqrt(found.recovery!.lower * found.recovery!.upper),
      graph: found.graph,
    });
    expect(adjustedRand(again.labels, found.labels)).toBe(1);
  });
});
