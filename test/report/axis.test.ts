import { expect, test } from "vitest";
import { linearAxis } from "../../src/report/axis.ts";

test("an axis over values that differ by rounding alone ends", () => {
  for (const value of [3.2964984851863957, -1e12, 7e-300]) {
    const axis = linearAxis(value, value + Math.abs(value) * 2 ** -52, 0, 100);
    expect(axis.ticks.length).toBeGreaterThan(0);
    expect(axis.ticks.length).toBeLessThan(20);
    expect(axis.at(value)).toBeGreaterThanOrEqual(0);
    expect(axis.at(value)).toBeLessThanOrEqual(100);
  }
});

test("an axis has a handful of ticks for any range", () => {
  for (const [low, high] of [
    [0, 0],
    [-5, 5],
    [0, 1e-300],
    [1, 1 + 1e-8],
    [-1e200, 1e200],
  ]) {
    const { ticks, at } = linearAxis(low, high, 0, 100);
    expect(ticks.length).toBeGreaterThan(1);
    expect(ticks.length).toBeLessThan(20);
    for (const tick of ticks) expect(at(tick)).toBeCloseTo(Math.min(100, Math.max(0, at(tick))), 6);
  }
});
