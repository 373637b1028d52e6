import { existsSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { random } from "../../../src/core/random.ts";
import { namedData, samplePairs, scale, type Constraints, type Pair } from "../../../src/data/index.ts";
import { fromRows, matrix, toSparse, type Matrix } from "../../../src/matrix/index.ts";
import { bregman, loadBregman, type BregmanFunction } from "../../../src/metric/index.ts";
import { lbfgs } from "../../../src/optimize/index.ts";
import { shared } from "../../../bench/shared.mjs";

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

const H: Record<string, { value: (z: number) => number; slope: (z: number) => number }> = {
  exp: { value: (z) => Math.exp(z) - 1, slope: Math.exp },
  square: { value: (z) => (z * z) / 2, slope: (z) => z },
  "4": { value: (z) => z ** 4, slope: (z) => 4 * z ** 3 },
  shifted4: { value: (z) => Math.abs(z + 1) ** 4 - 1, slope: (z) => 4 * (z + 1) ** 3 },
};

/** K with mean diagonal 1, the z of the pairs with mean 1 and their signs, over all points of the pairs. */
function terms(
  X: Matrix,
  { mustLink, cannotLink }: Constraints,
  h: BregmanFunction,
): { K: number[][]; Z: number[][]; y: number[] } {
  const d = X.cols;
  const { value, slope } = H[String(h)];
  const pairs = [...mustLink, ...cannotLink];
  const used = [...new Set(pairs.flat())].sort((a, b) => a - b);
  const m = used.length;
  let norm = 0;
  for (const cell of X.data) norm += cell ** 2 / X.rows;
  const inner = (i: number, k: number): number => {
    let sum = 0;
    for (let f = 0; f < d; f++) sum += X.data[i * d + f] * X.data[k * d + f];
    return sum / norm / 4;
  };
  const K = used.map((i) => used.map((k) => value(inner(i, k))));
  const diagonal = K.reduce((sum, row, i) => sum + row[i] / m, 0);
  const Z = pairs.map(([i, j]) =>
    used.map((k) => (slope(inner(i, k)) - slope(inner(j, k))) * (inner(i, k) - inner(j, k))),
  );
  const mean = Z.flat().reduce((sum, z) => sum + z, 0) / (pairs.length * m);
  return {
    K: K.map((row) => row.map((value) => value / diagonal)),
    Z: Z.map((row) => row.map((value) => value / mean)),
    y: pairs.map((_, p) => (p < mustLink.length ? 1 : -1)),
  };
}

/** The minimum of the problem as it is written, by bounded L-BFGS. */
function reference(X: Matrix, given: Constraints, h: BregmanFunction, C: number): number {
  const { K, Z, y } = terms(X, given, h);
  const m = K.length;
  const { value: least } = lbfgs(
    (x, gradient) => {
      gradient.fill(0);
      let f = 0;
      for (let i = 0; i < m; i++) {
        for (let k = 0; k < m; k++) gradient[i] += K[i][k] * x[k];
        f += (x[i] * gradient[i]) / 2;
      }
      for (let p = 0; p < y.length; p++) {
        let distance = 0;
        for (let k = 0; k < m; k++) distance += Z[p][k] * x[k];
        const slack = Math.max(0, 1 - y[p] * (x[m] - distance));
        f += C * slack ** 2;
        for (let k = 0; k < m; k++) gradient[k] += 2 * C * slack * y[p] * Z[p][k];
        gradient[m] -= 2 * C * slack * y[p];
      }
      return f;
    },
    new Float64Array(m + 1),
    { lower: 0, maxIterations: 5000, tolerance: 1e-9 },
  );
  return least;
}

/**
 * Algorithm 1 of Wu et al. (2009) with the plain hinge, the sign put right and steps C / sqrt(t) in place of C / t, along the
 * unit subgradient. Returns the least value that it has seen.
 */
function algorithm1(X: Matrix, given: Constraints, h: BregmanFunction, C: number): number {
  const { K, Z, y } = terms(X, given, h);
  const m = K.length;
  const x = new Float64Array(m + 1);
  let least = Infinity;
  for (let t = 1; t <= 10_000; t++) {
    const slope = new Float64Array(m + 1);
    let value = 0;
    for (let i = 0; i < m; i++) {
      for (let k = 0; k < m; k++) slope[i] += K[i][k] * x[k];
      value += (x[i] * slope[i]) / 2;
    }
    for (let p = 0; p < y.length; p++) {
      let distance = 0;
      for (let k = 0; k < m; k++) distance += Z[p][k] * x[k];
      const slack = 1 - y[p] * (x[m] - distance);
      if (slack <= 0) continue;
      value += C * slack;
      for (let k = 0; k < m; k++) slope[k] += C * y[p] * Z[p][k];
      slope[m] -= C * y[p];
    }
    least = Math.min(least, value);
    const size = Math.hypot(...slope);
    for (let k = 0; k <= m; k++) x[k] = Math.max(0, x[k] - slope[k] / (size * Math.sqrt(t)));
  }
  return least;
}

describe("the plain hinge", () => {
  test.each([
    ["exp", 1],
    ["exp", 0.01],
    ["square", 1],
    ["shifted4", 1],
    [4, 0.1],
  ] as const)(
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
      fc.property(
        fc.integer({ min: 0, max: 1e6 }),
        fc.constantFrom<BregmanFunction>("exp", "square", 2, 4, "shifted2", "shifted6"),
        fc.constantFrom(1e-3, 1, 1e3),
        (seed, h, cost) => {
          const { X, y } = cloud(12, 2, seed);
          X.data.copyWithin(0, 8, 10);
          const pairs = samplePairs(y, { mustLink: 6, cannotLink: 6, seed });
          const fit = bregman(X, { ...pairs, function: h, cost, loss: "hinge" });
          expect(fit.certificate.residual).toBeLessThanOrEqual(1e-6);
          expect(fit.weights.every((weight) => weight > 0 && weight < Infinity)).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("pairs that can be separated, many columns", () => {
    const { X, y } = cloud(300, 120, 5);
    const fit = bregman(X, { ...samplePairs(y, { mustLink: 75, cannotLink: 75, seed: 2 }), loss: "hinge" });
    expect(fit.converged).toBe(true);
    expect(fit.iterations).toBeLessThan(60);
    expect(fit.weights.length).toBeLessThan(200);
  });
});

describe("the learned distance", () => {
  test.each([
    ["exp", 1],
    ["exp", 0.01],
    ["square", 1],
    ["shifted4", 1],
    [4, 0.1],
  ] as const)("h = %s, C = %s reaches the minimum that another solver finds, and proves it", (h, cost) => {
    const { X, y } = cloud(40, 3, 5);
    const pairs = samplePairs(y, { mustLink: 30, cannotLink: 30, seed: 2 });
    const fit = bregman(X, { ...pairs, function: h, cost });
    expect(fit.converged).toBe(true);
    expect(fit.certificate.residual).toBeLessThanOrEqual(1e-8);
    const least = reference(X, pairs, h, cost);
    expect(Math.abs(fit.objective! - least)).toBeLessThan(1e-6 * least);
    expect(fit.objective!).toBeLessThan(least * (1 + 1e-9));
  });

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
      fc.property(
        fc.integer({ min: 0, max: 1e6 }),
        fc.constantFrom<BregmanFunction>("exp", "square", 2, 4, "shifted2", "shifted6"),
        fc.constantFrom(1e-3, 1, 1e3),
        (seed, h, cost) => {
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
        },
      ),
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
