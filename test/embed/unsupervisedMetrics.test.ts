import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kmeans } from "../../src/cluster/index.ts";
import { random } from "../../src/core/index.ts";
import { neighborGraph } from "../../src/graph/index.ts";
import {
  aml,
  cpdUml,
  fme,
  loadNaml,
  loadProjection,
  naml,
  pca,
  rpcaOm,
  type NamlData,
  type ProjectionData,
} from "../../src/embed/index.ts";
import { kernelMixture } from "../../src/embed/naml.ts";
import {
  gram,
  matrix,
  multiply,
  multiplyTransposeA,
  multiplyTransposeB,
  solve,
  symmetricEigen,
  transpose,
  type Matrix,
} from "../../src/matrix/index.ts";
import { adjustedRand } from "../../src/score/index.ts";
import { mapped } from "../../src/matrix/matrix.ts";
import { clouds } from "../cluster/clouds.ts";

function centred(X: Matrix): Matrix {
  const means = new Float64Array(X.cols);
  X.data.forEach((value, p) => (means[p % X.cols] += value / X.rows));
  return mapped(X, (value, p) => value - means[p % X.cols]);
}

function normalizedIndicator(labels: Int32Array, K: number): Matrix {
  const sizes = new Int32Array(K);
  for (const k of labels) sizes[k]++;
  const L = matrix(labels.length, K);
  labels.forEach((k, i) => (L.data[i * K + k] = 1 / Math.sqrt(sizes[k])));
  return L;
}

const squares = (A: Matrix): number => A.data.reduce((sum, value) => sum + value * value, 0);

function largestDifference(A: Matrix, B: Matrix): number {
  return A.data.reduce((most, value, p) => Math.max(most, Math.abs(value - B.data[p])), 0);
}

/** X' with the columns c -> r reversed in sign and order would do; a random orthogonal matrix is as easy. */
function rotation(d: number, seed: number): Matrix {
  const A = matrix(d, d, Float64Array.from({ length: d * d }, random(seed).normal));
  return symmetricEigen(multiplyTransposeB(A, A)).vectors;
}

describe("aml", () => {
  it("ends when a partition repeats, long before its limit", () => {
    const { X } = clouds(60, 4, 3, 4, 1);
    const { converged, iterations, warnings } = aml(X, { clusters: 3 });
    expect([converged, warnings]).toEqual([true, []]);
    expect(iterations).toBeLessThan(20);
  });

  it("never lowers f, whatever the data, lambda and number of clusters", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1000 }),
        fc.integer({ min: 2, max: 6 }),
        fc.double({ min: -3, max: 3, noNaN: true }),
        fc.constantFrom({}, { kernel: "gaussian", kernelSigma: 2 } as const),
        (seed, K, power, kernel) => {
          const { X } = clouds(60, 5, K, 1, seed);
          const { history } = aml(X, { clusters: K, lambda: 10 ** power, ...kernel });
          for (let t = 1; t < history.length; t++) {
            expect(history[t]).toBeGreaterThanOrEqual(history[t - 1] - 1e-9);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it.each([0.01, 1, 100])("has the f of the text, computed as it is printed (lambda %d)", (lambda) => {
    const { X } = clouds(50, 4, 3, 1, 3);
    const fit = aml(X, { clusters: 3, lambda });
    const C = centred(X);
    const S = gram(C);
    const ridge = (lambda * squares(C)) / 4;
    const B = matrix(
      4,
      4,
      S.data.map((value, p) => value + (p % 5 === 0 ? ridge : 0)),
    );
    const XL = multiplyTransposeA(C, normalizedIndicator(fit.labels, 3));
    // tr(L'X(X'X + ridge)^-1 X'L): W eliminated.
    const f = multiplyTransposeA(XL, solve(B, XL)).data.reduce(
      (sum, value, p) => sum + (p % 4 === 0 ? value : 0),
      0,
    );
    expect(fit.objective).toBeCloseTo(f, 10);
    expect(fit.objective).toBeLessThanOrEqual(2 + 1e-12);
    expect(fit.embedding.cols).toBe(2);
  });

  it("is k-means when lambda is large, up to what a projection changes", () => {
    const { X } = clouds(90, 4, 3, 4, 8);
    expect(adjustedRand(aml(X, { clusters: 3, lambda: 1e8 }).labels, kmeans(X, { clusters: 3 }).labels)).toBe(
      1,
    );
  });

  it("finds clusters that differ in a direction of little spread", () => {
    const { normal } = random(4);
    const truth = Int32Array.from({ length: 200 }, (_, i) => i % 2);
    const X = matrix(
      200,
      2,
      Float64Array.from({ length: 400 }, (_, p) =>
        p % 2 === 0 ? 10 * normal() : normal() / 10 + truth[p >> 1],
      ),
    );
    expect(adjustedRand(kmeans(X, { clusters: 2 }).labels, truth)).toBeLessThan(0.1);
    expect(adjustedRand(aml(X, { clusters: 2, lambda: 1e-3 }).labels, truth)).toBeGreaterThan(0.5);
  });

  it("under the linear kernel is itself, is called naml, and handles more columns than rows", () => {
    const { X } = clouds(40, 6, 3, 2, 5);
    const plain = aml(X, { clusters: 3 });
    const kernel = aml(X, { clusters: 3, kernel: "linear" });
    expect(kernel.method).toBe("naml");
    expect(adjustedRand(plain.labels, kernel.labels)).toBe(1);
    expect(kernel.objective).toBeCloseTo(plain.objective, 6);
    const wide = matrix(40, 60);
    for (let i = 0; i < 40; i++) for (let f = 0; f < 6; f++) wide.data[i * 60 + f * 10] = X.data[i * 6 + f];
    // The mean eigenvalue is over the columns: ten times as many, a tenth of it.
    const fit = aml(wide, { clusters: 3, lambda: 10 });
    expect(fit.objective).toBeCloseTo(plain.objective, 8);
  });

  it("places rows alike after JSON", () => {
    const { X } = clouds(60, 4, 3, 3, 6);
    const fresh = clouds(20, 4, 3, 3, 7).X;
    for (const kernel of [{}, { kernel: "gaussian", kernelSigma: 4 } as const]) {
      const fit = aml(X, { clusters: 3, ...kernel });
      expect(largestDifference(fit.transform(X), fit.embedding)).toBeLessThan(1e-9);
      expect(adjustedRand(fit.predict(X), fit.labels)).toBeGreaterThan(0.95);
      const read = loadProjection(JSON.parse(JSON.stringify(fit.model())) as ProjectionData);
      expect(read.transform(fresh)).toEqual(fit.transform(fresh));
      expect(read.predict(fresh)).toEqual(fit.predict(fresh));
    }
  });

  it("names what is wrong", () => {
    const { X } = clouds(10, 2, 2, 1, 1);
    expect(() => aml(X, { clusters: 11 })).toThrow(/aml: cannot make 11 clusters of 10 rows/);
    expect(() => aml(X, { clusters: 2, lambda: 0 })).toThrow(/"lambda"/);
    expect(() => aml(matrix(5, 2), { clusters: 2 })).toThrow(/all rows are equal/);
    expect(aml(X, { clusters: 4, dims: 3 }).warnings.join()).toMatch(/discriminants, fewer than 3/);
    const duplicates = matrix(
      20,
      2,
      Float64Array.from({ length: 40 }, (_, p) => (p >> 1) % 2),
    );
    const fit = aml(duplicates, { clusters: 3 });
    expect(fit.clusters).toBe(2);
    expect(fit.warnings.join()).toMatch(/2 distinct rows/);
  });
});

describe("naml", () => {
  it("never lowers f, and ends where no other weights are better", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1000 }),
        fc.integer({ min: 2, max: 4 }),
        fc.double({ min: -2, max: 2, noNaN: true }),
        (seed, K, power) => {
          const { X } = clouds(40, 3, K, 2, seed);
          const fit = naml(X, { clusters: K, lambda: 10 ** power });
          for (let t = 1; t < fit.history.length; t++) {
            expect(fit.history[t]).toBeGreaterThanOrEqual(fit.history[t - 1] - 1e-8);
          }
          expect(fit.weights.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
          expect(Math.min(...fit.weights)).toBeGreaterThanOrEqual(0);
          expect(fit.objective).toBeLessThanOrEqual(K - 1 + 1e-9);
          expect(fit.certificate.gap).toBeGreaterThanOrEqual(-1e-9);
        },
      ),
      { numRuns: 10 },
    );
  });

  it("has the f of the text for its weights, and no single kernel or even mixture has more", () => {
    const { X } = clouds(50, 2, 3, 3, 4);
    const sigmas = [0.5, 2, 8];
    const fit = naml(X, { clusters: 3, sigmas });
    const { kernels } = kernelMixture(X, sigmas);
    const f = (weights: readonly number[]): number => {
      const K = matrix(50, 50);
      kernels.forEach((kernel, k) => kernel.data.forEach((value, p) => (K.data[p] += weights[k] * value)));
      const B = matrix(50, 50, K.data.slice());
      for (let i = 0; i < 50; i++) B.data[i * 51] += 1;
      const L = normalizedIndicator(fit.labels, 3);
      const M = multiplyTransposeA(L, multiply(K, solve(B, L)));
      return M.data[0] + M.data[4] + M.data[8];
    };
    expect(fit.objective).toBeCloseTo(f(Array.from(fit.weights)), 7);
    for (const other of [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
      [1 / 3, 1 / 3, 1 / 3],
    ]) {
      expect(f(other)).toBeLessThanOrEqual(fit.objective + fit.certificate.gap + 1e-9);
    }
  });

  it("with one width is aml under that kernel", () => {
    const { X } = clouds(60, 3, 3, 3, 2);
    const fit = naml(X, { clusters: 3, sigmas: [4] });
    expect(Array.from(fit.weights)).toEqual([1]);
    expect(
      adjustedRand(
        fit.labels,
        aml(X, { clusters: 3, kernel: "gaussian", kernelSigma: 4, kernelDims: 59 }).labels,
      ),
    ).toBeGreaterThan(0.9);
  });

  it("places rows alike after JSON, and names what is wrong", () => {
    const { X } = clouds(60, 3, 3, 4, 6);
    const fit = naml(X, { clusters: 3 });
    expect(largestDifference(fit.transform(X), fit.embedding)).toBeLessThan(1e-8);
    expect(adjustedRand(fit.predict(X), fit.labels)).toBeGreaterThan(0.95);
    const read = loadNaml(JSON.parse(JSON.stringify(fit.model())) as NamlData);
    const fresh = clouds(20, 3, 3, 4, 7).X;
    expect(read.transform(fresh)).toEqual(fit.transform(fresh));
    expect(read.predict(fresh)).toEqual(fit.predict(fresh));
    expect(() => fit.predict(matrix(1, 2))).toThrow(/3 columns.*2/);
    expect(() => naml(X, { clusters: 61 })).toThrow(/61 clusters of 60 rows/);
    expect(() => naml(X, { clusters: 2, sigmas: [1, 0] })).toThrow(
      /"sigmas" must be a list of finite numbers above 0/,
    );
    expect(() => naml(matrix(5, 2), { clusters: 2 })).toThrow(/all rows are equal/);
  });
});

describe("rpcaOm", () => {
  it("never raises its objective, whatever the data", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1000 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 4, max: 60 }),
        (seed, dims, n) => {
          const { X } = clouds(n, 6, 2, 3, seed);
          const { history } = rpcaOm(X, { dims });
          for (let t = 1; t < history.length; t++) {
            expect(history[t]).toBeLessThanOrEqual(history[t - 1] * (1 + 1e-12));
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it("keeps the plane and the mean that outliers take from PCA", () => {
    const { normal } = random(2);
    const X = matrix(103, 3);
    for (let i = 0; i < 103; i++) {
      X.data.set(
        i < 100 ? [5 * normal(), 0.1 * normal(), 0.1 * normal()] : [0, 100 + normal(), normal()],
        3 * i,
      );
    }
    const robust = rpcaOm(X, { dims: 1 });
    expect(Math.abs(robust.map.data[0])).toBeGreaterThan(0.999);
    expect(Math.abs(robust.mean[1])).toBeLessThan(0.2);
    expect(Math.abs(pca(X, { dims: 1 }).components.data[0])).toBeLessThan(0.2);
    expect(robust.distances.slice(100).every((distance) => distance > 90)).toBe(true);
  });

  it("is a minimum: no small turn of the plane or shift of the mean does better", () => {
    const { X } = clouds(40, 3, 2, 2, 5);
    const fit = rpcaOm(X, { dims: 1, tolerance: 0, maxIterations: 2000 });
    const sum = (u: ArrayLike<number>, b: ArrayLike<number>): number => {
      const length = Math.hypot(u[0], u[1], u[2]);
      let total = 0;
      for (let i = 0; i < 40; i++) {
        const x = [0, 1, 2].map((f) => X.data[3 * i + f] - b[f]);
        const along = [0, 1, 2].reduce((s, f) => s + (x[f] * u[f]) / length, 0);
        total += Math.sqrt(Math.max(0, x.reduce((s, value) => s + value * value, 0) - along * along));
      }
      return total;
    };
    const best = sum(fit.map.data, fit.mean);
    expect(best).toBeCloseTo(fit.objective, 3);
    const { normal } = random(1);
    for (let trial = 0; trial < 200; trial++) {
      const near = (values: ArrayLike<number>): number[] =>
        Array.from(values, (value) => value + 1e-3 * normal());
      expect(sum(near(fit.map.data), near(fit.mean))).toBeGreaterThan(best - 1e-6);
    }
  });

  it("is the same after a turn, with more columns than rows, and under the linear kernel", () => {
    const { X } = clouds(12, 5, 2, 3, 9);
    const fit = rpcaOm(X, { dims: 2 });
    const wide = matrix(12, 30);
    for (let i = 0; i < 12; i++) wide.data.set(X.data.subarray(5 * i, 5 * i + 5), 30 * i + 7);
    const turned = rpcaOm(multiply(wide, rotation(30, 3)), { dims: 2 });
    const kernel = rpcaOm(X, { dims: 2, kernel: "linear" });
    expect(turned.objective).toBeCloseTo(fit.objective, 6);
    expect(kernel.objective).toBeCloseTo(fit.objective, 6);
    const inner = (E: Matrix): Matrix => multiplyTransposeB(E, E);
    expect(largestDifference(inner(turned.embedding), inner(fit.embedding))).toBeLessThan(1e-3);
  });

  it("places rows alike after JSON and names what is wrong", () => {
    const { X } = clouds(30, 4, 2, 3, 1);
    const fit = rpcaOm(X, { dims: 2, kernel: "gaussian", kernelSigma: 5 });
    const read = loadProjection(JSON.parse(JSON.stringify(fit.model())) as ProjectionData);
    expect(read.transform(X)).toEqual(fit.transform(X));
    expect(largestDifference(fit.transform(X), fit.embedding)).toBeLessThan(1e-9);
    expect(() => read.predict(X)).toThrow(/found no clusters/);
    expect(() => rpcaOm(X, { dims: 5 })).toThrow(/"dims" is 5.*at most 4/);
    expect(() => rpcaOm(matrix(5, 2), { dims: 1 })).toThrow(/all rows are equal/);
    expect(() => rpcaOm(matrix(1, 2), { dims: 1 })).toThrow(/too small/);
    expect(() => fit.transform(matrix(1, 3))).toThrow(/4 columns/);
    const line = matrix(
      10,
      2,
      Float64Array.from({ length: 20 }, (_, p) => p >> 1),
    );
    const flat = rpcaOm(line, { dims: 1 });
    for (const value of flat.embedding.data) expect(Number.isFinite(value)).toBe(true);
    expect(flat.converged).toBe(true);
  });
});

/** L, H and the ridge of the text in full, with its W and b by least squares. */
function fmeDirect(X: Matrix, F: Matrix, mu: number, gamma: number): { objective: number; A: Matrix } {
  const n = X.rows;
  const { graph } = neighborGraph(X, { neighbors: 10, kind: "union" });
  const L = matrix(n, n);
  graph.weights.forEach((w, e) => {
    const [i, j] = [graph.from[e], graph.to[e]];
    L.data[i * n + j] -= w;
    L.data[j * n + i] -= w;
    L.data[i * n + i] += w;
    L.data[j * n + j] += w;
  });
  const degree = L.data.reduce((sum, value, p) => sum + (p % (n + 1) === 0 ? value / n : 0), 0);
  for (let p = 0; p < L.data.length; p++) L.data[p] /= degree;
  const C = centred(X);
  const mean = squares(C) / X.cols;
  const g = gamma / mean;
  const B = gram(C);
  for (let f = 0; f < X.cols; f++) B.data[f * (X.cols + 1)] += 1 / g;
  const W = solve(B, multiplyTransposeA(C, F));
  const fitted = multiply(C, W);
  const G = centred(F);
  const loss = matrix(
    n,
    F.cols,
    G.data.map((value, p) => value - fitted.data[p]),
  );
  const smooth = multiplyTransposeA(F, multiply(L, F));
  const graphTerm = Array.from({ length: F.cols }, (_, r) => smooth.data[r * (F.cols + 1)]).reduce(
    (a, b) => a + b,
  );
  const N = multiply(C, solve(B, transpose(C)));
  const A = matrix(
    n,
    n,
    L.data.map((value, p) => value - mu * gamma * (N.data[p] + 1 / n)),
  );
  for (let i = 0; i < n; i++) A.data[i * (n + 1)] += mu * gamma;
  return { objective: graphTerm + mu * mean * (squares(W) + g * squares(loss)), A };
}

describe("fme", () => {
  it("minimises the objective of the text, computed as it is printed", () => {
    const { X } = clouds(50, 4, 3, 2, 3);
    const fit = fme(X, { clusters: 3, mu: 0.5, gamma: 3 });
    const { objective, A } = fmeDirect(X, fit.embedding, 0.5, 3);
    expect(fit.objective).toBeCloseTo(objective, 8);
    const { values } = symmetricEigen(A);
    // The smallest is 0, of the constant vector.
    expect(values[49]).toBeCloseTo(0, 10);
    expect(fit.objective).toBeCloseTo(values[48] + values[47], 8);
    expect(fit.certificate.residual).toBeLessThan(1e-8);
    for (let r = 0; r < 2; r++) {
      const column = Array.from({ length: 50 }, (_, i) => fit.embedding.data[i * 2 + r]);
      expect(column.reduce((a, b) => a + b)).toBeCloseTo(0, 6);
    }
  });

  it("with labels solves the linear system of the text", () => {
    const { X, truth } = clouds(60, 3, 3, 3, 4);
    const labels = Array.from(truth, (k, i) => (i < 6 ? `c${k}` : ""));
    const fit = fme(X, { labels, trust: 10, mu: 1, gamma: 1 });
    expect(fit.classes).toEqual(["c0", "c1", "c2"]);
    const { A, objective } = fmeDirect(X, fit.embedding, 1, 1);
    let penalty = 0;
    for (let i = 0; i < 60; i++) {
      for (let k = 0; k < 3; k++) {
        const y = i < 6 && truth[i] === k ? 1 : 0;
        const f = fit.embedding.data[i * 3 + k];
        const u = i < 6 ? 10 : 0;
        penalty += u * (f - y) ** 2;
        let gradient = u * (f - y);
        for (let j = 0; j < 60; j++) gradient += A.data[i * 60 + j] * fit.embedding.data[j * 3 + k];
        expect(Math.abs(gradient)).toBeLessThan(1e-9);
      }
    }
    expect(fit.objective).toBeCloseTo(objective + penalty, 8);
    expect(adjustedRand(fit.labels, truth)).toBeGreaterThan(0.9);
    expect(adjustedRand(fit.predict(X), truth)).toBeGreaterThan(0.9);
  });

  it("follows six labels on a graph of several parts, some of which have none", () => {
    const X = matrix(
      60,
      1,
      Float64Array.from({ length: 60 }, (_, i) => 100 * Math.floor(i / 20) + (i % 20) / 10),
    );
    const labels = Array.from({ length: 60 }, (_, i) => (i === 0 ? "a" : i === 59 ? "b" : null));
    const fit = fme(X, { labels: labels as string[] });
    expect(fit.warnings.join()).toMatch(/3 parts/);
    expect(Array.from(fit.labels.slice(0, 20))).toEqual(Array.from({ length: 20 }, () => 0));
    expect(Array.from(fit.labels.slice(40))).toEqual(Array.from({ length: 20 }, () => 1));
    for (const value of fit.embedding.data) expect(Number.isFinite(value)).toBe(true);
  });

  it("under the linear kernel is itself, and places rows alike after JSON", () => {
    const { X } = clouds(60, 4, 3, 3, 6);
    const plain = fme(X, { clusters: 3 });
    const kernel = fme(X, { clusters: 3, kernel: "linear" });
    expect(kernel.objective).toBeCloseTo(plain.objective, 7);
    expect(adjustedRand(plain.labels, kernel.labels)).toBe(1);
    expect(adjustedRand(plain.predict(X), plain.labels)).toBeGreaterThan(0.9);
    const curved = fme(X, { clusters: 3, kernel: "gaussian", kernelSigma: 4 });
    const read = loadProjection(JSON.parse(JSON.stringify(curved.model())) as ProjectionData);
    const fresh = clouds(20, 4, 3, 3, 7).X;
    expect(read.predict(fresh)).toEqual(curved.predict(fresh));
  });

  it("names what is wrong", () => {
    const { X } = clouds(20, 2, 2, 1, 1);
    expect(() => fme(X, {})).toThrow(/"clusters" is required/);
    expect(() => fme(X, { clusters: 21 })).toThrow(/21 clusters of 20 rows/);
    expect(() => fme(X, { labels: ["a"] })).toThrow(/20 rows, but 1 labels/);
    expect(() => fme(X, { labels: Array.from({ length: 20 }, () => "a") })).toThrow(/one class only/);
    expect(() => fme(X, { labels: Array.from({ length: 20 }, () => "") })).toThrow(/no class/);
    const two = Array.from({ length: 20 }, (_, i) => i % 2);
    expect(() => fme(X, { labels: two, clusters: 3 })).toThrow(/"clusters" is 3.*2 classes/);
    expect(() => fme(matrix(9, 2), { clusters: 2 })).toThrow(/all rows are equal/);
    expect(() => fme(X, { clusters: 2, mu: 0 })).toThrow(/"mu"/);
    expect(() => fme(X, { clusters: 2, trust: 5 })).toThrow(/"trust" is the weight of option "labels"/);
  });
});

it.each([1e200, 1e-200])("values of size %d are refused, not called equal or infinite", (size) => {
  const { X } = clouds(20, 3, 2, 2, 1);
  const extreme = matrix(
    20,
    3,
    X.data.map((value) => size * value),
  );
  const message = /the largest value is \d\.\de[+-]20\d, whose square leaves the number range/;
  expect(() => cpdUml(extreme, { clusters: 2 })).toThrow(message);
  expect(() => aml(extreme, { clusters: 2 })).toThrow(message);
  expect(() => naml(extreme, { clusters: 2 })).toThrow(message);
  expect(() => rpcaOm(extreme, { dims: 1 })).toThrow(message);
  expect(() => fme(extreme, { clusters: 2 })).toThrow(message);
});
