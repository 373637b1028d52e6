import { describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { grain, grainIn } from "../../src/hints/grain.ts";
import { learnFromHints } from "../../src/hints/index.ts";
import { identity, matrix } from "../../src/matrix/index.ts";
import { adjustedRand } from "../../src/score/index.ts";

describe("grain", () => {
  test("levels have the variance of an interval, measurements nearly none, constants none", () => {
    const stream = random(1);
    const n = 300;
    const X = matrix(n, 5);
    for (let i = 0; i < n; i++) {
      X.data.set(
        [stream.integer(2), 0.5 * stream.integer(4), stream.normal(), 7, i < 3 ? 0.4 : 3 * stream.integer(2)],
        i * 5,
      );
    }
    const found = grain(X);
    expect(found[0]).toBeCloseTo(1 / 12, 12);
    expect(found[1]).toBeCloseTo(0.25 / 12, 12);
    expect(found[2]).toBeLessThan(1e-4);
    expect(found[3]).toBe(0);
    // A few cells that were filled in do not turn levels into measurements.
    expect(found[4]).toBeGreaterThan(0.01);
  });

  test("the error of X V is V' D V", () => {
    const variances = Float64Array.of(1, 2, 3);
    expect(grainIn(variances, identity(3)).data).toEqual(Float64Array.of(1, 0, 0, 0, 2, 0, 0, 0, 3));
    const V = matrix(3, 2, Float64Array.of(1, 0, 2, 1, 0, -1));
    expect(grainIn(variances, V).data).toEqual(Float64Array.of(9, 4, 4, 5));
  });

  test("levels that go with what is meant do not take its place", () => {
    const stream = random(5);
    const n = 150;
    const meant = Array.from({ length: n }, () => stream.integer(3));
    const X = matrix(n, 8);
    for (let i = 0; i < n; i++) {
      const place = stream.integer(3);
      const level = stream.uniform() < 0.65 ? meant[i] : stream.integer(3);
      for (let f = 0; f < 3; f++) X.data[i * 8 + f] = 3 * place + stream.normal();
      for (let f = 3; f < 5; f++) X.data[i * 8 + f] = 4 * meant[i] + stream.normal();
      for (let f = 5; f < 8; f++) X.data[i * 8 + f] = Number(level === f - 5);
    }
    const pairs = Array.from({ length: 24 }, () => {
      const a = stream.integer(n);
      const b = (a + 1 + stream.integer(n - 1)) % n;
      return { a, b, same: meant[a] === meant[b] };
    });
    const { labels, metric } = learnFromHints(X, { pairs }, { clusters: 3 });
    expect(adjustedRand(labels, meant)).toBeGreaterThan(0.85);
    const leading = [...metric.columns].sort((p, q) => q.after - p.after).slice(0, 2);
    expect(leading.map(({ column }) => column).sort()).toEqual([3, 4]);
  });
});
