import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { random } from "../../src/core/random.ts";
import type { Constraints } from "../../src/data/constraints.ts";
import { samplePairs } from "../../src/data/samplePairs.ts";
import { gram } from "../../src/matrix/multiply.ts";
import { fromRows, matrix, row, takeColumns, takeRows, type Matrix } from "../../src/matrix/matrix.ts";
import { calibratedBy } from "../../src/metric/calibrate.ts";
import { classMoments } from "../../src/metric/moments/classMoments.ts";
import { kissme } from "../../src/metric/moments/kissme.ts";
import { lda, ldaFromMoments } from "../../src/metric/moments/lda.ts";
import { mahalanobis, type Mahalanobis } from "../../src/metric/mahalanobis.ts";
import { rca, rcaFromMoments } from "../../src/metric/moments/rca.ts";
import { fromMoved, fromShuffled } from "./labelFixture.ts";
import { difference, wine } from "./pairs/pairFixture.ts";

const peers = JSON.parse(readFileSync("test/fixtures/closed-form-metrics.json", "utf8")) as {
  pairs: [number, number][];
  lda: number[];
  rca: number[];
};
let X: Matrix;
let labels: readonly string[];

beforeAll(async () => {
  ({ X, labels } = await wine());
});

const squares = (metric: Mahalanobis): number[] =>
  peers.pairs.map(([i, j]) => metric.distance(row(X, i), row(X, j)) ** 2);

describe("lda", () => {
  it("gives scikit-learn's distances on wine", () => {
    const metric = lda(X, labels);
    expect(squares(metric)).toEqual(peers.lda.map((value) => expect.closeTo(value, 8)));
    expect(metric.rank).toBe(2);
    expect(metric.certificate.residual).toBeLessThan(1e-10);
    expect(metric.warnings).toEqual([]);
  });

  it("is the same from statistics, for another order of rows and for rescaled columns", () => {
    const metric = lda(X, labels);
    expect(difference(ldaFromMoments(classMoments(X, labels)), metric)).toBeLessThan(1e-12);
    expect(difference(fromShuffled(lda, X, labels), metric)).toBeLessThan(1e-10);
    const value = (x: number, p: number): number => x * 10 ** ((p % X.cols) % 3);
    const stretched = fromMoved(lda, X, labels, { metric, value, other: 60 });
    expect(stretched.distance).toBeCloseTo(stretched.before, 8);
  });

  it("shrinks and says so where columns are collinear or outnumber the rows", () => {
    const doubled = takeColumns(X, [0, 1, 2, 0]);
    expect(lda(doubled, labels).warnings.join()).toContain("singular");
    const few = Array.from({ length: 9 }, (_, i) => i * 19);
    const metric = lda(
      takeRows(X, few),
      few.map((i) => labels[i]),
    );
    expect(metric.warnings.join()).toContain("singular");
    expect(metric.factor.data.every(Number.isFinite)).toBe(true);
  });

  it("refuses one class and classes without a difference", () => {
    expect(() =>
      lda(
        X,
        labels.map(() => "a"),
      ),
    ).toThrow("at least two classes, got 1");
    const same = fromRows([
      [1, 0],
      [-1, 0.5],
      [1, 0],
      [-1, 0.5],
    ]);
    expect(() => lda(same, [0, 0, 1, 1])).toThrow("the same mean");
  });
});

describe("rca", () => {
  it("gives metric-learn's distances on wine with the classes as chunklets", () => {
    const metric = rca(X, labels);
    expect(squares(metric)).toEqual(peers.rca.map((value) => expect.closeTo(value, 8)));
    expect(metric.certificate.residual).toBeLessThan(1e-10);
    expect(difference(rcaFromMoments(classMoments(X, labels)), metric)).toBeLessThan(1e-12);
  });

  it("gives a noisy direction the small weight, not the large one", () => {
    const stream = random(2);
    const noisy = matrix(200, 2);
    for (let i = 0; i < 200; i++) {
      noisy.data[2 * i] = (i % 2) * 5 + stream.normal();
      noisy.data[2 * i + 1] = 10 * stream.normal();
    }
    const { data } = rca(
      noisy,
      Array.from({ length: 200 }, (_, i) => i % 2),
    ).matrix;
    expect(data[0]).toBeCloseTo(1, 0);
    expect(data[3]).toBeLessThan(0.02);
  });

  it("stays finite, with a warning, where a column is constant within chunklets or rows are few", () => {
    const table = fromRows([
      [0, 1],
      [0, 2],
      [1, 1],
      [1, 3],
      [0, 5],
    ]);
    const metric = rca(table, [0, 0, 1, 1, -1]);
    expect(metric.factor.data.every(Number.isFinite)).toBe(true);
    expect(metric.warnings.length).toBeGreaterThan(0);
    expect(() => rca(table, [0, 1, 2, 3, -1])).toThrow("at least two rows");
    expect(() => rca(table, [0, 0, 1, 1, -1], { dims: 3 })).toThrow('"dims" is 3');
  });

  it("keeps the directions that separate chunklets when asked for fewer", () => {
    const metric = rca(X, labels, { dims: 2 });
    expect(metric.rank).toBe(2);
    // With the classes as chunklets these are the discriminant directions, but for the divisor of the covariance.
    const ratio = squares(metric).map((value, p) => value / peers.lda[p]);
    for (const value of ratio) expect(value).toBeCloseTo(178 / 175, 4);
  });
});

describe("kissme", () => {
  it("is the difference of the inverse second moments where that is positive semidefinite", () => {
    const stream = random(3);
    const rows = matrix(400, 2);
    const classes = Array.from({ length: 400 }, (_, i) => i % 4);
    for (let i = 0; i < 400; i++) {
      rows.data[2 * i] = 6 * (classes[i] % 2) + stream.normal();
      rows.data[2 * i + 1] = 6 * Math.floor(classes[i] / 2) + 2 * stream.normal();
    }
    const pairs = samplePairs(classes, { mustLink: 3000, cannotLink: 3000, seed: 1 });
    const metric = kissme(rows, { ...pairs, shrinkage: 0 });
    // Must-link differences have variances 2 and 8, so M is close to diag(1/2, 1/8) less the cannot-link part.
    expect(metric.matrix.data[0]).toBeCloseTo(0.5, 1);
    expect(metric.matrix.data[3]).toBeCloseTo(0.125 - 1 / 32, 1);
    expect(metric.same?.([0, 0], [0.5, 0.5])).toBe(true);
    expect(metric.same?.([0, 0], [6, 6])).toBe(false);
  });

  it("cuts directions that contradict the pairs, and says how many", () => {
    const metric = kissme(
      fromRows([
        [0, 0],
        [0, 4],
        [3, 0],
        [3, 4],
      ]),
      {
        mustLink: [
          [0, 1],
          [2, 3],
        ],
        cannotLink: [
          [0, 2],
          [1, 3],
        ],
      },
    );
    expect(metric.warnings.join()).toContain("1 of 2 directions");
    expect(metric.factor.data.every(Number.isFinite)).toBe(true);
  });

  it("needs both kinds of pairs", () => {
    expect(() => kissme(X, { mustLink: [[0, 1]], cannotLink: [] })).toThrow("at least one of each");
  });
});

describe("the threshold of pairs", () => {
  // Must-link distances 1, 2, 3; cannot-link distances 3, 9, 10.
  const line = fromRows([[0], [1], [20], [22], [40], [43], [60], [63], [80], [89], [100], [110]]);
  const metric = mahalanobis({
    method: "test",
    factor: fromRows([[1]]),
    converged: true,
    iterations: 1,
    certificate: { kind: "given", residual: 0 },
    warnings: [],
  });
  const pairs: Constraints = {
    mustLink: [
      [0, 1],
      [2, 3],
      [4, 5],
    ],
    cannotLink: [
      [6, 7],
      [8, 9],
      [10, 11],
    ],
  };

  it("puts the threshold where most pairs are right", () => {
    const { threshold } = calibratedBy(metric, line, pairs);
    expect(threshold).toBe(6); // between 3 (one wrong at the tie) and 9
  });

  it("needs both kinds of pairs", () => {
    expect(calibratedBy(metric, line, { mustLink: [], cannotLink: [[0, 1]] })).toBe(metric);
  });
});

describe("LDA of fewer rows than columns", () => {
  const { normal } = random(8);
  const d = 45;
  const y = Array.from({ length: 30 }, (_, i) => (i % 7 === 0 ? null : "abc"[i % 3]));
  const few = fromRows(
    y.map((label, i) =>
      Array.from({ length: d }, (_, f) => {
        if (f === 3) return 5; // constant
        if (f === 4) return label === "a" ? 1 : 0; // constant within the classes
        return (1 + f) * (normal() + (i % 3) * Number(f % 4 === 0));
      }),
    ),
  );

  it.each([undefined, 0.2, 1])(
    "its span gives the metric of the whole covariance, shrinkage %s",
    (shrinkage) => {
      const found = lda(few, y, { shrinkage });
      const whole = ldaFromMoments(classMoments(few, y), { shrinkage });
      expect(found.warnings).toEqual(whole.warnings);
      expect(found.factor.rows).toBe(2);
      expect(found.objective! / whole.objective!).toBeCloseTo(1, 8);
      const [M, N] = [found, whole].map(({ factor }) => gram(factor).data);
      // In units of each pair of columns, which differ by powers of ten, and of the rounding of the largest.
      const rounding = 1e-14 * Math.max(...N);
      for (let f = 0; f < d; f++) {
        for (let g = 0; g < d; g++) {
          const size = Math.sqrt(N[f * (d + 1)] * N[g * (d + 1)]);
          expect(Math.abs(M[f * d + g] - N[f * d + g])).toBeLessThanOrEqual(1e-7 * size + rounding);
        }
      }
      expect(found.certificate.residual).toBeLessThan(1e-9);
    },
  );

  it("without shrinkage the covariance is singular, as it was", () => {
    expect(() => lda(few, y, { shrinkage: 0 })).toThrow(/not positive definite/);
  });
});
