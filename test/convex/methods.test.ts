import { describe, expect, test, vi } from "vitest";
import { cc, ccml, ccscml, rcc, scc, type ConvexOptions } from "../../src/recipes/index.ts";
import { random } from "../../src/core/random.ts";
import { edgeList } from "../../src/graph/index.ts";
import { fromRows, matrix, takeColumns, takeRows } from "../../src/matrix/index.ts";
import { adjustedRand, rand } from "../../src/score/index.ts";
import { FAMILY, gaussians } from "./gaussians.ts";

describe.each(FAMILY)("%s", (name, method) => {
  const { X, y } = gaussians(3, 30, 4, 11);
  const result = method(X, { clusters: 3 });

  test("finds three Gaussians, with every solve proven", () => {
    expect(rand(y, result.labels)).toBeGreaterThan(0.95);
    expect(result.method).toBe(name);
    expect(result.converged).toBe(true);
    for (const step of result.path.steps) expect(step.certificate.relativeGap).toBeLessThanOrEqual(1e-6);
    expect(result.certificate.relativeGap).toBeLessThanOrEqual(1e-6);
    expect(result.objective).toBe(result.certificate.primal);
  });

  test("makes as many clusters as were asked for, also where the rows do not fall into as many", () => {
    for (const clusters of [7, 13, 20]) {
      const many = method(X, { clusters });
      expect(many.sizes).toHaveLength(clusters);
      expect(many.sizes.includes(0)).toBe(false);
    }
  });

  test("says how it came about", () => {
    expect(result.sizes.reduce((a, b) => a + b, 0)).toBe(X.rows);
    expect(result.components.reduce((a, b) => a + b, 0)).toBe(X.rows);
    expect(result.coverage).toBeGreaterThan(0.3);
    expect(result.coverage).toBeLessThanOrEqual(1);
    expect(result.availableCounts.length).toBeGreaterThan(1);
    expect(result.candidates.some(({ labels }) => labels === result.labels)).toBe(true);
    expect(result.history.map((entry) => entry.gamma)).toContain(result.gamma);
    expect(result.metric.relevance.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 10);
    expect(result.metric.eigenvalues.every((value) => value >= -1e-9)).toBe(true);
    expect(result.centers.rows).toBe(3);
    expect(result.centers.cols).toBe(4);
  });

  test("predicts rows near a centre, and new rows of the same Gaussians", () => {
    expect(Array.from(result.predict(result.centers))).toEqual([0, 1, 2]);
    const fresh = gaussians(3, 30, 4, 12);
    expect(rand(fresh.y, result.predict(fresh.X))).toBeGreaterThan(0.93);
    expect(() => result.predict(matrix(2, 3))).toThrow(/3 columns, but the clusters have 4/);
  });

  test("is the same in other units where it scales, and for rows in another order", () => {
    const scaled = { clusters: 3, scale: "zscore" } as const;
    const units = matrix(
      X.rows,
      4,
      X.data.map((x, p) => [1000, 0.01, 1, 8][p % 4] * x + [5, 0, -1e3, 2][p % 4]),
    );
    expect(adjustedRand(method(X, scaled).labels, method(units, scaled).labels)).toBe(1);
    const order = random(3).shuffle(Int32Array.from({ length: X.rows }, (_, i) => i));
    const shuffled = method(takeRows(X, order), { clusters: 3 }).labels;
    expect(
      adjustedRand(
        Array.from(order, (i) => result.labels[i]),
        shuffled,
      ),
    ).toBe(1);
  });

  test("is the same for columns in another order", () => {
    const permuted = method(takeColumns(X, [2, 0, 3, 1]), { clusters: 3 });
    expect(adjustedRand(result.labels, permuted.labels)).toBe(1);
    [2, 0, 3, 1].forEach((column, f) =>
      expect(permuted.metric.relevance[f]).toBeCloseTo(result.metric.relevance[column], 3),
    );
  });

  test("constant, duplicate and collinear features, duplicate rows", () => {
    const rows = Array.from({ length: 45 }, (_, i) => {
      const [a, b] = [X.data[4 * (i % 40)], X.data[4 * (i % 40) + 1]];
      return [a, 7, b, a, a + b, X.data[4 * (i % 40) + 2]];
    });
    const found = method(fromRows(rows), { clusters: 3 });
    expect(found.labels.every((label) => label >= 0 && label < 3)).toBe(true);
    expect(found.metric.relevance[1]).toBe(0);
    expect(found.metric.matrix.data.every(Number.isFinite)).toBe(true);
    expect(found.warnings.join()).toMatch(/constant columns left out: c1/);
  });

  test("more features than rows", () => {
    const draw = random(5);
    const wide = matrix(
      12,
      20,
      Float64Array.from({ length: 240 }, (_, p) => draw.normal() + 6 * (Math.floor(p / 20) % 2)),
    );
    const found = method(wide, { clusters: 2, neighbors: 4 });
    expect(Array.from(found.sizes)).toEqual([6, 6]);
    expect(found.certificate.relativeGap).toBeLessThanOrEqual(1e-6);
  });

  test("refuses what it cannot do, naming it", () => {
    expect(() => method(X, { clusters: 0 })).toThrow(/"clusters" must be an integer at least 1/);
    expect(() => method(X, { clusters: 91 })).toThrow(/91 clusters cannot be made of 90 rows/);
    expect(() => method(X, { gamma: Number.NaN })).toThrow(/"gamma"/);
    expect(() => method(X, { gamma: 1, gammas: [1] })).toThrow(/not both/);
    expect(() => method(X, { gammas: [1, -1] })).toThrow(/gamma number 1 is -1/);
    expect(() => method(X, { speed: 1 } as ConvexOptions)).toThrow(/no option "speed"/);
    expect(() => method(matrix(0, 2), {})).toThrow(/no rows/);
    expect(() => method(fromRows([[1], [Number.NaN]]), {})).toThrow(/row 1, column 0/);
    expect(() => method(matrix(4, 2), { clusters: 2 })).toThrow(/every column is constant/);
    const graph = { ...edgeList(90, [[0, 1]]), weights: Float64Array.of(Number.NaN) };
    expect(() => method(X, { clusters: 3, graph })).toThrow(/edge 0 \(0, 1\) has weight NaN/);
    expect(() => method(X, { clusters: 3, graph: edgeList(4, [[0, 1]]) })).toThrow(
      /4 nodes, the data 90 rows/,
    );
  });
});

describe.each(FAMILY.filter(([name]) => name !== "ccscml"))("%s at one gamma", (_name, method) => {
  const { X } = gaussians(2, 10, 2, 1);

  test("gamma 0 leaves every row apart, a huge one fuses each component", () => {
    expect(method(X, { gamma: 0, join: true }).sizes).toHaveLength(20);
    expect(method(X, { gamma: 1e9, join: true }).sizes).toHaveLength(1);
  });

  test("one cluster asked for", () => {
    expect(Array.from(method(X, { clusters: 1, join: true }).sizes)).toEqual([20]);
  });

  test("with a number of clusters as well, the components become that many", () => {
    const free = method(X, { clusters: 2, neighbors: 8 });
    const fixed = method(X, { clusters: 2, neighbors: 8, gamma: free.gamma });
    expect(fixed.sizes.length === 2 || fixed.warnings.length > 0).toBe(true);
  });
});

describe("cc", () => {
  test("every norm, and the texts' ADMM", () => {
    const { X, y } = gaussians(3, 15, 3, 5);
    for (const norm of [1, 2, "inf"] as const) {
      expect(rand(y, cc(X, { clusters: 3, norm, neighbors: 10 }).labels)).toBeGreaterThan(0.9);
    }
    const { gamma, objective, labels } = cc(X, { clusters: 3, neighbors: 10 });
    const reference = cc(X, { gamma, clusters: 3, neighbors: 10, solver: "admm", tolerance: 1e-8 });
    expect(Math.abs(reference.objective - objective)).toBeLessThan(1e-6 * objective);
    expect(adjustedRand(labels, reference.labels)).toBeGreaterThan(0.9);
  });

  test("without a number of clusters it takes the most persistent one", () => {
    const { X, y } = gaussians(3, 30, 3, 2);
    const found = cc(X);
    expect(found.sizes).toHaveLength(3);
    expect(rand(y, found.labels)).toBeGreaterThan(0.95);
  });

  test("strict counts every component and says what there is", () => {
    const { X } = gaussians(3, 20, 3, 7);
    const strict = cc(X, { clusters: 4, protocol: "strict", join: true });
    expect(strict.coverage).toBe(1);
    expect(strict.sizes).toEqual(strict.components);
    expect(strict.availableCounts).toContain(strict.sizes.length);
    expect(strict.sizes.length === 4 || /no gamma gave exactly 4/.test(strict.warnings.join())).toBe(true);
  });

  test("a disconnected graph with K below its components: said, and joined on request", () => {
    const draw = random(4);
    const X = matrix(
      40,
      1,
      Float64Array.from({ length: 40 }, (_, i) => draw.normal() + 100 * (i % 4)),
    );
    const apart = cc(X, { clusters: 2, protocol: "strict", neighbors: 3 });
    expect(apart.sizes.length).toBeGreaterThanOrEqual(4);
    expect(apart.warnings.join()).toMatch(/components, so no gamma gives fewer .* join: true/);
    expect(cc(X, { clusters: 2, neighbors: 9 }).warnings.join()).toMatch(
      /4 big components, more than the 2 clusters/,
    );
    const joined = cc(X, { clusters: 2, protocol: "strict", neighbors: 3, join: true });
    expect(joined.warnings.join()).not.toMatch(/join: true/);
    expect(joined.sizes).toHaveLength(2);
  });

  test("given edges, and one row alone", () => {
    const X = fromRows([[0], [1], [10], [11]]);
    const graph = edgeList(
      4,
      [
        [0, 1],
        [1, 2],
        [2, 3],
      ],
      [1, 0.01, 1],
    );
    expect(Array.from(cc(X, { gamma: 1.5, graph, scale: "none" }).labels)).toEqual([0, 0, 1, 1]);
    expect(() => cc(fromRows([[1, 2]]), { clusters: 1 })).toThrow(/every column is constant/);
    expect(Array.from(cc(fromRows([[1], [2]]), { clusters: 2 }).sizes)).toEqual([1, 1]);
  });

  test("stops when asked to and says so", () => {
    const { X } = gaussians(3, 100, 6, 3);
    const stopped = cc(X, { clusters: 3, tolerance: 1e-9, norm: "inf", onProgress: () => false });
    expect(stopped.labels).toHaveLength(300);
    expect(stopped.converged).toBe(false);
    expect(stopped.warnings.join()).toMatch(/stopped early.*stopped on request/);
  });
});

describe("ccml", () => {
  test("no half step raises the objective at a fixed gamma, to 1e-10", () => {
    for (const seed of [1, 2, 3]) {
      const { X } = gaussians(3, 25, 4, seed);
      const { gamma } = cc(X, { clusters: 3 });
      for (const factor of [1, 0.3]) {
        const { history } = ccml(X, { gamma: gamma * factor, iterations: 6, tolerance: 1e-9 });
        expect(history.map(({ step }) => step).slice(0, 3)).toEqual(["centers", "metric", "centers"]);
        for (let h = 1; h < history.length; h++) {
          const before = history[h - 1].objective;
          expect(history[h].objective).toBeLessThanOrEqual(before * (1 + 1e-10));
        }
      }
    }
  });

  test("stops between rounds when asked to", () => {
    const { X } = gaussians(3, 150, 6, 3);
    // A clock that runs fast: progress is asked for at most every 200 ms, and four rounds may take less.
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 250));
    const stopped = ccml(X, { clusters: 3, onProgress: () => false });
    clock.mockRestore();
    expect(stopped.rounds.length).toBeLessThan(4);
    expect(stopped.converged).toBe(false);
    expect(stopped.warnings.join()).toMatch(/stopped on request/);
  });

  test("holds cond(B) and says so when the model degenerates", () => {
    const { X } = gaussians(3, 20, 3, 1);
    const found = ccml(X, { gamma: 0.01, iterations: 8, ridge: 0, condition: 100 });
    const { eigenvalues } = found.metric;
    expect(eigenvalues[0] / eigenvalues[eigenvalues.length - 1]).toBeLessThan(100.001);
    expect(found.warnings.join()).toMatch(/cond\(B\) is held at 100/);
  });

  test("raw data with noisy features: the graph rebuilt in the learned metric beats cc", () => {
    const { X, y } = gaussians(3, 60, 3, 9);
    const draw = random(8);
    const noisy = matrix(180, 6);
    for (let i = 0; i < 180; i++) {
      for (let f = 0; f < 6; f++) {
        noisy.data[6 * i + f] = f < 3 ? 8 * draw.normal() : X.data[3 * i + f - 3];
      }
    }
    const options = { clusters: 3, scale: "none" } as const;
    const plain = rand(y, cc(noisy, options).labels);
    const rebuilt = ccml(noisy, { ...options, rebuildGraph: true });
    expect(rand(y, rebuilt.labels)).toBeGreaterThan(plain + 0.1);
    expect(Math.max(rebuilt.metric.relevance[0], rebuilt.metric.relevance[1])).toBeLessThan(0.2);
  });
});

describe("ccscml", () => {
  const { X, y } = gaussians(3, 30, 5, 2);

  test("has orthonormal directions, sigma of product 1, at most K - 1 of them", () => {
    const { projection, sigma, metric } = ccscml(X, { clusters: 3 });
    expect(projection.cols).toBe(2);
    expect(sigma[0] * sigma[1]).toBeCloseTo(1, 10);
    for (let a = 0; a < 2; a++) {
      for (let b = 0; b < 2; b++) {
        let dot = 0;
        for (let f = 0; f < 5; f++) dot += projection.data[2 * f + a] * projection.data[2 * f + b];
        expect(dot).toBeCloseTo(a === b ? 1 : 0, 10);
      }
    }
    expect(metric.eigenvalues.filter((value) => value > 1e-9)).toHaveLength(2);
    expect(() => ccscml(X, { clusters: 3, directions: 3 })).toThrow(
      /3 directions were asked for, but 3 clusters/,
    );
  });

  test("starts from a given clustering; refuses one cluster and labels with gaps", () => {
    expect(rand(y, ccscml(X, { start: y }).labels)).toBeGreaterThan(0.95);
    expect(() => ccscml(X, { clusters: 1 })).toThrow(/one cluster/);
    expect(() => ccscml(X, { start: new Int32Array(90) })).toThrow(/one cluster/);
    expect(() => ccscml(X, { start: y.map((label) => 2 * label) })).toThrow(/1 does not occur/);
    expect(() => ccscml(X, { start: [0, 1] })).toThrow(/2 labels for 90 rows/);
    expect(() => ccscml(X, { start: y, clusters: 4 })).toThrow(/3 clusters, but 4/);
  });
});

describe("rcc and scc", () => {
  const { X } = gaussians(3, 40, 3, 6);
  const draw = random(2);
  const noisy = matrix(120, 4);
  for (let i = 0; i < 120; i++) {
    noisy.data[4 * i] = draw.normal();
    for (let f = 0; f < 3; f++) noisy.data[4 * i + f + 1] = X.data[3 * i + f];
  }

  test("rcc trusts the noise feature least", () => {
    const { robustShares, metric, beta } = rcc(noisy, { clusters: 3 });
    expect(beta).toBeGreaterThan(0);
    expect(robustShares.indexOf(Math.max(...robustShares))).toBe(0);
    expect(metric.relevance.indexOf(Math.min(...metric.relevance))).toBe(0);
  });

  test("scc drops the noise feature", () => {
    const { factors, gamma2 } = scc(noisy, { clusters: 3 });
    expect(gamma2).toBeGreaterThan(0);
    expect(factors[0]).toBe(0);
    expect(factors.slice(1).every((factor) => factor > 0)).toBe(true);
  });

  test("with no penalty left they are cc", () => {
    const plain = cc(noisy, { clusters: 3 });
    expect(adjustedRand(rcc(noisy, { clusters: 3, beta: 1e9 }).labels, plain.labels)).toBe(1);
    expect(scc(noisy, { gamma: plain.gamma, gamma2: 0 }).objective).toBeCloseTo(plain.objective, 9);
  });
});
