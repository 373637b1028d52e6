import { describe, expect, it } from "vitest";
import { random } from "../../../src/core/random.ts";
import { law } from "../../../src/data/generate.ts";
import { matrix, takeRows, type Matrix } from "../../../src/matrix/matrix.ts";
import { sparse } from "../../../src/matrix/sparse.ts";
import { classMoments, classMomentsAccumulator, scatter } from "../../../src/metric/moments/classMoments.ts";

/** Scatter about the mean of each group, in two passes over the rows. */
function slowScatter(X: Matrix, groups: readonly (readonly number[])[]): Float64Array {
  const d = X.cols;
  const S = new Float64Array(d * d);
  for (const rows of groups) {
    const mean = new Float64Array(d);
    for (const i of rows) for (let f = 0; f < d; f++) mean[f] += X.data[i * d + f] / rows.length;
    for (const i of rows) {
      for (let p = 0; p < d * d; p++) {
        const [f, g] = [Math.floor(p / d), p % d];
        S[p] += (X.data[i * d + f] - mean[f]) * (X.data[i * d + g] - mean[g]);
      }
    }
  }
  return S;
}

const largestDifference = (a: Float64Array, b: Float64Array): number =>
  a.reduce((most, value, p) => Math.max(most, Math.abs(value - b[p])), 0);

describe("classMoments", () => {
  it.each([[1], [3], [7], [8]])("in batches of any length, %i columns far from zero", (d) => {
    const draw = random(5);
    const n = 17000; // more than one block
    const X = matrix(
      n,
      d,
      Float64Array.from({ length: n * d }, () => 1e4 + draw.normal()),
    );
    const labels = Int32Array.from({ length: n }, () => draw.integer(4) - 1);
    const known = Array.from(labels.keys()).filter((i) => labels[i] >= 0);
    const classes = [0, 1, 2].map((c) => known.filter((i) => labels[i] === c));
    const total = slowScatter(X, [known]);
    const within = slowScatter(X, classes);
    for (const step of [1, 300, 16385]) {
      const batches = classMomentsAccumulator(d);
      for (let i = 0; i < n; i += step) {
        const rows = Array.from({ length: Math.min(step, n - i) }, (_, r) => i + r);
        batches.add(takeRows(X, rows), labels.subarray(i, i + rows.length));
      }
      const result = batches.result();
      const got = scatter(result);
      expect(got.count).toBe(known.length);
      expect(largestDifference(got.total.data, total)).toBeLessThan(1e-10 * n);
      expect(largestDifference(got.within.data, within)).toBeLessThan(1e-10 * n);
      result.classes.forEach((label, c) => expect(result.counts[c]).toBe(classes[Number(label)].length));
    }
  });

  it("of sorted columns far from zero, of which few rows count", () => {
    const draw = random(6);
    const n = 5000;
    const X = matrix(
      n,
      2,
      Float64Array.from({ length: 2 * n }, (_, p) => 1e5 + (p % 2 === 0 ? p / n : 0) + draw.normal() / 100),
    );
    const labels = Int32Array.from({ length: n }, (_, i) => (i % 97 === 0 ? (i / 97) % 2 : -1));
    const known = Array.from(labels.keys()).filter((i) => labels[i] >= 0);
    const { total, mean } = scatter(
      classMoments(
        X,
        Array.from(labels, (c) => (c < 0 ? null : c)),
      ),
    );
    expect(largestDifference(total.data, slowScatter(X, [known]))).toBeLessThan(1e-9);
    expect(mean[0]).toBeCloseTo(known.reduce((sum, i) => sum + X.data[2 * i], 0) / known.length, 8);
  });

  it("refuses a batch with a cell that is not finite, and keeps nothing of it", () => {
    const { X, labels } = law({ perCluster: 20, seed: 3 });
    const batches = classMomentsAccumulator(3);
    batches.add(X, labels);
    const before = batches.result();
    const bad = takeRows(X, [4, 50, 7]);
    bad.data[5] = Number.NaN;
    expect(() => batches.add(bad, ["new", "other", "new"])).toThrow(/NaN in row 1, column 2/);
    bad.data[5] = 1e200;
    expect(() => batches.add(bad, [0, 1, 2])).toThrow(/column 2 .* too large/);
    expect(batches.result()).toEqual(before);

    const first = classMomentsAccumulator(3);
    expect(() => first.add(bad, [0, 1, 2])).toThrow(/too large/);
    first.add(X, labels);
    expect(first.result()).toEqual(before);
    bad.data[5] = Number.NaN;
    first.add(bad, [0, null, 2]); // rows of unknown class are not looked at
    expect(Array.from(first.result().counts)).toEqual([41, 40, 41]);
    expect(first.result().secondMoments.data.every(Number.isFinite)).toBe(true);
  });

  it("sparse rows: the same sums, cells checked before anything is added", () => {
    const rows = sparse(
      3,
      2,
      Int32Array.of(0, 1, 2, 4),
      Int32Array.of(0, 1, 0, 1),
      Float64Array.of(1, 2, 3, 4),
    );
    const { secondMoments, classSums } = classMoments(rows, ["a", "b", "a"]);
    expect(Array.from(secondMoments.data)).toEqual([10, 12, 12, 20]);
    expect(Array.from(classSums.data)).toEqual([4, 4, 0, 2]);
    const batches = classMomentsAccumulator(2);
    batches.add(rows, ["a", "b", "a"]);
    const bad = sparse(2, 2, Int32Array.of(0, 1, 2), Int32Array.of(0, 1), Float64Array.of(5, Number.NaN));
    expect(() => batches.add(bad, ["a", "c"])).toThrow(/NaN in row 1, column 1/);
    expect(batches.result().secondMoments).toEqual(secondMoments);
    expect(batches.result().classes).toEqual(["a", "b"]);
  });

  it("takes a number and its text for one class, in one batch and over batches", () => {
    const batches = classMomentsAccumulator(1);
    batches.add(matrix(2, 1, Float64Array.of(1, 2)), [3, "3"]);
    batches.add(matrix(2, 1, Float64Array.of(4, 5)), ["3", 4]);
    expect(batches.result().classes).toEqual([3, 4]);
    expect(Array.from(batches.result().counts)).toEqual([3, 1]);
  });
});
