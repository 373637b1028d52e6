import * as fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { binRows } from "../../src/classify/forest/binning.ts";
import { growForest, type GrowOptions } from "../../src/classify/forest/growForest.ts";
import { randomForest } from "../../src/classify/index.ts";
import { random } from "../../src/core/random.ts";
import { jsonOf } from "../../src/core/result.ts";
import { setThreads, threads, useEngine } from "../../src/matrix/index.ts";
import { fromRows, matrix, row, takeRows, type Matrix } from "../../src/matrix/matrix.ts";
import "../seed.ts";
import { binPlain, growPlain, treeGrower } from "./plainForest.ts";
import { clouds, tables } from "./samples.ts";

interface ForestOptions extends GrowOptions {
  readonly trees: number;
  readonly bins: number;
  readonly seed: number;
}

describe("binRows", () => {
  test("bins are in the order of the values, equal values share one, and cuts separate them", () => {
    const values = fc.array(
      fc.oneof(fc.integer({ min: -4, max: 4 }), fc.double({ noNaN: true, noDefaultInfinity: true })),
      {
        minLength: 1,
        maxLength: 60,
      },
    );
    fc.assert(
      fc.property(values, fc.integer({ min: 2, max: 12 }), (column, most) => {
        const { bins, cuts } = binRows(matrix(column.length, 1, Float64Array.from(column)), most);
        expect(cuts[0].length).toBeLessThan(most);
        const distinct = new Set(column.map((value) => value + 0)).size;
        expect(distinct > most || cuts[0].length === distinct - 1).toBe(true);
        column.forEach((value, i) => {
          const below = cuts[0].filter((cut) => value > cut).length;
          expect(bins[i]).toBe(below);
        });
      }),
    );
  });

  test("many values are shared out evenly, beside a value with most of the rows too", () => {
    const even = binRows(
      matrix(
        1000,
        1,
        Float64Array.from({ length: 1000 }, (_, i) => i),
      ),
      256,
    );
    expect(even.cuts[0].length).toBe(255);
    const sizes = new Int32Array(256);
    for (const bin of even.bins) sizes[bin]++;
    expect(Math.max(...sizes)).toBeLessThanOrEqual(5);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(3);
    const heavy = binRows(
      matrix(
        1000,
        1,
        Float64Array.from({ length: 1000 }, (_, i) => Math.max(0, i - 700)),
      ),
      100,
    );
    expect(heavy.cuts[0].length).toBe(99);
  });

  test("an increasing map leaves the bins as they are", () => {
    const { X } = clouds(500, 2, 2);
    const mapped = matrix(
      500,
      2,
      X.data.map((value) => Math.exp(value) + value ** 3),
    );
    expect(binRows(mapped, 64).bins).toEqual(binRows(X, 64).bins);
  });
});

describe("the kernels of the forest", () => {
  const before = threads();
  afterEach(() => {
    useEngine("simd");
    setThreads(before);
  });

  /** The same work by the kernel on one to three threads. */
  function everyWay<T>(work: () => T): T[] {
    const ways = [
      ["simd", 1],
      ["simd", 2],
      ["simd", 3],
      ["relaxed", 2],
    ] as const;
    return ways.map(([engine, count]) => {
      useEngine(engine);
      setThreads(count);
      return work();
    });
  }

  test("bin as the plain loops do, to the last bit", () => {
    const value = fc.oneof(
      fc.constantFrom(0, -0, 1, -1, Number.MIN_VALUE, -Number.MAX_VALUE),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 80 }),
        fc.integer({ min: 2, max: 256 }),
        (rows, most) => {
          const plain = binPlain(fromRows(rows), most);
          for (const binned of everyWay(() => binRows(fromRows(rows), most))) expect(binned).toEqual(plain);
        },
      ),
      { numRuns: 40 },
    );
  });

  /** All that a forest is made of, as text. */
  function forestOf(grow: typeof growForest, X: Matrix, codes: Int32Array, options: ForestOptions): string {
    const { trees, bins, seed, ...limits } = options;
    const stream = random(seed);
    const seeds = Float64Array.from({ length: trees }, () => stream.integer(2 ** 52));
    const K = Math.max(...codes) + 1;
    const grown: unknown[] = [];
    const votes = grow(binRows(X, bins), codes, K, limits, seeds, (tree) => {
      grown.push(structuredClone(tree));
      return true;
    });
    return JSON.stringify([grown, votes].map(jsonOf));
  }

  test("grow the trees of the plain loops, to the last bit, on any number of threads", () => {
    fc.assert(
      fc.property(
        tables,
        fc.record({
          trees: fc.integer({ min: 1, max: 12 }),
          maxDepth: fc.integer({ min: 1, max: 12 }),
          minLeaf: fc.integer({ min: 1, max: 4 }),
          bins: fc.integer({ min: 2, max: 256 }),
          seed: fc.nat(),
        }),
        ({ X, y }, options) => {
          fc.pre(new Set(y).size > 1);
          const codes = Int32Array.from(y, Number);
          const all = { ...options, tried: Math.min(2, X.cols) };
          const plain = forestOf(growPlain, X, codes, all);
          for (const grown of everyWay(() => forestOf(growForest, X, codes, all))) expect(grown).toBe(plain);
        },
      ),
      { numRuns: 40 },
    );
  });

  test("share out large tables, whose nodes are searched by counts of bins and classes", () => {
    const { X, y } = clouds(9000, 12, 4, { apart: 0.7 });
    // Few levels, so that some leaves have several classes.
    for (let p = 0; p < X.data.length; p += 3) X.data[p] = Math.round(X.data[p]);
    const codes = Int32Array.from(y, (label) => label.codePointAt(0)! - 97);
    const usual = { trees: 20, tried: 3, maxDepth: 1000, minLeaf: 1, bins: 256, seed: 0 };
    for (const options of [usual, { ...usual, trees: 7, minLeaf: 5, tried: 9 }, { ...usual, bins: 4 }]) {
      const plain = forestOf(growPlain, X, codes, options);
      for (const grown of everyWay(() => forestOf(growForest, X, codes, options)))
        expect(grown === plain).toBe(true);
    }
  });

  test("bin a wide table a few columns at a time", () => {
    const { X } = clouds(90, 7, 2);
    expect(binRows(X, 40, 8 * 90 * 3)).toEqual(binRows(X, 40));
  });

  test("end with the tree after which the caller stopped", () => {
    const { X, y } = clouds(300, 4, 2, { apart: 0.5 });
    const codes = Int32Array.from(y, (label) => Number(label === "b"));
    const data = binRows(X, 256);
    const stopped = everyWay(() => {
      let left = 5;
      const seeds = Float64Array.from({ length: 40 }, (_, t) => t);
      const options = { tried: 2, maxDepth: 1000, minLeaf: 1 };
      const votes = growForest(data, codes, 2, options, seeds, () => --left > 0);
      return { left, votes };
    });
    expect(stopped[0].left).toBe(0);
    expect(Math.max(...stopped[0].votes.seen)).toBeLessThanOrEqual(5);
    for (const other of stopped) expect(other).toEqual(stopped[0]);
  });
});

describe("treeGrower", () => {
  test("every split has the least Gini index of all, leaves are pure or cannot be split", () => {
    fc.assert(
      fc.property(tables, ({ X, y }) => {
        const codes = Int32Array.from(y, Number);
        const K = Math.max(...codes) + 1;
        const data = binRows(X, 256);
        const grower = treeGrower(data, codes, K, { tried: X.cols, maxDepth: Infinity, minLeaf: 1 });
        const weights = Int32Array.from(codes, (_, i) => 1 + (i % 3));
        const tree = grower.grow(weights, random(1));
        const impurity = (rows: number[]): number => {
          const counts = new Float64Array(K);
          for (const i of rows) counts[codes[i]] += weights[i];
          const W = counts.reduce((sum, count) => sum + count, 0);
          return W - counts.reduce((sum, count) => sum + count ** 2, 0) / W;
        };
        const visit = (node: number, rows: number[]): void => {
          let best = Infinity;
          for (let f = 0; f < X.cols; f++) {
            for (const i of rows) {
              const left = rows.filter((j) => row(X, j)[f] <= row(X, i)[f]);
              if (left.length === rows.length) continue;
              best = Math.min(best, impurity(left) + impurity(rows.filter((j) => !left.includes(j))));
            }
          }
          const f = tree.feature[node];
          expect(f >= 0 || impurity(rows) < 1e-9 || best === Infinity).toBe(true);
          if (f < 0) return;
          const goesLeft = (i: number): boolean => data.bins[f * X.rows + i] <= tree.bin[node];
          const [left, right] = [rows.filter(goesLeft), rows.filter((i) => !goesLeft(i))];
          expect(impurity(left) + impurity(right)).toBeCloseTo(best, 9);
          visit(tree.left[node], left);
          visit(tree.left[node] + 1, right);
        };
        visit(0, [...codes.keys()]);
      }),
    );
  });

  test("respects depth and leaf size", () => {
    const { X, y } = clouds(200, 3, 2, { apart: 0.5 });
    const codes = Int32Array.from(y, (label) => Number(label === "b"));
    const grow = (maxDepth: number, minLeaf: number) =>
      treeGrower(binRows(X, 256), codes, 2, { tried: 3, maxDepth, minLeaf }).grow(
        new Int32Array(200).fill(1),
        random(1),
      );
    expect(grow(2, 1).feature.length).toBeLessThanOrEqual(7);
    const { feature, bin, left } = grow(100, 20);
    const { bins } = binRows(X, 256);
    const sizes = new Int32Array(feature.length);
    for (let i = 0; i < 200; i++) {
      let v = 0;
      while (feature[v] >= 0) v = left[v] + Number(bins[feature[v] * 200 + i] > bin[v]);
      sizes[v]++;
    }
    const leaves = sizes.filter((_, v) => feature[v] < 0);
    expect(leaves.length).toBeGreaterThan(2);
    expect(Math.min(...leaves)).toBeGreaterThanOrEqual(20);
  });
});

describe("randomForest", () => {
  test("is the same for the same seed, another for another, and does not mind the names of classes", () => {
    const { X, y } = clouds(120, 5, 3, { apart: 1 });
    const first = randomForest(X, y, { trees: 20, seed: 4 });
    expect(randomForest(X, y, { trees: 20, seed: 4 }).toJSON()).toEqual(first.toJSON());
    expect(randomForest(X, y, { trees: 20, seed: 5 }).toJSON()).not.toEqual(first.toJSON());
    const codes = y.map((label) => label.codePointAt(0)!);
    expect(randomForest(X, codes, { trees: 20, seed: 4 }).probabilities(X)).toEqual(first.probabilities(X));
  });

  test("increasing maps of the features change no prediction of training rows", () => {
    const { X, y } = clouds(150, 4, 3, { apart: 1 });
    const maps = [Math.exp, (v: number) => v ** 3, (v: number) => 1e6 * v - 7, Math.atan];
    const mapped = matrix(
      150,
      4,
      X.data.map((value, p) => maps[p % 4](value)),
    );
    const forest = randomForest(X, y, { seed: 1 });
    const other = randomForest(mapped, y, { seed: 1 });
    expect(other.probabilities(mapped)).toEqual(forest.probabilities(X));
    expect(other.importance).toEqual(forest.importance);
    expect(other.outOfBag).toEqual(forest.outOfBag);
  });

  test("out-of-bag accuracy foretells that of new rows, and importance finds the feature that counts", () => {
    const { X, y } = clouds(600, 6, 2, { seed: 1, apart: 1.5 });
    const fresh = clouds(600, 6, 2, { seed: 2, apart: 1.5 });
    const forest = randomForest(X, y);
    const predicted = forest.predict(fresh.X);
    const correct = predicted.filter((label, i) => label === fresh.y[i]).length / 600;
    expect(forest.outOfBag!.rows).toBe(600);
    expect(Math.abs(forest.outOfBag!.accuracy - correct)).toBeLessThan(0.05);
    expect(forest.importance.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 12);
    expect(forest.importance.indexOf(Math.max(...forest.importance))).toBe(0);
    const P = forest.probabilities(fresh.X);
    for (let i = 0; i < 600; i++) expect(row(P, i)[0] + row(P, i)[1]).toBeCloseTo(1, 12);
  });

  test("splits that gain nothing by themselves are taken: an exclusive-or", () => {
    const corners = fromRows([
      [0, 0],
      [1, 1],
      [0, 1],
      [1, 0],
    ]);
    const X = takeRows(
      corners,
      Array.from({ length: 80 }, (_, i) => i % 4),
    );
    const y = Array.from({ length: 80 }, (_, i) => (i % 4 < 2 ? "same" : "different"));
    expect(randomForest(X, y).predict(corners)).toEqual(["same", "same", "different", "different"]);
  });

  test("constant columns are never used, and a table of them predicts the larger class", () => {
    const { X, y } = clouds(50, 3, 2);
    for (let i = 0; i < 50; i++) X.data[3 * i + 1] = 4;
    expect(randomForest(X, y).importance[1]).toBe(0);
    const still = randomForest(fromRows([[1], [1], [1], [1]]), ["a", "b", "b", "b"]);
    expect(still.predict(fromRows([[0], [2]]))).toEqual(["b", "b"]);
    expect(Array.from(still.importance)).toEqual([0]);
    expect(still.warnings.join()).toMatch("no split was possible");
  });

  test("a caller that stops gets the trees grown so far, marked", () => {
    const { X, y } = clouds(2000, 10, 2, { apart: 0.1 });
    const forest = randomForest(X, y, { trees: 100_000, onProgress: () => false });
    expect(forest.trees.roots.length).toBeLessThan(100_000);
    expect(forest.warnings.join()).toMatch(/stopped after \d+ of 100000 trees/);
  });
});
