import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KindredError } from "../../../src/core/messages.ts";
import type { Constraints, Pair } from "../../../src/data/constraints.ts";
import { matrix, row, type Matrix } from "../../../src/matrix/matrix.ts";
import { dca } from "../../../src/metric/moments/rca.ts";
import { itml } from "../../../src/metric/pairs/itml.ts";
import { kissme } from "../../../src/metric/moments/kissme.ts";
import { lrml } from "../../../src/metric/pairs/lrml.ts";
import type { Mahalanobis } from "../../../src/metric/mahalanobis.ts";
import { mmc } from "../../../src/metric/pairs/mmc.ts";
import { pcca } from "../../../src/metric/pairs/pcca.ts";
import { sdml } from "../../../src/metric/pairs/sdml.ts";
import { xqda } from "../../../src/metric/moments/xqda.ts";

interface Problem {
  readonly X: Matrix;
  readonly labels: number[];
  readonly constraints: Constraints;
}

/** Small tables with ties, equal rows, constant columns and more columns than rows, in small and large units. */
const problem: fc.Arbitrary<Problem> = fc
  .record({
    n: fc.integer({ min: 4, max: 12 }),
    d: fc.integer({ min: 1, max: 6 }),
    unit: fc.constantFrom(1e-6, 1, 1e6),
    shift: fc.constantFrom(0, 1000),
  })
  .chain(({ n, d, unit, shift }) =>
    fc.record({
      cells: fc.array(
        fc.oneof(fc.integer({ min: -2, max: 2 }), fc.double({ min: -3, max: 3, noNaN: true })),
        {
          minLength: n * d,
          maxLength: n * d,
        },
      ),
      labels: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: n, maxLength: n }),
      links: fc.array(fc.tuple(fc.nat(n - 1), fc.nat(n - 1)), { minLength: 3, maxLength: 20 }),
      scale: fc.constant({ n, d, unit, shift }),
    }),
  )
  .map(({ cells, labels, links, scale: { n, d, unit, shift } }) => {
    const X = matrix(
      n,
      d,
      Float64Array.from(cells, (value) => (value + shift) * unit),
    );
    const pairs = links.filter(([i, j]) => i !== j);
    const isAlike = ([i, j]: Pair): boolean => labels[i] === labels[j];
    return {
      X,
      labels,
      constraints: { mustLink: pairs.filter(isAlike), cannotLink: pairs.filter((pair) => !isAlike(pair)) },
    };
  });

const METHODS: Record<string, (problem: Problem) => Mahalanobis> = {
  itml: ({ X, constraints }) => itml(X, constraints),
  "itml squared": ({ X, constraints }) => itml(X, { ...constraints, bounds: "squared" }),
  "itml covariance": ({ X, constraints }) => itml(X, { ...constraints, prior: "covariance" }),
  mmc: ({ X, constraints }) => mmc(X, constraints),
  "mmc exact": ({ X, constraints }) => mmc(X, { ...constraints, regularization: 0, maxIterations: 200 }),
  "mmc diagonal": ({ X, constraints }) => mmc(X, { ...constraints, diagonal: true }),
  sdml: ({ X, constraints }) => sdml(X, constraints),
  pcca: ({ X, constraints }) => pcca(X, constraints),
  lrml: ({ X, constraints }) => lrml(X, constraints),
  kissme: ({ X, constraints }) => kissme(X, constraints),
  dca: ({ X, labels, constraints }) => dca(X, labels, { cannotLink: constraints.cannotLink }),
  xqda: ({ X, labels }) => xqda(X, labels),
};

describe.each(Object.keys(METHODS))("%s on any small problem", (name) => {
  it("gives a finite metric and a certificate, or an error that says why not", () => {
    fc.assert(
      fc.property(problem, (given) => {
        const metric = attempt(() => METHODS[name](given));
        if (metric === undefined) return;
        expect(metric.factor.data.every(Number.isFinite)).toBe(true);
        expect(metric.relevance.every((share) => share >= 0 && share <= 1 + 1e-12)).toBe(true);
        expect(metric.certificate.residual).toBeGreaterThanOrEqual(0);
        expect(metric.converged || metric.warnings.length > 0).toBe(true);
        const there = metric.distance(row(given.X, 0), row(given.X, 1));
        expect(metric.distance(row(given.X, 1), row(given.X, 0))).toBe(there);
        expect(metric.distance(row(given.X, 2), row(given.X, 2))).toBe(0);
      }),
      { numRuns: 100 },
    );
  });
});

/** Undefined for an error made on purpose; any other error passes. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof KindredError) return undefined;
    throw error;
  }
}
