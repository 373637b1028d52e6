import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";

const draw = (count: number, next: () => number): number[] => Array.from({ length: count }, () => next());

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

describe("the stream", () => {
  test("depends on the seed alone", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (seed) => {
        expect(draw(5, random(seed).uniform)).toEqual(draw(5, random(seed).uniform));
      }),
    );
  });

  // A change of these values changes every seeded result that somebody has written down.
  test("is fixed", () => {
    expect(draw(3, random(1).uniform)).toEqual([
      0.09156953175513294, 0.8881928137485323, 0.43427017709149285,
    ]);
    expect(draw(2, random(2 ** 40 + 7).uniform)).toEqual([0.7810269546058386, 0.488447027190403]);
  });

  test("differs between neighbouring seeds, negative seeds and seeds beyond 2^32", () => {
    const seeds = [0, 1, 2, 3, -1, -2, 2 ** 32, 2 ** 32 + 1, 2 ** 33, Number.MAX_SAFE_INTEGER];
    expect(new Set(seeds.map((seed) => draw(4, random(seed).uniform).join())).size).toBe(seeds.length);
  });

  test("split gives a stream of its own, repeatably", () => {
    const one = random(5);
    const child = one.split();
    const again = random(5).split();
    const values = draw(1000, child.uniform);
    expect(draw(1000, again.uniform)).toEqual(values);
    const parent = draw(1000, one.uniform);
    expect(values.filter((value) => parent.includes(value))).toEqual([]);
    expect(Math.abs(correlation(values, parent))).toBeLessThan(0.1);
  });
});

describe("distributions", () => {
  test("uniform fills [0, 1) evenly", () => {
    const values = draw(100_000, random(11).uniform);
    const bins = Array.from({ length: 20 }, () => 0);
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
    for (const value of values) bins[Math.floor(value * 20)]++;
    // chi-squared with 19 degrees of freedom: 43.8 is its 0.999 quantile
    const chi = bins.reduce((sum, count) => sum + (count - 5000) ** 2 / 5000, 0);
    expect(chi).toBeLessThan(43.8);
  });

  test("normal has mean 0, variance 1, no skew and kurtosis 3", () => {
    const values = draw(100_000, random(12).normal);
    expect(values.every(Number.isFinite)).toBe(true);
    expect(Math.abs(mean(values))).toBeLessThan(0.015);
    expect(Math.abs(mean(values.map((value) => value ** 2)) - 1)).toBeLessThan(0.02);
    expect(Math.abs(mean(values.map((value) => value ** 3)))).toBeLessThan(0.05);
    expect(Math.abs(mean(values.map((value) => value ** 4)) - 3)).toBeLessThan(0.15);
  });

  test("integer reaches every value below its bound and none beyond", () => {
    const { integer } = random(13);
    const counts = Array.from({ length: 7 }, () => 0);
    for (let i = 0; i < 7000; i++) counts[integer(7)]++;
    expect(counts.length).toBe(7);
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
    expect(integer(1)).toBe(0);
  });
});

describe("choices", () => {
  test("shuffle permutes in place", () => {
    fc.assert(
      fc.property(fc.integer(), fc.array(fc.integer()), (seed, values) => {
        const shuffled = [...values];
        expect(random(seed).shuffle(shuffled)).toBe(shuffled);
        expect(shuffled.toSorted((a, b) => a - b)).toEqual(values.toSorted((a, b) => a - b));
      }),
    );
  });

  test("shuffle reaches every order equally often", () => {
    const { shuffle } = random(14);
    const counts = new Map<string, number>();
    for (let i = 0; i < 6000; i++) {
      const order = shuffle([0, 1, 2]).join("");
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect(counts.size).toBe(6);
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });

  test("sample gives distinct integers within range", () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 0, max: 60 }),
        (seed, a, b) => {
          const [count, below] = [Math.min(a, b), Math.max(a, b)];
          const chosen = random(seed).sample(count, below);
          expect(chosen.length).toBe(count);
          expect(new Set(chosen).size).toBe(count);
          expect([...chosen].every((value) => value >= 0 && value < below)).toBe(true);
        },
      ),
    );
  });

  test("sample of everything is a permutation, also where a full list would not fit in memory", () => {
    expect([...random(15).sample(9, 9)].toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(new Set(random(16).sample(5, 2 ** 31 - 1)).size).toBe(5);
  });
});

function correlation(x: number[], y: number[]): number {
  const mx = mean(x);
  const my = mean(y);
  const covariance = mean(x.map((value, i) => (value - mx) * (y[i] - my)));
  const spread = (values: number[], m: number): number =>
    Math.sqrt(mean(values.map((value) => (value - m) ** 2)));
  return covariance / (spread(x, mx) * spread(y, my));
}
