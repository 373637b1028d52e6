import { beforeAll, describe, expect, it } from "vitest";
import type { Constraints } from "../../../src/data/constraints.ts";
import { samplePairs } from "../../../src/data/samplePairs.ts";
import { cholesky } from "../../../src/matrix/factor/cholesky.ts";
import { fromRows, identity, type Matrix, mapped } from "../../../src/matrix/matrix.ts";
import { graphicalLasso, sdml } from "../../../src/metric/pairs/sdml.ts";
import { difference, isInvariant, peer, wideRows, wine, winePairs } from "./pairFixture.ts";

let X: Matrix;
let labels: readonly string[];
beforeAll(async () => {
  ({ X, labels } = await wine());
});

describe("graphicalLasso", () => {
  const { covariance, alpha, matrix: expected } = peer["graphical lasso"];
  const stop = { tolerance: 1e-11, maxIterations: 5000 };

  it("gives scikit-learn's matrix, zeros included", () => {
    const fit = graphicalLasso(fromRows(covariance), alpha, stop);
    expect(fit.converged).toBe(true);
    const theirs = fromRows(expected).data;
    fit.matrix.data.forEach((value, p) => expect(value).toBeCloseTo(theirs[p], 4));
    expect(Array.from(fit.matrix.data, (value) => value === 0)).toEqual(
      Array.from(theirs, (value) => value === 0),
    );
  });

  it("satisfies the optimality conditions: M^-1 = S + G, G = alpha sign(M), |G| <= alpha where M is zero", () => {
    const S = fromRows(covariance);
    const { matrix: M } = graphicalLasso(S, alpha, stop);
    const inverse = cholesky(M).solve(identity(M.rows));
    const violations = Array.from(M.data, (value, p) => {
      const G = inverse.data[p] - S.data[p];
      if (p % (M.rows + 1) === 0) return Math.abs(G);
      return value === 0 ? Math.max(0, Math.abs(G) - alpha) : Math.abs(G - alpha * Math.sign(value));
    });
    expect(Math.max(...violations)).toBeLessThan(1e-4);
  });

  it("is the inverse without a penalty, diagonal with a heavy one, and honest when stopped", () => {
    const S = fromRows(covariance);
    const dense = graphicalLasso(S, 0, stop).matrix;
    const inverse = cholesky(S).solve(identity(S.rows));
    dense.data.forEach((value, p) => expect(value).toBeCloseTo(inverse.data[p], 4));
    const sparse = graphicalLasso(S, 10, stop).matrix;
    expect(sparse.data.filter((value) => value !== 0)).toHaveLength(S.rows);
    const stopped = graphicalLasso(S, alpha, { tolerance: 1e-14, maxIterations: 2 });
    expect(stopped.converged).toBe(false);
    expect(stopped.gap).toBeGreaterThan(0);
  });
});

describe("sdml", () => {
  it("has a minimum for every balance below 1, where the peer raises with 400 pairs", () => {
    const pairs = samplePairs(labels, { mustLink: 200, cannotLink: 200, seed: 1 });
    for (const balance of [0, 1e-3, 0.5, 0.999]) {
      for (const prior of ["identity", "covariance"] as const) {
        const metric = sdml(X, { ...pairs, balance, prior });
        expect(metric.converged).toBe(true);
        expect(metric.certificate.residual).toBeLessThan(1e-8);
        expect(metric.rank).toBe(13);
      }
    }
  });

  it("stays at the prior without pairs' weight, and gets sparser as it is told to", () => {
    const prior = sdml(X, { ...winePairs, balance: 0 });
    identity(13).data.forEach((value, p) => expect(prior.matrix.data[p]).toBeCloseTo(value, 4));
    const zeros = [0, 0.3, 1, 3].map((sparsity) => sdml(X, { ...winePairs, sparsity }).zeros);
    expect(zeros[0]).toBe(0);
    expect(zeros.toSorted((a, b) => a - b)).toEqual(zeros);
    expect(zeros[3]).toBeGreaterThan(zeros[0]);
  });

  it("brings must-links together relative to cannot-links", () => {
    const metric = sdml(X, winePairs);
    const mean = (pairs: readonly (readonly [number, number])[], of: typeof metric | undefined): number =>
      pairs.reduce((sum, [i, j]) => {
        const a = X.data.subarray(i * 13, i * 13 + 13);
        const b = X.data.subarray(j * 13, j * 13 + 13);
        return sum + (of ? of.distance(a, b) : Math.hypot(...a.map((value, f) => value - b[f])));
      }, 0) / pairs.length;
    expect(mean(peer.cannot, metric) / mean(peer.must, metric)).toBeGreaterThan(
      1.1 * (mean(peer.cannot, undefined) / mean(peer.must, undefined)),
    );
    expect(metric.threshold).toBeGreaterThan(0);
  });

  it("does not depend on the order of rows, a shift, repeated pairs or the scale of all columns together", () => {
    isInvariant(sdml, X, { order: 1e-6, shift: 1e-4 });
    const wide = mapped(X, (value) => 1000 * value);
    expect(difference(sdml(wide, winePairs), sdml(X, winePairs))).toBeLessThan(1e-6);
  });

  it("is finite with one kind of pair, equal rows, d > n and zero columns", () => {
    expect(sdml(X, { mustLink: peer.must, cannotLink: [] }).converged).toBe(true);
    const wide = wideRows(3, 10, 4);
    const pairs: Constraints = { mustLink: [[0, 1]], cannotLink: [[0, 2]] };
    for (const prior of ["identity", "covariance"] as const) {
      expect(sdml(wide, { ...pairs, prior }).factor.data.every(Number.isFinite)).toBe(true);
    }
    const equal = fromRows([[1, 2], [1, 2], [1, 2]]); // prettier-ignore
    expect(sdml(equal, pairs).warnings.join()).toContain("the pairs contain no information");
    expect(() => sdml(X, { mustLink: [], cannotLink: [] })).toThrow("at least one pair");
    expect(() => sdml(X, { ...winePairs, balance: 1 })).toThrow("below 1");
  });
});
