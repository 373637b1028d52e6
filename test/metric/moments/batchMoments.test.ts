import { afterEach, expect, test } from "vitest";
import { random } from "../../../src/core/random.ts";
import { matrix, useEngine } from "../../../src/matrix/index.ts";
import { denseBatchMoments } from "../../../src/metric/moments/classMoments.ts";

afterEach(() => {
  useEngine("simd");
});

// One kernel up to 128 columns, the product of the engine beyond.
test.each([1, 2, 5, 8, 31, 128, 129, 140])("the sums of a batch of %i columns are those of its rows", (d) => {
  const { normal, integer } = random(d);
  const n = 700; // more than one block of the wide ones
  const X = matrix(
    n,
    d,
    Float64Array.from({ length: n * d }, () => 3 + normal()),
  );
  const codes = Int32Array.from({ length: n }, () => integer(4) - 1);
  const shift = Float64Array.from({ length: d }, () => 3 + 0.1 * normal());
  const sums = new Float64Array(3 * d);
  const squares = new Float64Array(d * d);
  const min = new Float64Array(d).fill(Infinity);
  const max = new Float64Array(d).fill(-Infinity);
  for (let i = 0; i < n; i++) {
    if (codes[i] < 0) continue;
    const row = X.data.subarray(i * d, (i + 1) * d);
    row.forEach((value, f) => {
      sums[codes[i] * d + f] += value - shift[f];
      min[f] = Math.min(min[f], value);
      max[f] = Math.max(max[f], value);
      for (let g = 0; g < d; g++) squares[f * d + g] += (value - shift[f]) * (row[g] - shift[g]);
    });
  }
  for (const engine of ["simd", "relaxed"] as const) {
    useEngine(engine);
    const found = denseBatchMoments(d)(X, codes, 3, shift);
    const near = (a: Float64Array, b: Float64Array): void =>
      a.forEach((value, p) => expect(Math.abs(value - b[p])).toBeLessThan(1e-9));
    near(found.classSums.data, sums);
    near(found.secondMoments.data, squares);
    expect(found.extent).toEqual({ min, max });
  }
});
