import { beforeAll, describe, expect, it } from "vitest";
import { random } from "../../../src/core/random.ts";
import { LAW_CENTERS } from "../../../src/data/generate.ts";
import { samplePairs } from "../../../src/data/samplePairs.ts";
import { cholesky } from "../../../src/matrix/factor/cholesky.ts";
import {
  fromRows,
  identity,
  matrix,
  row,
  takeRows,
  type Matrix,
  mapped,
} from "../../../src/matrix/matrix.ts";
import { rankOneUpdate } from "../../../src/matrix/multiply.ts";
import { itml } from "../../../src/metric/pairs/itml.ts";
import {
  FEW_PAIRS,
  difference,
  isInvariant,
  peer,
  squaredDistances,
  wideRows,
  wine,
  winePairs,
} from "./pairFixture.ts";
import { cyclicProjections } from "./itmlReference.ts";
import { mahalanobisFromMatrix } from "../../../src/metric/mahalanobis.ts";

let X: Matrix;
let labels: readonly string[];
beforeAll(async () => {
  ({ X, labels } = await wine());
});

describe("itml", () => {
  it("gives metric-learn's distances on wine, run to convergence", () => {
    const metric = itml(X, winePairs);
    expect(metric.converged).toBe(true);
    expect(metric.certificate.residual).toBeLessThan(1e-8);
    expect(metric.bounds[0]).toBeCloseTo(peer.percentiles[0], 10);
    expect(metric.bounds[1]).toBeCloseTo(peer.percentiles[1], 10);
    expect(squaredDistances(metric, X, peer.probes)).toEqual(
      peer["itml gamma 1"].map((value) => expect.closeTo(value, 5)),
    );
    expect(squaredDistances(itml(X, { ...winePairs, gamma: 0.1 }), X, peer.probes)).toEqual(
      peer["itml gamma 0.1"].map((value) => expect.closeTo(value, 5)),
    );
  });

  it("stays close to another prior, as metric-learn does", () => {
    const metric = itml(X, { ...winePairs, prior: fromRows(peer["itml prior"].matrix) });
    expect(squaredDistances(metric, X, peer.probes)).toEqual(
      peer["itml prior"].squares.map((value) => expect.closeTo(value, 4)),
    );
    // With next to no weight on the pairs the prior is the answer.
    const free = itml(X, { ...winePairs, prior: "covariance", gamma: 1e-9 });
    const { total } = covarianceOf(X);
    const inverse = cholesky(total).solve(identity(X.cols));
    free.matrix.data.forEach((value, p) => expect(value).toBeCloseTo(inverse.data[p], 5));
  });

  it("reaches what cyclic projections converge to, at squared bounds, and their multipliers satisfy the KKT conditions", () => {
    const few = takeRows(X, Array.from({ length: 60 }, (_, i) => 3 * i - (i % 2)).slice(1));
    const classes = Array.from({ length: 59 }, (_, i) => labels[3 * (i + 1) - ((i + 1) % 2)]);
    const pairs = samplePairs(classes, { mustLink: 25, cannotLink: 25, seed: 3 });
    const gamma = 0.7;
    const metric = itml(few, { ...pairs, bounds: "squared", gamma });
    const { M, lambda, xi } = cyclicProjections(few, pairs, metric.bounds, gamma, 3000);
    const slow = mahalanobisFromMatrix(M, metric);
    expect(difference(metric, slow)).toBeLessThan(1e-6);
    // p = xi where lambda > 0; p on the right side of xi where lambda = 0.
    const p = squaredDistances(metric, few, [...pairs.mustLink, ...pairs.cannotLink]);
    const broken = p.map((square, c) => {
      const delta = c < pairs.mustLink.length ? 1 : -1;
      const excess = delta * (square / xi[c] - 1);
      return lambda[c] > 1e-9 ? Math.abs(excess) : Math.max(0, excess);
    });
    expect(Math.max(...broken)).toBeLessThan(1e-5);
    expect(lambda.filter((value) => value > 1e-9).length).toBeGreaterThan(10);
  });

  it("takes the bounds of metric-learn in both conventions, and reports the pairs that keep them", () => {
    const metric = itml(X, { ...winePairs, bounds: "squared" });
    expect(metric.bounds[0]).toBeCloseTo(peer.squaredPercentiles[0], 9);
    expect(metric.bounds[1]).toBeCloseTo(peer.squaredPercentiles[1], 9);
    const count = (squares: number[], within: (square: number) => boolean): number =>
      squares.filter(within).length;
    expect(metric.satisfied).toEqual({
      mustLink: count(
        squaredDistances(metric, X, peer.must),
        (square) => square <= metric.bounds[0] * (1 + 1e-6),
      ),
      cannotLink: count(
        squaredDistances(metric, X, peer.cannot),
        (square) => square >= metric.bounds[1] * (1 - 1e-6),
      ),
    });
    // Bounds that hold already leave the prior as it is.
    const idle = itml(X, { ...winePairs, bounds: [1e6, 1e-6] });
    expect(idle.satisfied).toEqual({ mustLink: peer.must.length, cannotLink: peer.cannot.length });
    expect(idle.matrix.data).toEqual(identity(X.cols).data);
    // A heavy weight keeps bounds that can be kept.
    const some = { mustLink: peer.must.slice(0, 10), cannotLink: peer.cannot.slice(0, 10) };
    const heavy = itml(X, { ...some, bounds: [20, 21], gamma: 1e6 });
    expect(heavy.satisfied.mustLink + heavy.satisfied.cannotLink).toBeGreaterThan(
      itml(X, { ...some, bounds: [20, 21] }).satisfied.cannotLink + 10,
    );
    expect(heavy.converged).toBe(true);
  });

  it("converges where distances are hundreds of times their bounds in one direction only", () => {
    // Each of three classes is two narrow Gaussians, far apart in the second column (Law et al., section 5.1).
    const { normal } = random(3);
    const rows = fromRows(
      Array.from({ length: 3000 }, (_, i) => LAW_CENTERS[i % 6].map((value) => value + 0.25 * normal())),
    );
    const labels = Int32Array.from({ length: 3000 }, (_, i) => (i % 6) >> 1);
    const pairs = samplePairs(labels, { mustLink: 2000, cannotLink: 2000, seed: 1 });
    const metric = itml(rows, pairs);
    expect(metric.converged).toBe(true);
    expect(metric.certificate.residual).toBeLessThan(1e-8);
  });

  it("does not depend on the order of rows, a shift of the data, repeated or reversed pairs", () => {
    expect(itml(X, winePairs).converged).toBe(true);
    isInvariant(itml, X, { order: 1e-8, shift: 1e-8, by: 1e3 });
  });

  it("weighs a thousandfold scale of the data into the metric at squared bounds", () => {
    const wide = mapped(X, (value) => 1000 * value);
    const prior = matrix(
      X.cols,
      X.cols,
      identity(X.cols).data.map((value) => value / 1e6),
    );
    const metric = itml(X, { ...winePairs, bounds: [2, 30] });
    const same = itml(wide, { ...winePairs, bounds: [2, 30], prior });
    same.matrix.data.forEach((value, p) => expect(value * 1e6).toBeCloseTo(metric.matrix.data[p], 6));
  });

  it("converges from distances that are a thousand times to a trillion times off their bounds", () => {
    for (const [unit, column3] of [
      [1e5, 1],
      [1e-5, 1],
      [1, 1e6],
    ]) {
      const far = mapped(X, (value, p) => unit * (p % 13 === 3 ? column3 : 1) * value);
      const metric = itml(far, { ...winePairs, bounds: [2, 30] });
      expect(metric.converged).toBe(true);
      expect(metric.iterations).toBeLessThan(100);
    }
    expect(() => itml(X, { ...winePairs, bounds: [1e-200, 1] })).toThrow("out of range");
  });

  it("leaves out cannot-links of equal rows, and says so; equal must-links do no harm", () => {
    const rows = fromRows([[0, 0], [0, 0], [1, 0], [1, 0], [0, 3], [1, 3]]); // prettier-ignore
    const metric = itml(rows, {
      mustLink: [
        [0, 4],
        [2, 3],
      ],
      cannotLink: [
        [0, 1],
        [4, 5],
      ],
    });
    expect(metric.warnings.join()).toContain("1 cannot-links join equal rows");
    expect(metric.converged).toBe(true);
    expect(metric.factor.data.every(Number.isFinite)).toBe(true);
    expect(metric.matrix.data[0]).toBeGreaterThan(metric.matrix.data[3]);
  });

  it("is finite with one kind of pair, d > n, zero columns and a singular covariance", () => {
    const onlyAlike = itml(X, { mustLink: peer.must, cannotLink: [] });
    expect(onlyAlike.converged).toBe(true);
    expect(onlyAlike.threshold).toBeUndefined();
    const flat = wideRows(1, 20, 7);
    expect(itml(flat, FEW_PAIRS).converged).toBe(true);
    const priored = itml(flat, { ...FEW_PAIRS, prior: "covariance" });
    expect(priored.warnings.join()).toContain("singular");
    expect(priored.factor.data.every(Number.isFinite)).toBe(true);
  });

  it("says when it did not converge", () => {
    const metric = itml(X, { ...winePairs, maxIterations: 1 });
    expect(metric.converged).toBe(false);
    expect(metric.warnings.join()).toContain("did not converge after 1 iterations");
  });

  it("refuses what it cannot use", () => {
    expect(() => itml(X, { mustLink: [], cannotLink: [] })).toThrow("at least one pair");
    expect(() => itml(X, { ...winePairs, bounds: [0, 1] })).toThrow("above 0, got 0");
    expect(() => itml(X, { ...winePairs, prior: identity(3) })).toThrow("13 x 13 is needed");
    expect(() => itml(X, { ...winePairs, prior: matrix(13, 13) })).toThrow("not positive definite");
    const equal = fromRows([
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
    expect(() => itml(equal, { mustLink: [[0, 1]], cannotLink: [[0, 2]] })).toThrow("all rows are equal");
  });
});

function covarianceOf(Y: Matrix): { total: Matrix } {
  const total = matrix(Y.cols, Y.cols);
  for (let i = 0; i < Y.rows; i++) rankOneUpdate(total, 1 / (Y.rows - 1), row(Y, i)); // the columns have mean 0
  return { total };
}
