import { expect, test } from "vitest";
import { largestOf } from "../../src/classify/classifier.ts";
import { loadClassifier, svm, type SvmData } from "../../src/classify/index.ts";
import { fromRows } from "../../src/matrix/index.ts";

test("of equal scores the first class wins", () => {
  const scores = fromRows([
    [1, 1, 0],
    [0, 2, 2],
    [3, 3, 3],
  ]);
  expect(largestOf(scores, ["a", "b", "c"])).toEqual(["a", "b", "a"]);
});

test("a decision of exactly 0 votes for the second class of a pair", () => {
  const X = fromRows([[0], [1], [4], [5]]);
  const data = svm(X, ["a", "a", "b", "b"], { kernel: "linear" }).toJSON();
  const flat: SvmData = {
    ...data,
    coefficients: data.coefficients.map((row) => row.map(() => 0)),
    intercepts: [0],
  };
  expect(loadClassifier(flat).predict(X)).toEqual(["b", "b", "b", "b"]);
});
