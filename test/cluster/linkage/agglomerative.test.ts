import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agglomerative, cutDendrogram, leafOrder, type Linkage } from "../../../src/cluster/index.ts";
import { linkageChain } from "../../../src/cluster/linkage/linkageChain.ts";
import { dendrogram } from "../../../src/cluster/linkage/dendrogram.ts";
import { wardChain } from "../../../src/cluster/linkage/wardTree.ts";
import { random } from "../../../src/core/random.ts";
import { fromRows, matrix, type Matrix } from "../../../src/matrix/index.ts";
import { adjustedRand } from "../../../src/score/index.ts";
import { blobs, farthest, peers } from "../../classicalFixture.ts";
import { plainWardChain } from "./plainWardChain.ts";
import { normal } from "../../matrix/samples.ts";

const LINKAGES = ["ward", "average", "complete", "single"] as const;

/** Joins the two nearest clusters, measured anew from the rows every time. */
function slowHeights(X: Matrix, linkage: Linkage): number[] {
  const d = X.cols;
  const distance = (i: number, j: number): number =>
    Math.hypot(...Array.from({ length: d }, (_, f) => X.data[i * d + f] - X.data[j * d + f]));
  const between = (a: number[], b: number[]): number => {
    const all = a.flatMap((i) => b.map((j) => distance(i, j)));
    if (linkage === "single") return Math.min(...all);
    if (linkage === "complete") return Math.max(...all);
    if (linkage === "average") return all.reduce((sum, one) => sum + one, 0) / all.length;
    const means = [a, b].map((rows) =>
      Array.from({ length: d }, (_, f) => rows.reduce((sum, i) => sum + X.data[i * d + f], 0) / rows.length),
    );
    const apart = Math.hypot(...means[0].map((value, f) => value - means[1][f]));
    return Math.sqrt((2 * a.length * b.length) / (a.length + b.length)) * apart;
  };
  let clusters = Array.from({ length: X.rows }, (_, i) => [i]);
  const heights: number[] = [];
  while (clusters.length > 1) {
    let best: [number, number, number] = [0, 0, Infinity];
    clusters.forEach((a, p) =>
      clusters.slice(0, p).forEach((b, q) => {
        const height = between(a, b);
        if (height < best[2]) best = [p, q, height];
      }),
    );
    const [p, q, height] = best;
    heights.push(height);
    clusters = [...clusters.filter((_, c) => c !== p && c !== q), [...clusters[p], ...clusters[q]]];
  }
  return heights;
}

describe("agglomerative", () => {
  it.each(LINKAGES)("has the merges and heights of scipy: %s", (linkage) => {
    const { tree } = agglomerative(blobs, { linkage, clusters: 3 });
    const theirs = peers.linkage[linkage];
    const found = Array.from(tree.sizes, (size, m) => [tree.merges[2 * m], tree.merges[2 * m + 1], size]);
    expect(found).toEqual(theirs.merges);
    expect(farthest(tree.heights, theirs.heights)).toBeLessThan(1e-10);
  });

  it("has the heights of joining the two nearest clusters again and again", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 14 }),
        fc.integer({ min: 1, max: 3 }),
        fc.nat(),
        fc.constantFrom(...LINKAGES),
        (n, d, seed, linkage) => {
          const X = normal(n, d, seed);
          const { tree } = agglomerative(X, { linkage, clusters: 1 });
          expect(farthest(tree.heights, slowHeights(X, linkage))).toBeLessThan(1e-10);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("finds Ward's merges block by block as one by one: ties, copies, many columns", () => {
    const { integer, normal } = random(6);
    const tables = [
      matrix(
        900,
        2,
        Float64Array.from({ length: 1800 }, (_, p) => (p % 2 ? (p >> 1) % 30 : ((p >> 1) / 30) | 0)),
      ),
      matrix(
        500,
        3,
        Float64Array.from({ length: 1500 }, () => integer(3)),
      ),
      matrix(
        400,
        21,
        Float64Array.from({ length: 8400 }, () => normal()),
      ),
    ];
    for (const X of tables) {
      const [blocks, plain] = [wardChain(X), plainWardChain(X)];
      expect(blocks.from).toEqual(plain.from);
      expect(blocks.to).toEqual(plain.to);
      expect(farthest(blocks.heights, plain.heights)).toBeLessThan(1e-12 * plain.heights.at(-1)!);
    }
  });

  it("finds Ward's merges from centroids, in the kernel or not, and from the triangle alike", () => {
    for (const d of [1, 3, 16, 37]) {
      const X = normal(300, d, d);
      const trees = [wardChain(X), plainWardChain(X), linkageChain(X, "ward")].map((merges) =>
        dendrogram(300, merges),
      );
      for (const tree of trees.slice(1)) {
        expect(tree.merges).toEqual(trees[0].merges);
        expect(farthest(tree.heights, trees[0].heights)).toBeLessThan(1e-9);
      }
    }
  });

  it("finds the same merges in the kernel and outside of it", () => {
    const X = normal(200, 4, 11);
    for (const linkage of ["ward", "average", "complete"] as const) {
      const inside = linkageChain(X, linkage);
      const outside = linkageChain(X, linkage, 0);
      expect(inside.from).toEqual(outside.from);
      expect(inside.to).toEqual(outside.to);
      expect(farthest(inside.heights, outside.heights)).toBeLessThan(1e-12);
    }
  });

  it("finds the spanning tree in few and in many dimensions", () => {
    for (const d of [2, 9]) {
      const X = normal(600, d, 5);
      const { heights } = agglomerative(X, { linkage: "single", clusters: 2 }).tree;
      const wide = matrix(600, 9);
      for (let i = 0; i < 600; i++) wide.data.set(X.data.subarray(i * d, (i + 1) * d), i * 9);
      const padded = agglomerative(wide, { linkage: "single", clusters: 2 }).tree.heights;
      expect(farthest(padded, heights)).toBeLessThan(1e-12);
    }
  });

  it("does not depend on the order of the rows or on the unit", () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(...LINKAGES), (seed, linkage) => {
        const X = normal(40, 2, seed);
        const order = random(seed + 1).shuffle(Int32Array.from({ length: 40 }, (_, i) => i));
        const Y = matrix(40, 2);
        order.forEach((from, to) => {
          Y.data[2 * to] = 1e120 * X.data[2 * from];
          Y.data[2 * to + 1] = 1e120 * X.data[2 * from + 1];
        });
        const a = agglomerative(X, { linkage, clusters: 4 });
        const b = agglomerative(Y, { linkage, clusters: 4 });
        expect(
          adjustedRand(
            Int32Array.from(order, (i) => a.labels[i]),
            b.labels,
          ),
        ).toBe(1);
        expect(
          farthest(
            b.tree.heights.map((height) => height / 1e120),
            a.tree.heights,
          ),
        ).toBeLessThan(1e-10);
      }),
      { numRuns: 20 },
    );
  });

  it("cuts by count and by height, and says between which heights", () => {
    const result = agglomerative(blobs, { clusters: 3 });
    const [low, high] = result.between;
    expect(low).toBeLessThan(high);
    expect(result.sizes.reduce((sum, size) => sum + size, 0)).toBe(90);
    expect(agglomerative(blobs, { height: (low + high) / 2 }).labels).toEqual(result.labels);
    expect(result.cut({ clusters: 90 })).toEqual(Int32Array.from({ length: 90 }, (_, i) => i));
    expect(result.cut({ height: 1e9 })).toEqual(new Int32Array(90));
    expect(agglomerative(blobs, { height: 0 }).clusters).toBe(90);
  });

  it.each(LINKAGES)("predicts the cluster a row would join: %s", (linkage) => {
    const result = agglomerative(blobs, { linkage, clusters: 3 });
    const { predict, labels } = result;
    const agreed = predict(blobs).filter((label, i) => label === labels[i]).length;
    expect(agreed).toBeGreaterThan(linkage === "single" ? 89 : 80);
    expect(() => predict(fromRows([[1]]))).toThrow(/1 columns, but the clusters have 3/);
  });

  it("handles duplicates, one row and equal heights", () => {
    const twins = fromRows([[1], [1], [5], [5], [5]]);
    for (const linkage of LINKAGES) {
      const { labels, tree } = agglomerative(twins, { linkage, clusters: 2 });
      expect(Array.from(labels)).toEqual([0, 0, 1, 1, 1]);
      expect(Array.from(tree.heights.subarray(0, 3))).toEqual([0, 0, 0]);
      const { warnings } = agglomerative(twins, { linkage, clusters: 4 });
      expect(warnings.join()).toMatch(/merges of the same height \(0\)/);
      expect(agglomerative(fromRows([[3]]), { linkage, clusters: 1 }).labels).toEqual(new Int32Array(1));
    }
  });

  it("refuses what cannot be cut", () => {
    const X = fromRows([[1], [2]]);
    expect(() => agglomerative(X, { clusters: 3 })).toThrow(/cannot make 3 clusters of 2 rows/);
    expect(() => agglomerative(X, {})).toThrow(/one of option "clusters" and option "height"/);
    expect(() => agglomerative(X, { clusters: 1, height: 1 })).toThrow(/one of/);
    expect(() => agglomerative(fromRows([[1], [Number.NaN]]), { clusters: 1 })).toThrow(/row 1, column 0/);
    expect(() => cutDendrogram(agglomerative(X, { clusters: 1 }).tree, { clusters: 0 })).toThrow(/into 0/);
    expect(() => cutDendrogram(agglomerative(X, { clusters: 1 }).tree, { height: -1 })).toThrow(/not -1/);
  });
});

describe("dendrogram", () => {
  const { tree } = agglomerative(blobs, { clusters: 1 });

  it("orders the leaves so that every cluster is a range", () => {
    const order = leafOrder(tree);
    expect(Array.from(order).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 90 }, (_, i) => i));
    const labels = cutDendrogram(tree, { clusters: 7 });
    const changes = order.filter((leaf, p) => p > 0 && labels[leaf] !== labels[order[p - 1]]).length;
    expect(changes).toBe(6);
  });
});
