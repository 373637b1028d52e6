import { readFileSync } from "node:fs";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { random } from "../../src/core/random.ts";
import { namedData } from "../../src/data/named.ts";
import { scale } from "../../src/data/scaling.ts";
import { engine, useEngine } from "../../src/matrix/engine.ts";
import {
  fromRows,
  identity,
  matrix,
  row,
  takeColumns,
  takeRows,
  type Matrix,
} from "../../src/matrix/matrix.ts";
import { multiplyTransposeA, multiplyTransposeB } from "../../src/matrix/multiply.ts";
import { nca } from "../../src/metric/nca.ts";
import { plainSoftNeighbors, softNeighbors } from "../../src/metric/softNeighbors.ts";

const peers = JSON.parse(readFileSync("test/fixtures/local-metrics.json", "utf8")) as Record<
  "iris" | "wine",
  { nca: number; ncaIdentity: number }
>;
let X: Matrix;
let labels: readonly string[];

beforeAll(async () => {
  const table = await namedData("wine");
  X = scale(table.X, "zscore").X as Matrix;
  labels = table.label!.values;
});

const usual = engine().name;
afterEach(() => useEngine(usual));

describe("softNeighbors", () => {
  it.each([
    [37, 3, 1],
    [40, 5, 0.1],
    [41, 2, 6],
    [150, 4, 3],
    [5, 1, 30],
    [6, 2, 1e3],
  ])("kernel and loops agree: %i rows, %i columns, scale %f", (n, r, size) => {
    const stream = random(n);
    const Z = matrix(n, r);
    for (let p = 0; p < Z.data.length; p++) Z.data[p] = size * stream.normal();
    const codes = Int32Array.from({ length: n }, (_, i) => (i === 0 ? 9 : i % 3));
    for (const logarithm of [false, true]) {
      const fast = softNeighbors(Z, codes, logarithm);
      const slow = plainSoftNeighbors(Z, codes, logarithm);
      // Row 0 is alone in its class: log p_0 is -Infinity in both.
      for (let i = 0; i < n; i++) {
        const apart = fast.values[i] === slow.values[i] ? 0 : Math.abs(fast.values[i] - slow.values[i]);
        expect(apart).toBeLessThan(1e-9 * (1 + size ** 2));
      }
      for (let p = 0; p < Z.data.length; p++) {
        expect(Math.abs(fast.force.data[p] - slow.force.data[p])).toBeLessThan(1e-8 * (1 + size ** 2));
      }
    }
  });

  it.each([false, true])("gives the gradient of the sum of the values (logarithm: %s)", (logarithm) => {
    const L = matrix(
      2,
      13,
      Float64Array.from({ length: 26 }, (_, p) => 0.3 * Math.sin(p)),
    );
    const codes = Int32Array.from(labels, Number);
    const total = (): number => {
      const { values } = softNeighbors(multiplyTransposeB(X, L), codes, logarithm);
      return values.reduce((sum, value) => sum + value, 0);
    };
    const { force } = softNeighbors(multiplyTransposeB(X, L), codes, logarithm);
    const gradient = multiplyTransposeA(force, X).data.map((value) => 2 * value);
    for (const p of [0, 7, 13, 25]) {
      const kept = L.data[p];
      L.data[p] = kept + 1e-5;
      const above = total();
      L.data[p] = kept - 1e-5;
      const below = total();
      L.data[p] = kept;
      expect(gradient[p]).toBeCloseTo((above - below) / 2e-5, 5);
    }
  });
});

describe("nca", () => {
  it.each(["iris", "wine"] as const)("is not below scikit-learn from the same start: %s", async (name) => {
    const table = await namedData(name);
    const rows = scale(table.X, "zscore").X as Matrix;
    const metric = nca(rows, table.label!.values, { init: "identity" });
    expect(metric.history![0]).toBeCloseTo(peers[name].ncaIdentity, 9);
    expect(metric.objective).toBeGreaterThan(peers[name].nca - 1e-5);
    expect(metric.certificate.residual).toBeLessThan(1e-5);
    expect(metric.converged).toBe(true);
    metric.history!.forEach((value, p, all) =>
      expect(value).toBeGreaterThanOrEqual(all[Math.max(0, p - 1)] - 1e-12),
    );
  });

  it("gives the same on the plain engine", () => {
    const options = { dims: 2, maxIterations: 5 } as const;
    const fast = nca(X, labels, options);
    useEngine("plain");
    expect(nca(X, labels, options).objective).toBeCloseTo(fast.objective!, 9);
  });

  it("maximises the mean logarithm when asked to, which no row may drop out of", () => {
    const log = nca(X, labels, { objective: "log", dims: 2 });
    const sum = nca(X, labels, { dims: 2 });
    const codes = Int32Array.from(labels, Number);
    const mean = (metric: typeof log): number =>
      softNeighbors(metric.transform(X), codes, true).values.reduce((a, b) => a + b, 0) / X.rows;
    expect(log.objective).toBeCloseTo(mean(log), 9);
    expect(mean(log)).toBeGreaterThan(mean(sum) - 1e-4);
  });

  it("starts from the discriminant, the principal components, the identity or a given matrix", () => {
    const start = (options: object): number => nca(X, labels, { maxIterations: 0, ...options }).history![0];
    expect(start({ dims: 2 })).toBe(start({ dims: 2, init: "lda" }));
    expect(start({ dims: 4 })).toBe(start({ dims: 4, init: "pca" }));
    expect(start({})).toBe(start({ init: identity(13) }));
    expect(() => start({ dims: 4, init: "lda" })).toThrow("gives 2 directions, not 4");
    expect(() => start({ init: matrix(2, 13) })).toThrow("13 x 13 is needed");
  });

  it("does not depend on the order of rows or a translation", () => {
    const options = { maxIterations: 8 } as const;
    const metric = nca(X, labels, options);
    const order = random(1).shuffle(Int32Array.from({ length: X.rows }, (_, i) => i));
    const shuffled = nca(
      takeRows(X, order),
      Array.from(order, (i) => labels[i]),
      options,
    );
    expect(shuffled.objective).toBeCloseTo(metric.objective!, 8);
    const moved = matrix(
      X.rows,
      X.cols,
      X.data.map((value) => value + 1000),
    );
    const same = nca(moved, labels, options);
    expect(same.distance(row(moved, 0), row(moved, 99))).toBeCloseTo(
      metric.distance(row(X, 0), row(X, 99)),
      4,
    );
  });

  it("stays finite for values that overflow a plain softmax, duplicates, constant and many columns, lonely rows", () => {
    const huge = matrix(
      X.rows,
      X.cols,
      X.data.map((value) => 1e4 * value),
    );
    const wide = takeRows(X, [0, 1, 70, 71, 140, 141]);
    const flat = takeColumns(X, [0, 1, 2]);
    for (let i = 0; i < flat.rows; i++) flat.data[3 * i] = 0;
    const cases: [Matrix, ArrayLike<string | number>][] = [
      [huge, labels],
      [wide, [0, 0, 1, 1, 2, 2]],
      [flat, labels],
      [takeRows(X, [0, 0, 0, 70, 70]), [0, 0, 0, 1, 1]],
      [takeRows(X, [0, 1, 2, 3, 70]), [0, 0, 0, 0, 1]],
    ];
    for (const objective of ["sum", "log"] as const) {
      for (const [rows, classes] of cases) {
        const metric = nca(rows, classes, { objective, maxIterations: 20 });
        expect(metric.factor.data.every(Number.isFinite)).toBe(true);
        expect(Number.isFinite(metric.objective)).toBe(true);
      }
    }
    expect(nca(takeRows(X, [0, 1, 2, 70]), [0, 0, 0, 1]).warnings.join()).toContain("1 classes have one row");
  });

  it("says when it did not converge, and what is wrong", () => {
    const short = nca(X, labels, { maxIterations: 1 });
    expect(short.converged).toBe(false);
    expect(short.warnings.join()).toContain("did not converge in 1 iterations");
    expect(() => nca(X, labels.slice(1))).toThrow("177 labels for 178 rows");
    expect(() =>
      nca(
        X,
        labels.map(() => "a"),
      ),
    ).toThrow("at least two classes");
    expect(() => nca(fromRows([[1], [2]]), ["a", "b"])).toThrow("every class has only one");
    expect(() => nca(X, labels, { dims: 14 })).toThrow('"dims" is 14');
  });
});
