import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kmeans } from "../../../src/cluster/index.ts";
import { kmeansFrom } from "../../../src/cluster/internal.ts";
import { random } from "../../../src/core/index.ts";
import { fromRows, matrix, takeRows, toSparse, type Matrix } from "../../../src/matrix/index.ts";
import { adjustedRand, withinSumOfSquares } from "../../../src/score/index.ts";
import { mapped } from "../../../src/matrix/matrix.ts";
import { clouds } from "../clouds.ts";

/** Lloyd's algorithm as in the book, with the tie rule of assigner.ts. */
function bookKmeans(X: Matrix, initial: Matrix): { labels: number[]; centers: number[][] } {
  const rows = Array.from({ length: X.rows }, (_, i) =>
    Array.from(X.data.subarray(i * X.cols, (i + 1) * X.cols)),
  );
  const distance = (a: number[], b: number[]) => a.reduce((sum, value, j) => sum + (value - b[j]) ** 2, 0);
  let centers = Array.from({ length: initial.rows }, (_, k) =>
    Array.from(initial.data.subarray(k * X.cols, (k + 1) * X.cols)),
  );
  let labels = rows.map(() => -1);
  for (;;) {
    const next = rows.map((x, i) => {
      let best = labels[i];
      centers.forEach((c, k) => {
        if (best < 0 || distance(x, c) < distance(x, centers[best])) best = k;
      });
      return best;
    });
    if (next.every((label, i) => label === labels[i])) return { labels, centers };
    labels = next;
    centers = centers.map((c, k) => {
      const members = rows.filter((_, i) => labels[i] === k);
      if (members.length === 0) throw new Error("the reference does not repair empty clusters");
      return c.map((_, j) => members.reduce((sum, x) => sum + x[j], 0) / members.length);
    });
  }
}

describe("kmeans", () => {
  it("follows the textbook algorithm to the same clusters", () => {
    for (let seed = 0; seed < 12; seed++) {
      const { X } = clouds(240, 1 + (seed % 5), 6, 1.5, seed);
      const initialCenters = takeRows(X, [0, 1, 2, 3, 4, 5]);
      const result = kmeans(X, { initialCenters });
      const book = bookKmeans(X, initialCenters);
      expect(Array.from(result.labels)).toEqual(book.labels);
      result.centers.data.forEach((value, p) => expect(value).toBeCloseTo(book.centers.flat()[p], 10));
      expect(result.converged).toBe(true);
      expect(result.certificate).toMatchObject({
        kind: "local optimum",
        reassigned: 0,
        objective: result.objective,
      });
    }
  });

  it("reports the objective of its own labels, and a history that never rises", () => {
    for (let seed = 0; seed < 6; seed++) {
      const { X } = clouds(300, 4, 9, 1, seed);
      const { objective, history, labels, iterations } = kmeans(X, { clusters: 9, seed, restarts: 2 });
      expect(objective).toBeCloseTo(withinSumOfSquares(X, labels), 8);
      expect(history.length).toBe(iterations);
      expect(history[history.length - 1]).toBe(objective);
      for (let t = 1; t < history.length; t++) expect(history[t]).toBeLessThanOrEqual(history[t - 1]);
    }
  });

  it("finds well separated clouds and is repeatable by seed", () => {
    const { X, truth } = clouds(500, 8, 7, 6, 3);
    const first = kmeans(X, { clusters: 7, seed: 5 });
    expect(adjustedRand(first.labels, truth)).toBe(1);
    expect(kmeans(X, { clusters: 7, seed: 5 }).labels).toEqual(first.labels);
    expect(Array.from(first.sizes).reduce((sum, size) => sum + size)).toBe(500);
    expect(first.predict(X)).toEqual(first.labels);
    expect(first.predict(toSparse(X))).toEqual(first.labels);
  });

  it("moves with the data: translation, scale, order of the rows", () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.double({ min: -1e4, max: 1e4, noNaN: true }), (seed, shift) => {
        const { X } = clouds(90, 3, 3, 4, seed);
        const initialCenters = takeRows(X, [0, 1, 2]);
        const { labels } = kmeans(X, { initialCenters });
        const move = (A: Matrix) => mapped(A, (value) => 8 * (value + shift));
        expect(kmeans(move(X), { initialCenters: move(initialCenters) }).labels).toEqual(labels);
        const order = random(seed).shuffle(Int32Array.from(labels.keys()));
        const permuted = kmeans(takeRows(X, order), { initialCenters });
        expect(permuted.labels).toEqual(Int32Array.from(order, (i) => labels[i]));
      }),
      { numRuns: 30 },
    );
  });

  it("takes a weight of 2 for a row that occurs twice, and a weight of 0 for none", () => {
    const { X } = clouds(60, 2, 3, 3, 11);
    const initialCenters = takeRows(X, [0, 1, 2]);
    const counts = Array.from({ length: 60 }, (_, i) => i % 3);
    const copies = counts.flatMap((count, i) => Array(count).fill(i));
    const weighted = kmeans(X, { initialCenters, weights: counts });
    const repeated = kmeans(takeRows(X, copies), { initialCenters });
    expect(weighted.objective).toBeCloseTo(repeated.objective, 9);
    weighted.centers.data.forEach((value, p) => expect(value).toBeCloseTo(repeated.centers.data[p], 10));
    expect(kmeans(X, { clusters: 3, weights: counts }).objective).toBeGreaterThan(0);
  });

  it("gives sparse rows the clusters of the same dense rows", () => {
    const { X } = clouds(200, 6, 4, 3, 2);
    X.data.forEach((value, p) => (X.data[p] = Math.abs(value) < 1.5 ? 0 : value));
    const dense = kmeans(X, { clusters: 4, seed: 1 });
    const sparse = kmeans(toSparse(X), { clusters: 4, seed: 1 });
    expect(sparse.labels).toEqual(dense.labels);
    expect(sparse.objective).toBeCloseTo(dense.objective, 9);
  });
});

describe("degenerate input", () => {
  it("gives an empty cluster the farthest row and goes on", () => {
    const X = fromRows([[0], [1], [2], [10], [11], [12]]);
    const initialCenters = fromRows([[0], [1e6], [2e6]]);
    const result = kmeans(X, { initialCenters });
    expect(Array.from(result.sizes).every((size) => size > 0)).toBe(true);
    expect(result.converged).toBe(true);
    for (let t = 1; t < result.history.length; t++) {
      expect(result.history[t]).toBeLessThanOrEqual(result.history[t - 1]);
    }
  });

  it("makes as many clusters as there are distinct rows, and says so", () => {
    const X = fromRows([
      [1, 1],
      [1, 1],
      [2, 2],
      [2, 2],
      [-0, 0],
      [0, -0],
    ]);
    const result = kmeans(X, { clusters: 5 });
    expect(result).toMatchObject({ clusters: 3, objective: 0, converged: true });
    expect(result.warnings).toEqual([
      "the data has only 3 distinct rows, so 3 clusters were made instead of 5",
    ]);
    expect(() => kmeans(X, { initialCenters: takeRows(X, [0, 1, 2, 3]) })).toThrow("only 3 distinct rows");
    expect(kmeans(X, { clusters: 3, weights: [1, 1, 0, 0, 1, 1] }).clusters).toBe(2);
  });

  it("handles one row, one cluster, as many clusters as rows, and one column", () => {
    expect(kmeans(fromRows([[3, 4]]), { clusters: 1 })).toMatchObject({ objective: 0, converged: true });
    const X = fromRows([[1], [2], [3], [7]]);
    expect(kmeans(X, { clusters: 4 })).toMatchObject({ objective: 0, clusters: 4 });
    expect(kmeans(X, { clusters: 1 }).centers.data[0]).toBe(3.25);
  });

  it("keeps its results at both ends of the number range", () => {
    const X = clouds(60, 3, 3, 5, 4).X;
    const { labels, objective } = kmeans(X, { clusters: 3 });
    for (const factor of [2 ** -1000, 2 ** -400, 2 ** 400]) {
      const scaled = kmeans(
        matrix(
          60,
          3,
          X.data.map((value) => value * factor),
        ),
        { clusters: 3 },
      );
      expect(scaled.labels).toEqual(labels);
      expect(scaled.objective).toBe(objective * factor * factor);
    }
    const huge = matrix(
      60,
      3,
      X.data.map((value) => value * 1e300),
    );
    expect(() => kmeans(huge, { clusters: 3 })).toThrow("number range");
  });

  it("says when it did not converge, and returns the best so far when stopped", () => {
    const { X } = clouds(400, 5, 12, 0.5, 8);
    const short = kmeans(X, { clusters: 12, restarts: 1, maxIterations: 2 });
    expect(short.converged).toBe(false);
    expect(short.certificate.kind).toBe("none");
    expect(short.certificate.reassigned).toBeGreaterThan(0);
    expect(short.warnings).toEqual(["1 of 1 run had not converged after 2 iterations"]);
    expect(short.objective).toBeCloseTo(withinSumOfSquares(X, short.labels), 8);
    const coarse = kmeans(X, { clusters: 12, restarts: 1, tolerance: 0.05 });
    expect(coarse.converged).toBe(true);
    expect(coarse.iterations).toBeLessThan(kmeans(X, { clusters: 12, restarts: 1 }).iterations);
  });

  it("refuses, naming the culprit", () => {
    const X = fromRows([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    expect(() => kmeans(X, { clusters: 4 })).toThrow("cannot make 4 clusters of 3 rows");
    expect(() => kmeans(X, {})).toThrow('"clusters" is required');
    expect(() => kmeans(X, { clusters: 0 })).toThrow("at least 1");
    expect(() => kmeans(X, { clusters: 2, restart: 3 } as object)).toThrow('no option "restart"');
    expect(() => kmeans(fromRows([[1, Number.NaN]]), { clusters: 1 })).toThrow("row 0, column 1");
    // Also where the rows are found unordered, and the cells only seen while they are put in order.
    for (const cols of [1, 2, 3, 26]) {
      for (const bad of [Number.NaN, Infinity, -Infinity]) {
        for (const at of [0, 7 * cols, 600 * cols + cols - 1]) {
          const { data } = clouds(700, cols, 3, 2, 5).X;
          data[at] = bad;
          const place = `${bad} in row ${Math.floor(at / cols)}, column ${at % cols}`;
          expect(() => kmeans(matrix(700, cols, data), { clusters: 2 })).toThrow(place);
        }
      }
    }
    expect(() => kmeans(toSparse(fromRows([[1, 0, Infinity]])), { clusters: 1 })).toThrow("row 0, column 2");
    expect(() => kmeans(X, { initialCenters: fromRows([[1]]) })).toThrow("1 columns");
    expect(() => kmeans(X, { initialCenters: X, clusters: 2 })).toThrow("has 3 rows");
    expect(() => kmeans(X, { initialCenters: X, restarts: 5 })).toThrow('"restarts" must be 1');
    expect(() => kmeans(X, { initialCenters: fromRows([[1, Number.NaN]]) })).toThrow("initialCenters");
    expect(() => kmeans(X, { clusters: 1, weights: [1, 2] })).toThrow("3 rows, but 2 weights");
    expect(() => kmeans(X, { clusters: 1, weights: [1, -2, 1] })).toThrow("row 1");
    expect(() => kmeans(X, { clusters: 1, weights: [0, 0, 0] })).toThrow("all weights are 0");
    expect(() => kmeans(matrix(0, 2), { clusters: 1 })).toThrow("empty");
    expect(() => kmeans(X, { clusters: 1 }).predict(fromRows([[1]]))).toThrow("1 columns");
  });

  it("starts from given centres in the units of the rows, however large these are", () => {
    const { X } = clouds(90, 2, 3, 3, 4);
    const initialCenters = takeRows(X, [0, 1, 2]);
    const times = (A: Matrix, factor: number): Matrix => mapped(A, (value) => value * factor);
    const usual = kmeans(X, { initialCenters });
    const large = kmeans(times(X, 2 ** 500), { initialCenters: times(initialCenters, 2 ** 500) });
    expect(usual.history.length).toBeGreaterThan(2);
    expect(large.labels).toEqual(usual.labels);
    expect(large.history).toEqual(usual.history.map((value) => value * 2 ** 1000));
  });
});

describe("k-means from partitions", () => {
  it("keeps the best of the runs, and draws nothing", () => {
    const { X, truth } = clouds(120, 2, 3, 8, 3);
    const poor = Int32Array.from({ length: 120 }, (_, i) => (i < 2 ? i : 2));
    const best = kmeansFrom(X, [poor, truth], 60);
    const within = withinSumOfSquares(X, best);
    expect(within).toBeLessThanOrEqual(withinSumOfSquares(X, kmeansFrom(X, [poor], 60)));
    expect(within).toBeLessThanOrEqual(withinSumOfSquares(X, truth));
    expect(kmeansFrom(X, [poor, truth], 60)).toEqual(best);
  });
});
