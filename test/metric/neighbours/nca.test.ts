import { readFileSync } from "node:fs";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { random } from "../../../src/core/random.ts";
import { namedData } from "../../../src/data/named.ts";
import { scale } from "../../../src/data/scaling.ts";
import { engine, useEngine } from "../../../src/matrix/engine.ts";
import {
  fromRows,
  identity,
  matrix,
  takeColumns,
  takeRows,
  type Matrix,
} from "../../../src/matrix/matrix.ts";
import { multiply, multiplyTransposeA, multiplyTransposeB } from "../../../src/matrix/multiply.ts";
import { classCoordinates, nca, softNeighbors } from "../../../src/metric/neighbours/nca.ts";
import { classMoments, scatter } from "../../../src/metric/moments/classMoments.ts";
import { referenceNeighbors } from "./ncaReference.ts";
import { wine } from "../pairs/pairFixture.ts";
import { expectsClasses, fromMoved, fromShuffled } from "../labelFixture.ts";

const peers = JSON.parse(readFileSync("test/fixtures/local-metrics.json", "utf8")) as Record<
  "iris" | "wine",
  { nca: number; ncaIdentity: number }
>;
let X: Matrix;
let labels: readonly string[];

beforeAll(async () => {
  ({ X, labels } = await wine());
});

const squared = (x: ArrayLike<number>): number =>
  Array.from(x).reduce((sum, value) => sum + value * value, 0);

function maxDifference(A: Matrix, B: Matrix): number {
  return A.data.reduce((most, value, p) => Math.max(most, Math.abs(value - B.data[p])), 0);
}

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
    [30, 2, 60], // nearest distances too unlike for one power to serve both rows of a pair
    [2003, 2, 4], // too many to keep their distances
  ])("kernel and loops agree: %i rows, %i columns, scale %f", (n, r, size) => {
    const stream = random(n);
    const Z = matrix(n, r);
    for (let p = 0; p < Z.data.length; p++) Z.data[p] = size * stream.normal();
    const codes = Int32Array.from({ length: n }, (_, i) => (i === 0 ? 9 : i % 3));
    for (const logarithm of [false, true]) {
      const fast = softNeighbors(Z, codes, logarithm);
      const slow = referenceNeighbors(Z, codes, logarithm);
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

  it.each([false, true])("leaves out weights up to a limit, and no others (logarithm: %s)", (logarithm) => {
    const codes = Int32Array.from(labels, Number);
    const Z = multiplyTransposeB(X, identity(13));
    const exact = softNeighbors(Z, codes, logarithm);
    const limit = 1e-6;
    const near = softNeighbors(Z, codes, logarithm, limit);
    const longest =
      2 *
      Math.sqrt(
        Math.max(...Array.from({ length: Z.rows }, (_, i) => squared(Z.data.subarray(13 * i, 13 * (i + 1))))),
      );
    let apart = 0;
    for (let p = 0; p < Z.data.length; p++) {
      apart = Math.max(apart, Math.abs(exact.force.data[p] - near.force.data[p]));
    }
    expect(apart).toBeGreaterThan(0);
    expect(apart).toBeLessThan(2 * Z.rows * limit * longest);
    for (let i = 0; i < Z.rows; i++) {
      expect(Math.abs(exact.values[i] - near.values[i])).toBeLessThan(2 * Z.rows * limit);
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

describe("classCoordinates", () => {
  it("makes classes round, and leads back", () => {
    const codes = Int32Array.from(labels, Number);
    const members = [1, 2, 3].map((c) => Int32Array.from(codes.keys()).filter((i) => codes[i] === c));
    const { to, from } = classCoordinates(X, members);
    expect(maxDifference(multiply(to, from), identity(13))).toBeLessThan(1e-12);
    const { within } = scatter(classMoments(multiply(X, to), codes));
    const round = matrix(13, 13);
    for (let f = 0; f < 13; f++) round.data[f * 14] = within.data[0];
    expect(maxDifference(within, round)).toBeLessThan(1e-10 * within.data[0]);
  });

  it("bears rows without spread in their classes", () => {
    const { to, from } = classCoordinates(
      fromRows([
        [0, 0],
        [0, 0],
        [1, 2],
      ]),
      [Int32Array.of(0, 1), Int32Array.of(2)],
    );
    expect(to).toEqual(identity(2));
    expect(from).toEqual(identity(2));
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

  it("finds the columns that matter among many of noise, in few steps", () => {
    const stream = random(7);
    const rows = Array.from({ length: 200 }, (_, i) =>
      Array.from({ length: 20 }, (_, f) => (f < 2 ? 3 * (i % 2) + stream.normal() : 6 * stream.normal())),
    );
    const classes = rows.map((_, i) => i % 2);
    const metric = nca(fromRows(rows), classes);
    expect(metric.objective).toBeGreaterThan(0.9);
    expect(metric.iterations).toBeLessThan(30);
    expect(metric.relevance[0] + metric.relevance[1]).toBeGreaterThan(0.1);
  });

  it("takes the last steps, in which L only grows, in one", () => {
    const { history, iterations } = nca(X, labels, { init: "identity" });
    expect(iterations).toBeLessThan(8);
    expect(1 - history!.at(-2)!).toBeGreaterThan(100 * (1 - history!.at(-1)!));
  });

  it("gives the same on the relaxed engine", () => {
    const options = { dims: 2, maxIterations: 5 } as const;
    const fast = nca(X, labels, options);
    useEngine("relaxed");
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
    const learn = (rows: Matrix, classes: readonly string[]) => nca(rows, classes, { maxIterations: 8 });
    const metric = learn(X, labels);
    expect(fromShuffled(learn, X, labels).objective).toBeCloseTo(metric.objective!, 8);
    const moved = fromMoved(learn, X, labels, { metric, value: (x) => x + 1000 });
    expect(moved.distance).toBeCloseTo(moved.before, 4);
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
    expectsClasses((classes) => nca(X, classes));
    expect(() => nca(fromRows([[1], [2]]), ["a", "b"])).toThrow("every class has only one");
    expect(() => nca(X, labels, { dims: 14 })).toThrow('"dims" is 14');
  });
});
