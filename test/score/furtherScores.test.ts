import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import fixtures from "../fixtures/further-scores.json" with { type: "json" };
import { random } from "../../src/core/index.ts";
import { fromRows, matrix, type Matrix } from "../../src/matrix/index.ts";
import {
  adjustedMutualInformation,
  adjustedRand,
  calinskiHarabasz,
  completeness,
  dataScores,
  daviesBouldin,
  dunn,
  fowlkesMallows,
  homogeneity,
  mutualInformation,
  nmi,
  normalizedAccuracy,
  pairSets,
  scoreIntervals,
  vMeasure,
} from "../../src/score/index.ts";

const SCORES = {
  adjustedMutualInformation,
  homogeneity,
  completeness,
  vMeasure,
  fowlkesMallows,
  pairSets,
  normalizedAccuracy,
};

describe("scores of two labelings agree with scikit-learn and genieclust", () => {
  fixtures.cases.forEach((expected, index) => {
    it(`case ${index}: ${expected.predicted.length} rows`, () => {
      const { predicted, truth, ...values } = expected;
      // With every row alone in one labeling, chance explains all: scikit-learn divides rounding by rounding.
      for (const [name, value] of Object.entries(values)) {
        if (name === "adjustedMutualInformation" && index === 4) continue;
        const found = SCORES[name as keyof typeof SCORES](predicted, truth);
        expect(Math.abs(found - value)).toBeLessThan(1e-10);
      }
    });
  });

  it("agrees by the rows", () => {
    const { X, labels, ...values } = fixtures.rows;
    expect(daviesBouldin(X, labels)).toBeCloseTo(values.daviesBouldin, 12);
    expect(calinskiHarabasz(X, labels)).toBeCloseTo(values.calinskiHarabasz, 9);
    expect(dunn(X, labels)).toBeCloseTo(values.dunn, 12);
    expect(dataScores(X, labels)).toMatchObject({ dunn: dunn(X, labels) });
  });
});

const labelings = fc
  .integer({ min: 2, max: 30 })
  .chain((n) =>
    fc.tuple(
      fc.array(fc.integer({ min: 0, max: 4 }), { minLength: n, maxLength: n }),
      fc.array(fc.integer({ min: 0, max: 4 }), { minLength: n, maxLength: n }),
    ),
  );

describe("properties", () => {
  it("is 1 for equal partitions of any names, finite, at most 1", () => {
    fc.assert(
      fc.property(labelings, ([a, b]) => {
        for (const score of Object.values(SCORES)) {
          const renamed = a.map((k) => `class ${(3 * k) % 5}`);
          expect(Math.abs(score(a, renamed) - 1)).toBeLessThan(1e-12);
          const value = score(a, b);
          expect(Number.isFinite(value) && value <= 1 + 1e-12).toBe(true);
        }
      }),
    );
  });

  it("V is the NMI by the arithmetic mean, and homogeneity is completeness the other way round", () => {
    fc.assert(
      fc.property(labelings, ([a, b]) => {
        expect(homogeneity(a, b)).toBeCloseTo(completeness(b, a), 12);
        expect(vMeasure(a, b)).toBeCloseTo(nmi(a, b), 12);
      }),
    );
  });

  it("takes what chance gives from all permutations of the rows", () => {
    const a = [0, 0, 0, 1, 1, 2];
    const b = [0, 0, 1, 1, 2, 2];
    let sum = 0;
    let count = 0;
    const permute = (left: number[], order: number[]): void => {
      if (left.length === 0) {
        sum += mutualInformation(a, order);
        count++;
      }
      left.forEach((value, at) => permute(left.toSpliced(at, 1), [...order, value]));
    };
    permute(b, []);
    const entropy = (labels: number[]): number => mutualInformation(labels, labels);
    const expected = sum / count;
    const bound = (entropy(a) + entropy(b)) / 2;
    expect(adjustedMutualInformation(a, b)).toBeCloseTo(
      (mutualInformation(a, b) - expected) / (bound - expected),
      12,
    );
  });

  it("is near 0 for unrelated labelings of many clusters", () => {
    const stream = random(5);
    const draw = (): number[] => Array.from({ length: 2000 }, () => stream.integer(40));
    const [a, b] = [draw(), draw()];
    expect(nmi(a, b)).toBeGreaterThan(0.1);
    expect(Math.abs(adjustedMutualInformation(a, b))).toBeLessThan(0.02);
    expect(pairSets(a, b)).toBeLessThan(0.1);
  });

  it("matches clusters and classes as the best of all matchings", () => {
    const stream = random(3);
    for (let t = 0; t < 30; t++) {
      const a = Array.from({ length: 25 }, () => stream.integer(2 + (t % 3)));
      const b = Array.from({ length: 25 }, (_, i) => (stream.uniform() < 0.5 ? a[i] : stream.integer(4)));
      expect(normalizedAccuracy(a, b)).toBeCloseTo(bySearch(a, b, "class"), 12);
      expect(pairSets(a, b)).toBeCloseTo(bySearch(a, b, "larger"), 12);
    }
  });
});

/** The definitions, with every one-to-one matching tried. */
function bySearch(a: number[], b: number[], by: "class" | "larger"): number {
  const [A, B] = [a, b].map((labels) => [...new Set(labels)]);
  const size = (labels: number[], k: number): number => labels.filter((label) => label === k).length;
  const share = (k: number, c: number): number => {
    const common = a.filter((label, i) => label === k && b[i] === c).length;
    return common / (by === "class" ? size(b, c) : Math.max(size(a, k), size(b, c)));
  };
  const best = (clusters: number[], classes: number[]): number => {
    if (clusters.length === 0) return 0;
    const [k, ...others] = clusters;
    const without = best(others, classes);
    return Math.max(without, ...classes.map((c, at) => share(k, c) + best(others, classes.toSpliced(at, 1))));
  };
  const matched = best(A, B);
  if (by === "class") return (matched / B.length - 1 / B.length) / (1 - 1 / B.length);
  const falling = (labels: number[], of: number[]): number[] =>
    of.map((k) => size(labels, k)).sort((x, y) => y - x);
  const [ours, theirs] = [falling(a, A), falling(b, B)];
  let chance = 0;
  for (let k = 0; k < Math.min(ours.length, theirs.length); k++) {
    chance += (ours[k] * theirs[k]) / a.length / Math.max(ours[k], theirs[k]);
  }
  return Math.max(0, (matched - chance) / (Math.max(ours.length, theirs.length) - chance));
}

describe("scores by the rows", () => {
  const rows = (seed: number): { X: Matrix; labels: number[] } => {
    const { normal } = random(seed);
    const labels = Array.from({ length: 40 }, (_, i) => i % 3);
    return { X: fromRows(labels.map((k) => [normal() + 4 * k, normal(), normal() - k])), labels };
  };

  it("is that of the definition, for any unit and origin", () => {
    const { X, labels } = rows(1);
    const distance = (i: number, j: number): number =>
      Math.hypot(...Array.from({ length: 3 }, (_, f) => X.data[3 * i + f] - X.data[3 * j + f]));
    let [between, within] = [Infinity, 0];
    labels.forEach((k, i) =>
      labels.forEach((l, j) => {
        if (k === l) within = Math.max(within, distance(i, j));
        else between = Math.min(between, distance(i, j));
      }),
    );
    expect(dunn(X, labels)).toBeCloseTo(between / within, 12);
    for (const score of [dunn, daviesBouldin, calinskiHarabasz]) {
      const moved = matrix(
        X.rows,
        X.cols,
        X.data.map((value) => 1e150 * (value + 7)),
      );
      expect(score(moved, labels) / score(X, labels)).toBeCloseTo(1, 9);
    }
  });

  it("leaves rows without a label out, and refuses fewer than two clusters", () => {
    const { X, labels } = rows(2);
    const known = labels.map((k, i) => (i < 5 ? -1 : k));
    const rest = fromRows(
      Array.from({ length: 35 }, (_, i) => Array.from(X.data.subarray(3 * (i + 5), 3 * (i + 6)))),
    );
    for (const score of [dunn, daviesBouldin, calinskiHarabasz]) {
      expect(score(X, known)).toBeCloseTo(score(rest, labels.slice(5)), 9);
      expect(() =>
        score(
          X,
          labels.map(() => 0),
        ),
      ).toThrow("needs at least 2 clusters, got 1");
      expect(() => score(X, [0, 1])).toThrow("40 rows, but 2 labels");
    }
    expect(() => calinskiHarabasz(X, Array.from(X.data.subarray(0, 40).keys()))).toThrow("its own cluster");
  });

  it("is never NaN: points, and equal rows in two clusters", () => {
    const points = fromRows([[0], [0], [1], [1]]);
    expect(dunn(points, [0, 0, 1, 1])).toBe(Infinity);
    expect(calinskiHarabasz(points, [0, 0, 1, 1])).toBe(Infinity);
    expect(daviesBouldin(points, [0, 0, 1, 1])).toBe(0);
    const equal = matrix(4, 2);
    expect(dataScores(equal, [0, 0, 1, 1])).toEqual({
      silhouette: 0,
      daviesBouldin: 0,
      calinskiHarabasz: 0,
      dunn: 0,
      withinSumOfSquares: 0,
    });
  });
});

describe("intervals", () => {
  const stream = random(9);
  const truth = Array.from({ length: 400 }, (_, i) => i % 4);
  const predicted = truth.map((k) => (stream.uniform() < 0.8 ? k : stream.integer(4)));

  it("are those of drawing rows one by one", () => {
    const found = scoreIntervals(predicted, truth, { resamples: 2000, seed: 1 });
    const { integer } = random(2);
    const values = Array.from({ length: 2000 }, () => {
      const drawn = Array.from({ length: 400 }, () => integer(400));
      return adjustedRand(
        drawn.map((i) => predicted[i]),
        drawn.map((i) => truth[i]),
      );
    }).sort((x, y) => x - y);
    // The ends of 2,000 resamples vary by about a tenth of the width.
    const [low, high] = [values[50], values[1949]];
    expect(Math.abs(found.adjustedRand[0] - low)).toBeLessThan(0.1 * (high - low));
    expect(Math.abs(found.adjustedRand[1] - high)).toBeLessThan(0.1 * (high - low));
  });

  it("cover the value of most samples of a population", () => {
    // The accuracy of the population is .8 + .2 / 4.
    const { uniform, integer } = random(4);
    let covered = 0;
    for (let t = 0; t < 100; t++) {
      const guess = truth.map((k) => (uniform() < 0.8 ? k : integer(4)));
      const [low, high] = scoreIntervals(guess, truth, { resamples: 200, seed: t }).accuracy;
      covered += Number(low <= 0.85 && 0.85 <= high);
    }
    expect(covered).toBeGreaterThanOrEqual(88);
  });

  it("repeat with the seed, widen with the level, and take many rows", () => {
    expect(scoreIntervals(predicted, truth, { resamples: 50 })).toEqual(
      scoreIntervals(predicted, truth, { resamples: 50, seed: 0 }),
    );
    const wide = scoreIntervals(predicted, truth, { level: 0.99 }).nmi;
    const narrow = scoreIntervals(predicted, truth, { level: 0.5 }).nmi;
    expect(wide[0]).toBeLessThan(narrow[0]);
    expect(wide[1]).toBeGreaterThan(narrow[1]);
    const many = Int32Array.from({ length: 300_000 }, (_, i) => i % 3);
    const half = many.map((k, i) => (i % 2 === 0 ? k : (k + 1) % 3));
    const {
      accuracy: [low, high],
    } = scoreIntervals(half, many, { resamples: 100 });
    // The deviation of a share of one half is .5 / sqrt(n).
    expect(low).toBeGreaterThan(0.5 - 5 * (0.5 / Math.sqrt(300_000)));
    expect(high).toBeLessThan(0.5 + 5 * (0.5 / Math.sqrt(300_000)));
    expect(high).toBeGreaterThan(low);
  });
});
