import { describe, expect, it } from "vitest";
import { kmeans } from "../../src/cluster/kmeans/kmeans.ts";
import { predictPartition } from "../../src/cluster/spectral/predictPartition.ts";
import { random } from "../../src/core/random.ts";
import { law } from "../../src/data/generate.ts";
import { columnMeans } from "../../src/matrix/distances.ts";
import { svd } from "../../src/matrix/factor/svd.ts";
import { fromRows, matrix, takeColumns, takeRows, type Matrix, mapped } from "../../src/matrix/matrix.ts";
import { loadMahalanobis, mahalanobisFromMatrix } from "../../src/metric/mahalanobis.ts";
import { lajugie } from "../../src/metric/moments/lajugie.ts";
import { lda } from "../../src/metric/moments/lda.ts";
import { mlca } from "../../src/metric/moments/mlca.ts";
import { deltaLoss } from "../../src/score/deltaLoss.ts";
import { adjustedRand } from "../../src/score/rand.ts";

/** Three classes along the first axis; the second is noise of a tenth of the size. */
function line(n: number, seed: number): { X: Matrix; labels: number[] } {
  const stream = random(seed);
  const labels = Array.from({ length: n }, (_, i) => i % 3);
  const X = matrix(n, 2);
  for (let i = 0; i < n; i++) {
    X.data[2 * i] = 10 * labels[i] + stream.normal();
    X.data[2 * i + 1] = stream.normal();
  }
  return { X, labels };
}

function shifted(X: Matrix, by: readonly number[]): Matrix {
  return mapped(X, (value, p) => value + by[p % X.cols]);
}

const fit = {
  method: "test",
  converged: true,
  iterations: 1,
  certificate: { kind: "given", residual: 0 },
  warnings: [],
};

describe("predictPartition", () => {
  it("is k-means on the rows as the metric sees them", () => {
    const { X, labels } = line(300, 1);
    const metric = mlca(X, labels);
    const test = line(300, 2);
    const found = predictPartition(metric, test.X, { clusters: 3, seed: 5 });
    expect(found.labels).toEqual(
      kmeans(metric.transform(test.X), { clusters: 3, restarts: 10, seed: 5 }).labels,
    );
    expect(adjustedRand(found.labels, test.labels)).toBeGreaterThan(0.99);
  });

  it("can take singular vectors, which give noise the spread of the rest", () => {
    const { X, labels } = line(300, 3);
    const metric = mahalanobisFromMatrix(matrix(2, 2, Float64Array.of(1, 0, 0, 1)), fit);
    const ari = (space: "metric" | "spectral") =>
      adjustedRand(predictPartition(metric, X, { clusters: 3, space }).labels, labels);
    expect(ari("metric")).toBeGreaterThan(0.99);
    expect(ari("spectral")).toBeLessThan(0.9);
  });

  it.each(["metric", "spectral"] as const)(
    "does not move when training and new rows are shifted alike: %s",
    (space) => {
      const train = law({ perCluster: 100, seed: 1 });
      const test = law({ perCluster: 100, seed: 2 });
      const learners = { mlca, lajugie, lda };
      for (const [name, learn] of Object.entries(learners)) {
        const loss = (shift: readonly number[]): number => {
          const metric = learn(shifted(train.X, shift), train.labels);
          const restored = loadMahalanobis(JSON.parse(JSON.stringify(metric)));
          const found = predictPartition(restored, shifted(test.X, shift), { clusters: 3, space });
          return deltaLoss(found.labels, test.labels);
        };
        const here = loss([0, 0, 0]);
        expect([name, here < 0.35]).toEqual([name, true]);
        for (const shift of [
          [100, 0, 0],
          [-30, 200, 500],
        ]) {
          expect(Math.abs(loss(shift) - here)).toBeLessThan(1e-9);
        }
      }
    },
  );

  it("takes singular vectors about the mean of the training rows, not of the new ones", () => {
    // New rows of two of the three classes: their own mean is elsewhere.
    const train = law({ perCluster: 100, seed: 1 });
    const metric = mlca(train.X, train.labels);
    const moved = metric.transform(train.X);
    const part = takeRows(
      train.X,
      Array.from({ length: 400 }, (_, i) => i),
    );
    const centered = fromRows(
      Array.from({ length: 400 }, (_, i) =>
        Array.from({ length: moved.cols }, (_, r) => moved.data[i * moved.cols + r] - columnMeans(moved)[r]),
      ),
    );
    const { U } = svd(centered);
    const leading = takeColumns(U, [0, 1]);
    const expected = kmeans(leading, { clusters: 2, restarts: 10, seed: 0 }).labels;
    const found = predictPartition(metric, part, { clusters: 2, space: "spectral" });
    expect(adjustedRand(found.labels, expected)).toBe(1);
    columnMeans(train.X).forEach((mean, f) => expect(metric.center![f]).toBeCloseTo(mean, 10));
    expect(mlca(train.X, train.labels, { center: false }).center).toEqual(new Float64Array(3));
  });

  it("refuses a zero metric and rows of another width", () => {
    const { X } = line(30, 4);
    const zero = mahalanobisFromMatrix(matrix(2, 2), fit);
    expect(() => predictPartition(zero, X, { clusters: 3 })).toThrow("the metric is zero");
    expect(() => predictPartition(zero, matrix(3, 3), { clusters: 2 })).toThrow("learned on 2 columns");
  });
});
