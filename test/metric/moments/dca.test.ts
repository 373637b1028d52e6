import { beforeAll, describe, expect, it } from "vitest";
import { random } from "../../../src/core/random.ts";
import { samplePairs } from "../../../src/data/samplePairs.ts";
import { fromRows, matrix, takeRows, type Matrix } from "../../../src/matrix/matrix.ts";
import { dca, rca } from "../../../src/metric/moments/rca.ts";
import { difference, permuted, shifted, wine } from "../pairs/pairFixture.ts";

let X: Matrix;
let labels: readonly string[];
beforeAll(async () => {
  ({ X, labels } = await wine());
});

describe("dca", () => {
  it("follows the text step by step on a case small enough to work out", () => {
    // Two chunklets of two rows; within they vary by 1 along y, between by 3 along x.
    const rows = fromRows([
      [0, 1],
      [0, -1],
      [3, 1],
      [3, -1],
    ]);
    const metric = dca(rows, ["a", "a", "b", "b"], { cannotLink: [[0, 2]], shrinkage: 0 });
    // C_b = diag(9, 0): y is its null space and is gone. C_w is zero along x, so its weight is bounded.
    expect(metric.rank).toBe(1);
    expect(metric.matrix.data[3]).toBeCloseTo(0, 12);
    expect(metric.warnings.join()).toContain("1 of 2 directions");
    // With some variance within along x: L = 1/sqrt(var) e_x.
    const wider = fromRows([
      [0.5, 1],
      [-0.5, -1],
      [3.5, 1],
      [2.5, -1],
    ]);
    const weighted = dca(wider, ["a", "a", "b", "b"], { cannotLink: [[0, 2]], shrinkage: 0 });
    expect(weighted.matrix.data[0]).toBeCloseTo(1 / 0.25, 10);
    expect(weighted.certificate.residual).toBeLessThan(1e-10);
  });

  it("is the metric of RCA where every direction is linked and kept", () => {
    const links = samplePairs(labels, { mustLink: 0, cannotLink: 200, seed: 1 }).cannotLink;
    // Single rows count as chunklets of their own in C_b, so it has full rank.
    const chunklets = labels.map((label, i) => (i % 2 === 0 ? label : -1));
    const metric = dca(X, chunklets, { cannotLink: links });
    expect(metric.rank).toBe(13);
    expect(difference(metric, rca(X, chunklets))).toBeLessThan(1e-8);
    expect(metric.certificate.residual).toBeLessThan(1e-10);
  });

  it("keeps the directions that separate the chunklets best", () => {
    const stream = random(1);
    const rows = matrix(300, 4);
    const classes = Array.from({ length: 300 }, (_, i) => i % 3);
    for (let i = 0; i < 300; i++) {
      rows.data[4 * i] = 2 * classes[i] + 0.3 * stream.normal();
      for (let f = 1; f < 4; f++) rows.data[4 * i + f] = 3 * stream.normal();
    }
    const links = samplePairs(classes, { mustLink: 0, cannotLink: 100, seed: 2 }).cannotLink;
    const chunklets = classes.map((c, i) => (i < 200 ? c : -1));
    const metric = dca(rows, chunklets, { cannotLink: links, dims: 1 });
    expect(metric.rank).toBe(1);
    expect(metric.relevance[0]).toBeGreaterThan(0.9);
  });

  it("counts a pair of chunklets once and knows chunklets without a link", () => {
    const chunklets = labels.map((label, i) => (i % 3 === 0 ? label : -1));
    const [a, b] = [0, 60];
    const metric = dca(X, chunklets, { cannotLink: [[a, b]] });
    // Row 3 is in the chunklet of row 0, row 63 in that of row 60; the third class has no negative link.
    expect(difference(dca(X, chunklets, { cannotLink: [[a, b], [3, 63], [63, 0]] }), metric)).toBe(0); // prettier-ignore
    expect(metric.rank).toBe(1);
  });

  it("does not depend on the order of rows or a shift", () => {
    const links = samplePairs(labels, { mustLink: 0, cannotLink: 60, seed: 1 }).cannotLink;
    const metric = dca(X, labels, { cannotLink: links, dims: 2 });
    const order = random(5).shuffle(Int32Array.from({ length: X.rows }, (_, i) => i));
    const moved = permuted(X, { mustLink: [], cannotLink: links }, order);
    const shuffled = Array.from(order, (i) => labels[i]);
    expect(
      difference(dca(moved.X, shuffled, { cannotLink: moved.constraints.cannotLink, dims: 2 }), metric),
    ).toBeLessThan(1e-8);
    expect(difference(dca(shifted(X, 100), labels, { cannotLink: links, dims: 2 }), metric)).toBeLessThan(
      1e-8,
    );
  });

  it("is finite with fewer rows than columns, and shrinks, and says so", () => {
    const few = Array.from({ length: 9 }, (_, i) => 19 * i);
    const classes = few.map((i) => labels[i]);
    const last = classes.findIndex((label) => label !== classes[0]);
    const metric = dca(takeRows(X, few), classes, { cannotLink: [[0, last]] });
    expect(metric.factor.data.every(Number.isFinite)).toBe(true);
    expect(metric.warnings.join()).toContain("too few for 13 columns");
  });

  it("names what is wrong", () => {
    expect(() => dca(X, labels, { cannotLink: [] })).toThrow("without them use rca");
    expect(() => dca(X, labels, { cannotLink: [[0, 1]] })).toThrow(
      "rows 0 and 1 are a cannot-link, but both belong to chunklet",
    );
    expect(() => dca(X, labels.slice(1), { cannotLink: [[0, 60]] })).toThrow(
      "177 chunklet entries for 178 rows",
    );
    expect(() =>
      dca(
        X,
        labels.map((_, i) => i),
        { cannotLink: [[0, 60]] },
      ),
    ).toThrow("at least two rows");
    const same = fromRows([[1], [-1], [1], [-1]]);
    expect(() => dca(same, [0, 0, 1, 1], { cannotLink: [[0, 2]] })).toThrow("the same mean");
  });
});
