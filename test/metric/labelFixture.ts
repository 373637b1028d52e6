import { expect } from "vitest";
import { takeColumns, takeRows, type Matrix } from "../../src/matrix/matrix.ts";
import type { Labeling } from "../../src/score/labels.ts";

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
