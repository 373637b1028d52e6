import { describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { factors } from "../../src/judge/factors.ts";
import { likeliestPower, power } from "../../src/judge/powerTransform.ts";
import { matrix, multiplyTransposeB } from "../../src/matrix/index.ts";

describe("the power transform", () => {
  test.each([-2, 0, 0.5, 1, 2, 3.7])("at %s rises, and is smooth at 0", (a) => {
    let before = -Infinity;
    for (let t = -4; t <= 4; t += 0.25) {
      const y = power(t, a);
      expect(y).toBeGreaterThan(before);
      before = y;
    }
    expect((power(1e-6, a) - power(-1e-6, a)) / 2e-6).toBeCloseTo(1, 5);
  });

  test("is the definition", () => {
    expect(power(3, 0.5)).toBeCloseTo(2, 12);
    expect(power(3, 0)).toBeCloseTo(Math.log(4), 12);
    expect(power(-3, 2)).toBeCloseTo(-Math.log(4), 12);
    expect(power(-3, 1.5)).toBeCloseTo(-2, 12);
  });

  test("the likeliest power undoes a power", () => {
    const g = random(1);
    const inverse = (y: number, a: number): number => {
      let [low, high] = [-1e6, 1e6];
      for (let step = 0; step < 100; step++) {
        const middle = (low + high) / 2;
        if (power(middle, a) < y) low = middle;
        else high = middle;
      }
      return low;
    };
    for (const a of [-0.5, 0, 1, 2.5]) {
      const t = Float64Array.from({ length: 4000 }, () => inverse(0.3 * g.normal(), a)).sort();
      expect(Math.abs(likeliestPower(t) - a)).toBeLessThan(0.35);
    }
  });
});

describe("factors", () => {
  const g = random(4);
  const n = 300;
  const make = (common: number, d: number): ReturnType<typeof matrix> => {
    const X = matrix(n, d);
    for (let i = 0; i < n; i++) {
      const z = Array.from({ length: common }, () => g.normal());
      for (let f = 0; f < d; f++) X.data[i * d + f] = (common > 0 ? z[f % common] : 0) + 0.7 * g.normal();
    }
    return X;
  };
  const all = Int32Array.from({ length: n }, (_, i) => i);
  const groups = (d: number): string[] => Array.from({ length: d }, (_, f) => `c${f}`);

  test("are as many as the table has, and two without any", () => {
    expect(factors(make(4, 16), groups(16), all)!.rows).toBe(4);
    expect(factors(make(0, 16), groups(16), all)!.rows).toBe(2);
    expect(factors(make(2, 2), groups(2), all)).toBeUndefined();
  });

  test("the features of one column are permuted together: their own relations are no factor", () => {
    const X = make(3, 12);
    expect(
      factors(
        X,
        Array.from({ length: 12 }, () => "one"),
        all,
      )!.rows,
    ).toBe(2);
    const V = factors(X, groups(12), all)!;
    const products = multiplyTransposeB(V, V);
    products.data.forEach((value, p) => expect(value).toBeCloseTo(p % (V.rows + 1) === 0 ? 1 : 0, 8));
  });
});
