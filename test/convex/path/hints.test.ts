import { describe, expect, test } from "vitest";
import { constrainedKmeans } from "../../../src/cluster/index.ts";
import { random } from "../../../src/core/index.ts";
import {
  cc,
  ccml,
  solveConvex,
  solveRcc,
  solveScc,
  type ConvexProblem,
  type Norm,
} from "../../../src/recipes/index.ts";
import { groupGraph, groupProblem, rowValues } from "../../../src/convex/path/hints.ts";
import { pairsOf } from "../../../src/recipes/pairs.ts";
import { samplePairs, type Constraints, type Pair } from "../../../src/data/index.ts";
import { edgeList, neighborGraph, type Edges } from "../../../src/graph/index.ts";
import { fromRows, matrix, takeRows } from "../../../src/matrix/index.ts";
import { adjustedRand } from "../../../src/score/index.ts";
import { plantedPairs, splitPairs, splitsMissing } from "../../cluster/pairs/pairData.ts";
import { FAMILY, gaussians } from "../gaussians.ts";

function violated(labels: Int32Array, { mustLink, cannotLink }: Constraints): number {
  return (
    mustLink.filter(([i, j]) => labels[i] !== labels[j]).length +
    cannotLink.filter(([i, j]) => labels[i] === labels[j]).length
  );
}

/** Rows, their graph with must-links as edges of a huge weight, and the same problem on groups. */
function bothForms(seed: number, norm: Norm, metric?: ConvexProblem["metric"]) {
  const { X } = gaussians(2, 12, 3, seed);
  const stream = random(seed);
  const { mustLink } = plantedPairs(X.rows, 5, 8, 0, stream);
  const hints = pairsOf("test", X.rows, {
    mustLink,
    cannotLink: undefined,
    clusters: undefined,
    protocol: "practical",
  })!;
  const { graph } = neighborGraph(X, { neighbors: 6, kind: "union", alpha: 0.5 });
  const base = { X, norm, ...(metric !== undefined && { metric }) };
  const rows: ConvexProblem = { ...base, graph: withHeavy(graph, hints.constraints.mustLink, 1e4) };
  return { rows, hints, ...groupProblem({ ...base, graph: groupGraph(graph, hints) }, hints) };
}

function withHeavy({ nodes, from, to, weights }: Edges, heavy: readonly Pair[], weight: number): Edges {
  const key = (i: number, j: number): number => Math.min(i, j) * nodes + Math.max(i, j);
  const all = new Map<number, number>();
  from.forEach((i, e) => all.set(key(i, to[e]), weights[e]));
  for (const [i, j] of heavy) all.set(key(i, j), weight);
  return edgeList(
    nodes,
    [...all.keys()].map((k) => [Math.floor(k / nodes), k % nodes] as const),
    [...all.values()],
  );
}

const B = fromRows([
  [2, 0.5, 0],
  [0.5, 1, -0.3],
  [0, -0.3, 1.5],
]);

describe("must-links as infinite weights", () => {
  test.each([
    [1, undefined],
    [2, undefined],
    ["inf", undefined],
    [1, Float64Array.of(1, 3, 0.5)],
    [1, B],
    [2, B],
  ] as [Norm, ConvexProblem["metric"]][])(
    "norm %s: groups as weighted points are the rows with huge weights",
    (norm, metric) => {
      for (const gamma of [0.05, 0.3, 1]) {
        const { rows, hints, problem, constant } = bothForms(5, norm, metric);
        const whole = solveConvex(rows, { gamma, tolerance: 1e-9 });
        const small = solveConvex(problem, { gamma, tolerance: 1e-9 });
        expect(small.certificate.relativeGap).toBeLessThanOrEqual(1e-9);
        expect(small.certificate.primal + constant).toBeCloseTo(whole.certificate.primal, 5);
        const U = rowValues(small.U, hints);
        U.data.forEach((u, p) => expect(Math.abs(u - whole.U.data[p])).toBeLessThan(1e-3));
        expect(problem.X.rows).toBeLessThan(rows.X.rows);
      }
    },
  );

  test("robust and sparse forms, too, and the robust one counts the scatter inside of groups", () => {
    const { rows, hints, problem, constant } = bothForms(6, 1);
    const Y = rowValues(problem.X, hints);
    const scatter = new Float64Array(3);
    rows.X.data.forEach((x, p) => (scatter[p % 3] += (x - Y.data[p]) ** 2));
    for (const beta of [1, 4, 20]) {
      const whole = solveRcc(rows, { gamma: 0.3, beta });
      const small = solveRcc(problem, { gamma: 0.3, beta, scatter });
      expect(small.certificate.relativeGap).toBeLessThan(1e-9);
      expect(small.certificate.primal).toBeCloseTo(whole.certificate.primal, 6);
      small.robustShares.forEach((share, f) => expect(share).toBeCloseTo(whole.robustShares[f], 6));
    }
    const whole = solveScc(rows, { gamma: 0.3, gamma2: 2 });
    const small = solveScc(problem, { gamma: 0.3, gamma2: 2 });
    expect(small.certificate.relativeGap).toBeLessThan(1e-9);
    expect(small.certificate.primal + constant).toBeCloseTo(whole.certificate.primal, 6);
    small.factors.forEach((factor, f) => expect(factor).toBeCloseTo(whole.factors[f], 6));
  });
});

describe.each(FAMILY)("%s with pairs", (_, method) => {
  const { X, y } = gaussians(3, 30, 4, 11);
  const pairs = samplePairs(y, { mustLink: 25, cannotLink: 25, seed: 2 });
  const result = method(X, { clusters: 3, ...pairs });

  test("keeps every pair, with every solve proven", () => {
    expect(violated(result.labels, pairs)).toBe(0);
    expect(result.pairs).toMatchObject({ violated: 0 });
    expect(result.graph.nodes).toBe(new Set(result.pairs!.groups).size);
    for (const step of result.path.steps) expect(step.certificate.relativeGap).toBeLessThanOrEqual(1e-6);
    for (const { labels } of result.candidates) expect(violated(labels, pairs)).toBe(0);
    expect(result.components.reduce((a, b) => a + b)).toBe(90);
    expect(adjustedRand(result.labels, y)).toBeGreaterThan(0.93);
  });

  test("keeps pairs that go against the data", () => {
    for (let seed = 0; seed < 6; seed++) {
      const wild = plantedPairs(90, 3, 15, 40, random(seed));
      const found = method(X, { clusters: 3, mustLink: wild.mustLink, cannotLink: wild.cannotLink });
      expect(violated(found.labels, wild)).toBe(0);
      expect(found.certificate.relativeGap).toBeLessThanOrEqual(1e-6);
      expect(found.sizes.reduce((a, b) => a + b)).toBe(90);
    }
  });

  test("rows in another order, and the same pairs", () => {
    const order = random(3).shuffle(Int32Array.from({ length: X.rows }, (_v, i) => i));
    const place = new Int32Array(X.rows);
    order.forEach((i, p) => (place[i] = p));
    const moved = (list: readonly Pair[]): Pair[] => list.map(([i, j]) => [place[j], place[i]]);
    const shuffled = method(takeRows(X, order), {
      clusters: 3,
      mustLink: moved(pairs.mustLink),
      cannotLink: moved(pairs.cannotLink),
    });
    const here = Array.from(order, (i) => result.labels[i]);
    expect(adjustedRand(here, shuffled.labels)).toBe(1);
    expect(shuffled.gamma / result.gamma).toBeCloseTo(1, 6);
    expect(shuffled.objective / result.objective).toBeCloseTo(1, 5);
  });

  test("no pairs at all change nothing; must-links alone need no number of clusters", () => {
    const plain = method(X, { clusters: 3 });
    expect(method(X, { clusters: 3, mustLink: [], cannotLink: [] }).labels).toEqual(plain.labels);
    expect(plain.pairs).toBeUndefined();
    const { mustLink } = pairs;
    const found = method(X, { mustLink });
    expect(violated(found.labels, { mustLink, cannotLink: [] })).toBe(0);
  });

  test("refuses what constrained k-means refuses, in the same words", () => {
    const cases: Partial<Constraints>[] = [
      { mustLink: [[1, 1]] },
      { cannotLink: [[0, 90]] },
      { mustLink: [[0, 1], [1, 2]], cannotLink: [[0, 2]] },
      { mustLink: [[2, 3]], cannotLink: [[0, 1], [1, 2], [0, 3], [0, 4], [1, 4], [2, 4]] },
    ]; // prettier-ignore
    for (const bad of cases) {
      const message = (run: () => unknown): string => {
        try {
          run();
        } catch (error) {
          return (error as Error).message;
        }
        return "no error";
      };
      const expected = message(() => constrainedKmeans(X, { clusters: 3, ...bad }));
      expect(message(() => method(X, { clusters: 3, ...bad }))).toBe(expected);
      expect(expected).not.toBe("no error");
    }
    const cannotLink: Pair[] = [[0, 1]];
    expect(() => method(X, { cannotLink })).toThrow(/cannot-links need option "clusters"/);
    expect(() => method(X, { clusters: 3, cannotLink, protocol: "strict" })).toThrow(/strict protocol/);
  });
});

describe("few groups", () => {
  const X = fromRows([[0, 1], [1, 0], [5, 6], [6, 5], [0, 9], [1, 8]]); // prettier-ignore

  test("where no gamma can give the clusters, constrained k-means does, and a warning says so", () => {
    const mustLink: Pair[] = [[0, 2], [1, 3], [4, 5]]; // prettier-ignore
    const cannotLink: Pair[] = [[0, 1], [1, 4], [0, 4]]; // prettier-ignore
    for (const options of [{}, { gamma: 100 }]) {
      const found = cc(X, { clusters: 3, mustLink, cannotLink, ...options });
      expect(violated(found.labels, { mustLink, cannotLink })).toBe(0);
      expect(found.sizes).toEqual(Int32Array.of(2, 2, 2));
    }
    const one = cc(X, { clusters: 3, mustLink: [[0, 1], [1, 2], [2, 3], [3, 4]] }); // prettier-ignore
    expect(one.sizes.length).toBeLessThanOrEqual(2);
    expect(one.warnings.length).toBeGreaterThan(0);
    expect(one.centers.data.every(Number.isFinite)).toBe(true);
  });

  test("pairs and a graph of one's own", () => {
    const graph = edgeList(6, [[0, 1], [1, 2], [2, 3], [4, 5]]); // prettier-ignore
    const found = cc(X, { clusters: 2, graph, mustLink: [[0, 4]], cannotLink: [[1, 2]] });
    expect(found.graph.nodes).toBe(5);
    expect(found.graph.from.length).toBe(3);
    expect(found.labels[0]).toBe(found.labels[4]);
    expect(found.labels[1]).not.toBe(found.labels[2]);
  });
});

describe("ccml at one gamma", () => {
  test("no half step raises the objective of the rows", () => {
    const { X, y } = gaussians(3, 20, 3, 4);
    const pairs = samplePairs(y, { mustLink: 15, cannotLink: 0, seed: 1 });
    const { history } = ccml(X, { ...pairs, gamma: 0.05, iterations: 5, tolerance: 1e-10 });
    for (let t = 1; t < history.length; t++) {
      expect(history[t].objective).toBeLessThanOrEqual(history[t - 1].objective * (1 + 1e-9));
    }
    expect(history.length).toBeGreaterThan(4);
  });

  test("rows that are all alike but for one pair", () => {
    const X = matrix(6, 2);
    X.data.set([1, 2], 10);
    const found = cc(X, { clusters: 2, mustLink: [[0, 5]], cannotLink: [[0, 1]] });
    expect(found.labels[0]).toBe(found.labels[5]);
    expect(found.labels[0]).not.toBe(found.labels[1]);
  });
});

describe.skipIf(splitsMissing)("the peers' splits of 50 + 50 pairs (KINDRED_PEERS)", () => {
  // Adjusted Rand index without pairs: iris .65 to .70, wine .90 to .93.
  test.each([
    ["iris", "cc", 0.8],
    ["iris", "rcc", 0.87],
    ["iris", "scc", 0.85],
    ["iris", "ccml", 0.92],
    ["iris", "ccscml", 0.94],
    ["wine", "cc", 0.94],
    ["wine", "rcc", 0.94],
    ["wine", "scc", 0.94],
    ["wine", "ccscml", 0.955],
  ] as const)("%s: %s keeps all pairs and reaches %d", (name, method, least) => {
    const { X, classes, splits } = splitPairs(name);
    const run = FAMILY.find(([known]) => known === method)![1];
    const plain = adjustedRand(run(X, { clusters: 3, scale: "none" }).labels, classes);
    const scores = splits.map((pairs) => {
      const { labels, certificate } = run(X, { clusters: 3, scale: "none", ...pairs });
      expect(violated(labels, pairs)).toBe(0);
      expect(certificate.relativeGap).toBeLessThanOrEqual(1e-6);
      return adjustedRand(labels, classes);
    });
    const mean = scores.reduce((sum, score) => sum + score) / scores.length;
    expect(mean).toBeGreaterThan(least);
    expect(mean).toBeGreaterThan(plain);
  });
});
