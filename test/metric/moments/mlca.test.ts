import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readNumbers } from "../../../src/data/files/readNumbers.ts";
import { predictPartition } from "../../../src/cluster/spectral/predictPartition.ts";
import { random } from "../../../src/core/random.ts";
import { matrix, takeColumns, takeRows, type Matrix } from "../../../src/matrix/matrix.ts";
import { multiply } from "../../../src/matrix/multiply.ts";
import { pseudoInverse } from "../../../src/matrix/factor/svd.ts";
import { sparse, toSparse } from "../../../src/matrix/sparse.ts";
import {
  classMoments,
  classMomentsAccumulator,
  mergeClassMoments,
} from "../../../src/metric/moments/classMoments.ts";
import { mlca, mlcaFromMoments, mlcaUnivariate } from "../../../src/metric/moments/mlca.ts";
import { adjustedRand } from "../../../src/score/rand.ts";
import { shared } from "../../../bench/shared.mjs";
import { direct } from "./mlcaReference.ts";

const folder = shared("datasets");
const reuters = `${folder}/reuters-r8.libsvm.gz`;

function example(n: number, d: number, seed: number, shift = 0): { X: Matrix; labels: number[] } {
  const stream = random(seed);
  const labels = Array.from({ length: n }, (_, i) => i % 3);
  const X = matrix(n, d);
  for (let i = 0; i < n; i++) {
    for (let f = 0; f < d; f++) X.data[i * d + f] = stream.normal() + shift + (f === labels[i] ? 3 : 0);
  }
  return { X, labels };
}

/** Largest difference of entries, relative to the largest entry. */
function difference(A: Matrix, B: Matrix): number {
  const scale = Math.max(...B.data.map(Math.abs));
  return Math.max(...A.data.map((value, p) => Math.abs(value - B.data[p]))) / scale;
}

describe("mlca", () => {
  it.each([
    ["more rows than columns", 60, 5, 0],
    ["fewer rows than columns", 12, 30, 0],
    ["data far from the origin", 60, 5, 1e4],
  ])("equals the formula of the text: %s", (_, n, d, shift) => {
    const { X, labels } = example(n, d, 1, shift);
    const metric = mlca(X, labels);
    expect(difference(metric.matrix, direct(X, labels))).toBeLessThan(1e-8);
    expect(metric.rank).toBe(2);
    expect(metric.certificate.residual).toBeLessThan(1e-8);
  });

  it("handles collinear and constant columns, and says so", () => {
    const { X, labels } = example(60, 4, 2);
    const doubled = takeColumns(X, [0, 1, 2, 3, 0]);
    for (let i = 0; i < 60; i++) doubled.data[i * 5 + 3] = 7;
    const metric = mlca(doubled, labels);
    expect(difference(metric.matrix, direct(doubled, labels))).toBeLessThan(1e-8);
    expect(metric.warnings.join()).toContain("rank 3 of 5");
  });

  it.each([1, 1e-1, 1e-2, 1e-3, 1e-4])(
    "equals the formula where a column is another one up to %d",
    (apart) => {
      const { X, labels } = example(90, 4, 2);
      const draw = random(4);
      const near = takeColumns(X, [0, 1, 2, 3, 0]);
      for (let i = 0; i < 90; i++) near.data[i * 5 + 4] += apart * draw.normal();
      const metric = mlca(near, labels);
      expect(difference(metric.matrix, direct(near, labels))).toBeLessThan(1e-6);
      expect(metric.warnings).toEqual([]);
    },
  );

  it("is the same from batches, from merged parts, from sums and from sparse rows", () => {
    const { X, labels } = example(90, 4, 3, 5);
    const whole = mlca(X, labels).matrix;
    const rows = Array.from({ length: 90 }, (_, i) => i);
    const part = (from: number, to: number) =>
      [takeRows(X, rows.slice(from, to)), labels.slice(from, to)] as const;

    const batches = classMomentsAccumulator(4);
    batches.add(...part(0, 10));
    batches.add(...part(10, 64));
    batches.add(...part(64, 90));
    expect(difference(mlcaFromMoments(batches.result()).matrix, whole)).toBeLessThan(1e-10);

    const merged = mergeClassMoments(
      classMoments(...part(0, 31)),
      mergeClassMoments(classMoments(...part(31, 40)), classMoments(...part(40, 90))),
    );
    expect(difference(mlcaFromMoments(merged).matrix, whole)).toBeLessThan(1e-10);
    expect(difference(mlca(toSparse(X), labels).matrix, whole)).toBeLessThan(1e-9);
  });

  it("does not depend on the order of rows, the names of classes or a translation", () => {
    const { X, labels } = example(60, 4, 4);
    const whole = mlca(X, labels).matrix;
    const order = random(5).shuffle(Int32Array.from({ length: 60 }, (_, i) => i));
    const renamed = Array.from(order, (i) => ["x", "y", "z"][labels[i]]);
    expect(difference(mlca(takeRows(X, order), renamed).matrix, whole)).toBeLessThan(1e-10);
    const moved = matrix(
      60,
      4,
      X.data.map((value) => value + 100),
    );
    expect(difference(mlca(moved, labels).matrix, whole)).toBeLessThan(1e-9);
    const uncentred = mlca(moved, labels, { center: false }).matrix;
    expect(Math.abs(uncentred.data[0] / whole.data[0] - 1)).toBeGreaterThan(1e-3);
  });

  it("leaves out rows of unknown class", () => {
    const { X, labels } = example(60, 4, 6);
    const unknown = labels.map((label, i) => (i < 6 ? -1 : label));
    const rest = Array.from({ length: 54 }, (_, i) => i + 6);
    expect(difference(mlca(X, unknown).matrix, mlca(takeRows(X, rest), labels.slice(6)).matrix)).toBeLessThan(
      1e-10,
    );
  });

  it("solves sparse rows by conjugate gradients to the same metric, and says how far it got", () => {
    const { X, labels } = example(90, 4, 8, 5);
    const unknown = labels.map((label, i) => (i < 9 ? null : label));
    for (const center of [true, false]) {
      const direct = mlca(X, unknown, { center });
      const iterative = mlca(toSparse(X), unknown, { center, solver: "iterative", tolerance: 1e-12 });
      expect(difference(iterative.matrix, direct.matrix)).toBeLessThan(1e-8);
      expect(iterative.rank).toBe(direct.rank);
      expect(iterative.certificate.residual).toBeLessThan(1e-12);
    }
    const short = mlca(toSparse(X), labels, { solver: "iterative", maxIterations: 1, tolerance: 1e-9 });
    expect(short.converged).toBe(false);
    expect(short.warnings.join()).toContain("did not converge in 1 iterations");
    expect(() => mlca(X, labels, { solver: "iterative" })).toThrow("for sparse rows");
  });

  it("needs no d x d matrix where sparse rows have many columns", () => {
    const n = 400;
    const d = 50_000; // d x d numbers would be 20 GB
    const stream = random(9);
    const offsets = Int32Array.from({ length: n + 1 }, (_, i) => 6 * i);
    const labels = Array.from({ length: n }, (_, i) => i % 2);
    // Two words of the class's own, four of anything.
    const indices = Int32Array.from({ length: 6 * n }, (_, p) =>
      p % 6 < 2 ? (Math.floor(p / 6) % 2) * 2 + (p % 2) : 4 + stream.integer(d - 4),
    );
    const X = sparse(n, d, offsets, indices, new Float64Array(6 * n).fill(1));
    const metric = mlca(X, labels);
    expect(metric.rank).toBe(1);
    expect(metric.certificate.residual).toBeLessThan(0.01);
    const moved = metric.transform(X).data;
    for (let i = 2; i < n; i++) expect(Math.abs(moved[i] - moved[i % 2])).toBeLessThan(0.02);
  });

  it.skipIf(!existsSync(reuters))(
    "learns from 17387 columns of words (KINDRED_DATA/reuters-r8)",
    async () => {
      const { X, label } = await readNumbers(reuters);
      const metric = mlca(X, label!.values);
      expect(metric.rank).toBe(7);
      expect(metric.converged).toBe(true);
      const found = predictPartition(metric, X, { clusters: 8, restarts: 2 }).labels;
      expect(adjustedRand(found, label!.values)).toBeGreaterThan(0.9);
    },
  );

  it("takes -1 as a class where the classes are -1 and 1, as encodeLabels does", () => {
    const { X } = example(60, 4, 6);
    const labels = Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? -1 : 1));
    expect(classMoments(X, labels).classes).toEqual([-1, 1]);
    expect(classMoments(X, labels.map(String)).counts).toEqual(Float64Array.of(20, 40));
    const named = labels.map((label) => (label < 0 ? "a" : "b"));
    expect(difference(mlca(X, labels).matrix, mlca(X, named).matrix)).toBeLessThan(1e-12);
    // A third class makes -1 unknown again; a batch cannot know, so there it is asked for.
    expect(classMoments(X, [2, ...labels.slice(1)]).classes).toEqual([1, 2]);
    const batches = classMomentsAccumulator(4);
    batches.add(X, labels);
    expect(batches.result().classes).toEqual([1]);
    const signed = classMomentsAccumulator(4, { minusOne: "class" });
    signed.add(X, labels);
    signed.add(X, labels.map(String)); // a number and its text are one class
    expect(signed.result().classes).toEqual([-1, 1]);
    expect(signed.result().counts).toEqual(Float64Array.of(40, 80));
  });

  it("names what is wrong", () => {
    const { X, labels } = example(12, 3, 7);
    expect(() => mlca(X, labels.slice(1))).toThrow("11 labels for 12 rows");
    expect(() =>
      mlca(
        X,
        labels.map(() => 1),
      ),
    ).toThrow('at least two classes, got only "1"');
    const same = matrix(4, 2, Float64Array.from([1, 0, -1, 0, 1, 0, -1, 0]));
    expect(() => mlca(same, [0, 0, 1, 1])).toThrow("all classes have the same mean");
    X.data[4] = Number.NaN;
    expect(() => mlca(X, labels)).toThrow("NaN in row 1, column 1");
  });
});

describe("mlcaUnivariate", () => {
  const two = (n: number, d: number, shift: number): { X: Matrix; labels: string[] } => {
    const { X } = example(n, d, 11, shift);
    const labels = Array.from({ length: n }, (_, i) => (i % 4 === 0 ? "no" : "yes"));
    for (let i = 0; i < n; i++) if (i % 4 === 0) X.data[i * d] += 8;
    return { X, labels };
  };

  it.each([
    ["more rows than columns", 80, 5],
    ["fewer rows than columns", 12, 30],
  ])("is least squares on the signs with a constant column: %s", (_, n, d) => {
    const { X, labels } = two(n, d, 50);
    const A = matrix(n, d + 1);
    for (let i = 0; i < n; i++) {
      for (let f = 0; f < d; f++) A.data[i * (d + 1) + f] = X.data[i * d + f];
      A.data[i * (d + 1) + d] = 1e6; // a large constant costs nothing in the least-norm solution
    }
    const y = matrix(
      n,
      1,
      Float64Array.from(labels, (label) => (label === "no" ? -1 : 1) / Math.sqrt(n)),
    );
    const reference = multiply(pseudoInverse(A, { cut: 1e-13 }).inverse, y);
    const { metric, offset } = mlcaUnivariate(X, labels);
    for (let f = 0; f < d; f++) expect(metric.factor.data[f]).toBeCloseTo(reference.data[f], 7);
    expect(offset / (1e6 * reference.data[d])).toBeCloseTo(1, 5);
    expect(metric.rank).toBe(1);
  });

  it("splits shifted data by the sign, from dense and sparse rows alike", () => {
    const { X, labels } = two(200, 5, 50);
    const model = mlcaUnivariate(X, labels);
    const found = Array.from(model.predict(X), (side) => model.classes[side]);
    expect(found.filter((label, i) => label === labels[i]).length).toBeGreaterThan(196);
    const iterative = mlcaUnivariate(toSparse(X), labels, { solver: "iterative", tolerance: 1e-10 });
    const scores = model.scores(X);
    iterative.scores(toSparse(X)).forEach((score, i) => expect(score).toBeCloseTo(scores[i], 6));
  });

  it("is for two classes", () => {
    const { X, labels } = example(30, 3, 12);
    expect(() => mlcaUnivariate(X, labels)).toThrow("is for two classes, got 3");
    expect(() =>
      mlcaUnivariate(
        X,
        labels.map(() => 1),
      ),
    ).toThrow("at least two classes");
  });
});
