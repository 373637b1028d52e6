import { describe, expect, test } from "vitest";
import { kmeans, seededKmeans } from "../../../src/cluster/index.ts";
import type { Pair } from "../../../src/data/index.ts";
import { random } from "../../../src/core/random.ts";
import { matrix } from "../../../src/matrix/index.ts";
import { adjustedRand } from "../../../src/score/index.ts";
import { clouds } from "../clouds.ts";

describe("seededKmeans", () => {
  const { X, truth } = clouds(120, 3, 4, 3, 2);
  const few = Array.from(truth, (k, i) => (i < 12 ? `class ${k}` : null));

  test("clusters are numbered by class, and known rows stay", () => {
    const result = seededKmeans(X, { labels: few });
    expect(result.classes).toEqual(["class 0", "class 1", "class 2", "class 3"]);
    for (let i = 0; i < 12; i++) expect(result.labels[i]).toBe(truth[i]);
    expect(result.certificate).toMatchObject({ kind: "local optimum", seedsMoved: 0, violated: 0 });
    expect(adjustedRand(result.labels, truth)).toBeGreaterThan(0.8);
    expect(result.sizes.reduce((sum, size) => sum + size)).toBe(120);
  });

  test("a wrong label stays with fixed seeds and leaves with starting seeds", () => {
    const wrong = [...few];
    wrong[0] = "class 1";
    const fixed = seededKmeans(X, { labels: wrong });
    expect(fixed.labels[0]).toBe(1);
    const free = seededKmeans(X, { labels: wrong, free: true });
    expect(free.labels[0]).toBe(0);
    expect(free.certificate).toEqual({ kind: "local optimum", seedsMoved: 1 });
    expect(free.objective).toBeCloseTo(kmeans(X, { clusters: 4 }).objective, 6);
  });

  test("classes without a label become clusters of their own", () => {
    const two = Array.from(truth, (k, i) => (i < 12 && k < 2 ? k : -1));
    const result = seededKmeans(X, { labels: two, clusters: 4 });
    expect(result.classes).toEqual([0, 1]);
    expect(adjustedRand(result.labels, truth)).toBeGreaterThan(0.8);
  });

  test("bad input is named", () => {
    expect(() => seededKmeans(X, { labels: [1] })).toThrow(/120 rows, but 1 labels/);
    expect(() => seededKmeans(X, { labels: truth.map(() => -1) })).toThrow(/no row has a known label/);
    expect(() => seededKmeans(X, { labels: few, clusters: 3 })).toThrow(/4 classes .*3 clusters/);
    const pairs: Pair[] = [[0, 1]];
    expect(() => seededKmeans(X, { labels: few, mustLink: pairs })).toThrow(/contradict/);
    expect(() => seededKmeans(X, { labels: few, free: true, mustLink: pairs })).toThrow(/free/);
  });
});

describe("a metric from the labels", () => {
  // Two columns tell the classes apart, six others show a nuisance of larger spread.
  const stream = random(6);
  const n = 150;
  const truth = Array.from({ length: n }, (_, i) => i % 3);
  const X = matrix(n, 8);
  for (let i = 0; i < n; i++) {
    const nuisance = 4 * stream.integer(3);
    for (let f = 0; f < 8; f++)
      X.data[8 * i + f] = stream.normal() + (f < 2 ? 5 * Number(truth[i] === f) : nuisance);
  }
  const labels = truth.map((k, i) => (i < 30 ? `class ${k}` : ""));

  test("is learned if it predicts held-out labels better, and places new rows", () => {
    const plain = seededKmeans(X, { labels, space: "plain" });
    const found = seededKmeans(X, { labels });
    expect(plain.metric).toBeUndefined();
    expect(found.metric).toMatchObject({ rows: 8, cols: 8 });
    expect(adjustedRand(plain.labels, truth)).toBeLessThan(0.5);
    expect(adjustedRand(found.labels, truth)).toBeGreaterThan(0.9);
    for (let i = 0; i < 30; i++) expect(found.classes[found.labels[i]]).toBe(labels[i]);
    expect(Array.from(found.predict(X))).toEqual(Array.from(found.labels));
    expect(seededKmeans(X, { labels, space: "learned" }).labels).toEqual(found.labels);
    const free = seededKmeans(X, { labels, free: true, space: "learned" });
    expect(adjustedRand(free.labels, truth)).toBeGreaterThan(0.9);
  });

  test("is not learned where plain distances do as well, nor from very few labels", () => {
    const { X: Y, truth: known } = clouds(120, 3, 4, 3, 2);
    const some = Array.from(known, (k, i) => (i < 20 ? k : -1));
    expect(seededKmeans(Y, { labels: some }).metric).toBeUndefined();
    expect(seededKmeans(X, { labels: truth.map((k, i) => (i < 6 ? k : -1)) }).metric).toBeUndefined();
  });
});
