import { beforeAll, describe, expect, test } from "vitest";
import { kmeans } from "../../src/cluster/kmeans/kmeans.ts";
import { samplePairs } from "../../src/data/index.ts";
import { matrix, row, type Matrix } from "../../src/matrix/matrix.ts";
import { localMetric, mlca, onlineItml, onlineMlca, onlineRca, rca } from "../../src/metric/index.ts";
import { random } from "../../src/core/random.ts";
import { wine } from "./pairs/pairFixture.ts";

let X: Matrix;
let labels: readonly string[];

beforeAll(async () => {
  ({ X, labels } = await wine());
});

/** The largest difference, in parts of the largest entry of B. */
function off(A: Matrix, B: Matrix): number {
  const size = Math.max(...B.data.map(Math.abs));
  return Math.max(...A.data.map((value, p) => Math.abs(value - B.data[p]) / size));
}

describe("metrics that go on learning", () => {
  test.each([
    ["onlineMlca", onlineMlca, mlca],
    ["onlineRca", onlineRca, rca],
  ] as const)("%s is the fit to all rows so far", (_, online, fit) => {
    const state = online(13);
    expect(state.matrix()).toBeUndefined();
    expect(() => state.metric()).toThrow(/too few rows/);
    const order = random(3).sample(X.rows, X.rows);
    for (let t = 0; t < X.rows; t++) {
      state.add(row(X, order[t]), labels[order[t]]);
      if (t % 37 !== 36 && t !== X.rows - 1) {
        state.matrix(); // from here on by updates
        continue;
      }
      const seen = Array.from(order.subarray(0, t + 1));
      const rows = matrix(t + 1, 13, Float64Array.from(seen.flatMap((i) => [...row(X, i)])));
      const whole = fit(
        rows,
        seen.map((i) => labels[i]),
      );
      expect(off(state.matrix()!, whole.matrix)).toBeLessThan(1e-9);
      expect(state.count).toBe(t + 1);
    }
    expect(state.metric().distance(row(X, 0), row(X, 100))).toBeGreaterThan(0);
  });

  test("far from the origin and after thousands of updates nothing is lost", () => {
    const state = onlineMlca(2);
    const draw = random(1);
    const rows = matrix(5000, 2);
    const classes = Array.from({ length: 5000 }, (_, i) => i % 2);
    for (let i = 0; i < 5000; i++) {
      rows.data[2 * i] = 1e4 + draw.normal() + 2 * classes[i];
      rows.data[2 * i + 1] = -1e4 + 10 * draw.normal();
      state.add(row(rows, i), classes[i]);
      state.matrix();
    }
    expect(off(state.matrix()!, mlca(rows, classes).matrix)).toBeLessThan(1e-6);
  });

  test("onlineItml projects on the pair's bound, and repeated pairs come near to their bounds", () => {
    const pairs = samplePairs(labels, { mustLink: 20, cannotLink: 20, seed: 1 });
    const state = onlineItml(13, { bounds: [2, 30], gamma: 1e6 });
    const show = (): void => {
      for (const [i, j] of pairs.mustLink) state.add(row(X, i), row(X, j), true);
      for (const [i, j] of pairs.cannotLink) state.add(row(X, i), row(X, j), false);
    };
    show();
    const [i, j] = pairs.cannotLink.at(-1)!;
    expect(state.metric().distance(row(X, i), row(X, j)) ** 2).toBeGreaterThan(30 * (1 - 1e-5));
    const violation = (distance: (a: number, b: number) => number): number =>
      pairs.mustLink.reduce((sum, [a, b]) => sum + Math.max(0, distance(a, b) ** 2 / 2 - 1), 0) +
      pairs.cannotLink.reduce((sum, [a, b]) => sum + Math.max(0, 1 - distance(a, b) ** 2 / 30), 0);
    const euclid = violation((a, b) => Math.hypot(...row(X, a).map((value, f) => value - row(X, b)[f])));
    for (let round = 0; round < 200; round++) show();
    const metric = state.metric();
    const left = violation((a, b) => metric.distance(row(X, a), row(X, b)));
    expect(left).toBeLessThan(0.15 * euclid);
  });

  test("one projection of onlineItml is where bound and slack meet", () => {
    for (const [together, gamma] of [
      [true, 1],
      [true, 10],
      [false, 1],
    ] as const) {
      const state = onlineItml(2, { bounds: [1, 60], gamma });
      state.add([3, 4], [0, 0], together);
      const M = state.matrix()!;
      const square = 9 * M.data[0] + 24 * M.data[1] + 16 * M.data[3];
      // 1 / xi = 1 / bound - t / gamma and 1 / p = 1 / 25 + t at the same place.
      const bound = together ? 1 : 60;
      const t = (gamma / (gamma + 1)) * (1 / bound - 1 / 25);
      expect(square).toBeCloseTo(1 / (1 / 25 + t), 10);
      expect(square).toBeCloseTo(1 / (1 / bound - t / gamma), 10);
    }
  });

  test("refuses what is no row", () => {
    expect(() => onlineRca(3).add([1, 2], "a")).toThrow(/2 columns/);
    expect(() => onlineMlca(2).add([1, Number.NaN], "a")).toThrow(/column 1/);
    expect(() => onlineItml(2, { bounds: [0, 1] })).toThrow(/bounds/);
    expect(() => onlineRca(0)).toThrow(/whole number/);
  });
});

describe("a metric for each region", () => {
  /** Left, the first column tells the classes apart; right, the second. */
  function halves(seed: number): { rows: Matrix; classes: number[] } {
    const draw = random(seed);
    const rows = matrix(240, 3);
    const classes = Array.from({ length: 240 }, (_, i) => i % 2);
    for (let i = 0; i < 240; i++) {
      const right = i >= 120;
      const told = 3 * classes[i] + 0.5 * draw.normal();
      rows.data.set(
        [right ? 3 * draw.normal() : told, right ? told : 3 * draw.normal(), right ? 20 : 0],
        3 * i,
      );
    }
    return { rows, classes };
  }

  test("the weights are certified, and each region takes its own metric", () => {
    const { rows, classes } = halves(1);
    const regions = kmeans(rows, { clusters: 2 }).labels;
    const fit = localMetric(rows, classes, { regions });
    expect(fit.converged).toBe(true);
    expect(fit.certificate.residual).toBeLessThanOrEqual(1e-4);
    const C = fit.names.length;
    for (let r = 0; r < 2; r++) {
      const theta = Array.from(fit.weights.data.subarray(r * C, (r + 1) * C));
      expect(theta.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 12);
      expect(theta[fit.names.indexOf(`region ${r}`)]).toBeGreaterThan(0.5);
      expect(fit.objectives[r]).toBeLessThan(fit.globalObjectives[r]);
    }
    // Unseen rows: the nearest other row is of the same class.
    const { rows: fresh, classes: known } = halves(2);
    const right = (distance: (a: Float64Array, b: Float64Array) => number): number => {
      let hits = 0;
      for (let i = 0; i < 240; i++) {
        let [best, at] = [Infinity, -1];
        for (let j = 0; j < 240; j++) {
          const value = i === j ? Infinity : distance(row(fresh, i), row(fresh, j));
          if (value < best) [best, at] = [value, j];
        }
        hits += Number(known[at] === known[i]);
      }
      return hits / 240;
    };
    const global = mlca(rows, classes);
    const local = right((a, b) => fit.distance(a, b));
    expect(local).toBeGreaterThan(right((a, b) => global.distance(a, b)) + 0.05);
    expect(local).toBeGreaterThan(0.97);
  });

  test("names what is wrong", () => {
    const { rows, classes } = halves(3);
    const regions = Array.from({ length: 240 }, (_, i) => Number(i >= 120));
    expect(() => localMetric(rows, classes, { regions: [1] })).toThrow(/1 regions for 240 rows/);
    expect(() => localMetric(rows, classes, { regions: regions.map((r) => 2 * r) })).toThrow(
      /region 1 has no rows/,
    );
  });
});
