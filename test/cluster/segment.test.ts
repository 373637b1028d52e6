import { describe, expect, it } from "vitest";
import { segment } from "../../src/cluster/index.ts";
import { random } from "../../src/core/random.ts";
import { fromRows, matrix, type Matrix } from "../../src/matrix/matrix.ts";
import { lajugie } from "../../src/metric/moments/lajugie.ts";
import { mlca } from "../../src/metric/moments/mlca.ts";
import { deltaLoss } from "../../src/score/deltaLoss.ts";

function noise(n: number, d: number, seed: number): Matrix {
  const stream = random(seed);
  return matrix(
    n,
    d,
    Float64Array.from({ length: n * d }, () => stream.normal()),
  );
}

/** By trying all cuts, each cost summed afresh. */
function bySearch(X: Matrix, K: number, shortest: number): { cost: number; cuts: number[] } {
  const cost = (a: number, b: number): number => {
    let sum = 0;
    for (let f = 0; f < X.cols; f++) {
      const values = Array.from({ length: b - a }, (_, i) => X.data[(a + i) * X.cols + f]);
      const mean = values.reduce((total, value) => total + value, 0) / values.length;
      for (const value of values) sum += (value - mean) ** 2;
    }
    return sum;
  };
  let best = { cost: Infinity, cuts: [] as number[] };
  const extend = (cuts: number[], start: number, spent: number, left: number): void => {
    if (left === 1) {
      if (X.rows - start < shortest) return;
      const total = spent + cost(start, X.rows);
      if (total < best.cost) best = { cost: total, cuts };
      return;
    }
    for (let b = start + shortest; b < X.rows; b++) extend([...cuts, b], b, spent + cost(start, b), left - 1);
  };
  extend([], 0, 0, K);
  return best;
}

/** Phases follow each other; two columns tell them apart, three wander on their own and are larger. */
function series(seed: number): { X: Matrix; labels: Int32Array } {
  const stream = random(seed);
  const levels = [
    [0, 0],
    [2, 0],
    [0, 2],
    [2, 2],
  ];
  const order = [0, 1, 2, 3].map((phase) => ({ phase, at: stream.uniform() })).sort((a, b) => a.at - b.at);
  const rows: number[][] = [];
  const labels: number[] = [];
  const drift = [0, 0, 0];
  for (const { phase } of order) {
    const length = 25 + stream.integer(30);
    for (let i = 0; i < length; i++) {
      for (let f = 0; f < 3; f++) drift[f] += 1.5 * stream.normal();
      rows.push([...levels[phase].map((level) => level + 0.5 * stream.normal()), ...drift]);
      labels.push(phase);
    }
  }
  return { X: fromRows(rows), labels: Int32Array.from(labels) };
}

describe("segment", () => {
  it("has the cuts of a search through all of them", () => {
    for (let seed = 1; seed <= 12; seed++) {
      const X = noise(14, 1 + (seed % 3), seed);
      for (const K of [1, 2, 3, 4]) {
        const shortest = 1 + (seed % 2);
        const expected = bySearch(X, K, shortest);
        const found = segment(X, { clusters: K, shortest });
        expect(Array.from(found.cuts)).toEqual(expected.cuts);
        expect(found.objective).toBeCloseTo(expected.cost, 9);
        expect(found.sizes.reduce((sum, size) => sum + size, 0)).toBe(14);
      }
    }
  });

  it("with a penalty has the best of all numbers of segments", () => {
    for (let seed = 1; seed <= 8; seed++) {
      const X = noise(12, 2, seed);
      const penalty = 0.5 + seed / 2;
      const totals = Array.from({ length: 12 }, (_, k) => bySearch(X, k + 1, 1).cost + penalty * (k + 1));
      const found = segment(X, { penalty });
      expect(found.objective + penalty * found.clusters).toBeCloseTo(Math.min(...totals), 9);
    }
  });

  it("chooses as many segments as there are, one in noise, whatever the units and the origin", () => {
    for (let seed = 1; seed <= 10; seed++) {
      const X = noise(200, 3, seed);
      expect(segment(X).clusters).toBe(1);
      const jumps = matrix(
        200,
        3,
        X.data.map((value, p) => value + 3 * (Math.floor(p / 150) % 2)),
      );
      const found = segment(jumps);
      expect(found.clusters).toBe(4);
      for (const [k, cut] of [50, 100, 150].entries()) {
        expect(Math.abs(found.cuts[k] - cut)).toBeLessThanOrEqual(2);
      }
      const elsewhere = matrix(
        200,
        3,
        jumps.data.map((value) => 1000 * value - 7e4),
      );
      expect(segment(elsewhere).cuts).toEqual(found.cuts);
    }
  });

  it("cuts new series better under a metric that labelled series taught", () => {
    const known = [1, 2, 3, 4, 5].map(series);
    const X = fromRows(
      known.flatMap(({ X }) =>
        Array.from({ length: X.rows }, (_, i) => Array.from(X.data.subarray(5 * i, 5 * i + 5))),
      ),
    );
    const labels = known.flatMap((one) => Array.from(one.labels));
    const learned = [mlca(X, labels), lajugie(X, labels)];
    const losses = [0, 0, 0];
    for (let seed = 101; seed <= 110; seed++) {
      const { X: rows, labels: truth } = series(seed);
      [undefined, ...learned].forEach((metric, m) => {
        const { labels: found } = segment(rows, { clusters: 4, ...(metric && { metric }) });
        losses[m] += deltaLoss(found, truth) / 10;
      });
    }
    expect(losses[0]).toBeGreaterThan(1.5);
    expect(losses[1]).toBeLessThan(0.3);
    expect(losses[2]).toBeLessThan(0.3);
  });

  it("turns round with its rows, and refuses what cannot be", () => {
    const X = noise(60, 2, 5);
    const back = fromRows(
      Array.from({ length: 60 }, (_, i) => Array.from(X.data.subarray(2 * (59 - i), 2 * (60 - i)))),
    );
    const cuts = Array.from(segment(X, { clusters: 5 }).cuts);
    const reversed = Array.from(segment(back, { clusters: 5 }).cuts, (cut) => 60 - cut).reverse();
    expect(reversed).toEqual(cuts);
    const step = matrix(
      60,
      1,
      Float64Array.from({ length: 60 }, (_, i) => (i < 20 ? 1 : 4)),
    );
    expect(segment(step).cuts).toEqual(Int32Array.of(20));
    expect(segment(fromRows([[1]])).clusters).toBe(1);
    expect(segment(fromRows([[2], [2], [2], [2]])).clusters).toBe(1);
    expect(structuredClone(segment(X))).toEqual(segment(X));
    expect(() => segment(X, { clusters: 61 })).toThrow("too few for 61 segments");
    expect(() => segment(X, { shortest: 61 })).toThrow("60 rows are too few for a segment of 61 rows");
    expect(() => segment(X, { clusters: 2, penalty: 1 })).toThrow("chooses the number");
    expect(() => segment(fromRows([[1], [NaN]]))).toThrow("row 1");
  });
});
