import { describe, expect, it } from "vitest";
import fixtures from "../fixtures/scores.json" with { type: "json" };
import { compareMethods, studentTail, tTest, type TTest } from "../../src/score/index.ts";
import { incompleteBeta, logGamma } from "../../src/score/incompleteBeta.ts";

describe("incompleteBeta", () => {
  it("agrees with scipy", () => {
    for (const { a, b, x, value } of fixtures.incompleteBeta) {
      expect(Math.abs(incompleteBeta(a, b, x) - value)).toBeLessThanOrEqual(2e-12 * value + 1e-300);
    }
  });

  it("stands on a log Gamma that is right at factorials and at one half", () => {
    expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.PI) / 2, 14);
    expect(logGamma(1)).toBeCloseTo(0, 14);
    expect(logGamma(21)).toBeCloseTo(Math.log(2432902008176640000), 12);
  });
});

describe("tTest", () => {
  it("agrees with scipy, in t, p and degrees of freedom", () => {
    for (const { kind, a, b, t, p, degreesOfFreedom } of fixtures.tTests) {
      const test = tTest(a, b, { kind: kind as TTest["kind"] });
      expect(test.t).toBeCloseTo(t, 10);
      expect(Math.abs(test.p - p)).toBeLessThanOrEqual(1e-10 * p);
      expect(test.degreesOfFreedom).toBeCloseTo(degreesOfFreedom, 9);
    }
    for (const { t, df, p } of fixtures.tails)
      expect(Math.abs(studentTail(t, df) - p)).toBeLessThanOrEqual(1e-11 * p);
  });

  it("is defined when nothing varies", () => {
    expect(tTest([0.9, 0.9, 0.9], [0.9, 0.9, 0.9])).toMatchObject({ t: 0, p: 1 });
    expect(tTest([0.1, 0.1, 0.1], [0.3, 0.3, 0.3], { kind: "welch" })).toMatchObject({ t: -Infinity, p: 0 });
    expect(tTest([0.1, 0.1, 0.1], [0.3, 0.3, 0.3], { kind: "student" })).toMatchObject({
      p: 0,
      degreesOfFreedom: 4,
    });
    expect(tTest([1, 2, 3], [2, 3, 4])).toMatchObject({ t: -Infinity, p: 0, difference: -1 });
  });

  it("changes sign with the order of its arguments", () => {
    const { a, b } = fixtures.tTests[3];
    expect(tTest(a, b).t).toBeCloseTo(-tTest(b, a).t, 12);
    expect(tTest(a, b).p).toBe(tTest(b, a).p);
  });

  it("refuses samples that cannot be tested", () => {
    expect(() => tTest([1], [1])).toThrow("at least 2");
    expect(() => tTest([1, 2], [1, 2, 3])).toThrow("same length");
    expect(() => tTest([1, Number.NaN], [1, 2])).toThrow("position 1");
  });
});

describe("compareMethods", () => {
  const results = {
    good: [0.9, 0.91, 0.92, 0.9],
    same: [0.91, 0.9, 0.9, 0.92],
    bad: [0.5, 0.52, 0.49, 0.51],
  };

  it("gives 1 for a win, 0.5 for a tie and 0 for a loss", () => {
    const { points, table } = compareMethods(results);
    expect(Array.from(points)).toEqual([1.5, 1.5, 0]);
    expect(table[0]).toEqual([0, 0.5, 1]);
  });

  it("turns around for losses, and all points of a pair add to 1", () => {
    const { points } = compareMethods(results, { higherIsBetter: false, kind: "paired" });
    expect(Array.from(points)).toEqual([0.5, 0.5, 2]);
    expect(points.reduce((sum, value) => sum + value)).toBe(3);
  });

  it("needs two methods", () => {
    expect(() => compareMethods({ only: [1, 2] })).toThrow("at least 2 methods");
  });
});
