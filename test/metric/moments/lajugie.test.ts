import { beforeAll, describe, expect, it } from "vitest";
import { kmeans } from "../../../src/cluster/kmeans/kmeans.ts";
import { random } from "../../../src/core/random.ts";
import { symmetricEigen } from "../../../src/matrix/factor/eigen.ts";
import { matrix, row, takeColumns, takeRows, type Matrix } from "../../../src/matrix/matrix.ts";
import { gram, multiply, multiplyTransposeB } from "../../../src/matrix/multiply.ts";
import { lajugie, lajugieSets } from "../../../src/metric/moments/lajugie.ts";
import { mlca } from "../../../src/metric/moments/mlca.ts";
import { adjustedRand } from "../../../src/score/rand.ts";
import { wine } from "../pairs/pairFixture.ts";
import { expectsClasses, oddCases } from "../labelFixture.ts";

let X: Matrix;
let labels: readonly string[];

beforeAll(async () => {
  ({ X, labels } = await wine());
});

/** The objective through n x n matrices: max over projectors P of rank k - 1 of ||P - C||^2 + <P - C, ZMZ'>, and the penalty. */
function bySquares(Z: Matrix, classes: ArrayLike<unknown>, M: Matrix, lambda: number): number {
  const n = Z.rows;
  const sizes = new Map<unknown, number>();
  for (let i = 0; i < n; i++) sizes.set(classes[i], (sizes.get(classes[i]) ?? 0) + 1);
  const C = matrix(n, n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      C.data[i * n + j] = (classes[i] === classes[j] ? 1 / sizes.get(classes[i])! : 0) - 1 / n;
    }
  }
  const K = multiplyTransposeB(multiply(Z, M), Z);
  const A = matrix(n, n);
  let alike = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const p = i * n + j;
      A.data[p] = (K.data[p] + K.data[j * n + i]) / (2 * n) - 2 * C.data[p];
      alike += (C.data[p] * K.data[p]) / n;
    }
  }
  const rank = sizes.size - 1;
  const { values } = symmetricEigen(A);
  let value = 2 * rank - alike;
  for (let r = 0; r < rank; r++) value += values[r];
  for (const entry of M.data) value += (lambda / 2) * entry * entry;
  return value;
}

describe("lajugie", () => {
  it("minimises the objective of the text, and its certificate holds", () => {
    // Columns of unit variance: what the model takes as the unit of M.
    const columns = takeColumns(X, [0, 2, 6, 9]);
    const metric = lajugie(columns, labels, { whiten: false, regularization: 0.05, tolerance: 1e-5 });
    const M = metric.matrix;
    const value = bySquares(columns, labels, M, 0.05);
    expect(metric.objective).toBeCloseTo(value, 8);
    expect(metric.certificate.residual).toBeLessThan(1e-5);
    const stream = random(1);
    for (let trial = 0; trial < 20; trial++) {
      const L = matrix(
        metric.factor.rows,
        4,
        metric.factor.data.map((entry) => entry * (1 + 0.03 * trial * stream.normal())),
      );
      const other = gram(L);
      expect(bySquares(columns, labels, other, 0.05)).toBeGreaterThan(value * (1 - 1e-5));
    }
  });

  it("of several sets minimises the mean over them, each with its own partition", () => {
    const columns = takeColumns(X, [0, 2, 6, 9]);
    const [n, d] = [X.rows / 2, 4];
    const halves = [0, 1].map((half) =>
      takeRows(
        columns,
        Int32Array.from({ length: n }, (_, i) => 2 * i + half),
      ),
    );
    // Each less its mean, and both of unit mean variance: the unit of M.
    let total = 0;
    for (const half of halves) {
      for (let f = 0; f < d; f++) {
        let mean = 0;
        for (let i = 0; i < n; i++) mean += half.data[i * d + f] / n;
        for (let i = 0; i < n; i++) total += (half.data[i * d + f] -= mean) ** 2;
      }
    }
    const size = Math.sqrt(total / (2 * n * d));
    for (const half of halves) for (let p = 0; p < n * d; p++) half.data[p] /= size;
    // The second set calls its classes by other names.
    const sets = halves.map((half, s) => ({
      X: half,
      labels: Array.from({ length: n }, (_, i) => `${labels[2 * i + s]}${s}`),
    }));
    const metric = lajugieSets(sets, { whiten: false, regularization: 0.05, tolerance: 1e-5 });
    const value = (M: Matrix): number =>
      sets.reduce((sum, set) => sum + bySquares(set.X, set.labels, M, 0.05) / 2, 0);
    expect(metric.objective).toBeCloseTo(value(metric.matrix), 8);
    expect(metric.certificate.residual).toBeLessThan(1e-5);
    const stream = random(2);
    for (let trial = 0; trial < 20; trial++) {
      const L = matrix(
        metric.factor.rows,
        4,
        metric.factor.data.map((entry) => entry * (1 + 0.03 * trial * stream.normal())),
      );
      expect(value(gram(L))).toBeGreaterThan(metric.objective! * (1 - 1e-5));
    }
    // One set twice is that set.
    const once = lajugie(X, labels, { tolerance: 1e-6 });
    const twice = lajugieSets(
      [0, 1].map(() => ({ X, labels })),
      { tolerance: 1e-6 },
    );
    expect(Math.abs(twice.objective! / once.objective! - 1)).toBeLessThan(2e-6);
    expect(() => lajugieSets([])).toThrow(/no sets/);
    expect(() => lajugieSets([sets[0], { X: X, labels }])).toThrow(/set 1 has 13 columns, set 0 has 4/);
    expect(() => lajugieSets([sets[0], { ...sets[1], labels: sets[1].labels.map(() => "a") }])).toThrow(
      /set 1 needs at least two classes/,
    );
  });

  it("tends to what clusters as labelled: it beats Euclid and matches MLCA or better", () => {
    const ari = (Y: Matrix): number => adjustedRand(kmeans(Y, { clusters: 3 }).labels, labels);
    const learned = ari(lajugie(X, labels).transform(X));
    expect(learned).toBeGreaterThan(ari(X));
    expect(learned).toBeGreaterThan(ari(mlca(X, labels).transform(X)) - 0.02);
  });

  it("does not see units, correlations or a translation, if whitened", () => {
    const metric = lajugie(X, labels, { tolerance: 1e-6 });
    const mixed = matrix(X.rows, X.cols);
    for (let i = 0; i < X.rows; i++) {
      for (let f = 0; f < 13; f++) {
        mixed.data[i * 13 + f] =
          10 ** ((f % 5) - 2) * (X.data[i * 13 + f] + 0.5 * X.data[i * 13 + ((f + 1) % 13)]) + f;
      }
    }
    const same = lajugie(mixed, labels, { tolerance: 1e-6 });
    expect(same.objective).toBeCloseTo(metric.objective!, 5);
    const ratio = same.distance(row(mixed, 0), row(mixed, 99)) / metric.distance(row(X, 0), row(X, 99));
    expect(ratio).toBeCloseTo(1, 2);
    const order = random(1).shuffle(Int32Array.from({ length: X.rows }, (_, i) => i));
    const shuffled = lajugie(
      takeRows(X, order),
      Array.from(order, (i) => `class ${labels[i]}`),
      { tolerance: 1e-6 },
    );
    expect(shuffled.objective).toBeCloseTo(metric.objective!, 5);
  });

  it("costs no more for many rows than the products of its columns", () => {
    const stream = random(4);
    const n = 20_000;
    const rows = matrix(n, 3);
    const classes = Int32Array.from({ length: n }, (_, i) => i % 3);
    for (let p = 0; p < rows.data.length; p++) {
      rows.data[p] = stream.normal() + (p % 3 === classes[Math.floor(p / 3)] ? 5 : 0);
    }
    const metric = lajugie(rows, classes);
    expect(metric.converged).toBe(true);
    expect(
      adjustedRand(kmeans(metric.transform(rows), { clusters: 3, restarts: 2 }).labels, classes),
    ).toBeGreaterThan(0.98);
  });

  it("stays finite for duplicates, constant and collinear columns, more columns than rows and a class of one row", () => {
    for (const [rows, classes] of oddCases(X, labels)) {
      for (const whiten of [true, false]) {
        const metric = lajugie(rows, classes, { whiten });
        expect(metric.factor.data.every(Number.isFinite)).toBe(true);
        expect(metric.certificate.residual).not.toBeNaN();
        expect(metric.rank).toBeGreaterThan(0);
      }
    }
  });

  it("names what is wrong", () => {
    expectsClasses((classes) => lajugie(X, classes));
    const same = matrix(4, 2, Float64Array.of(1, 0, -1, 0, 1, 0, -1, 0));
    expect(() => lajugie(same, [0, 0, 1, 1])).toThrow("all classes have the same mean");
    const short = lajugie(X, labels, { maxIterations: 1, tolerance: 1e-9 });
    expect(short.converged).toBe(false);
    expect(short.warnings.join()).toContain("duality gap");
  });
});
