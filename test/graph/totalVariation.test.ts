import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { random } from "../../src/core/random.ts";
import type { Edges } from "../../src/graph/edges.ts";
import { setThreads, threads } from "../../src/matrix/threads.ts";
import { totalVariation, withTotalVariation } from "../../src/graph/totalVariation.ts";
import { plainTotalVariation } from "./plainTotalVariation.ts";

interface Problem {
  y: Float64Array;
  graph: Edges;
  gamma: number;
  masses: Float64Array;
}

describe("graph total variation", () => {
  it("has the closed form of two nodes", () => {
    const graph = edges(2, [[0, 1, 0.5]]);
    expect([...totalVariation(Float64Array.of(5, 1), graph, { gamma: 2 }).u]).toEqual([4, 2]);
    expect([...totalVariation(Float64Array.of(5, 1), graph, { gamma: 4 }).u]).toEqual([3, 3]);
    const heavy = totalVariation(Float64Array.of(5, 1), graph, { gamma: 100, masses: Float64Array.of(3, 1) });
    expect([...heavy.u]).toEqual([4, 4]);
    expect(heavy.levels).toBe(1);
  });

  it("has the closed form of a chain of three nodes", () => {
    const graph = edges(3, [
      [0, 1, 1],
      [1, 2, 1],
    ]);
    // A peak of height h in the middle of a flat signal: the ends rise by gamma, the peak falls by 2 gamma.
    expect([...totalVariation(Float64Array.of(0, 9, 0), graph, { gamma: 1 }).u]).toEqual([1, 7, 1]);
    expect([...totalVariation(Float64Array.of(0, 9, 0), graph, { gamma: 3 }).u]).toEqual([3, 3, 3]);
    // A staircase: the ends move in, the middle stays.
    expect([...totalVariation(Float64Array.of(0, 4, 9), graph, { gamma: 1 }).u]).toEqual([1, 4, 8]);
  });

  it("shrinks towards the mean on the complete graph with equal weights", () => {
    const n = 6;
    const pairs: [number, number, number][] = [];
    for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) pairs.push([i, j, 1]);
    // With sorted y, node i loses gamma to each node below it and gains gamma from each above, until neighbours meet.
    const y = Float64Array.of(-10, -6, -1, 1, 6, 10);
    const { u } = totalVariation(y, edges(n, pairs), { gamma: 0.5 });
    for (const [i, value] of [-7.5, -4.5, -0.5, 0.5, 4.5, 7.5].entries()) expect(u[i]).toBeCloseTo(value, 12);
  });

  it("is the taut string on chains", () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 2, max: 60 }),
        fc.double({ min: 0.01, max: 5, noNaN: true }),
        (seed, n, gamma) => {
          const r = random(seed);
          const y = Float64Array.from({ length: n }, () => 3 * r.normal());
          const masses = Float64Array.from({ length: n }, () => 1 + r.integer(3));
          const weights = Float64Array.from({ length: n - 1 }, () => 0.1 + r.uniform());
          const graph = edges(
            n,
            Array.from(weights, (w, i) => [i, i + 1, w]),
          );
          const { u } = totalVariation(y, graph, { gamma, masses });
          const reference = tautString(y, masses, weights, gamma);
          for (let i = 0; i < n; i++) expect(u[i]).toBeCloseTo(reference[i], 9);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("is proved by its flow on random graphs, and agrees with the plain form", () => {
    fc.assert(
      fc.property(problems(), (problem) => {
        const { y, graph, gamma, masses } = problem;
        const { u, flows } = totalVariation(y, graph, { gamma, masses });
        expect(gapOf(problem, u, flows)).toBeLessThan(1e-16);
        const plain = new Float64Array(graph.nodes);
        plainTotalVariation(graph, masses).solve({
          y,
          gammas: Float64Array.of(gamma),
          u: plain,
          flows: new Float64Array(flows.length),
          warm: false,
        });
        for (let i = 0; i < u.length; i++) expect(u[i]).toBeCloseTo(plain[i], 9);
      }),
      { numRuns: 120 },
    );
  });

  it("gives the same solution from a warm start, whichever way gamma moves", () => {
    fc.assert(
      fc.property(
        problems(),
        fc.array(fc.double({ min: 0.001, max: 20, noNaN: true }), { maxLength: 6 }),
        (problem, gammas) => {
          const { y, graph, masses } = problem;
          const u = new Float64Array(graph.nodes);
          const flows = new Float64Array(graph.from.length);
          withTotalVariation(graph, masses, 1, (tv) => {
            for (const [step, gamma] of [...gammas, problem.gamma].entries()) {
              tv.solve({ y, gammas: Float64Array.of(gamma), u, flows, warm: step > 0 });
              expect(gapOf({ ...problem, gamma }, u, flows)).toBeLessThan(1e-16);
            }
          });
          const cold = totalVariation(y, graph, problem).u;
          for (let i = 0; i < u.length; i++) expect(u[i]).toBeCloseTo(cold[i], 9);
        },
      ),
      { numRuns: 80 },
    );
  });

  it("survives a misleading warm start", () => {
    fc.assert(
      fc.property(problems(), fc.integer(), (problem, seed) => {
        const r = random(seed);
        const { y, graph, gamma, masses } = problem;
        const u = Float64Array.from(y, () => r.integer(3));
        const flows = Float64Array.from(graph.from, () => 100 * r.normal());
        withTotalVariation(graph, masses, 1, (tv) =>
          tv.solve({ y, gammas: Float64Array.of(gamma), u, flows, warm: true }),
        );
        expect(gapOf(problem, u, flows)).toBeLessThan(1e-16);
      }),
      { numRuns: 80 },
    );
  });

  it("is invariant: translation, scale, order of nodes, heavy nodes for duplicates", () => {
    fc.assert(
      fc.property(
        problems(),
        fc.double({ min: 0.1, max: 10, noNaN: true }),
        fc.integer(),
        (problem, s, seed) => {
          const { y, graph, gamma, masses } = problem;
          const n = y.length;
          const { u } = totalVariation(y, graph, problem);
          const moved = totalVariation(
            y.map((value) => s * value + 7),
            graph,
            { gamma: s * gamma, masses },
          );
          const permutation = random(seed).shuffle(Int32Array.from({ length: n }, (_, i) => i));
          const permuted = totalVariation(at(y, permutation), relabel(graph, permutation), {
            gamma,
            masses: at(masses, permutation),
          });
          for (let i = 0; i < n; i++) {
            expect(moved.u[i]).toBeCloseTo(s * u[i] + 7, 8);
            expect(permuted.u[i]).toBeCloseTo(u[permutation[i]], 9);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("treats a node of mass 2 as two rows that are tied together", () => {
    const r = random(5);
    const n = 12;
    const y = Float64Array.from({ length: n }, () => r.normal());
    const list: [number, number, number][] = [];
    for (let i = 0; i < n; i++)
      for (let j = i + 1; j < n; j++) if (r.uniform() < 0.4) list.push([i, j, r.uniform()]);
    const masses = new Float64Array(n).fill(1);
    masses[0] = 2;
    const one = totalVariation(y, edges(n, list), { gamma: 0.3, masses });
    const two = totalVariation(Float64Array.of(...y, y[0]), edges(n + 1, [...list, [0, n, 1e6]]), {
      gamma: 0.3,
    });
    for (let i = 0; i < n; i++) expect(two.u[i]).toBeCloseTo(one.u[i], 10);
    expect(two.u[n]).toBe(two.u[0]);
  });

  it("solves features together, on any number of threads, to the same bits", () => {
    const r = random(3);
    const [n, d] = [900, 12];
    const list: [number, number, number][] = [];
    for (let i = 0; i < n; i++) for (let k = 1; k < 8; k++) list.push([i, (i + k * k) % n, r.uniform()]);
    const graph = edges(n, list);
    const y = Float64Array.from({ length: n * d }, () => r.normal());
    const gammas = Float64Array.from({ length: d }, (_, k) => 0.05 * (k + 1));
    const run = (count: number): { u: Float64Array; flows: Float64Array; levels: Int32Array } => {
      const u = new Float64Array(n * d);
      const flows = new Float64Array(list.length * d);
      const levels = new Int32Array(n * d);
      setThreads(count);
      withTotalVariation(graph, undefined, d, (tv) => {
        for (const warm of [false, true]) tv.solve({ y, gammas, u, flows, warm, levels });
      });
      return { u, flows, levels };
    };
    const before = threads();
    const one = run(1);
    const three = run(3);
    setThreads(before);
    expect(three).toEqual(one);
    const alone = totalVariation(y.slice(5 * n, 6 * n), graph, { gamma: gammas[5] });
    for (let i = 0; i < n; i++) expect(one.u[5 * n + i]).toBeCloseTo(alone.u[i], 10);
    for (let e = 0; e < list.length; e++) {
      const [i, j] = [graph.from[e], graph.to[e]];
      expect(one.levels[i] !== one.levels[j] || one.u[i] === one.u[j]).toBe(true);
    }
  });

  it("gives the nodes of a level the very same value", () => {
    const r = random(8);
    const n = 400;
    const y = Float64Array.from({ length: n }, (_, i) => (i % 2) * 5 + r.normal());
    const list: [number, number, number][] = [];
    for (let i = 0; i < n; i++) for (let k = 2; k < 12; k += 2) if (i + k < n) list.push([i, i + k, 1]);
    const { u, levels } = totalVariation(y, edges(n, list), { gamma: 1e4 });
    expect(levels).toBe(2);
    expect(new Set(u).size).toBe(2);
    let mean = 0;
    for (let i = 0; i < n; i += 2) mean += y[i] / (n / 2);
    expect(u[0]).toBeCloseTo(mean, 12);
  });

  it("gives tied levels one value, however they were reached", () => {
    // At gamma 1 each end arrives at the value of its neighbour, which has not moved.
    const graph = edges(4, [
      [0, 1, 1],
      [1, 2, 1],
      [2, 3, 1],
    ]);
    const y = Float64Array.of(0, 1, 2, 3);
    const cold = totalVariation(y, graph, { gamma: 1.5 });
    const u = new Float64Array(4);
    const flows = new Float64Array(3);
    const levels = new Int32Array(4);
    withTotalVariation(graph, undefined, 1, (tv) => {
      for (const gamma of [0.3, 1, 1.2, 1.5]) {
        tv.solve({ y, gammas: Float64Array.of(gamma), u, flows, warm: gamma > 0.3, levels });
      }
    });
    expect(new Set(u).size).toBe(new Set(cold.u).size);
    expect(levels[1] === levels[2]).toBe(u[1] === u[2]);
    const once = totalVariation(y, graph, { gamma: 1 });
    expect(once.u[0]).toBe(once.u[1]);
    expect(once.u[2]).toBe(once.u[3]);
    expect(once.levels).toBe(2);
  });

  it("takes what is degenerate: no edge, one node, no node, constant data, huge and tiny weights", () => {
    expect([...totalVariation(Float64Array.of(1, 2, 3), edges(3, []), { gamma: 5 }).u]).toEqual([1, 2, 3]);
    expect([...totalVariation(Float64Array.of(4), edges(1, []), { gamma: 5 }).u]).toEqual([4]);
    expect(totalVariation(new Float64Array(0), edges(0, []), { gamma: 5 }).u.length).toBe(0);
    const constant = totalVariation(
      Float64Array.of(2, 2, 2),
      edges(3, [
        [0, 1, 1],
        [1, 2, 1],
      ]),
      { gamma: 5 },
    );
    expect([...constant.u]).toEqual([2, 2, 2]);
    const graph = edges(4, [
      [0, 1, 1e14],
      [1, 2, 1e-14],
      [2, 3, 1e14],
    ]);
    const y = Float64Array.of(1, 2, 10, 12);
    const wide = totalVariation(y, graph, { gamma: 1 });
    expect(wide.u[0]).toBe(wide.u[1]);
    expect(wide.u[0]).toBeCloseTo(1.5, 12);
    expect(wide.u[3]).toBeCloseTo(11, 12);
    const none = totalVariation(y, graph, { gamma: 0 });
    expect([...none.u]).toEqual([...y]);
  });
});

/** P(u) minus the dual of the clipped flow, without cancellation, relative to max(1, P). */
function gapOf({ y, graph, gamma, masses }: Problem, u: Float64Array, flows: Float64Array): number {
  const slack = Float64Array.from(u, (value, i) => masses[i] * (value - y[i]));
  let gap = 0;
  let primal = 0;
  for (let e = 0; e < flows.length; e++) {
    const [i, j, c] = [graph.from[e], graph.to[e], gamma * graph.weights[e]];
    expect(Math.abs(flows[e])).toBeLessThanOrEqual(c);
    slack[i] += flows[e];
    slack[j] -= flows[e];
    gap += c * Math.abs(u[i] - u[j]) - flows[e] * (u[i] - u[j]);
    primal += c * Math.abs(u[i] - u[j]);
  }
  for (let i = 0; i < u.length; i++) {
    gap += (0.5 * slack[i] ** 2) / masses[i];
    primal += 0.5 * masses[i] * (u[i] - y[i]) ** 2;
  }
  return gap / Math.max(1, primal);
}

function problems(): fc.Arbitrary<Problem> {
  return fc
    .record({
      seed: fc.integer(),
      n: fc.integer({ min: 1, max: 40 }),
      density: fc.double({ min: 0, max: 1, noNaN: true }),
      gamma: fc.double({ min: 0.001, max: 20, noNaN: true }),
      ties: fc.boolean(),
    })
    .map(({ seed, n, density, gamma, ties }) => {
      const r = random(seed);
      const list: [number, number, number][] = [];
      for (let i = 0; i < n; i++) {
        for (let j = i + 1; j < n; j++) {
          if (r.uniform() < density) list.push([i, j, ties ? 1 : Math.exp(-4 * r.uniform())]);
        }
      }
      const y = Float64Array.from({ length: n }, () => (ties ? r.integer(4) : 3 * r.normal()));
      const masses = Float64Array.from({ length: n }, () => (ties ? 1 : 0.5 + r.integer(5)));
      return { y, graph: edges(n, list), gamma, masses };
    });
}

function edges(nodes: number, list: [number, number, number][]): Edges {
  return {
    nodes,
    from: Int32Array.from(list, ([i]) => i),
    to: Int32Array.from(list, ([, j]) => j),
    weights: Float64Array.from(list, ([, , w]) => w),
  };
}

function at(values: Float64Array, indices: Int32Array): Float64Array {
  return Float64Array.from(indices, (i) => values[i]);
}

/** The graph after node permutation[i] has become node i. */
function relabel(graph: Edges, permutation: Int32Array): Edges {
  const place = new Int32Array(graph.nodes);
  for (let i = 0; i < graph.nodes; i++) place[permutation[i]] = i;
  return { ...graph, from: graph.from.map((i) => place[i]), to: graph.to.map((j) => place[j]) };
}

/**
 * The shortest line through the tube of half-width gamma w around the cumulated signal, bent only where it touches;
 * its slopes are the solution on a chain.
 */
function tautString(
  y: Float64Array,
  masses: Float64Array,
  weights: Float64Array,
  gamma: number,
): Float64Array {
  const n = y.length;
  const time = new Float64Array(n + 1);
  const total = new Float64Array(n + 1);
  for (let i = 0; i < n; i++) {
    time[i + 1] = time[i] + masses[i];
    total[i + 1] = total[i] + masses[i] * y[i];
  }
  const width = (i: number): number => (i === 0 || i === n ? 0 : gamma * weights[i - 1]);
  const u = new Float64Array(n);
  let anchor = 0;
  let value = 0;
  while (anchor < n) {
    let [lowest, highest, lowAt, highAt] = [-Infinity, Infinity, anchor, anchor];
    let bend = n;
    let height = total[n];
    for (let i = anchor + 1; i <= n; i++) {
      const span = time[i] - time[anchor];
      const low = (total[i] - width(i) - value) / span;
      const high = (total[i] + width(i) - value) / span;
      if (low > highest) {
        bend = highAt;
        height = total[highAt] + width(highAt);
        break;
      }
      if (high < lowest) {
        bend = lowAt;
        height = total[lowAt] - width(lowAt);
        break;
      }
      if (low >= lowest) [lowest, lowAt] = [low, i];
      if (high <= highest) [highest, highAt] = [high, i];
    }
    u.fill((height - value) / (time[bend] - time[anchor]), anchor, bend);
    anchor = bend;
    value = height;
  }
  return u;
}
