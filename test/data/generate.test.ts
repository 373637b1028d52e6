import { describe, expect, test } from "vitest";
import {
  blobs,
  gaussianMixtureOutliers,
  generators,
  law,
  rings,
  twoMoons,
  type Generated,
} from "../../src/data/index.ts";

function counts(labels: Int32Array): number[] {
  const found: number[] = [];
  for (const label of labels) found[label] = (found[label] ?? 0) + 1;
  return found;
}

/** Mean and standard deviation of column j over the rows of one class, or all. */
function moments({ X, labels }: Generated, j: number, label?: number): { mean: number; deviation: number } {
  const values: number[] = [];
  for (let i = 0; i < X.rows; i++) {
    if (label === undefined || labels[i] === label) values.push(X.data[i * X.cols + j]);
  }
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  return { mean, deviation: Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / values.length) };
}

test.each(Object.entries(generators))(
  "%s: the seed decides, sizes agree, all is finite",
  (_, { generate }) => {
    const data = generate({ seed: 3 });
    expect(generate({ seed: 3 })).toEqual(data);
    expect(generate({ seed: 4 }).X.data).not.toEqual(data.X.data);
    expect(generate()).toEqual(generate({ seed: 0 }));
    expect(data.labels.length).toBe(data.X.rows);
    expect(data.names.length).toBe(data.X.cols);
    expect(new Set(data.names).size).toBe(data.X.cols);
    expect(data.X.data.every(Number.isFinite)).toBe(true);
    expect(() => generate({ seed: -1 })).toThrow('option "seed" must be an integer');
    expect(() => generate({ sead: 1 })).toThrow('no option "sead"');
  },
);

describe("gaussianMixtureOutliers", () => {
  test("relevant columns hold the mixture, the others one law for all rows", () => {
    const data = gaussianMixtureOutliers({ perClass: 20_000, outlierDeviation: 3, seed: 1 });
    expect(data.X.cols).toBe(10);
    expect(counts(data.labels)).toEqual([20_000, 20_000, 20_000]);
    for (let j = 0; j < 10; j++) {
      const relevant = data.relevant.includes(j);
      expect(/^x[123]$/.test(data.names[j])).toBe(relevant);
      const feature = Number(data.names[j].slice(1)) - 1;
      for (let label = 0; label < 3; label++) {
        const { mean, deviation } = moments(data, j, label);
        const expected = relevant
          ? { mean: feature === label ? 4 : 0, deviation: 1 }
          : { mean: 0, deviation: 3 };
        expect(Math.abs(mean - expected.mean) / expected.deviation).toBeLessThan(0.04);
        expect(Math.abs(deviation / expected.deviation - 1)).toBeLessThan(0.05);
      }
    }
  });

  test("columns are permuted, unless told otherwise", () => {
    const orders = new Set<string>();
    for (let seed = 0; seed < 20; seed++)
      orders.add(gaussianMixtureOutliers({ perClass: 1, seed }).names.join());
    expect(orders.size).toBeGreaterThan(15);
    const plain = gaussianMixtureOutliers({ permute: false, outliers: 2 });
    expect(plain.names).toEqual(["x1", "x2", "x3", "normal", "uniform"]);
    expect(plain.relevant).toEqual(Int32Array.of(0, 1, 2));
    expect(gaussianMixtureOutliers({ outliers: 0 }).X.cols).toBe(3);
    expect(() => gaussianMixtureOutliers({ outliers: 8 })).toThrow("at most 7");
  });
});

test("law: two distant unit Gaussians per class, and label noise of the given share", () => {
  const data = law({ perCluster: 2000, seed: 2 });
  expect(counts(data.labels)).toEqual([4000, 4000, 4000]);
  const centers = [
    [-3, 30, 0],
    [6, 30, 0],
    [-1.5, 30, 6],
  ];
  for (let c = 0; c < 3; c++) {
    for (let j = 0; j < 3; j++) expect(moments(data, j, c).mean).toBeCloseTo(centers[c][j], 0);
  }
  expect(data.labels).toEqual(data.trueLabels);
  const noisy = law({ perCluster: 2000, labelNoise: 0.1, seed: 2 });
  expect(noisy.X).toEqual(data.X);
  let wrong = 0;
  noisy.labels.forEach((label, i) => (wrong += Number(label !== noisy.trueLabels[i])));
  expect(wrong).toBe(1200);
  expect(Math.max(...noisy.labels)).toBe(2);
});

test("two moons without noise lie on their half circles", () => {
  const { X, labels } = twoMoons({ noise: 0, perMoon: 50 });
  for (let i = 0; i < X.rows; i++) {
    const [x, y] = X.data.subarray(2 * i, 2 * i + 2);
    const radius = labels[i] === 0 ? Math.hypot(x, y) : Math.hypot(x - 1, y - 0.5);
    expect(radius).toBeCloseTo(1, 12);
    expect(labels[i] === 0 ? y : 0.5 - y).toBeGreaterThanOrEqual(0);
  }
});

test("rings without noise have radius 1, 2, ... and rows in proportion", () => {
  const { X, labels } = rings({ rows: 600, rings: 3, noise: 0 });
  expect(counts(labels)).toEqual([100, 200, 300]);
  for (let i = 0; i < X.rows; i++)
    expect(Math.hypot(X.data[2 * i], X.data[2 * i + 1])).toBeCloseTo(labels[i] + 1, 12);
});

test("blobs have the shape asked for", () => {
  const data = blobs({ rows: 10, features: 4, clusters: 3, deviation: 0 });
  expect(counts(data.labels)).toEqual([4, 3, 3]);
  expect(new Set(Array.from({ length: 10 }, (_, i) => data.X.data[4 * i])).size).toBe(3);
});
