import { expect, test } from "vitest";
import { loadClassifier, mlcaSign } from "../../src/classify/index.ts";
import { random } from "../../src/core/random.ts";
import { solve } from "../../src/matrix/factor/solve.ts";
import { matrix } from "../../src/matrix/matrix.ts";

const draw = random(3);
const X = matrix(60, 3);
const labels = Array.from({ length: 60 }, (_, i) => (i % 3 === 0 ? "b" : "a"));
for (let p = 0; p < X.data.length; p++) {
  X.data[p] = 50 + draw.normal() + (p % 3 === 0 && labels[Math.floor(p / 3)] === "b" ? 3 : 0);
}

test("is least squares on -1 and 1 with a constant, by normal equations", () => {
  const fit = mlcaSign(X, labels);
  const A = matrix(4, 4);
  const b = matrix(4, 1);
  for (let i = 0; i < 60; i++) {
    const row = [...X.data.subarray(i * 3, i * 3 + 3), 1];
    for (let f = 0; f < 4; f++) {
      for (let g = 0; g < 4; g++) A.data[f * 4 + g] += row[f] * row[g];
      b.data[f] += row[f] * (labels[i] === fit.classes[0] ? -1 : 1);
    }
  }
  const { data } = solve(A, b);
  fit.weights.forEach((weight, f) => expect(weight * Math.sqrt(60)).toBeCloseTo(data[f], 6));
  expect(fit.offset * Math.sqrt(60)).toBeCloseTo(data[3], 4);
  const scores = fit.scores(X);
  expect(fit.predict(X)).toEqual(Array.from(scores, (score) => fit.classes[score < 0 ? 0 : 1]));
  expect(fit.predict(X).filter((label, i) => label === labels[i]).length).toBeGreaterThan(50);
});

test("is stored and read back; refuses three classes and damaged files", () => {
  const fit = mlcaSign(X, labels);
  const stored = JSON.parse(JSON.stringify(fit.model())) as ReturnType<typeof fit.model>;
  expect(loadClassifier(stored).predict(X)).toEqual(fit.predict(X));
  expect(() =>
    mlcaSign(
      X,
      labels.map((label, i) => (i === 5 ? "c" : label)),
    ),
  ).toThrow(/two classes, got 3/);
  expect(() => loadClassifier({ ...stored, weights: [1] })).toThrow(/weights/);
});
