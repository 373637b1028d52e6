import { columnFromArray, int64, tableFromColumns, tableToIPC } from "@uwdata/flechette";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import {
  agglomerative,
  feasible,
  kMedoids,
  lcvqe,
  mpckMeans,
  pckMeans,
  seededKmeans,
  loadGaussianMixture,
} from "../../src/cluster/index.ts";
import { cc, ccscml, rcc, scc } from "../../src/recipes/index.ts";
import { readColumns, readNumbers } from "../../src/data/index.ts";
import { fromRows, type Matrix } from "../../src/matrix/index.ts";
import { distBoost, loadAnyMetric, loadMahalanobis, pccaKernel, rca, xqda } from "../../src/metric/index.ts";
import { clusterings } from "../../src/method/index.ts";
import { cfs, chowLiuSelect, jmi, maxRelevance, mrmr } from "../../src/select/index.ts";
import { loadNaml, naml } from "../../src/embed/index.ts";
import {
  gaussianNaiveBayes,
  kNearestNeighbors,
  loadClassifier,
  randomForest,
} from "../../src/classify/index.ts";

/* What random cases found, each as the smallest case that shows it; the seeds in found.ts lead to the same. */

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const X = fromRows([
  [0, 0],
  [0, 1],
  [1, 0],
  [9, 9],
  [9, 8],
  [8, 9],
]);
const times = (factor: number): Matrix => ({ ...X, data: X.data.map((value) => value * factor) });

describe("sizes that a file only declares", () => {
  test("an index of LIBSVM makes no columns that nothing fills", async () => {
    await expect(readNumbers(bytes("1 1:1 2000000000:1\n"), { format: "libsvm" })).rejects.toThrow(
      "the largest index, 2000000000, would make that many columns out of 2 entries",
    );
    expect((await readNumbers(bytes("1 1:1 900000:1\n"), { format: "libsvm" })).X.cols).toBe(900_000);
  });

  test("JSON that is small in a file and large in memory", async () => {
    const text = `[${"[],".repeat(30_000_000)}[]]`;
    await expect(readNumbers(gzipSync(text), { format: "json" })).rejects.toThrow("as one JSON document");
  });

  test("rows beyond the budget", async () => {
    // Packs well, but not too well.
    const row = (i: number): string => `${i < 2500 ? (i * 7919) % 9973 : 0},0\n`;
    const text = `a,b\n${Array.from({ length: 300_000 }, (_, i) => row(i)).join("")}`;
    await expect(readNumbers(gzipSync(text), { format: "csv", budget: 1e6 })).rejects.toThrow(
      /line \d+: that would take .* of memory, more than the/,
    );
  });

  test("lines of JSON beyond the budget", async () => {
    const row = (i: number): string => `{"a":${i < 2500 ? (i * 7919) % 9973 : 0},"b":0}\n`;
    const text = Array.from({ length: 300_000 }, (_, i) => row(i)).join("");
    await expect(readNumbers(gzipSync(text), { format: "ndjson", budget: 1e6 })).rejects.toThrow(
      /line \d+: that would take .* of memory, more than the/,
    );
  });

  test("a stream of unknown length may take more than any source, by what was read of it", async () => {
    const text = `a,b,c,d,e,f,g,h\n${"1,2,3,4,5,6,7,8\n".repeat(300_000)}`;
    const stream = new Blob([text]).stream();
    expect((await readNumbers(stream, { format: "csv", budget: 1e6 })).X.rows).toBe(300_000);
  });

  test("gzip that unpacks to far more than a table does", async () => {
    const packed = gzipSync(`a,b\n${"0,0\n".repeat(300_000)}`);
    await expect(readNumbers(packed, { format: "csv", budget: 1e6 })).rejects.toThrow(
      "unpacks to more than 125 kB, over 256 times its own length",
    );
  });

  test("more columns than can be judged", async () => {
    await expect(readColumns(bytes(`${",".repeat(300_000)}\n`.repeat(3)))).rejects.toThrow(
      "has more than 262144 columns",
    );
  });

  test("a very wide table takes memory in proportion", async () => {
    const width = 200_000;
    const text = `${Array.from({ length: width }, (_, j) => `c${j}`).join(",")}\n${"1,".repeat(width - 1)}1\n`;
    const { rows, columns } = await readColumns(bytes(text));
    expect([rows, columns.length]).toEqual([1, width]);
  });

  test("a number of a million digits", async () => {
    const text = `a,b\n1,${"9".repeat(1_000_000)}e-999999\n2,3\n`;
    const { X: read } = await readNumbers(bytes(text));
    expect((read as Matrix).data[1]).toBeCloseTo(10, 12);
  });
});

test("Arrow integers beyond 2^53 are read as the nearest doubles, as those of Parquet are", async () => {
  const values = [9007199254740993n, -5n, 2n ** 62n];
  const column = columnFromArray(values, int64(), {});
  const { X: read } = await readNumbers(tableToIPC(tableFromColumns({ a: column }), { format: "stream" })!);
  expect(Array.from((read as Matrix).data)).toEqual(values.map(Number));
});

describe("extreme scales", () => {
  test.each([1e300, 1e-160])("%d is refused in words by methods that square", (factor) => {
    const pairs = { mustLink: [[0, 1]], cannotLink: [[0, 3]] } as const;
    const refused = /too (?:large|small) to be squared; scale the data first/;
    expect(() => pckMeans(times(factor), { clusters: 2, ...pairs })).toThrow(refused);
    expect(() => lcvqe(times(factor), { clusters: 2, ...pairs })).toThrow(refused);
    expect(() => mpckMeans(times(factor), { clusters: 2, ...pairs })).toThrow(refused);
    expect(() => rca(times(factor), ["a", "a", "a", "b", "b", "b"])).toThrow(refused);
    expect(() => kNearestNeighbors(times(1e300), ["a", "a", "a", "b", "b", "b"])).toThrow(refused);
    for (const method of [cc, rcc, scc]) {
      const size = factor > 1 ? 1e200 : factor;
      expect(() => method(times(size), { clusters: 2, scale: "none" })).toThrow(refused);
    }
  });

  test("denormal values have no means that can be scaled back", () => {
    for (const method of [cc, rcc, scc])
      expect(() => method(times(5e-324), { clusters: 2 })).toThrow("too small");
  });
});

test("a constant table teaches RCA nothing", () => {
  const zeros = fromRows([
    [0, 0],
    [0, 0],
    [0, 0],
  ]);
  expect(() => rca(zeros, ["a", "a", "a"])).toThrow("the rows of every chunklet are equal");
});

test("every tree is told with its heights", async () => {
  for (const name of ["ward", "average", "complete", "single"]) {
    const open = await clusterings.find((method) => method.name === name)!.open();
    expect((await open.fit(X, { clusters: 2 })).clusters).toBe(2);
  }
});

test("robust convex clustering that trusts no feature has a metric all the same", () => {
  const rows = fromRows([
    [1e21, 1e21],
    [2e14, 5e14],
    [7e14, 1e14],
    [4e14, 9e14],
  ]);
  const { metric, warnings } = rcc(rows, {
    clusters: 1,
    beta: 0.5,
    neighbors: 1,
    join: true,
    protocol: "strict",
  });
  expect(Array.from(metric.relevance).every(Number.isFinite)).toBe(true);
  expect(warnings.join(" ")).toContain("makes every feature an outlier");
});

test("nearly constant columns far from the origin are boosted", () => {
  const rows = fromRows(
    Array.from({ length: 12 }, (_, i) => [1e8 + (i % 2) * 1e-7, 3, 1e8 + ((i * 7) % 5) * 1e-7]),
  );
  const boosted = distBoost(rows, { mustLink: [[0, 2]], cannotLink: [[0, 1]], rounds: 3 });
  expect(boosted.transform(rows).data.every(Number.isFinite)).toBe(true);
});

test("a hole in a row of unknown class is one, too", () => {
  const rows = fromRows([...Array.from({ length: 6 }, (_, i) => [i % 2, i]), [Number.NaN, 1]]);
  const labels = ["a", "b", "a", "b", "a", "b", ""];
  for (const select of [mrmr, jmi, cfs, maxRelevance, chowLiuSelect])
    expect(() => select(rows, labels)).toThrow("has NaN in row 6, column 0");
});

test("numbers that JSON lacks keep their names", () => {
  const { between } = JSON.parse(JSON.stringify(agglomerative(X, { clusters: 1 }))) as { between: unknown[] };
  expect(between[1]).toBe("Infinity");
});

test("a best set of features that all tell nothing has one of them", () => {
  const rows = fromRows(Array.from({ length: 20 }, (_, i) => [i % 5, i % 4]));
  const labels = Array.from({ length: 20 }, (_, i) => ((i * 7) % 20 < 10 ? "a" : "b"));
  const { features, certificate } = cfs(rows, labels, {
    search: "best-first",
    estimator: "miller-madow",
    features: 2,
  });
  expect(features.length).toBeGreaterThan(0);
  expect(Number.isFinite(certificate.score)).toBe(true);
});

test("views that are no list", () => {
  expect(() => xqda(X, ["a", "a", "a", "b", "b", "b"], { views: {} as never })).toThrow(
    "one of two values per row",
  );
});

test("restarts and clusters without end", async () => {
  const open = await clusterings.find(({ name }) => name === "cop-kmeans")!.open();
  expect(() => open.fit(X, { clusters: 2, restarts: 2 ** 31 })).toThrow("at most 10000");
  expect(() => kMedoids(X, { clusters: 2, restarts: 2 ** 31 })).toThrow("at most 10000");
  expect(feasible(3, { cannotLink: [[0, 1]] }, { clusters: 2 ** 31 }).status).toBe("feasible");
});

describe("stored models", () => {
  test("a forest whose way down never ends", () => {
    const model = randomForest(X, ["a", "a", "a", "b", "b", "b"], { trees: 3, seed: 1 }).toJSON();
    const split = model.feature.findIndex((feature) => feature >= 0);
    const left = model.left.map((child, v) => (v === split ? split : child));
    expect(() => loadClassifier({ ...model, left })).toThrow(
      `the classifier is damaged: "left[${split}]" leads nowhere`,
    );
  });

  test("a mixture whose parts do not fit", () => {
    const good = {
      method: "gmm",
      covariance: "diagonal",
      weights: [0.5, 0.5],
      centers: { rows: 2, cols: 1, data: [0, 1] },
      covariances: [{ rows: 2, cols: 1, data: [1, 1] }],
    } as const;
    expect(loadGaussianMixture(good).predict(fromRows([[0], [1]]))).toEqual(Int32Array.of(0, 1));
    const wrong: [object, string][] = [
      [{ weights: [0.5] }, "1 entries where 2 belong"],
      [{ weights: [2, 3] }, "at most 1"],
      [{ weights: [0.1, 0.1] }, '"weights" does not add to 1'],
      [{ covariance: "x" }, '"covariance" must be'],
      [{ covariances: [{ rows: 2, cols: 1, data: [1, -1] }] }, "has a variance that is not above 0"],
      [{ covariances: [{ rows: 1, cols: 2, data: [1, 1] }] }, "is 1 x 2 where 2 x 1 belongs"],
      [{ centers: { rows: 2e9, cols: 2e9, data: [] } }, '"centers" has 0 numbers where'],
      [
        { centers: { rows: 2, cols: 1, data: [0, null] } },
        '"centers.data[1]" must be a finite number, not null',
      ],
    ];
    for (const [part, message] of wrong) {
      expect(() => loadGaussianMixture({ ...good, ...part } as never)).toThrow(message);
    }
  });

  test("naive Bayes with a variance of 0 in one class only", () => {
    const model = gaussianNaiveBayes(X, ["a", "a", "a", "b", "b", "b"]).toJSON();
    const variances = model.variances.map((value, p) => (p === 3 ? 0 : value));
    expect(() => loadClassifier({ ...model, variances })).toThrow(
      '"variances[3]" must be 0 in all classes or in none',
    );
  });

  test("weights of kernels that are more than all", () => {
    const model = naml(X, { clusters: 2 }).model();
    const weights = model.weights.map((value, k) => (k === 0 ? 1e308 : value));
    expect(() => loadNaml({ ...model, weights })).toThrow(
      'naml is damaged: "weights[0]" must be a finite number at least 0 and at most 1',
    );
  });

  test("a kernel without its width, or of a degree without end", () => {
    const pairs = { mustLink: [[0, 1]], cannotLink: [[0, 3]] } as const;
    const { kernel, ...model } = JSON.parse(JSON.stringify(pccaKernel(X, pairs))) as { kernel: object };
    const wrong = [
      { kind: "gaussian" },
      { kind: "x" },
      { kind: "polynomial", scale: 1, offset: 1, degree: 1e9 },
    ];
    expect(
      loadAnyMetric({ ...model, kernel } as never)
        .transform(X)
        .data.every(Number.isFinite),
    ).toBe(true);
    for (const other of wrong)
      expect(() => loadAnyMetric({ ...model, kernel: other } as never)).toThrow(
        /^the kernel metric is damaged.*: "kernel\.(sigma|kind|degree)"/,
      );
  });

  test("a boosted distance whose strengths leave the number range", () => {
    const model = distBoost(X, { mustLink: [[0, 1]], cannotLink: [[0, 3]], rounds: 2 }).toJSON();
    const strengths = model.strengths.map((value, t) => (t === 0 ? 1e308 : value));
    expect(() => loadAnyMetric({ ...model, strengths })).toThrow(
      '"strengths[0]" must be a finite number above 0 and at most 100, not 1e+308',
    );
  });

  test("a metric that is none", () => {
    for (const data of [
      null,
      [],
      {},
      { kind: "mahalanobis" },
      { kind: "mahalanobis", method: "x", factor: { rows: 1, cols: 2, data: [1] } },
    ]) {
      expect(() => loadMahalanobis(data as never)).toThrow(/the metric is damaged/);
    }
  });
});

test("columns of very different scales are learned from", () => {
  const rows = fromRows(Array.from({ length: 13 }, (_, i) => [1e15 * (i % 3), i % 2, 1e15 * ((i * 7) % 5)]));
  const labels = Array.from({ length: 13 }, (_, i) => (i % 4 === 0 ? "" : `c${i % 3}`));
  const { centers } = seededKmeans(rows, { labels, clusters: 4, space: "learned" });
  expect(centers.data.every(Number.isFinite)).toBe(true);
});

test("ADMM that comes no nearer to its gap ends, and says so", () => {
  const level = (high: boolean): number => (high ? 1e15 : 0);
  const rows = fromRows(
    Array.from({ length: 30 }, (_, i) => [level((i * 7) % 5 < 2), level((i * 11) % 7 < 3)]),
  );
  const found = ccscml(rows, { clusters: 3, neighbors: 6, ridge: 0.1, solver: "admm" });
  expect(found.converged).toBe(false);
  expect(found.warnings.join(" ")).toContain("did not reach the tolerance");
});
