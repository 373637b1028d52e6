import { expect, test } from "vitest";
import { adjustedRand, blobs, comparisonGraph, kmeans, modularity, rankPartitions } from "../all.ts";

const { X, labels } = blobs({ rows: 120, features: 3, clusters: 3, seed: 4, deviation: 0.3 });
const graph = comparisonGraph(X);

test("the partition of largest modularity comes first, the others by falling modularity", () => {
  const random = Int32Array.from(labels, (_, i) => i % 3);
  const halves = Int32Array.from(labels, (label) => Number(label > 0));
  const ranked = rankPartitions(graph, [{ labels: random }, { labels: halves }, { labels }]);
  expect(ranked.map(({ partition }) => partition.labels)).toEqual([labels, halves, random]);
  expect(ranked[0].modularity).toBe(modularity(graph, labels));
  const others = [random, halves].map((other) => adjustedRand(labels, other));
  expect(ranked[0].agreement).toBeCloseTo((others[0] + others[1]) / 2, 12);
});

test("among partitions that modularity cannot tell apart the one that agrees with the others is taken", () => {
  const off = (row: number): Int32Array => {
    const moved = Int32Array.from(labels);
    moved[row] = (moved[row] + 1) % 3;
    return moved;
  };
  const odd = [off(0), off(50), off(100)];
  const ranked = rankPartitions(
    graph,
    [...odd, labels].map((each) => ({ labels: each })),
  );
  expect(ranked[0].partition.labels).toBe(labels);
});

test("partitions with the number of clusters that was asked for go first", () => {
  const two = kmeans(X, { clusters: 2 }).labels;
  expect(rankPartitions(graph, [{ labels }, { labels: two }], 2)[0].partition.labels).toBe(two);
  expect(rankPartitions(graph, [{ labels }], 7)).toHaveLength(1);
});

test("one row has a graph without edges; nothing to choose from is said", () => {
  expect(comparisonGraph({ ...X, rows: 1, data: X.data.slice(0, 3) }).from).toHaveLength(0);
  expect(() => rankPartitions(graph, [])).toThrow(/no partition/);
});
