import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import fixtures from "../fixtures/scores.json" with { type: "json" };
import {
  accuracy,
  adjustedRand,
  allScores,
  contingency,
  deltaLoss,
  matchClusters,
  mutualInformation,
  nmi,
  pairScores,
  purity,
  rand,
  randLoss,
  type Normalization,
} from "../../src/score/index.ts";

const NORMALIZATIONS: Normalization[] = ["arithmetic", "geometric", "min", "max", "joint"];

describe("scores of two labelings agree with scikit-learn", () => {
  fixtures.cases.forEach((expected, index) => {
    it(`case ${index}: ${expected.predicted.length} rows`, () => {
      const { predicted, truth } = expected;
      expect(rand(predicted, truth)).toBeCloseTo(expected.rand, 14);
      expect(randLoss(predicted, truth)).toBeCloseTo(1 - expected.rand, 14);
      expect(adjustedRand(predicted, truth)).toBeCloseTo(expected.adjustedRand, 13);
      expect(accuracy(predicted, truth)).toBeCloseTo(expected.accuracy, 14);
      expect(purity(predicted, truth)).toBeCloseTo(expected.purity, 14);
      expect(deltaLoss(predicted, truth)).toBeCloseTo(expected.deltaLoss, 11);
      expect(mutualInformation(predicted, truth)).toBeCloseTo(expected.mutualInformation, 13);
      for (const normalization of NORMALIZATIONS) {
        expect(nmi(predicted, truth, { normalization })).toBeCloseTo(expected.nmi[normalization], 12);
      }
      expect(pairScores(predicted, truth)).toMatchObject(expected.pairs);
    });
  });
});

const labeling = (n: number) => fc.array(fc.integer({ min: 0, max: 5 }), { minLength: n, maxLength: n });
const twoLabelings = fc
  .integer({ min: 1, max: 40 })
  .chain((n) =>
    fc.tuple(labeling(n), labeling(n), fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true }))),
  );
const SCORES = { rand, randLoss, adjustedRand, nmi, accuracy, purity, deltaLoss, mutualInformation };

describe("properties", () => {
  it("does not depend on the order of the rows", () => {
    fc.assert(
      fc.property(twoLabelings, ([a, b, stream]) => {
        const keys = a.map(() => stream.next().value as number);
        const order = a.map((_, i) => i).sort((i, j) => keys[i] - keys[j]);
        for (const score of Object.values(SCORES)) {
          expect(
            score(
              order.map((i) => a[i]),
              order.map((i) => b[i]),
            ),
          ).toBeCloseTo(score(a, b), 12);
        }
      }),
    );
  });

  it("does not depend on the names of the classes", () => {
    fc.assert(
      fc.property(twoLabelings, ([a, b]) => {
        const renamed = a.map((label) => `class ${(label * 5 + 3) % 7}`);
        for (const score of Object.values(SCORES)) expect(score(renamed, b)).toBeCloseTo(score(a, b), 12);
      }),
    );
  });

  it("is symmetric, except purity", () => {
    fc.assert(
      fc.property(twoLabelings, ([a, b]) => {
        const { purity: _, ...symmetric } = SCORES;
        for (const score of Object.values(symmetric)) expect(score(a, b)).toBeCloseTo(score(b, a), 12);
        expect(pairScores(a, b).precision).toBe(pairScores(b, a).recall);
      }),
    );
  });

  it("is perfect for a labeling and itself, and always finite and in range", () => {
    fc.assert(
      fc.property(twoLabelings, ([a, b]) => {
        expect(rand(a, a)).toBe(1);
        expect(adjustedRand(a, a)).toBe(1);
        expect(nmi(a, a)).toBeCloseTo(1, 12);
        expect(accuracy(a, a)).toBe(1);
        expect(purity(a, a)).toBe(1);
        expect(deltaLoss(a, a)).toBeCloseTo(0, 12);
        for (const normalization of NORMALIZATIONS) {
          const value = nmi(a, b, { normalization });
          expect(value >= 0 && value <= 1).toBe(true);
        }
        expect(purity(a, b)).toBeGreaterThanOrEqual(accuracy(a, b));
        const delta = deltaLoss(a, b);
        expect(delta).toBeLessThanOrEqual(new Set(a).size + new Set(b).size - 2 + 1e-12);
        for (const value of Object.values(allScores(a, b))) expect(Number.isFinite(value)).toBe(true);
      }),
    );
  });

  it("agrees with counting the pairs one by one, also without excluded pairs", () => {
    fc.assert(
      fc.property(
        twoLabelings,
        fc.array(fc.tuple(fc.nat(39), fc.nat(39)), { maxLength: 30 }),
        ([a, b], pairs) => {
          const exclude = pairs.filter(([i, j]) => i !== j && i < a.length && j < a.length);
          for (const excluded of [[], exclude]) {
            const counted = countPairs(a, b, excluded);
            expect(pairScores(a, b, { exclude: excluded })).toMatchObject(counted);
          }
          const { truePositives: tp, trueNegatives: tn, pairs: all } = countPairs(a, b, []);
          expect(rand(a, b)).toBeCloseTo(all === 0 ? 1 : (tp + tn) / all, 14);
        },
      ),
    );
  });

  it("matches clusters as the best of all one-to-one maps does", () => {
    fc.assert(
      fc.property(twoLabelings, ([a, b]) => {
        const matched = matchClusters(a, b).reduce((sum, pair) => sum + pair.rows, 0);
        expect(matched).toBe(bestByEnumeration(a, b));
        expect(accuracy(a, b)).toBeCloseTo(matched / a.length, 14);
      }),
      { numRuns: 40 },
    );
  });
});

describe("degenerate labelings", () => {
  const one = [0, 0, 0, 0];
  const singletons = [0, 1, 2, 3];
  const two = [0, 0, 1, 1];

  it("has defined values for trivial partitions", () => {
    expect(adjustedRand(one, one)).toBe(1);
    expect(adjustedRand(singletons, singletons)).toBe(1);
    expect(adjustedRand(one, singletons)).toBe(0);
    expect(nmi(one, one)).toBe(1);
    for (const normalization of NORMALIZATIONS) expect(nmi(one, two, { normalization })).toBe(0);
    expect(rand([0], [5])).toBe(1);
    expect(pairScores(singletons, two)).toMatchObject({ precision: 0, recall: 0, f1: 0 });
    expect(pairScores(singletons, singletons)).toMatchObject({ precision: 0, recall: 0, f1: 0 });
    expect(purity(singletons, two)).toBe(1);
    expect(accuracy(singletons, two)).toBe(0.5);
    expect(deltaLoss(one, singletons)).toBe(3);
  });

  it("leaves unknown labels out, or counts them as a class", () => {
    const predicted = [0, 0, 1, 1, -1, 1];
    const truth = ["a", "a", "b", "b", "b", ""];
    expect(allScores(predicted, truth)).toMatchObject({ rows: 4, omitted: 2, accuracy: 1, adjustedRand: 1 });
    expect(allScores(predicted, truth, { unknown: "class" })).toMatchObject({
      rows: 6,
      omitted: 0,
      clusters: 3,
    });
    expect(pairScores(predicted, truth, { exclude: [[0, 4]] }).pairs).toBe(6);
    expect(pairScores(predicted, truth, { exclude: [[0, 4]], unknown: "class" }).pairs).toBe(14);
    expect(rand(predicted, [null, undefined, 1, 1, 1, 1])).toBe(1);
  });

  it("takes a number and its text for the same class", () => {
    expect(contingency([1, "1", 2], [1, 1, 1]).first.length).toBe(2);
  });

  it("refuses labelings that cannot be compared", () => {
    expect(() => rand([0, 1], [0])).toThrow("2 and 1");
    expect(() => rand([], [])).toThrow("both labelings are empty");
    expect(() => nmi([-1, -1], [0, 1])).toThrow("each of the 2 rows");
    expect(() => rand([0, Number.NaN], [0, 1])).toThrow("row 1");
    expect(() => rand([0, {} as unknown as number], [0, 1])).toThrow("row 1");
    expect(() => pairScores([0, 1], [0, 1], { exclude: [[0, 2]] })).toThrow("[0, 2]");
    expect(() => pairScores([0, 1], [0, 1], { exclude: [[1, 1]] })).toThrow("itself");
    expect(() => nmi([0], [0], { normalization: "sum" as Normalization })).toThrow("normalization");
    expect(() => rand([0], [0], { unkown: "omit" } as object)).toThrow("unkown");
  });

  it("needs no table of K1 x K2 cells", () => {
    const n = 60_000;
    const each = Int32Array.from({ length: n }, (_, i) => i);
    const mirrored = Int32Array.from({ length: n }, (_, i) => n - i);
    expect(allScores(each, mirrored)).toMatchObject({
      adjustedRand: 1,
      accuracy: 1,
      purity: 1,
      deltaLoss: 0,
    });
    const thirds = each.map((i) => i % 3);
    expect(accuracy(each, thirds)).toBeCloseTo(3 / n, 14);
  });
});

function countPairs(a: number[], b: number[], exclude: readonly (readonly [number, number])[]) {
  const counts = { truePositives: 0, falsePositives: 0, falseNegatives: 0, trueNegatives: 0, pairs: 0 };
  for (let i = 0; i < a.length; i++) {
    for (let j = i + 1; j < a.length; j++) {
      if (exclude.some(([p, q]) => (p === i && q === j) || (p === j && q === i))) continue;
      counts.pairs++;
      if (a[i] === a[j]) counts[b[i] === b[j] ? "truePositives" : "falsePositives"]++;
      else counts[b[i] === b[j] ? "falseNegatives" : "trueNegatives"]++;
    }
  }
  return counts;
}

function bestByEnumeration(a: number[], b: number[]): number {
  const classes = [...new Set(b)];
  const best = (clusters: number[], free: number[]): number => {
    if (clusters.length === 0) return 0;
    const [first, ...rest] = clusters;
    let value = best(rest, free);
    for (const c of free) {
      const together = a.filter((label, i) => label === first && b[i] === c).length;
      value = Math.max(
        value,
        together +
          best(
            rest,
            free.filter((other) => other !== c),
          ),
      );
    }
    return value;
  };
  return best([...new Set(a)], classes);
}

it("pair scores of four rows, by hand", () => {
  // Together in both: 0 and 1; predicted alone: 0 and 2, 1 and 2; in truth alone: 2 and 3.
  expect(pairScores([0, 0, 0, 1], [0, 0, 1, 1])).toMatchObject({
    precision: 1 / 3,
    recall: 1 / 2,
    f1: 2 / 5,
    pairs: 6,
  });
});
