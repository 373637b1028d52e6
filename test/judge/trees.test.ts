import { describe, expect, it } from "vitest";
import { densityTree, genieTree } from "../../src/judge/trees.ts";
import { fromRows, squaredDistances } from "../../src/matrix/index.ts";
import { adjustedRand } from "../../src/score/rand.ts";
import { blobs, rings } from "./sets.ts";

describe("trees of the pool", () => {
  it("Genie is single linkage while sizes are alike, and does not take single rows for clusters", () => {
    const { X, y } = rings(300, 3);
    expect(adjustedRand(genieTree(squaredDistances(X), 0.3)(2), y)).toBe(1);
    const rows = [0, 1, 2, 3, 10, 11, 12, 13, 30].map((x) => [x]);
    const D = squaredDistances(fromRows(rows));
    // Without a limit, the far row is alone; with it, a smallest cluster is merged first.
    expect(Array.from(genieTree(D, 1)(2))).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1]);
    expect(Array.from(genieTree(D, 0.3)(2))).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 1]);
    expect(new Set(genieTree(D, 0.3)(9)).size).toBe(9);
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
    const tree = densityTree(squaredDistances(X), 5, () => 20);
    expect(adjustedRand(tree(2)!, y)).toBe(1);
    expect(tree(40)).toBeUndefined();
  });
});
