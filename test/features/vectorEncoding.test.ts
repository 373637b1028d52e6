import { expect, test } from "vitest";
import { random } from "../../src/core/index.ts";
import { encodeVectors, learnVectors } from "../../src/features/encode/vectorEncoding.ts";
import { matrix } from "../../src/matrix/index.ts";

test("few rows of many numbers: their directions come from the product of the rows, and keep all distances", () => {
  const [rows, d] = [6, 2100];
  const draw = random(1);
  const vectors = matrix(
    rows,
    d,
    Float64Array.from({ length: rows * d }, () => draw.normal()),
  );
  const all = Array.from({ length: rows }, (_, i) => i);
  const encoding = learnVectors(vectors, all, false)!;
  const { components, spread } = encoding;
  expect(components).toMatchObject({ rows: d, cols: rows - 1 });
  const Z = encodeVectors(encoding, vectors, all);
  const square = (data: Float64Array, width: number, i: number, j: number): number => {
    let sum = 0;
    for (let f = 0; f < width; f++) sum += (data[i * width + f] - data[j * width + f]) ** 2;
    return sum;
  };
  for (const i of all) {
    for (const j of all) {
      const expected = square(vectors.data, d, i, j) / spread ** 2;
      expect(square(Z, rows - 1, i, j)).toBeCloseTo(expected, 9);
    }
  }
  for (let f = 0; f < rows - 1; f++) {
    const column = Array.from({ length: d }, (_, j) => components!.data[j * (rows - 1) + f]);
    expect(Math.max(...column)).toBeGreaterThanOrEqual(-Math.min(...column));
    expect(Math.hypot(...column)).toBeCloseTo(1, 12);
  }
});
