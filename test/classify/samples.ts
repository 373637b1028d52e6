import * as fc from "fast-check";
import {
  discreteNaiveBayes,
  gaussianNaiveBayes,
  kNearestNeighbors,
  linearSvm,
  randomForest,
  svm,
  type Classifier,
} from "../../src/classify/index.ts";
import { random } from "../../src/core/random.ts";
import { matrix, takeRows, type Matrix, mapped } from "../../src/matrix/matrix.ts";
import type { Label, Labeling } from "../../src/score/labels.ts";

/** Every classifier by its name, with options that keep tests short. */
export const fits: Record<string, (X: Matrix, labels: Labeling) => Classifier> = {
  gaussianNaiveBayes,
  discreteNaiveBayes: (X, labels) => discreteNaiveBayes(rounded(X), labels),
  svm,
  linearSvm,
  randomForest: (X, labels) => randomForest(X, labels, { trees: 20 }),
  kNearestNeighbors: (X, labels) => kNearestNeighbors(X, labels, { neighbors: 3 }),
};

/** Gaussian clouds, one per class, `apart` from each other in the first feature. */
export function clouds(
  n: number,
  d: number,
  K: number,
  { seed = 1, apart = 2 }: { seed?: number; apart?: number } = {},
): { X: Matrix; y: string[] } {
  const { normal } = random(seed);
  const X = matrix(n, d);
  const y = Array.from({ length: n }, (_, i) => String.fromCodePoint(97 + (i % K)));
  for (let i = 0; i < n; i++) {
    for (let f = 0; f < d; f++) X.data[i * d + f] = normal() + (f === 0 ? apart * (i % K) : 0);
  }
  return { X, y };
}

export function rounded(X: Matrix): Matrix {
  return mapped(X, Math.round);
}

/** Small tables of integers, with many ties and duplicates, and two or three classes that all occur. */
export const tables: fc.Arbitrary<{ X: Matrix; y: Label[] }> = fc
  .record({
    n: fc.integer({ min: 6, max: 16 }),
    d: fc.integer({ min: 1, max: 4 }),
    K: fc.integer({ min: 2, max: 3 }),
  })
  .chain(({ n, d, K }) =>
    fc.record({
      X: fc
        .array(fc.integer({ min: -3, max: 3 }), { minLength: n * d, maxLength: n * d })
        .map((values) => matrix(n, d, Float64Array.from(values))),
      y: fc
        .array(fc.integer({ min: 0, max: K - 1 }), { minLength: n, maxLength: n })
        .map((codes) => codes.map((code, i) => (i < K ? i : code))),
    }),
  );

export function permuted(
  X: Matrix,
  y: readonly Label[],
  seed: number,
): { X: Matrix; y: Label[]; order: Int32Array } {
  const order = random(seed).shuffle(Int32Array.from({ length: X.rows }, (_, i) => i));
  return { X: takeRows(X, order), y: Array.from(order, (i) => y[i]), order };
}
