import * as fc from "fast-check";
import { expect, test } from "vitest";
import { carp, cc, ccml, ccscml, rcc, scc } from "../../src/recipes/index.ts";
import { KindredError } from "../../src/core/index.ts";
import { fromRows, type Matrix } from "../../src/matrix/index.ts";

interface Found {
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
  readonly centers: Matrix;
  readonly metric: { readonly matrix: Matrix; readonly relevance: Float64Array };
}

/** Few values on a grid: ties, duplicate rows, constant and equal columns, more columns than rows. */
const tables = fc.integer({ min: 1, max: 6 }).chain((d) =>
  fc.array(fc.array(fc.constantFrom(-1, 0, 0, 0.5, 2, 1e6), { minLength: d, maxLength: d }), {
    minLength: 2,
    maxLength: 24,
  }),
);

const methods: [string, (X: Matrix, clusters: number) => Found][] = [
  ["cc", (X, clusters) => cc(X, { clusters })],
  ["cc, q = 2, joined", (X, clusters) => cc(X, { clusters, norm: 2, join: true })],
  ["cc, strict", (X, clusters) => cc(X, { clusters, protocol: "strict", kind: "union" })],
  ["carp", (X, clusters) => carp(X, { clusters })],
  ["rcc", (X, clusters) => rcc(X, { clusters })],
  ["scc", (X, clusters) => scc(X, { clusters })],
  ["scc, q = 2", (X, clusters) => scc(X, { clusters, norm: 2 })],
  ["ccml", (X, clusters) => ccml(X, { clusters, rebuildGraph: true })],
  ["ccscml", (X, clusters) => ccscml(X, { clusters })],
];

test.each(methods)("%s: any finite table gives a partition or one sentence of refusal", (_name, method) => {
  fc.assert(
    fc.property(tables, fc.integer({ min: 1, max: 5 }), (rows, clusters) => {
      const X = fromRows(rows);
      let found: Found;
      try {
        found = method(X, Math.min(clusters, rows.length));
      } catch (error) {
        if (!(error instanceof KindredError)) throw error;
        return;
      }
      expect(found.labels).toHaveLength(rows.length);
      expect(found.labels.every((label) => label >= 0 && label < found.sizes.length)).toBe(true);
      expect(found.sizes.every((size) => size > 0)).toBe(true);
      expect(found.centers.data.every(Number.isFinite)).toBe(true);
      expect(found.metric.matrix.data.every(Number.isFinite)).toBe(true);
      expect(found.metric.relevance.every((share) => share >= 0 && share <= 1 + 1e-9)).toBe(true);
    }),
    { numRuns: 60 },
  );
});
