import { describe, expect, it } from "vitest";
import {
  consensus,
  consensusOf,
  cutDendrogram,
  kmeans,
  spectral,
  type Dendrogram,
} from "../../../src/cluster/index.ts";
import { random } from "../../../src/core/index.ts";
import { takeRows } from "../../../src/matrix/index.ts";
import { adjustedRand } from "../../../src/score/index.ts";
import { moons } from "../../classicalFixture.ts";
import { clouds } from "../clouds.ts";

const { X, truth } = clouds(90, 3, 3, 6, 5);

/** By how much a merge of the tree is not the nearest two clusters, by the mean share of partitions that part their rows. */
function excess(partitions: readonly Int32Array[], { rows: n, merges, heights }: Dendrogram): number {
  const apart = (i: number, j: number): number => partitions.filter((one) => one[i] !== one[j]).length;
  const between = (a: readonly number[], b: readonly number[]): number =>
    a.reduce((all, i) => all + b.reduce((sum, j) => sum + apart(i, j), 0), 0) /
    (a.length * b.length * partitions.length);
  const groups = new Map(Array.from({ length: n }, (_, i) => [i, [i]]));
  let most = 0;
  heights.forEach((height, m) => {
    const [a, b] = [merges[2 * m], merges[2 * m + 1]];
    most = Math.max(most, Math.abs(height - between(groups.get(a)!, groups.get(b)!)));
    const all = [...groups.values()];
    all.forEach((one, p) =>
      all.slice(0, p).forEach((other) => (most = Math.max(most, height - between(one, other)))),
    );
    groups.set(n + m, [...groups.get(a)!, ...groups.get(b)!]);
    groups.delete(a);
    groups.delete(b);
  });
  return most;
}

describe("consensus", () => {
  it("is average linkage of the votes, by its definition", () => {
    for (const seed of [1, 2, 3]) {
      const { data } = clouds(40, 2, 4, 2, seed).X;
      const rows = { rows: 40, cols: 2, data };
      const votes = Array.from(
        { length: 7 },
        (_, v) => kmeans(rows, { clusters: 3 + v, restarts: 1, seed: 10 * seed + v }).labels,
      );
      expect(excess(votes, consensusOf(votes).tree)).toBeLessThan(1e-12);
    }
  });

  it("finds the number of clear groups, and groups that are less round", () => {
    const open = consensus(X);
    expect(open.clusters).toBe(3);
    expect(adjustedRand(open.labels, truth)).toBe(1);
    // Two moons, which k-means halves.
    const { labels } = spectral(moons, { clusters: 2 });
    const [votes, halves] = [consensus, kmeans].map((method) => method(moons, { clusters: 2 }).labels);
    expect(adjustedRand(votes, labels)).toBeGreaterThan(adjustedRand(halves, labels) + 0.05);
  });

  it("does not depend on the order of the rows, and hardly on the seed", () => {
    const order = random(3).sample(X.rows, X.rows);
    const moved = consensus(takeRows(X, order), { clusters: 4 });
    const { labels } = consensus(X, { clusters: 4 });
    expect(
      adjustedRand(
        moved.labels,
        order.map((row) => labels[row]),
      ),
    ).toBe(1);
    expect(consensus(X, { seed: 9 }).clusters).toBe(3);
  });

  it("cuts its tree at any number, takes one row, and stops", () => {
    const { tree } = consensus(X);
    for (const clusters of [1, 2, 90]) {
      expect(new Set(cutDendrogram(tree, { clusters })).size).toBe(clusters);
    }
    expect(Array.from(consensus({ rows: 1, cols: 2, data: new Float64Array(2) }).labels)).toEqual([0]);
    const stopped = consensus(X, { clusters: 3, partitions: 100_000, onProgress: () => false });
    expect(stopped.converged).toBe(false);
    expect(stopped.labels.length).toBe(90);
  });

  it("refuses what is no set of partitions", () => {
    const wanted = "give one or more partitions of the same rows";
    expect(() => consensusOf([])).toThrow(wanted);
    expect(() => consensusOf([[0, 1], [0]])).toThrow(wanted);
    expect(() => consensusOf([[0, 1]], { clusters: 3 })).toThrow("cannot be cut into 3 clusters");
    expect(() => consensus(X, { clusters: 91 })).toThrow("cannot make 91 clusters of 90 rows");
  });
});
