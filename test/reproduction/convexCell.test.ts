import { describe, expect, test } from "vitest";
import { random } from "kindred";
import { rand } from "kindred/score";
import { runCell, trivialScores } from "../../reproduction/convex/convexCell.ts";
import { type Method, type Protocol, PROTOCOLS } from "../../reproduction/convex/convexTables.ts";
import { classedSet } from "../../reproduction/knownSets.ts";

const { X, truth } = await classedSet("wine", undefined);
const protocol = (name: Protocol["name"]): Protocol => PROTOCOLS.find((one) => one.name === name)!;

describe("wine, without labels", () => {
  test.each<[Method, number]>([
    ["kmeans", 95],
    ["ncut", 95],
    ["cc", 95.4],
    ["rcc", 95.4],
    ["scc", 95.4],
    ["ccscml", 95.4],
  ])("%s reaches %d", (method, least) => {
    const cell = runCell(X, truth, "wine", protocol("unsupervised"), method, false);
    expect(cell.rand).toBeGreaterThanOrEqual(least);
    expect(cell.clusters).toBe(3);
    expect(cell.sizes?.reduce((sum, size) => sum + size, 0)).toBe(178);
    expect(cell.failures).toEqual([]);
    expect(cell.gap ?? 0).toBeLessThanOrEqual(1e-6);
    expect(cell.gap === undefined).toBe(method === "kmeans" || method === "ncut");
  });

  test("labels do not take part: shuffled truth gives the same partition", () => {
    const cell = runCell(X, truth, "wine", protocol("unsupervised"), "cc", false);
    const shuffled = Array.from(random(1).shuffle(Int32Array.from(truth, Number)), String);
    const other = runCell(X, shuffled, "wine", protocol("unsupervised"), "cc", false);
    expect(other.sizes).toEqual(cell.sizes);
    expect(other.setting).toEqual(cell.setting);
    expect(other.rand).toBeLessThan(60);
  });
});

describe("wine, chosen by labels", () => {
  test("the paper's protocol counts single rows", () => {
    const cell = runCell(X, truth, "wine", protocol("paper"), "cc", false);
    expect(cell.clusters).toBe(3);
    expect(cell.sizes?.[2]).toBeLessThan(10);
    expect(cell.rand).toBeGreaterThan(65.4);
    expect(cell.setting).toMatchObject({ scale: "none", neighbors: 59 });
    expect(cell.settings).toBe(6);
    expect(cell.gap).toBeLessThanOrEqual(1e-6);
  });

  test("the best of more partitions is no worse than the one chosen without labels", () => {
    const blind = runCell(X, truth, "wine", protocol("unsupervised"), "ccscml", false);
    const oracle = runCell(X, truth, "wine", protocol("oracle"), "ccscml", false);
    expect(oracle.partitions).toBeGreaterThan(100);
    expect(oracle.rand).toBeGreaterThanOrEqual(Math.max(98, blind.rand ?? 100));
  });
});

describe("trivial scores", () => {
  test("one cluster, as the Rand index has it", () => {
    const { oneCluster } = trivialScores(truth, 3);
    expect(oneCluster).toBeCloseTo(100 * rand(new Int32Array(truth.length), truth), 10);
  });

  test("labels at random, as drawn", () => {
    const draw = random(3);
    let sum = 0;
    for (let r = 0; r < 200; r++) {
      sum += rand(
        Int32Array.from(truth, () => draw.integer(3)),
        truth,
      );
    }
    expect(trivialScores(truth, 3).randomLabels).toBeCloseTo(sum / 2, 0);
  });
});
