import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { kmeans } from "../../../src/cluster/index.ts";
import { fromRows, matrix, takeRows, toSparse } from "../../../src/matrix/index.ts";
import { withinSumOfSquares } from "../../../src/score/index.ts";
import { clouds } from "../clouds.ts";

/** All ways to put n rows in K clusters, none empty, as labels in order of first appearance. */
function partitions(n: number, K: number): number[][] {
  const found: number[][] = [];
  const extend = (labels: number[], used: number): void => {
    if (labels.length === n) {
      if (used === K) found.push(labels);
      return;
    }
    for (let k = 0; k <= Math.min(used, K - 1); k++) extend([...labels, k], Math.max(used, k + 1));
  };
  extend([], 0);
  return found;
}

describe("certificate", () => {
  it("brackets the least objective over all partitions", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 6 }),
        fc.integer({ min: 1, max: 9 }),
        fc.nat(1e6),
        (n, d, seed) => {
          const { X } = clouds(n, d, 2, 2, seed);
          for (let K = 1; K <= n; K++) {
            const least = Math.min(...partitions(n, K).map((labels) => withinSumOfSquares(X, labels)));
            const { objective, certificate } = kmeans(X, { clusters: K });
            expect(objective).toBeGreaterThanOrEqual(least - 1e-9);
            expect(certificate.lowerBound).toBeLessThanOrEqual(least + 1e-9);
            expect(certificate.kind === "global optimum" ? objective : least).toBeLessThanOrEqual(
              least * (1 + 1e-8) + 1e-9,
            );
          }
        },
      ),
      { numRuns: 10 },
    );
  });

  it("proves one cluster, and clusters without spread, to be the global optimum", () => {
    const { X } = clouds(50, 4, 3, 2, 1);
    expect(kmeans(X, { clusters: 1 }).certificate.kind).toBe("global optimum");
    const points = fromRows([
      [1, 2],
      [1, 2],
      [5, 5],
      [5, 5],
    ]);
    expect(kmeans(points, { clusters: 2 }).certificate).toMatchObject({
      kind: "global optimum",
      objective: 0,
    });
  });

  it("comes close to the objective when the clusters are far apart, with weights too", () => {
    const { X } = clouds(400, 6, 3, 200, 2);
    const total = kmeans(X, { clusters: 1 }).objective;
    const { certificate, objective } = kmeans(X, { clusters: 3 });
    expect(certificate.lowerBound! / objective).toBeGreaterThan(0.6);
    expect(objective / total).toBeLessThan(1e-3);
    const weights = Float64Array.from({ length: 400 }, (_, i) => 1 + (i % 2));
    const copies = Array.from({ length: 400 }, (_, i) => (i % 2 === 1 ? [i, i] : [i])).flat();
    const weighted = kmeans(X, { clusters: 3, weights }).certificate;
    const repeated = kmeans(takeRows(X, copies), { clusters: 3 }).certificate;
    expect(weighted.lowerBound! / repeated.lowerBound!).toBeCloseTo(1, 6);
  });

  it("has no lower bound for sparse or wide data", () => {
    const { X } = clouds(300, 300, 2, 1, 3);
    expect(kmeans(X, { clusters: 2, restarts: 1 }).certificate).not.toHaveProperty("lowerBound");
    const narrow = toSparse(clouds(20, 3, 2, 1, 3).X);
    expect(kmeans(narrow, { clusters: 2 }).certificate).toMatchObject({
      kind: "local optimum",
      reassigned: 0,
    });
  });
});

describe("onProgress", () => {
  it("tells fraction, restart and objective, and stops the work when it returns false", () => {
    // The clock jumps a second at each look, so that every iteration is reported.
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));
    try {
      const { X } = clouds(300, 3, 5, 1, 4);
      const reports: { fraction: number; label: string; objective?: number }[] = [];
      const full = kmeans(X, { clusters: 5, restarts: 3, onProgress: (p) => void reports.push(p) });
      expect(full.warnings).toEqual([]);
      expect(reports.map((p) => p.label)).toContain("restart 3 of 3");
      for (let t = 1; t < reports.length; t++) {
        expect(reports[t].fraction).toBeGreaterThan(reports[t - 1].fraction);
        expect(reports[t].fraction).toBeLessThan(1);
        expect(reports[t].objective).toBeLessThanOrEqual(reports[t - 1].objective! * (1 + 1e-12) || Infinity);
      }
      let calls = 0;
      const stopped = kmeans(X, { clusters: 5, restarts: 3, onProgress: () => ++calls < 4 });
      expect(stopped.warnings[0]).toMatch(/^stopped by onProgress in restart \d of 3$/);
      expect(stopped.labels.length).toBe(300);
      expect(stopped.objective).toBeCloseTo(withinSumOfSquares(X, stopped.labels), 8);
    } finally {
      clock.mockRestore();
    }
  });

  it("may itself cluster", () => {
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));
    try {
      const { X } = clouds(200, 3, 4, 1, 6);
      const quiet = kmeans(X, { clusters: 4, restarts: 2 });
      const inner = matrix(
        500,
        9,
        Float64Array.from({ length: 4500 }, (_, p) => Math.sin(p * p)),
      );
      const nested = kmeans(X, {
        clusters: 4,
        restarts: 2,
        onProgress: () => void kmeans(inner, { clusters: 7, restarts: 1 }),
      });
      expect(nested.labels).toEqual(quiet.labels);
    } finally {
      clock.mockRestore();
    }
  });
});
