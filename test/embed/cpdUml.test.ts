import { existsSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kmeans } from "../../src/cluster/index.ts";
import { random } from "../../src/core/index.ts";
import { namedData, scale } from "../../src/data/index.ts";
import { cpdUml, loadCpdUml, type CpdUmlData, type CpdUmlOptions } from "../../src/embed/index.ts";
import { fieldBasis, fieldSolver } from "../../src/embed/cpdUml/cpdUmlField.ts";
import { partitionIndicator, relaxedIndicator } from "../../src/embed/cpdUml/cpdUmlAlternation.ts";
import {
  fromRows,
  matrix,
  multiply,
  qr,
  row,
  squaredDistances,
  takeRows,
  type Matrix,
} from "../../src/matrix/index.ts";
import { placingRule } from "../../src/method/placing.ts";
import { accuracy, adjustedRand } from "../../src/score/index.ts";
import { clouds } from "../cluster/clouds.ts";
import { shared } from "../../bench/shared.mjs";
import { direct } from "./cpdUmlReference.ts";

const folder = shared("datasets");

function relativeError(A: Matrix, B: Matrix): number {
  let size = 0;
  let apart = 0;
  for (let p = 0; p < A.data.length; p++) {
    size = Math.max(size, Math.abs(B.data[p]));
    apart = Math.max(apart, Math.abs(A.data[p] - B.data[p]));
  }
  return apart / size;
}

describe("the field", () => {
  it.each([
    { sigma: 0.3, lambda: 0.5 },
    { sigma: 1, lambda: 1 },
    { sigma: 2, lambda: 60 },
    { sigma: 30, lambda: 1e4 },
  ])("is (20) of the text by the direct inverse, to 1e-10 ($sigma, $lambda)", ({ sigma, lambda }) => {
    const { X, truth } = clouds(60, 4, 3, 1, 5);
    const basis = fieldBasis(X, { centers: X }, sigma);
    const solver = fieldSolver(X, basis, lambda);
    const U = qr(matrix(60, 3, Float64Array.from({ length: 180 }, random(2).normal))).Q;
    for (const Y of [partitionIndicator(truth, Int32Array.of(20, 20, 20)), relaxedIndicator(U)]) {
      const step = solver.step(Y);
      const wanted = direct(X, Y.dense(), sigma, lambda);
      expect(relativeError(solver.weights(Y, step), wanted.Psi)).toBeLessThan(1e-10);
      expect(relativeError(step.moved, wanted.moved)).toBeLessThan(1e-10);
      expect(Math.abs(step.objective / wanted.objective - 1)).toBeLessThan(1e-10);
    }
  });

  it("does not change when each row occurs three times and one landmark stands for them", () => {
    const { X } = clouds(40, 3, 2, 3, 1);
    const rows = Array.from({ length: 120 }, (_, i) => i % 40);
    const tripled = takeRows(X, rows);
    const options = { clusters: 2, sigma: 1.5, lambda: 200 };
    const all = cpdUml(tripled, options);
    const landmarks = cpdUml(tripled, { ...options, landmarks: 40 });
    expect(landmarks.setting.landmarks).toBe(40);
    expect(adjustedRand(landmarks.labels, all.labels)).toBe(1);
    expect(Math.abs(landmarks.objective / all.objective - 1)).toBeLessThan(1e-9);
    expect(relativeError(landmarks.field.moved, all.field.moved)).toBeLessThan(1e-9);
    const fresh = clouds(10, 3, 2, 3, 8).X;
    expect(relativeError(landmarks.move(fresh), all.move(fresh))).toBeLessThan(1e-8);
  });

  it("by landmarks labels as the field of all rows does", () => {
    const { X } = clouds(600, 5, 4, 2, 3);
    const all = cpdUml(X, { clusters: 4 });
    const some = cpdUml(X, { clusters: 4, landmarks: 60 });
    expect(adjustedRand(some.labels, all.labels)).toBeGreaterThan(0.95);
  });
});

function scatter(A: Matrix, labels: Int32Array, clusters: number): number {
  let sum = 0;
  for (let c = 0; c < clusters; c++) {
    const members = Array.from(labels.keys()).filter((i) => labels[i] === c);
    for (let f = 0; f < A.cols; f++) {
      const values = members.map((i) => A.data[i * A.cols + f]);
      const mean = values.reduce((total, value) => total + value, 0) / values.length;
      for (const value of values) sum += (value - mean) ** 2;
    }
  }
  return sum;
}

describe("the alternation", () => {
  it("lowers J in every step of the relaxed form", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1000 }),
        fc.double({ min: 0.3, max: 5, noNaN: true }),
        fc.double({ min: 0, max: 3, noNaN: true }),
        (seed, sigma, power) => {
          const { X } = clouds(40, 6, 3, 1, seed);
          const fit = cpdUml(X, { clusters: 3, indicator: "relaxed", sigma, lambda: 10 ** power });
          for (let t = 1; t < fit.history.length; t++) {
            expect(fit.history[t]).toBeLessThanOrEqual(fit.history[t - 1] * (1 + 1e-9));
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it("returns the best iterate, at a field whose gradient is zero, and says how it ended", () => {
    const outcomes = new Set<string>();
    for (let seed = 0; seed < 12; seed++) {
      const { X } = clouds(80, 4, 3, 0, seed);
      const fit = cpdUml(X, { clusters: 3, sigma: 2, lambda: seed % 2 === 0 ? 10 : 100, seed });
      outcomes.add(fit.outcome);
      expect(fit.objective).toBe(Math.min(...fit.history));
      expect(fit.history[fit.returned - 1]).toBe(fit.objective);
      expect(fit.certificate.gradient).toBeLessThan(1e-10);
      expect(fit.converged).toBe(fit.outcome === "converged");
      expect(fit.period > 1).toBe(fit.outcome === "cycle");
      const last = cpdUml(X, {
        clusters: 3,
        sigma: 2,
        lambda: seed % 2 === 0 ? 10 : 100,
        seed,
        iterate: "last",
      });
      expect(last.history).toEqual(fit.history);
      expect(last.objective).toBe(fit.history.at(-1));
      expect(last.returned).toBe(last.iterations);
      expect(last.certificate.kind === "fixed point").toBe(last.converged);
      expect(fit.sizes.reduce((a, b) => a + b)).toBe(80);
      expect(/repeat every \d+ iterations/.test(fit.warnings.join())).toBe(fit.outcome === "cycle");
    }
    expect(outcomes).toContain("converged");
    expect(outcomes).toContain("cycle");
  });

  it("does not see where the origin is, nor how the axes are turned", () => {
    const { X } = clouds(80, 3, 3, 3, 4);
    const turn = qr(matrix(3, 3, Float64Array.from({ length: 9 }, random(6).normal))).Q;
    const moved = multiply(X, turn);
    for (let p = 0; p < moved.data.length; p++) moved.data[p] += 7;
    const a = cpdUml(X, { clusters: 3 });
    const b = cpdUml(moved, { clusters: 3 });
    expect(adjustedRand(a.labels, b.labels)).toBe(1);
    expect(Math.abs(a.objective / b.objective - 1)).toBeLessThan(1e-8);
  });

  it("under the linear kernel is the linear form", () => {
    const { X } = clouds(60, 4, 3, 2, 9);
    const options = { clusters: 3, sigma: 3, lambda: 100 };
    const plain = cpdUml(X, options);
    const kernel = cpdUml(X, { ...options, kernel: "linear" });
    expect(adjustedRand(plain.labels, kernel.labels)).toBe(1);
    expect(Math.abs(plain.objective / kernel.objective - 1)).toBeLessThan(1e-8);
    const fresh = clouds(20, 4, 3, 2, 10).X;
    expect(Array.from(kernel.predict(fresh))).toEqual(Array.from(plain.predict(fresh)));
  });

  it("has one rule for the rows at hand and for others: the nearest moved centre", async () => {
    for (const name of ["iris", "wine"]) {
      const table = await namedData(name);
      const rows = scale(table.X, "zscore").X as Matrix;
      const settings: Partial<CpdUmlOptions>[] = [
        {},
        { indicator: "relaxed", clusters: 2 },
        { landmarks: 30 },
        { kernel: "gaussian" },
        { clusters: 8, center: false },
      ];
      for (const more of settings) {
        const fit = cpdUml(rows, { clusters: 3, ...more });
        const D = squaredDistances(fit.field.moved, fit.centers);
        const k = fit.clusters;
        const disagree = fit.labels.filter((label, i) => {
          const line = D.data.subarray(i * k, (i + 1) * k);
          return line[label] > Math.min(...line) * (1 + 1e-9);
        });
        expect(disagree.length).toBe(0);
        expect(fit.predict(rows)).toEqual(fit.labels);
        expect(loadCpdUml(JSON.parse(JSON.stringify(fit.model()))).predict(rows)).toEqual(fit.labels);
        expect(fit.model()).not.toHaveProperty("known");
        expect(fit.sizes.every((size) => size > 0)).toBe(true);
        expect(placingRule(rows, fit.labels, k, { kind: "cpd-uml", model: fit.model() })).toMatchObject({
          kind: "cpd-uml",
          agreement: 1,
        });
        // For a fixed field J is within-cluster scatter of the moved rows and a constant.
        expect(scatter(fit.field.moved, fit.labels, k)).toBeLessThanOrEqual(
          scatter(fit.field.moved, fit.alternationLabels, k) * (1 + 1e-12),
        );
      }
    }
  });

  it("with hardly any freedom is the spectral step alone", () => {
    const { X } = clouds(60, 4, 3, 1, 2);
    const fit = cpdUml(X, { clusters: 3, lambda: 1e12 });
    expect(fit.alternationLabels).toEqual(fit.spectralLabels);
    expect(relativeError(fit.field.moved, X)).toBeLessThan(1e-6);
  });
});

describe("the model", () => {
  it.each([{}, { kernel: "gaussian", kernelSigma: 3 } as const])(
    "moves and places rows alike after JSON (kernel %o)",
    (kernel) => {
      const { X } = clouds(90, 4, 3, 3, 11);
      const fit = cpdUml(X, { clusters: 3, ...kernel });
      expect(relativeError(fit.move(X), fit.field.moved)).toBeLessThan(1e-9);
      expect(relativeError(fit.transform(X), fit.embedding)).toBeLessThan(1e-8);
      expect(adjustedRand(fit.predict(X), fit.labels)).toBeGreaterThan(0.95);
      const read = loadCpdUml(JSON.parse(JSON.stringify(fit.model())) as CpdUmlData);
      const fresh = clouds(30, 4, 3, 3, 12).X;
      expect(read.move(fresh)).toEqual(fit.move(fresh));
      expect(read.predict(fresh)).toEqual(fit.predict(fresh));
      expect(read.transform(fresh)).toEqual(fit.transform(fresh));
      expect(fit.predict(matrix(0, 4))).toHaveLength(0);
    },
  );
});

describe("sigma and lambda", () => {
  it("come from the rows by default, and scale with them", () => {
    const { X } = clouds(50, 3, 2, 3, 1);
    const hundredfold = matrix(
      50,
      3,
      X.data.map((value) => 100 * value),
    );
    const a = cpdUml(X, { clusters: 2 });
    const b = cpdUml(hundredfold, { clusters: 2 });
    expect(a.setting).toMatchObject({
      sigmaFrom: "default",
      lambdaFrom: "default",
      lambda: 62.5,
      landmarks: 0,
    });
    expect(b.setting.sigma / a.setting.sigma).toBeCloseTo(100, 8);
    expect(b.labels).toEqual(a.labels);
  });

  it("keep step with the number of rows: each row five times has the same field", () => {
    const { X } = clouds(60, 3, 3, 3, 2);
    const once = cpdUml(X, { clusters: 3 });
    const often = cpdUml(
      takeRows(
        X,
        Array.from({ length: 300 }, (_, i) => i % 60),
      ),
      { clusters: 3 },
    );
    expect(adjustedRand(often.labels.slice(0, 60), once.labels)).toBe(1);
    expect(often.objective / once.objective).toBeCloseTo(5, 8);
    const fresh = clouds(20, 3, 3, 3, 3).X;
    expect(relativeError(often.move(fresh), once.move(fresh))).toBeLessThan(1e-8);
  });

  it("are chosen by stability over halves of the rows, without labels", () => {
    const { X, truth } = clouds(90, 3, 3, 4, 7);
    const fit = cpdUml(X, { clusters: 3, choose: "stability" });
    expect(fit.grid).toHaveLength(12);
    const best = Math.max(...fit.grid.map(({ stability }) => stability));
    const chosen = fit.grid.find(({ sigma }) => sigma === fit.setting.sigma)!;
    expect(chosen).toBeDefined();
    expect(best).toBeGreaterThan(0.9);
    expect(fit.setting).toMatchObject({ sigmaFrom: "stability", lambdaFrom: "stability" });
    expect(adjustedRand(fit.labels, truth)).toBeGreaterThan(0.9);
    const half = cpdUml(X, { clusters: 3, choose: "stability", sigma: 2 });
    expect(half.grid).toHaveLength(3);
    expect(half.setting).toMatchObject({ sigma: 2, sigmaFrom: "given", lambdaFrom: "stability" });
  });
});

describe("bad and odd input", () => {
  const { X } = clouds(30, 3, 2, 2, 1);
  it.each([
    [{ clusters: 31 }, /cannot make 31 clusters of 30 rows/],
    [{ clusters: 2, sigma: 0 }, /"sigma" must be a finite number above 0/],
    [{ clusters: 2, sigma: Infinity }, /"sigma"/],
    [{ clusters: 2, sigma: 1e9 }, /sigma = 1000000000 .*so large/],
    [{ clusters: 2, lambda: 0 }, /"lambda" must be a finite number above 0/],
    [{ clusters: 2, sigma: 1, lambda: 1, choose: "stability" as const }, /nothing to choose/],
    [{ clusters: 2, kernel: "gaussian" as const, kernelDims: 40 }, /dims/],
    [{ clusters: 2, kernelSigma: 1 }, /"kernelSigma" needs option "kernel"/],
  ])("%o is refused by name", (options, message) => {
    expect(() => cpdUml(X, options)).toThrow(message);
  });

  it("refuses rows that are empty, equal or not finite, and rows of other columns", () => {
    expect(() => cpdUml(matrix(0, 3), { clusters: 1 })).toThrow(/empty/);
    expect(() => cpdUml(matrix(5, 2), { clusters: 2 })).toThrow(/all rows are equal/);
    expect(() => cpdUml(fromRows([[1], [NaN]]), { clusters: 1 })).toThrow(/row 1, column 0/);
    expect(() => cpdUml(X, { clusters: 2 }).predict(matrix(1, 2))).toThrow(/3 columns.*2/);
  });

  it("says so when K exceeds the rank, and goes on", () => {
    const line = matrix(
      40,
      1,
      Float64Array.from({ length: 40 }, (_, i) => Math.floor(i / 10) * 10 + (i % 10) / 10),
    );
    const fit = cpdUml(line, { clusters: 4 });
    expect(fit.warnings.join()).toMatch(/rank 1.*4 clusters/);
    expect(Array.from(fit.sizes)).toEqual([10, 10, 10, 10]);
    const relaxed = cpdUml(line, { clusters: 4, indicator: "relaxed" });
    expect(relaxed.warnings.join()).toMatch(/nothing moves/);
    expect(relaxed.certificate.gradient).toBeLessThan(1e-10);
  });

  it("handles duplicate rows, and fewer distinct rows than clusters", () => {
    const three = fromRows(Array.from({ length: 30 }, (_, i) => [i % 3, (i % 3) ** 2]));
    const fit = cpdUml(three, { clusters: 3 });
    expect(Array.from(fit.sizes)).toEqual([10, 10, 10]);
    const more = cpdUml(three, { clusters: 5 });
    expect(more.clusters).toBe(3);
    expect(more.warnings.join()).toMatch(/3 clusters were made instead of 5/);
    for (const value of more.field.moved.data) expect(Number.isFinite(value)).toBe(true);
  });

  it("warns of a sigma that joins nothing", () => {
    expect(cpdUml(X, { clusters: 2, sigma: 1e-6 }).warnings.join()).toMatch(/so small that each row/);
  });

  it("stops when told to, with what it has", () => {
    let calls = 0;
    const big = clouds(700, 4, 5, 0.5, 1).X;
    const fit = cpdUml(big, { clusters: 5, choose: "stability", onProgress: () => ++calls < 2 });
    expect(fit.outcome).toBe("stopped");
    expect(fit.warnings.join()).toMatch(/stopped/);
    expect(row(fit.centers, 0)).toHaveLength(4);
  });
});

describe.skipIf(!existsSync(join(folder, "index.json")))("data of the text (KINDRED_DATA)", () => {
  it("separates the two moons to 99 % in one cell of the text's grid, uncentred", async () => {
    const { X, label } = await namedData("two-moons", { folder });
    const unseen = await namedData("two-moons-test", { folder });
    const fit = cpdUml(X as Matrix, { clusters: 2, sigma: 1, lambda: 100, center: false });
    expect(accuracy(fit.labels, label!.values)).toBeGreaterThanOrEqual(0.99);
    expect(accuracy(fit.predict(unseen.X as Matrix), unseen.label!.values)).toBeGreaterThan(0.97);
    expect(accuracy(kmeans(X, { clusters: 2 }).labels, label!.values)).toBeLessThan(0.7);
  });

  it("by default beats k-means on unseen rows of at least four of the text's five tables of numbers", async () => {
    const wins: string[] = [];
    for (const name of ["breast-cancer-wisconsin", "diabetes", "cars", "dermatology", "ecoli"]) {
      const table = await namedData(name, {
        folder,
        ...(name === "dermatology" && { missing: "mean" as const }),
      });
      const X = scale(table.X as Matrix, "zscore").X;
      const truth = table.label!.values;
      const clusters = new Set(truth).size;
      let [drift, plain] = [0, 0];
      for (const seed of [0, 1]) {
        const order = random(seed).sample(X.rows, X.rows);
        for (let fold = 0; fold < 3; fold++) {
          const [seen, unseen] = [
            order.filter((_, i) => i % 3 !== fold),
            order.filter((_, i) => i % 3 === fold),
          ];
          const known = Array.from(unseen, (i) => truth[i]);
          const [S, U] = [takeRows(X, seen), takeRows(X, unseen)];
          drift += accuracy(cpdUml(S, { clusters, seed }).predict(U), known);
          plain += accuracy(kmeans(S, { clusters, seed }).predict(U), known);
        }
      }
      if (drift > plain) wins.push(name);
    }
    expect(wins.length).toBeGreaterThanOrEqual(4);
  });
});
