import { describe, expect, it } from "vitest";
import { kmeans } from "../../src/cluster/kmeans/kmeans.ts";
import { predictPartition } from "../../src/cluster/spectral/predictPartition.ts";
import { random } from "../../src/core/random.ts";
import { matrix, type Matrix } from "../../src/matrix/matrix.ts";
import { mahalanobisFromMatrix } from "../../src/metric/mahalanobis.ts";
import { mlca } from "../../src/metric/moments/mlca.ts";
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

  it("can take singular vectors, which blow noise up: the erratum of section 3.4", () => {
    const { X, labels } = line(300, 3);
    const metric = mahalanobisFromMatrix(matrix(2, 2, Float64Array.of(1, 0, 0, 1)), fit);
    const ari = (space: "metric" | "spectral") =>
      adjustedRand(predictPartition(metric, X, { clusters: 3, space }).labels, labels);
    expect(ari("metric")).toBeGreaterThan(0.99);
    expect(ari("spectral")).toBeLessThan(0.9);
  });

  it("refuses a zero metric and rows of another width", () => {
    const { X } = line(30, 4);
    const zero = mahalanobisFromMatrix(matrix(2, 2), fit);
    expect(() => predictPartition(zero, X, { clusters: 3 })).toThrow("the metric is zero");
    expect(() => predictPartition(zero, matrix(3, 3), { clusters: 2 })).toThrow("learned on 2 columns");
  });
});
