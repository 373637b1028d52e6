import { describe, expect, it } from "vitest";
import { genieTree } from "../../src/cluster/internal.ts";
import { numbered } from "../../src/judge/members.ts";
import { densityTree, principalParts } from "../../src/judge/trees.ts";
import { nearestNeighbors } from "../../src/graph/index.ts";
import { reachabilityTree } from "../../src/graph/internal.ts";
import { fromRows, type Matrix } from "../../src/matrix/index.ts";
import { adjustedRand } from "../../src/score/rand.ts";
import { blobs, rings } from "./sets.ts";

const spanning = (X: Matrix, rank?: number): ReturnType<typeof reachabilityTree> => {
  const near = nearestNeighbors(X, 5);
  const cores = Float64Array.from({ length: X.rows }, (_, i) =>
    rank ? near.distances[5 * i + rank - 1] : 0,
  );
  return reachabilityTree(X, cores, near);
};

describe("trees of the pool", () => {
  it("Genie is single linkage while sizes are alike, and does not take single rows for clusters", () => {
    const { X, y } = rings(300, 3);
    expect(adjustedRand(genieTree(spanning(X), 0.3)(2), y)).toBe(1);
    const rows = [0, 1, 2, 3, 10, 11, 12, 13, 30].map((x) => [x]);
    const tree = spanning(fromRows(rows));
    // Without a limit, the far row is alone; with it, a smallest cluster is merged first.
    expect(Array.from(genieTree(tree, 1)(2))).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1]);
    expect(Array.from(genieTree(tree, 0.3)(2))).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 1]);
    expect(new Set(genieTree(tree, 0.3)(9)).size).toBe(9);
  });

  it("density takes large dense parts, and gives the rows between them to the nearest", () => {
    const { X, y } = blobs(
      [
        [0, 0],
        [9, 0],
      ],
      [60, 60],
      4,
    );
    const tree = densityTree(spanning(X, 5), () => 20);
    expect(adjustedRand(tree(2)!, y)).toBe(1);
    expect(tree(40)).toBeUndefined();
  });

  it("density cuts where as many parts are large, and small parts join what the tree connects them to first", () => {
    const cut = (edges: [number, number][], least: number, clusters: number): string | undefined =>
      densityTree(
        { from: Int32Array.from(edges, ([a]) => a), to: Int32Array.from(edges, ([, b]) => b) },
        () => least,
      )(clusters)?.join();
    const chain = (...order: number[]): [number, number][] => order.map((a) => [a, a + 1]);
    // The row 4 joins the first part before the two parts join.
    const between = chain(0, 1, 2, 5, 6, 7, 3, 4);
    expect(cut(between, 4, 2)).toBe("0,0,0,0,0,1,1,1,1");
    expect(cut(between, 5, 2)).toBeUndefined();
    expect(cut(between, 4, 1)).toBe("0,0,0,0,0,0,0,0,0");
    expect(cut(between, 4, 3)).toBeUndefined();
    // The row 6 joins last, when the two parts are one.
    const late = chain(0, 1, 3, 4, 2, 5);
    expect(cut(late, 3, 2)).toBe("0,0,0,1,1,1,1");
    // Two rows at least are a part.
    expect(cut(late, 0, 2)).toBe("0,0,0,1,1,1,1");
    expect(cut(late, 0, 3)).toBeUndefined();
  });

  it("principal parts are cut at their means, the one that varies most first", () => {
    const X = fromRows([0, 1, 2, 10, 11, 12, 30, 31, 35, 36].map((x) => [1, x]));
    const parts = principalParts(X);
    expect(numbered(parts(3)).join()).toBe("0,0,0,1,1,1,2,2,2,2");
    expect(numbered(parts(2)).join()).toBe("0,0,0,0,0,0,1,1,1,1");
    expect(numbered(parts(4)).join()).toBe("0,0,0,1,1,1,2,2,3,3");
    expect(numbered(parts(1)).join()).toBe("0,0,0,0,0,0,0,0,0,0");
  });
});
