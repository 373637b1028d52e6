import { existsSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { random } from "../../../src/core/random.ts";
import { namedData, samplePairs, scale, type Constraints, type Pair } from "../../../src/data/index.ts";
import { fromRows, matrix, toSparse, type Matrix } from "../../../src/matrix/index.ts";
import { bregman, loadBregman, type BregmanFunction } from "../../../src/metric/index.ts";
import { shared } from "../../../bench/shared.mjs";
import { algorithm1, literal1, reference } from "./bregmanReference.ts";

const folder = shared("datasets");

function cloud(n: number, d: number, seed: number): { X: Matrix; y: number[] } {
  const stream = random(seed);
  const X = matrix(n, d);
  const y = Array.from({ length: n }, (_, i) => i % 2);
  for (let i = 0; i < n; i++) {
    for (let f = 0; f < d; f++) X.data[i * d + f] = stream.normal() + (f === 0 ? 2 * y[i] : 0);
  }
  return { X: scale(X).X, y };
}

/** Seed, h and cost. */
const SMALL_PROBLEMS = [
  fc.integer({ min: 0, max: 1e6 }),
  fc.constantFrom<BregmanFunction>("exp", "square", 2, 4, "shifted2", "shifted6"),
  fc.constantFrom(1e-3, 1, 1e3),
] as const;

const FUNCTIONS_AND_COSTS = [
  ["exp", 1],
  ["exp", 0.01],
  ["square", 1],
  ["shifted4", 1],
  [4, 0.1],
] as const;

describe("the plain hinge", () => {
  test.each(FUNCTIONS_AND_COSTS)(
    "h = %s, C = %s: Algorithm 1 comes near to the minimum that is proved, and not below",
    (h, cost) => {
      const { X, y } = cloud(40, 3, 5);
      const pairs = samplePairs(y, { mustLink: 30, cannotLink: 30, seed: 2 });
      const fit = bregman(X, { ...pairs, function: h, cost, loss: "hinge" });
      expect(fit.certificate.residual).toBeLessThanOrEqual(1e-8);
      expect(fit.converged).toBe(true);
      const near = algorithm1(X, pairs, h, cost);
      expect(fit.objective!).toBeLessThanOrEqual(near * (1 + 1e-8));
      expect(near).toBeLessThan(fit.objective! * 1.06);
      expect(bregman(X, { ...pairs, function: h, cost }).objective).not.toBe(fit.objective);
    },
  );

  test("random small problems are certified", () => {
    fc.assert(
      fc.property(...SMALL_PROBLEMS, (seed, h, cost) => {
        const { X, y } = cloud(12, 2, seed);
        X.data.copyWithin(0, 8, 10);
        const pairs = samplePairs(y, { mustLink: 6, cannotLink: 6, seed });
        const fit = bregman(X, { ...pairs, function: h, cost, loss: "hinge" });
        expect(fit.certificate.residual).toBeLessThanOrEqual(1e-6);
        expect(fit.weights.every((weight) => weight > 0 && weight < Infinity)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test("a fit that ends early says how far above the minimum it is at most", () => {
    const { X, y } = cloud(40, 3, 5);
    const pairs = samplePairs(y, { mustLink: 30, cannotLink: 30, seed: 2 });
    const least = bregman(X, { ...pairs, loss: "hinge" }).objective!;
    for (const maxIterations of [1, 3, 6]) {
      const fit = bregman(X, { ...pairs, loss: "hinge", maxIterations });
      expect(fit.objective!).toBeGreaterThan(least * (1 + 1e-6));
      const above = (fit.objective! - least) / Math.max(1, fit.objective!);
      expect(fit.certificate.residual).toBeGreaterThanOrEqual(above * (1 - 1e-6));
      expect(fit.converged).toBe(false);
    }
  });

  test("pairs that can be separated, many columns", () => {
    const { X, y } = cloud(300, 120, 5);
    const fit = bregman(X, { ...samplePairs(y, { mustLink: 75, cannotLink: 75, seed: 2 }), loss: "hinge" });
    expect(fit.converged).toBe(true);
    expect(fit.iterations).toBeLessThan(60);
    expect(fit.weights.length).toBeLessThan(200);
  });
});

describe("as printed", () => {
  test.each([1, 0.1])("Algorithm 1 to the letter, C = %d, and what it does", (cost) => {
    const { X, y } = cloud(30, 3, 4);
    const pairs = samplePairs(y, { mustLink: 20, cannotLink: 20, seed: 1 });
    const steps = 60;
    const text = literal1(X, pairs, "square", cost, steps);
    const fit = bregman(X, {
      ...pairs,
      function: "square",
      cost,
      variant: "printed",
      maxIterations: steps,
      tolerance: 1e-300,
    });
    expect(fit.iterations).toBe(steps);
    expect(fit.objective! / text.objective).toBeCloseTo(1, 8);
    expect(fit.threshold).toBeCloseTo(text.b, 8);
    const kept = text.alpha.filter((value) => value > 0);
    expect(fit.weights).toHaveLength(kept.length);
    fit.weights.forEach((value, k) => expect(value / kept[k]).toBeCloseTo(1, 6));
    expect(fit.warnings.join("\n")).toMatch(
      /as printed: the objective is .* after 60 steps of C \/ t, .* before the first/,
    );
    expect(bregman(X, { ...pairs, function: "square", cost }).warnings).toEqual([]);
  });

  test("steps that leave the number range are undone, and the loss pushes must-links apart", () => {
    const { X, y } = cloud(30, 3, 4);
    const pairs = samplePairs(y, { mustLink: 20, cannotLink: 20, seed: 1 });
    const fit = bregman(X, { ...pairs, variant: "printed", cost: 1e9, rowScale: 1, maxIterations: 200 });
    expect(Number.isFinite(fit.objective)).toBe(true);
    expect(fit.converged).toBe(false);
    const apart = bregman(X, {
      ...pairs,
      function: "square",
      variant: "printed",
      cost: 0.01,
      maxIterations: 300,
    });
    const distances = apart.pairDistances(X, [...pairs.mustLink, ...pairs.cannotLink]);
    const mean = (values: Float64Array): number =>
      values.reduce((sum, value) => sum + value, 0) / values.length;
    const pushed = mean(distances.subarray(0, 20)) >= mean(distances.subarray(20));
    expect(/pushes must-links apart/.test(apart.warnings.join("\n"))).toBe(pushed);
  });
});

describe("the learned distance", () => {
  test.each(FUNCTIONS_AND_COSTS)(
    "h = %s, C = %s reaches the minimum that another solver finds, and proves it",
    (h, cost) => {
      const { X, y } = cloud(40, 3, 5);
      const pairs = samplePairs(y, { mustLink: 30, cannotLink: 30, seed: 2 });
      const fit = bregman(X, { ...pairs, function: h, cost });
      expect(fit.converged).toBe(true);
      expect(fit.certificate.residual).toBeLessThanOrEqual(1e-8);
      const least = reference(X, pairs, h, cost);
      expect(Math.abs(fit.objective! - least)).toBeLessThan(1e-6 * least);
      expect(fit.objective!).toBeLessThan(least * (1 + 1e-9));
    },
  );

  test.each(["exp", "square", 4, "shifted4"] as const)(
    "h = %s: pairs that can be separated, many columns: the interior point is needed, the minimum proved",
    (h) => {
      const { X, y } = cloud(300, 120, 5);
      const pairs = samplePairs(y, { mustLink: 75, cannotLink: 75, seed: 2 });
      const fit = bregman(X, { ...pairs, function: h });
      expect(fit.objective!).toBeLessThan(5);
      expect(fit.certificate.residual).toBeLessThanOrEqual(1e-8);
      expect(fit.converged).toBe(true);
      expect(fit.iterations).toBeLessThan(300);
    },
  );

  test("must-links come nearer than cannot-links, and b lies between", () => {
    const { X, y } = cloud(60, 3, 1);
    const pairs = samplePairs(y, { mustLink: 60, cannotLink: 60, seed: 3 });
    const fit = bregman(X, pairs);
    const mean = (list: readonly Pair[]): number =>
      fit.pairDistances(X, list).reduce((sum, d) => sum + d, 0) / list.length;
    expect(mean(pairs.mustLink)).toBeLessThan(fit.threshold);
    expect(mean(pairs.cannotLink)).toBeGreaterThan(fit.threshold);
  });

  test("random small problems: certified, finite, never negative, symmetric", () => {
    fc.assert(
      fc.property(...SMALL_PROBLEMS, (seed, h, cost) => {
        const { X, y } = cloud(12, 2, seed);
        // Equal rows are ordinary data.
        X.data.copyWithin(0, 8, 10);
        const fit = bregman(X, {
          ...samplePairs(y, { mustLink: 6, cannotLink: 6, seed }),
          function: h,
          cost,
        });
        expect(fit.certificate.residual).toBeLessThanOrEqual(1e-6);
        expect(fit.weights.every((weight) => weight > 0 && weight < Infinity)).toBe(true);
        const a = X.data.subarray(0, 2);
        const b = X.data.subarray(4, 6);
        expect(fit.distance(a, b)).toBeGreaterThanOrEqual(0);
        expect(fit.divergence(a, b)).toBeGreaterThanOrEqual(0);
        expect(fit.distance(a, a)).toBe(0);
        expect(fit.distance(b, a)).toBeCloseTo(fit.distance(a, b), 12);
        const sum = fit.divergence(a, b) + fit.divergence(b, a);
        expect(Math.abs(sum - fit.distance(a, b))).toBeLessThanOrEqual(1e-9 * Math.max(1, sum));
      }),
      { numRuns: 60 },
    );
  });

  test("z^2 / 2 is the Mahalanobis metric sum_k w_k x_k x_k'", () => {
    const { X, y } = cloud(30, 3, 8);
    const fit = bregman(X, { ...samplePairs(y, { mustLink: 20, cannotLink: 20 }), function: "square" });
    const { points, weights, rowScale } = fit;
    const P = (points as Matrix).data;
    const step = [0.3, -1, 2];
    let expected = 0;
    weights.forEach((weight, k) => {
      const inner = step.reduce((sum, s, f) => sum + s * rowScale * P[k * 3 + f], 0);
      expected += weight * inner ** 2;
    });
    const from = [1, 1, -4];
    const to = from.map((value, f) => value + step[f]);
    expect(fit.distance(from, to)).toBeCloseTo(expected, 10);
  });

  test("rowScale takes up the units of the data; z-scored columns get 1 / (2 sqrt(d))", () => {
    const { X, y } = cloud(30, 4, 8);
    const pairs = samplePairs(y, { mustLink: 20, cannotLink: 20 });
    const fit = bregman(X, pairs);
    expect(fit.rowScale).toBeCloseTo(0.25, 12);
    const large = { ...X, data: X.data.map((value) => 1e6 * value) };
    const again = bregman(large, pairs);
    const list: Pair[] = [
      [0, 1],
      [2, 5],
    ];
    again.pairDistances(large, list).forEach((d, p) => {
      expect(d).toBeCloseTo(fit.pairDistances(X, list)[p], 6);
    });
  });

  test("sparse rows give what dense rows give, and JSON keeps the distance", () => {
    const { X, y } = cloud(30, 5, 4);
    for (let p = 0; p < X.data.length; p += 3) X.data[p] = 0;
    const S = toSparse(X);
    const pairs = samplePairs(y, { mustLink: 20, cannotLink: 20 });
    const dense = bregman(X, pairs);
    const list: Pair[] = [
      [0, 1],
      [7, 20],
    ];
    const expected = dense.pairDistances(X, list);
    const fromSparse = bregman(S, pairs);
    for (const model of [fromSparse, loadBregman(JSON.parse(JSON.stringify(fromSparse)))]) {
      for (const rows of [X, S]) {
        model.pairDistances(rows, list).forEach((d, p) => expect(d).toBeCloseTo(expected[p], 9));
      }
    }
    const loaded = loadBregman(JSON.parse(JSON.stringify(dense)));
    expect(loaded.pairDistances(X, list)).toEqual(expected);
    expect(loaded.same(X.data.subarray(0, 5), X.data.subarray(0, 5))).toBe(true);
  });

  test("more points than `basis`: drawn, said, still certified", () => {
    const { X, y } = cloud(60, 3, 1);
    const pairs = samplePairs(y, { mustLink: 60, cannotLink: 60 });
    const fit = bregman(X, { ...pairs, basis: 10, seed: 4 });
    expect(fit.warnings[0]).toMatch(/10 of the \d+ points/);
    expect(fit.certificate.residual).toBeLessThanOrEqual(1e-6);
    expect(fit.points.rows).toBeLessThanOrEqual(10);
  });
});

test("z^8 in many columns: sets on which descent alone is enough do not end the search", () => {
  const stream = random(650);
  const n = 500;
  const d = 150;
  const X = matrix(n, d);
  for (let p = 0; p < X.data.length; p++) X.data[p] = stream.normal();
  const order = stream.shuffle(Int32Array.from({ length: n }, (_, i) => i));
  const pairs: Pair[] = Array.from({ length: n / 2 }, (_, p) => [order[2 * p], order[2 * p + 1]]);
  const fit = bregman(X, { mustLink: pairs.slice(0, 60), cannotLink: pairs.slice(60), function: 8 });
  expect(fit.certificate.residual).toBeLessThan(1e-6);
  // Separable: hardly any loss is left, and at w = 0 it is 1 for each of the 60 must-links or more.
  expect(fit.objective).toBeLessThan(1);
});

describe("bad input", () => {
  const X = fromRows([
    [0, 1],
    [1, 0],
    [2, 2],
  ]);
  const pairs: Constraints = { mustLink: [[0, 1]], cannotLink: [[0, 2]] };
  test.each<[string, () => unknown, RegExp]>([
    ["a pair with itself", () => bregman(X, { ...pairs, mustLink: [[1, 1]] }), /joins a row with itself/],
    ["no such row", () => bregman(X, { ...pairs, mustLink: [[1, 3]] }), /there is no row 3/],
    ["a contradiction", () => bregman(X, { ...pairs, cannotLink: [[1, 0]] }), /contradict.*0 = 1/],
    ["no cannot-links", () => bregman(X, { ...pairs, cannotLink: [] }), /at least one of each/],
    ["an odd power", () => bregman(X, { ...pairs, function: 3 }), /one of "exp"/],
    [
      "rows that exp cannot take",
      () => bregman(X, { ...pairs, rowScale: 20 }),
      /row 0 is too long|row 2 is too long/,
    ],
    [
      "pairs of equal rows",
      () => bregman(fromRows([[1], [1], [1]]), pairs),
      /two rows of every pair are equal/,
    ],
    ["zeros", () => bregman(matrix(3, 2), pairs), /every value is 0/],
    ["NaN", () => bregman(fromRows([[1], [Number.NaN], [1]]), pairs), /row 1, column 0/],
    ["other columns", () => bregman(X, pairs).distance([1], [2]), /learned on 2 columns/],
    ["a far row", () => bregman(X, pairs).distance([1e9, 0], [2, 0]), /row 0 is too far out/],
  ])("%s", (_, act, message) => {
    expect(act).toThrow(message);
  });
});

/** How often a cannot-link pair is farther than a must-link pair. */
function auc(distances: Float64Array, apart: readonly boolean[]): number {
  const order = Array.from(distances.keys()).sort((a, b) => distances[a] - distances[b]);
  let ranks = 0;
  let count = 0;
  order.forEach((p, rank) => {
    if (!apart[p]) return;
    ranks += rank;
    count++;
  });
  return (ranks - (count * (count - 1)) / 2) / (count * (order.length - count));
}

// Wu et al. use these sets; they are not part of the package.
describe.skipIf(!existsSync(folder))("500 + 500 pairs, 5000 random pairs to judge, the defaults", () => {
  test.each([
    ["ionosphere", 0.79, 10],
    ["diabetes", 0.65, 10],
    ["breast-cancer-wisconsin", 0.97, 3],
  ] as const)("%s: AUC at least %s over %s draws", async (name, least, draws) => {
    const table = await namedData(name, { folder });
    const y = table.label!.values;
    const { X } = scale(table.X as Matrix);
    const seeds = Array.from({ length: draws }, (_, seed) => seed);
    let mean = 0;
    for (const seed of seeds) {
      const fit = bregman(X, samplePairs(y, { mustLink: 500, cannotLink: 500, seed }));
      expect(fit.certificate.residual).toBeLessThanOrEqual(1e-6);
      const stream = random(100 + seed);
      const judges = Array.from({ length: 5000 }, (): Pair => {
        const [i, j] = stream.sample(2, X.rows);
        return [i, j];
      });
      const apart = judges.map(([i, j]) => y[i] !== y[j]);
      mean += auc(fit.pairDistances(X, judges), apart) / seeds.length;
    }
    expect(mean).toBeGreaterThanOrEqual(least);
  });
});
