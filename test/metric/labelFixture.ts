import { expect } from "vitest";
import { random } from "../../src/core/random.ts";
import { mapped, row, takeColumns, takeRows, type Matrix } from "../../src/matrix/matrix.ts";
import type { Mahalanobis } from "../../src/metric/mahalanobis.ts";
import type { Labeling } from "../../src/score/labels.ts";

type Learn = (X: Matrix, labels: readonly string[]) => Mahalanobis;

/** What is learned from the rows in another order. */
export function fromShuffled(learn: Learn, X: Matrix, labels: readonly string[]): Mahalanobis {
  const order = random(1).shuffle(Int32Array.from({ length: X.rows }, (_, i) => i));
  return learn(
    takeRows(X, order),
    Array.from(order, (i) => labels[i]),
  );
}

/** What is learned from other values, and the distance of the first row to another by it and by `metric`. */
export function fromMoved(
  learn: Learn,
  X: Matrix,
  labels: readonly string[],
  {
    metric,
    value,
    other = 99,
  }: { metric: Mahalanobis; value: (x: number, p: number) => number; other?: number },
): { same: Mahalanobis; distance: number; before: number } {
  const moved = mapped(X, value);
  const same = learn(moved, labels);
  const distance = same.distance(row(moved, 0), row(moved, other));
  return { same, distance, before: metric.distance(row(X, 0), row(X, other)) };
}

/** Wine with collinear and constant columns, with more columns than rows, of duplicates, with a class of one row. */
export function oddCases(X: Matrix, labels: Labeling): [Matrix, Labeling][] {
  const flat = takeColumns(X, [0, 1, 0, 2]);
  for (let i = 0; i < flat.rows; i++) flat.data[4 * i + 3] = 0;
  return [
    [flat, labels],
    [takeRows(X, [0, 1, 2, 70, 71, 72, 140, 141]), [0, 0, 0, 1, 1, 1, 2, 2]],
    [takeRows(X, [0, 0, 0, 0, 70, 70, 70, 70]), [0, 0, 0, 0, 1, 1, 1, 1]],
    [takeRows(X, [0, 1, 2, 3, 70]), [0, 0, 0, 0, 1]],
  ];
}

/** Too few labels for the rows of wine, and a single class, are refused. */
export function expectsClasses(learn: (labels: Labeling) => unknown): void {
  const alike = Array.from({ length: 178 }, () => "a");
  expect(() => learn(alike.slice(1))).toThrow("177 labels for 178 rows");
  expect(() => learn(alike)).toThrow('at least two classes, got only "a"');
}
