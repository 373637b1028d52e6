import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { admm } from "../../../src/convex/solve/admm.ts";
import { certificate } from "../../../src/convex/solve/certificate.ts";
import { solveL1 } from "../../../src/convex/solve/l1.ts";
import { l2Path, solveL2 } from "../../../src/convex/solve/l2.ts";
import type { ConvexProblem, ConvexSolution } from "../../../src/convex/solve/problem.ts";
import { random } from "../../../src/core/random.ts";
import type { Edges } from "../../../src/graph/edges.ts";
import { engines, useEngine } from "../../../src/matrix/engine.ts";
import { fromRows, matrix, toRows, type Matrix, mapped } from "../../../src/matrix/matrix.ts";
import { dualReference } from "./dualReference.ts";
import { blobs, ring } from "../smallProblems.ts";
import { METRICS } from "../instances.ts";

const gap = (solution: ConvexSolution): number => solution.certificate.relativeGap;

/** The shared certificate of the returned U and Z meets the tolerance and is the one that the solver reported. */
function proved(problem: ConvexProblem, solution: ConvexSolution, tolerance: number): boolean {
  const proof = certificate(problem, solution.gamma, solution.U, solution.Z);
  const { primal, gap } = solution.certificate;
  const rounding = 1e-13 * Math.max(1, proof.primal);
  return (
    solution.converged &&
    proof.relativeGap <= tolerance * (1 + 1e-6) &&
    Math.abs(proof.primal - primal) <= 10 * rounding &&
    Math.abs(proof.gap - gap) <= 1e-6 * gap + rounding
  );
}

function pair(gap: number): ConvexProblem {
  const graph = { nodes: 2, from: Int32Array.of(0), to: Int32Array.of(1), weights: Float64Array.of(1) };
  return {
    X: fromRows([
      [0, 0],
      [3 * gap, 4 * gap],
    ]),
    graph,
    norm: 2,
  };
}

describe("solveL2", () => {
  it("moves two points towards each other by gamma w, until they meet", () => {
    const apart = solveL2(pair(1), { gamma: 1, tolerance: 1e-9 });
    expect(proved(pair(1), apart, 1e-9)).toBe(true);
    expect([...apart.fused]).toEqual([0]);
    for (const [k, value] of [0.6, 0.8, 2.4, 3.2].entries()) expect(apart.U.data[k]).toBeCloseTo(value, 4);
    const fused = solveL2(pair(1), { gamma: 2.6, tolerance: 1e-9 });
    expect(proved(pair(1), fused, 1e-9)).toBe(true);
    expect([...fused.fused]).toEqual([1]);
    for (const [k, value] of [1.5, 2, 1.5, 2].entries()) expect(fused.U.data[k]).toBeCloseTo(value, 12);
  });

  it("honours masses and metrics on two points: each moves by B^-1 z / m", () => {
    const problem = { ...pair(2), masses: Float64Array.of(1, 2.5), metric: Float64Array.of(2, 2) };
    const solution = solveL2(problem, { gamma: 2, tolerance: 1e-10 });
    expect(proved(problem, solution, 1e-10)).toBe(true);
    for (const [k, value] of [0.6, 0.8, 6 - 0.24, 8 - 0.32].entries()) {
      expect(solution.U.data[k]).toBeCloseTo(value, 4);
    }
  });

  it.each(METRICS)("agrees with a slow dual method at every gamma (%s metric)", (_, metric) => {
    const problem: ConvexProblem = { ...blobs(40, 3, 11), ...(metric && { metric }) };
    for (const gamma of [0.01, 0.1, 0.4, 1, 3]) {
      const solution = solveL2(problem, { gamma });
      expect(proved(problem, solution, 1e-6)).toBe(true);
      const reference = dualReference(problem, gamma, 1e-6);
      const { primal, dual } = solution.certificate;
      expect(primal).toBeGreaterThanOrEqual(reference.dual - 1e-9);
      expect(dual).toBeLessThanOrEqual(reference.primal + 1e-9);
      expect(primal).toBeLessThanOrEqual(reference.primal * (1 + 1.1e-6));
    }
  });

  it("is the L1 problem for one feature, which minimum cuts solve exactly", () => {
    const problem = blobs(60, 1, 21);
    for (const gamma of [0.05, 0.3, 1, 4]) {
      const exact = solveL1({ ...problem, norm: 1 }, { gamma });
      const solution = solveL2(problem, { gamma, tolerance: 1e-10 });
      expect(proved(problem, solution, 1e-10)).toBe(true);
      expect(Math.abs(solution.certificate.primal - exact.certificate.primal)).toBeLessThanOrEqual(
        1e-10 * exact.certificate.primal,
      );
      for (let i = 0; i < 60; i++) expect(solution.U.data[i]).toBeCloseTo(exact.U.data[i], 4);
    }
  });

  it("agrees with the texts' ADMM", () => {
    const problem = blobs(40, 3, 23);
    for (const gamma of [0.1, 1]) {
      const reference = admm(problem, { gamma, tolerance: 1e-8 });
      const solution = solveL2(problem, { gamma, tolerance: 1e-8 });
      const { primal } = solution.certificate;
      expect(Math.abs(primal - reference.certificate.primal)).toBeLessThanOrEqual(2e-8 * primal);
      for (let k = 0; k < 120; k++) expect(solution.U.data[k]).toBeCloseTo(reference.U.data[k], 2);
    }
  });

  it("reaches 1e-9 and 1e-12", () => {
    const problem = blobs(60, 5, 3);
    for (const gamma of [0.05, 0.3, 0.8, 2, 10]) {
      for (const tolerance of [1e-9, 1e-12]) {
        const solution = solveL2(problem, { gamma, tolerance });
        expect(proved(problem, solution, tolerance)).toBe(true);
      }
    }
  });

  it("returns the points at gamma 0, with equal rows fused", () => {
    const problem = blobs(12, 2, 1);
    problem.X.data.copyWithin(0, 2 * problem.graph.to[0], 2 * problem.graph.to[0] + 2);
    const solution = solveL2(problem, { gamma: 0 });
    expect([...solution.U.data]).toEqual([...problem.X.data]);
    expect(solution.fused[0]).toBe(1);
    expect(solution.certificate.gap).toBe(0);
    expect(proved(problem, solution, 1e-15)).toBe(true);
  });

  it("gives each component its mean at a huge gamma; isolated nodes stay", () => {
    const problem = blobs(30, 2, 5);
    const graph = withoutEdges(problem.graph, (i, j) => i < 15 === j < 15 && i !== 29 && j !== 29);
    const split = { ...problem, graph };
    const solution = solveL2(split, { gamma: 1e6, tolerance: 1e-9 });
    expect(proved(split, solution, 1e-9)).toBe(true);
    for (const [first, last] of [
      [0, 15],
      [15, 29],
      [29, 30],
    ]) {
      for (let k = 0; k < 2; k++) {
        let mean = 0;
        for (let i = first; i < last; i++) mean += problem.X.data[2 * i + k] / (last - first);
        for (let i = first; i < last; i++) expect(solution.U.data[2 * i + k]).toBeCloseTo(mean, 9);
      }
    }
    expect([...solution.fused].every((f) => f === 1)).toBe(true);
  });

  it("solves graphs without edges, single points and constant data", () => {
    const none = { nodes: 3, from: new Int32Array(0), to: new Int32Array(0), weights: new Float64Array(0) };
    const X = fromRows([[1], [2], [3]]);
    expect([...solveL2({ X, graph: none, norm: 2 }, { gamma: 1 }).U.data]).toEqual([1, 2, 3]);
    const single = solveL2({ X: fromRows([[4, 5]]), graph: { ...none, nodes: 1 }, norm: 2 }, { gamma: 1 });
    expect([...single.U.data]).toEqual([4, 5]);
    const constant = { ...ring(8), X: matrix(8, 2, new Float64Array(16).fill(7)), norm: 2 as const };
    const solution = solveL2(constant, { gamma: 1 });
    expect([...solution.U.data]).toEqual([...constant.X.data]);
    expect(solution.certificate.gap).toBe(0);
  });

  it("has no bad scale: gammas, weights and masses over many orders of magnitude", () => {
    const problem = blobs(40, 3, 17);
    const mixed = (small: number) => Float64Array.from({ length: 400 }, (_, i) => (i % 2 === 0 ? 1 : small));
    const weights = problem.graph.weights.map((w, e) => (e % 2 === 0 ? w : 1e-200 * w));
    const problems: ConvexProblem[] = [
      problem,
      { ...problem, graph: { ...problem.graph, weights } },
      { ...problem, masses: mixed(1e-8).subarray(0, 40) },
      { ...problem, masses: mixed(1e8).subarray(0, 40) },
    ];
    for (const each of problems) {
      for (const gamma of [1e-100, 1e-9, 0.5, 1e9, 1e100]) {
        expect(proved(each, solveL2(each, { gamma }), 1e-6)).toBe(true);
      }
    }
  });

  it("keeps its digits far from the origin", () => {
    const problem = blobs(40, 3, 2);
    const far = { ...problem, X: map(problem.X, (v) => v + 1e6) };
    const solution = solveL2(far, { gamma: 0.5 });
    expect(solution.converged).toBe(true);
    expect(certificate(far, 0.5, solution.U, solution.Z).relativeGap).toBeLessThanOrEqual(1.0001e-6);
  });

  it("says so when the steps do not suffice", () => {
    const solution = solveL2(blobs(50, 3, 9), { gamma: 1, maxIterations: 1 });
    expect(solution.converged).toBe(false);
    expect(solution.iterations).toBe(1);
    expect(gap(solution)).toBeGreaterThan(1e-6);
  });

  it("has the same optimum under every build of the kernel", () => {
    const problem = blobs(80, 5, 13);
    const builds = engines()
      .filter(({ available }) => available)
      .map(({ name }) => name);
    const primals = builds.map((name) => {
      useEngine(name);
      const solution = solveL2(problem, { gamma: 0.4, tolerance: 1e-10 });
      return proved(problem, solution, 1e-10) ? solution.certificate.primal : Number.NaN;
    });
    useEngine("simd");
    expect(primals.length).toBeGreaterThan(1);
    for (const primal of primals) {
      expect(Math.abs(primal - primals[0])).toBeLessThanOrEqual(1e-10 * primals[0]);
    }
  });

  it("refuses other norms and bad gammas", () => {
    expect(() => solveL2({ ...pair(1), norm: 1 }, { gamma: 1 })).toThrow(/norm 2/);
    expect(() => solveL2(pair(1), { gamma: Number.NaN })).toThrow(/gamma/);
  });
});

describe("symmetries of solveL2", () => {
  const seeds = fc.integer({ min: 1, max: 1e6 });
  const gammas = fc.double({ min: 0.02, max: 3, noNaN: true });

  const optimum = (problem: ConvexProblem, gamma: number): number => {
    const solution = solveL2(problem, { gamma, tolerance: 1e-8 });
    return proved(problem, solution, 1e-8) ? solution.certificate.primal : Number.NaN;
  };
  /** |a - b| relative to a. */
  const distance = (a: number, b: number): number => Math.abs(a - b) / Math.max(1, Math.abs(a));

  it("permutation, translation, rotation, scaling, masses for equal rows", () => {
    fc.assert(
      fc.property(seeds, gammas, (seed, gamma) => {
        const problem = blobs(24, 3, seed);
        const value = optimum(problem, gamma);
        expect(distance(value, optimum(permuted(problem, seed), gamma))).toBeLessThan(2e-8);
        expect(
          distance(value, optimum({ ...problem, X: map(problem.X, (v, k) => v + 3 * k - 5) }, gamma)),
        ).toBeLessThan(2e-8);
        expect(distance(value, optimum({ ...problem, X: rotated(problem.X, seed) }, gamma))).toBeLessThan(
          2e-8,
        );
        // P is homogeneous: X and gamma by c, the objective by c^2.
        expect(
          distance(value, optimum({ ...problem, X: map(problem.X, (v) => 7 * v) }, 7 * gamma) / 49),
        ).toBeLessThan(2e-8);
        const twice = { ...problem, masses: new Float64Array(24).fill(2) };
        expect(distance(2 * value, optimum(twice, 2 * gamma))).toBeLessThan(2e-8);
      }),
      { numRuns: 15 },
    );
  });

  it("rows that are tied together by a heavy edge are one row of their mass", () => {
    const problem = blobs(20, 2, 4);
    const masses = new Float64Array(20).fill(1);
    masses[0] = 2;
    const weighted = solveL2({ ...problem, masses }, { gamma: 0.3, tolerance: 1e-9 });
    const X = fromRows([...toRows(problem.X), toRows(problem.X)[0]]);
    const { from, to, weights } = problem.graph;
    const graph: Edges = {
      nodes: 21,
      from: Int32Array.from([...from, 0]),
      to: Int32Array.from([...to, 20]),
      weights: Float64Array.from([...weights, 1e3]),
    };
    const doubled = solveL2({ X, graph, norm: 2 }, { gamma: 0.3, tolerance: 1e-9 });
    expect(distance(weighted.certificate.primal, doubled.certificate.primal)).toBeLessThan(2e-8);
  });
});

describe("l2Path", () => {
  it("certifies every gamma, up and down, and equals single solves", () => {
    const problem = blobs(60, 4, 8);
    const up = [0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 50];
    for (const gammas of [up, [...up].reverse()]) {
      const proofs: boolean[] = [];
      const path = l2Path(problem, gammas, {
        onSolution: (point, duals) => void proofs.push(proved(problem, { ...point, Z: duals() }, 1e-6)),
      });
      expect(proofs).toEqual(gammas.map(() => true));
      expect(path.map((point) => point.gamma)).toEqual(gammas);
      for (const point of path) {
        const alone = solveL2(problem, { gamma: point.gamma });
        expect(Math.abs(alone.certificate.primal - point.certificate.primal)).toBeLessThanOrEqual(
          1e-6 * Math.max(1, alone.certificate.primal),
        );
      }
    }
  });

  it("starts from any solution, also one that was copied, and stops when asked to", () => {
    const problem = blobs(40, 3, 6);
    const first = solveL2(problem, { gamma: 0.5 });
    for (const gamma of [0.1, 0.5, 0.6, 5]) {
      const warm = solveL2(problem, { gamma, start: structuredClone(first) });
      expect(proved(problem, warm, 1e-6)).toBe(true);
    }
    expect(solveL2(problem, { gamma: 0.5, start: first }).iterations).toBe(0);
    expect(() => solveL2(blobs(41, 3, 6), { gamma: 0.5, start: first })).toThrow(/another problem/);
    const seen: number[] = [];
    const path = l2Path(problem, [0.1, 0.2, 0.3], {
      onSolution: (point, _, index) => {
        seen.push(index);
        return point.gamma < 0.2;
      },
    });
    expect(path).toHaveLength(2);
    expect(seen).toEqual([0, 1]);
  });

  it("may be nested: each solve has its own part of the kernel's memory", () => {
    const problem = blobs(30, 3, 6);
    const other = blobs(200, 7, 1);
    const proofs: boolean[] = [];
    l2Path(problem, [0.2, 0.4], {
      onSolution: (point, duals) => {
        solveL2(other, { gamma: 0.4 });
        proofs.push(proved(problem, { ...point, Z: duals() }, 1e-6));
      },
    });
    expect(proofs).toEqual([true, true]);
  });
});

function map(X: Matrix, f: (value: number, column: number) => number): Matrix {
  return mapped(X, (v, p) => f(v, p % X.cols));
}

function withoutEdges(graph: Edges, keep: (i: number, j: number) => boolean): Edges {
  const kept = [...graph.from.keys()].filter((e) => keep(graph.from[e], graph.to[e]));
  return {
    nodes: graph.nodes,
    from: Int32Array.from(kept, (e) => graph.from[e]),
    to: Int32Array.from(kept, (e) => graph.to[e]),
    weights: Float64Array.from(kept, (e) => graph.weights[e]),
  };
}

function permuted(problem: ConvexProblem, seed: number): ConvexProblem {
  const { X, graph } = problem;
  const order = random(seed).shuffle(Int32Array.from({ length: X.rows }, (_, i) => i));
  const rows = toRows(X);
  const place = new Int32Array(X.rows);
  order.forEach((i, p) => (place[i] = p));
  const ends = [...graph.from.keys()].reverse().map((e) => [place[graph.from[e]], place[graph.to[e]], e]);
  return {
    ...problem,
    X: fromRows([...order].map((i) => rows[i])),
    graph: {
      nodes: graph.nodes,
      from: Int32Array.from(ends, ([i, j]) => Math.min(i, j)),
      to: Int32Array.from(ends, ([i, j]) => Math.max(i, j)),
      weights: Float64Array.from(ends, ([, , e]) => graph.weights[e]),
    },
  };
}

/** A few Givens rotations. */
function rotated(X: Matrix, seed: number): Matrix {
  const draw = random(seed);
  const rows = toRows(X);
  for (let turn = 0; turn < 4; turn++) {
    const [k, l] = draw.sample(2, X.cols);
    const angle = 6 * draw.uniform();
    for (const row of rows) {
      const [a, b] = [row[k], row[l]];
      row[k] = Math.cos(angle) * a - Math.sin(angle) * b;
      row[l] = Math.sin(angle) * a + Math.cos(angle) * b;
    }
  }
  return fromRows(rows);
}
