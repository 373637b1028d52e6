import { expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { mainDirections } from "../../src/graph/approximate/mainDirections.ts";
import { symmetricEigen } from "../../src/matrix/factor/eigen.ts";
import { matrix } from "../../src/matrix/matrix.ts";
import { gram, multiplyTransposeB } from "../../src/matrix/multiply.ts";

test("directions are orthonormal and hold nearly the most variance, largest first", () => {
  const { normal } = random(1);
  const X = matrix(400, 60);
  for (let p = 0; p < X.data.length; p++) X.data[p] = normal() / (1 + (p % 60));
  const V = mainDirections(X, 12, random(2));
  expect(V.rows).toBe(12);
  const G = multiplyTransposeB(V, V);
  G.data.forEach((value, p) => expect(value).toBeCloseTo(p % 13 === 0 ? 1 : 0, 9));
  const along = gram(multiplyTransposeB(X, V));
  const variances = Array.from({ length: 12 }, (_, v) => along.data[v * 13]);
  expect(variances).toEqual(variances.toSorted((a, b) => b - a));
  const most = symmetricEigen(gram(X)).values.slice(0, 12);
  const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);
  expect(sum(variances) / sum(most)).toBeGreaterThan(0.98);
});

test("rows that span few directions give few", () => {
  const { normal } = random(4);
  const X = matrix(50, 20);
  for (let i = 0; i < 50; i++) {
    const [a, b] = [normal(), normal()];
    for (let f = 0; f < 20; f++) X.data[i * 20 + f] = a * Math.sin(f) + b * Math.cos(3 * f);
  }
  expect(mainDirections(X, 8, random(1)).rows).toBe(2);
  expect(mainDirections(matrix(50, 20), 8, random(1)).rows).toBe(0);
});
