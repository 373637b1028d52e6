import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { random } from "../../src/core/random.ts";
import { loadPca, pca } from "../../src/embed/index.ts";
import { fromRows, gram, matrix, toSparse, transpose, type Matrix } from "../../src/matrix/index.ts";
import { farthest, peers } from "../classicalFixture.ts";

/** Columns of falling spread, far from the origin. */
function spread(rows: number, cols: number, seed: number): Matrix {
  const { normal } = random(seed);
  return matrix(
    rows,
    cols,
    Float64Array.from({ length: rows * cols }, (_, p) => 3 + normal() * 0.8 ** Math.min(12, p % cols)),
  );
}

describe("pca", () => {
  it.each(["blobs", "wide"] as const)("agrees with scikit-learn on %s", (name) => {
    const theirs = peers.pca[name];
    const ours = pca(fromRows(theirs.X));
    expect(farthest(ours.components.data, theirs.components.flat())).toBeLessThan(1e-9);
    expect(farthest(ours.variances, theirs.variances)).toBeLessThan(1e-9);
    expect(farthest(ours.shares, theirs.shares)).toBeLessThan(1e-9);
    expect(
      farthest(ours.embedding.data.subarray(0, 5 * ours.embedding.cols), theirs.scores.flat()),
    ).toBeLessThan(1e-9);
  });

  it.each([
    ["tall", 3000, 40, 0.9],
    ["wide", 40, 3000, 0.9],
    ["with components too small for a product", 3000, 40, 0.5],
  ])("many values: the same components as from singular values, %s", (_, rows, cols, fall) => {
    const { normal } = random(7);
    const scales = Float64Array.from({ length: cols }, (_, f) => fall ** (f % 40));
    const X = matrix(
      rows,
      cols,
      Float64Array.from({ length: rows * cols }, (_, p) => 3 + normal() * scales[p % cols]),
    );
    const dims = 30;
    const full = pca(X, { dims, solver: "full" });
    const auto = pca(X, { dims });
    for (let r = 0; r < dims; r++) expect(auto.variances[r] / full.variances[r]).toBeCloseTo(1, 11);
    expect(farthest(auto.components.data, full.components.data)).toBeLessThan(1e-9);
    expect(farthest(auto.shares, full.shares)).toBeLessThan(1e-12);
  });

  it("finds the same components by iterating, dense or sparse, tall or wide", () => {
    for (const X of [spread(400, 330, 1), transpose(spread(400, 330, 1))]) {
      const full = pca(X, { dims: 5, solver: "full" });
      const top = pca(X, { dims: 5, solver: "top" });
      const fromSparse = pca(toSparse(X), { dims: 5 });
      expect(top.iterations).toBeGreaterThan(0);
      expect(fromSparse.iterations).toBeGreaterThan(0);
      for (const other of [top, fromSparse]) {
        expect(other.converged).toBe(true);
        expect(farthest(other.components.data, full.components.data)).toBeLessThan(1e-9);
        expect(farthest(other.variances, full.variances)).toBeLessThan(1e-9);
        expect(farthest(other.shares, full.shares)).toBeLessThan(1e-9);
        expect(farthest(other.embedding.data, full.embedding.data)).toBeLessThan(1e-8);
      }
    }
  });

  it("has orthonormal components, uncorrelated coordinates and an inverse", () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 12 }), fc.integer({ min: 1, max: 6 }), fc.nat(), (n, d, seed) => {
        const X = spread(n, d, seed);
        const { components, embedding, variances, inverse } = pca(X);
        const I = gram(transpose(components));
        for (let p = 0; p < I.data.length; p++) {
          expect(I.data[p]).toBeCloseTo(p % (I.cols + 1) === 0 ? 1 : 0, 10);
        }
        const G = gram(embedding);
        for (let p = 0; p < G.data.length; p++) {
          const r = Math.floor(p / G.cols);
          const expected = p % G.cols === r ? variances[r] * (n - 1) : 0;
          expect(Math.abs(G.data[p] - expected)).toBeLessThan(1e-10 * (1 + G.data[0]));
        }
        expect(farthest(inverse(embedding).data, X.data)).toBeLessThan(1e-9);
      }),
      { numRuns: 40 },
    );
  });

  it("whitens to unit variance, and need not centre", () => {
    const X = spread(60, 4, 3);
    const white = pca(X, { whiten: true });
    expect(
      farthest(
        gram(white.embedding).data.map((value) => value / 59),
        [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
      ),
    ).toBeLessThan(1e-10);
    expect(farthest(white.inverse(white.embedding).data, X.data)).toBeLessThan(1e-10);
    const raw = pca(X, { center: false, dims: 1 });
    expect(raw.mean.every((value) => value === 0)).toBe(true);
    expect(raw.components.data.every((value) => value > 0)).toBe(true);
  });

  it("says when there are fewer directions than asked for", () => {
    const line = fromRows([1, 2, 3, 4, 7].map((t) => [t, 2 * t, 100 - t]));
    for (const solver of ["full", "top"] as const) {
      const { embedding, warnings } = pca(line, { dims: 3, solver });
      expect(embedding.cols).toBe(1);
      expect(warnings.join()).toMatch(/variance in 1 direction only, so 1 instead of 3/);
    }
    expect(pca(line).embedding.cols).toBe(1);
    expect(pca(line).warnings).toEqual([]);
  });

  it("refuses what has no components, by name", () => {
    const equal = fromRows([
      [1, 2],
      [1, 2],
    ]);
    expect(() => pca(equal)).toThrow(/all rows are equal/);
    expect(() => pca(equal, { dims: 3 })).toThrow(/"dims" is 3/);
    expect(() => pca(fromRows([[1, 2]]))).toThrow(/too small/);
    expect(() => pca(fromRows([[1], [Number.NaN]]))).toThrow(/row 1, column 0/);
    expect(() => pca(spread(5, 2, 0)).transform(spread(5, 3, 0))).toThrow(/made of 2 columns/);
  });

  it("survives JSON", () => {
    const X = spread(30, 5, 4);
    const model = pca(X, { dims: 2, whiten: true });
    const back = loadPca(JSON.parse(JSON.stringify(model.model())));
    expect(back.transform(X).data).toEqual(model.embedding.data);
    const data = model.model();
    expect(() => loadPca({ ...data, components: { ...data.components, rows: 3 } })).toThrow(/damaged/);
  });
});
