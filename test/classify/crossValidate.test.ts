import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  correctShare,
  crossValidate,
  gaussianNaiveBayes,
  holdout,
  kNearestNeighbors,
  repeatedHoldout,
  stratifiedFolds,
} from "../../src/classify/index.ts";
import { random } from "../../src/core/random.ts";
import { namedData } from "../../src/data/index.ts";
import type { Matrix } from "../../src/matrix/matrix.ts";
import "../seed.ts";
import { clouds } from "./samples.ts";

const labelings = fc
  .array(fc.integer({ min: 0, max: 3 }), { minLength: 20, maxLength: 80 })
  .map((codes) => ["a", "a", "a", "b", "b", "b", ...codes.map((code) => "abcd"[code])]);
const countOf = (labels: readonly string[], rows: Int32Array, label: string): number =>
  rows.reduce((count, i) => count + Number(labels[i] === label), 0);

describe("stratifiedFolds", () => {
  test("every row is tested once; folds and the classes in them differ by at most one row", () => {
    fc.assert(
      fc.property(labelings, fc.integer({ min: 2, max: 10 }), fc.nat(), (labels, folds, seed) => {
        const { splits } = stratifiedFolds(labels, { folds, seed });
        const tested = splits.flatMap(({ test: rows }) => Array.from(rows)).toSorted((a, b) => a - b);
        expect(tested).toEqual([...labels.keys()]);
        for (const { train, test: rows } of splits) expect(train.length + rows.length).toBe(labels.length);
        const sizes = splits.map(({ test: rows }) => rows.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
        for (const label of new Set(labels)) {
          const counts = splits.map(({ test: rows }) => countOf(labels, rows, label));
          expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  test("says which classes cannot be in every fold; rows without a class are in none", () => {
    const labels = [..."aaaaaaaaaabbbbbbbbbb", "c", "", null];
    const { splits, warnings } = stratifiedFolds(labels, { folds: 5 });
    expect(warnings).toEqual([
      "2 of 23 rows have no class and were left out",
      'classes with fewer rows than folds, absent from some: "c"',
      'classes with one row, which are unknown while it is tested: "c"',
    ]);
    expect(splits.flatMap(({ test: rows }) => Array.from(rows)).includes(21)).toBe(false);
    expect(() => stratifiedFolds(["a", "b", "b", "b"], { folds: 2 })).toThrow("leaves 1 class to learn from");
    expect(() => stratifiedFolds(["a", "b", "b"], { folds: 4 })).toThrow(
      "3 rows with a class cannot fill 4 folds",
    );
    expect(() => stratifiedFolds(["a", "a"])).toThrow('at least two classes, got only "a"');
  });
});

describe("holdout", () => {
  test("has the share asked for, and every class of two rows in both parts", () => {
    fc.assert(
      fc.property(
        labelings,
        fc.double({ min: 0.1, max: 0.9, noNaN: true }),
        fc.nat(),
        (labels, share, seed) => {
          const { train, test: rows } = holdout(labels, { train: share, seed });
          expect(
            Array.from(train)
              .concat(Array.from(rows))
              .toSorted((a, b) => a - b),
          ).toEqual([...labels.keys()]);
          for (const label of new Set(labels)) {
            const size = labels.filter((value) => value === label).length;
            const taken = countOf(labels, train, label);
            expect(taken).toBeGreaterThanOrEqual(1);
            expect(size === 1 || taken < size).toBe(true);
            expect(Math.abs(taken - share * size)).toBeLessThan(4);
          }
          const K = new Set(labels).size;
          expect(Math.abs(train.length - share * labels.length)).toBeLessThanOrEqual(K);
        },
      ),
    );
  });

  test("balanced classes get exactly their share", () => {
    const labels = Array.from({ length: 2000 }, (_, i) => i % 10);
    const { train, warnings } = holdout(labels, { train: 0.1, seed: 3 });
    expect(train.length).toBe(200);
    expect(new Set(Array.from(train, (i) => labels[i])).size).toBe(10);
    expect(warnings).toEqual([]);
    expect(holdout(labels, { train: 0.1, seed: 4 }).train).not.toEqual(train);
    expect(holdout(["a", "b", "b", "b"], { train: 0.5 }).warnings).toEqual([
      'classes with one row, which is never tested: "a"',
    ]);
  });
});

describe("crossValidate and repeatedHoldout", () => {
  test("iris: the mean, spread and predictions belong together", async () => {
    const table = await namedData("iris");
    const labels = table.label!.values;
    const fit = (X: Matrix, y: (string | number)[]) => gaussianNaiveBayes(X, y);
    const result = crossValidate(table.X as Matrix, labels, fit, { folds: 5, seed: 1 });
    expect(result.accuracies.length).toBe(5);
    expect(result.accuracy).toBeCloseTo(correctShare(result.predictions as string[], labels), 12);
    expect(result.accuracy).toBeGreaterThan(0.93);
    expect(result.standardError).toBeCloseTo(result.deviation / Math.sqrt(5), 12);
    const repeated = crossValidate(table.X as Matrix, labels, fit, { folds: 5, repeats: 3, seed: 1 });
    expect(repeated.accuracies.slice(0, 5)).toEqual(result.accuracies);
    expect(repeated.accuracies.length).toBe(15);
    const split = repeatedHoldout(table.X as Matrix, labels, fit, { train: 0.2, repeats: 4 });
    expect(split.accuracies.length).toBe(4);
    expect(split.accuracy).toBeGreaterThan(0.85);
  });

  test("the signs -1 and 1 are two classes", () => {
    const { X, y } = clouds(40, 2, 2, { apart: 6 });
    const signs = y.map((label) => (label === "a" ? -1 : 1));
    const { accuracy, predictions } = crossValidate(X, signs, (A, b) => kNearestNeighbors(A, b));
    expect(accuracy).toBe(1);
    expect(predictions).toEqual(signs);
  });

  test("labels that answer to nothing are at chance", () => {
    const { X } = clouds(400, 2, 2);
    const stream = random(5);
    const y = Array.from({ length: 400 }, () => (stream.uniform() < 0.5 ? "heads" : "tails"));
    const { accuracy } = crossValidate(X, y, (A, b) => kNearestNeighbors(A, b), { repeats: 3 });
    expect(Math.abs(accuracy - 0.5)).toBeLessThan(0.06);
  });

  test("labels of another length, no known class", () => {
    const { X, y } = clouds(20, 2, 2);
    expect(() => crossValidate(X, y.slice(1), gaussianNaiveBayes)).toThrow("19 labels for 20 rows");
    expect(() => repeatedHoldout(X, y.slice(1), gaussianNaiveBayes, { train: 0.5 })).toThrow(
      "19 labels for 20 rows",
    );
    expect(() => correctShare(["a"], [null])).toThrow("no row has a known class");
    expect(() => correctShare(["a"], ["a", "b"])).toThrow("1 predictions for 2 labels");
  });
});
