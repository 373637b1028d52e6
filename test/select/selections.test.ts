import { existsSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { readNumbers } from "../../src/data/index.ts";
import { fromRows, matrix, type Matrix } from "../../src/matrix/matrix.ts";
import { cfs, chowLiuSelect, chowLiuTree, jmi, maxRelevance, mrmr } from "../../src/select/index.ts";
import { column, entropyOf, informationOf, levelTables } from "./tables.ts";
import { shared } from "../../bench/shared.mjs";

const given = { discretize: "given" } as const;
const cancer = shared("peers", "metric/data/cancer.bins10.csv");

describe.skipIf(!existsSync(cancer))(
  "peers on cancer, ten bins (needs the file of KINDRED_PEERS)",
  async () => {
    const table = existsSync(cancer) ? await readNumbers(cancer, { header: false, label: "c30" }) : undefined;
    const X = table?.X as Matrix;
    const y = table?.label?.values ?? [];
    const ranks = ({ features }: { features: Int32Array }): string =>
      Array.from(features, (f) => f + 1).join(" ");

    test("mRMR and JMI of scikit-feature", () => {
      expect(ranks(mrmr(X, y, { ...given, features: 10 }))).toBe("28 22 21 11 29 8 27 14 3 25");
      expect(ranks(jmi(X, y, { ...given, features: 5 }))).toBe("28 21 27 23 8");
    });

    test("CFS of scikit-feature, which keeps features after the best merit", () => {
      const { warnings, ...rest } = cfs(X, y, { ...given, features: 16 });
      expect(ranks(rest)).toBe("24 8 14 28 23 27 13 7 21 22 3 11 29 26 4 2");
      expect(warnings).toContainEqual(
        expect.stringMatching(/the merit is largest, 0\.5138, with 10 features/),
      );
      const searched = cfs(X, y, { ...given, search: "best-first", features: 30 });
      expect(searched.certificate.score).toBeGreaterThanOrEqual(Math.max(...rest.scores));
    });

    test("the Chow-Liu tree: total information, and the class joined to feature 28 only", () => {
      const tree = chowLiuTree(X, { ...given, labels: y });
      expect(tree.total).toBeCloseTo(17.788422, 6);
      expect(Array.from(tree.parents.keys()).filter((v) => tree.parents[v] === 30)).toEqual([27]);
      expect(tree.parents[30]).toBe(-1);
    });
  },
);

/** Scores of every method for the next feature, from the definitions. */
const criteria = {
  mrmr: (x: number[], y: readonly number[], selected: number[][]) =>
    informationOf(x, y) - mean(selected.map((b) => informationOf(x, b))),
  jmi: (x: number[], y: readonly number[], selected: number[][]) =>
    selected.length === 0
      ? informationOf(x, y)
      : mean(selected.map((b) => entropyOf(x, b) + entropyOf(y) - entropyOf(x, b, y))),
  maxRelevance: (x: number[], y: readonly number[]) => informationOf(x, y),
  cfs: (x: number[], y: readonly number[], selected: number[][]) => merit([...selected, x], y),
};

function merit(columns: number[][], y: readonly number[]): number {
  const r = (a: ArrayLike<unknown>, b: ArrayLike<unknown>): number => {
    const sum = entropyOf(a) + entropyOf(b);
    return sum > 0 ? (2 * informationOf(a, b)) / sum : 0;
  };
  const k = columns.length;
  const toClass = mean(columns.map((x) => r(x, y)));
  const pairs = columns.flatMap((x, i) => columns.slice(0, i).map((z) => r(x, z)));
  return (k * toClass) / Math.sqrt(k + k * (k - 1) * mean(pairs));
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((a, b) => a + b, 0) / values.length;
}

describe("greedy selections", () => {
  const methods = { mrmr, jmi, maxRelevance, cfs };

  test.each(["mrmr", "jmi", "maxRelevance", "cfs"] as const)(
    "%s takes the best by its definition",
    (name) => {
      fc.assert(
        fc.property(levelTables({ rows: 60, cols: 6, levels: 4 }), ({ X, y }) => {
          const columns = Array.from({ length: X.cols }, (_, f) => column(X, f));
          fc.pre(columns.some((x) => entropyOf(x) > 0));
          const { features, scores, relevance, redundancy } = methods[name](X, y, given);
          const copies = (f: number, of: readonly number[]): boolean =>
            of.some(
              (g) =>
                informationOf(columns[f], columns[g]) >=
                Math.max(entropyOf(columns[f]), entropyOf(columns[g])) - 1e-9,
            );
          features.forEach((feature, rank) => {
            const before = Array.from(features.subarray(0, rank));
            const selected = before.map((f) => columns[f]);
            expect(scores[rank]).toBeCloseTo(criteria[name](columns[feature], y, selected), 9);
            expect(relevance[rank]).toBeCloseTo(informationOf(columns[feature], y), 10);
            expect(redundancy[rank]).toBeCloseTo(
              mean(selected.map((b) => informationOf(columns[feature], b))),
              10,
            );
            const mindsCopies = name === "mrmr" || name === "jmi";
            const rivals = features.subarray(rank + 1).filter((f) => !mindsCopies || !copies(f, before));
            expect(mindsCopies && rivals.length > 0 && copies(feature, before)).toBe(false);
            for (const f of rivals) {
              expect(criteria[name](columns[f], y, selected)).toBeLessThanOrEqual(scores[rank] + 1e-9);
            }
          });
        }),
        { numRuns: 40 },
      );
    },
  );

  test("best-first CFS is never worse than forward, and no set beats its certificate", () => {
    fc.assert(
      fc.property(levelTables({ rows: 50, cols: 6, levels: 3 }), ({ X, y }) => {
        const columns = Array.from({ length: X.cols }, (_, f) => column(X, f));
        fc.pre(columns.some((x) => informationOf(x, y) > 1e-6));
        const searched = cfs(X, y, { ...given, search: "best-first" });
        const { scores: merits, gains } = cfs(X, y, given);
        const { score, upperBound } = searched.certificate;
        expect(score).toBeGreaterThanOrEqual(Math.max(...merits) - 1e-12);
        const chosen = Array.from(searched.features, (f) => columns[f]);
        expect(score).toBeCloseTo(merit(chosen, y), 9);
        const largest = columns.map((x) => merit([x], y)).toSorted((a, b) => b - a);
        const k = chosen.length;
        const independent = largest.slice(0, k).reduce((a, b) => a + b, 0) / Math.sqrt(k);
        expect(upperBound).toBeCloseTo(Math.max(score, independent), 9);
        merits.forEach((value, r) => {
          expect(gains.slice(0, r + 1).reduce((a, b) => a + b, 0)).toBeCloseTo(value, 9);
        });
      }),
      { numRuns: 40 },
    );
  });

  test("mRMR: an exact or negated copy never comes before an independent feature", () => {
    const stream = random(3);
    const rows = 400;
    const y = Array.from({ length: rows }, () => stream.integer(2));
    const X = matrix(rows, 9);
    for (let i = 0; i < rows; i++) {
      const noisy = (): number => (stream.uniform() < 0.8 ? y[i] : 1 - y[i]);
      const [a, b, c] = [noisy(), noisy(), noisy()];
      X.data.set([a, 1 - a, a, b, b, c, 1 - c, stream.integer(2), stream.integer(2)], 9 * i);
    }
    for (const form of ["difference", "quotient"] as const) {
      const order = Array.from(mrmr(X, y, { ...given, features: 9, form }).features);
      const groups = [[0, 1, 2], [3, 4], [5, 6], [7], [8]];
      const leaders = order.slice(0, 5).map((f) => groups.findIndex((group) => group.includes(f)));
      expect(leaders.toSorted()).toEqual([0, 1, 2, 3, 4]);
    }
  });

  test("units scale the scores and do not change the choice", () => {
    const stream = random(9);
    const X = matrix(120, 12);
    for (let p = 0; p < X.data.length; p++) X.data[p] = stream.normal();
    const y = Array.from({ length: 120 }, (_, i) =>
      X.data[12 * i] + X.data[12 * i + 5] > 0 ? "up" : "down",
    );
    for (const method of [mrmr, jmi, maxRelevance, chowLiuSelect]) {
      const nats = method(X, y, { features: 6 });
      const bits = method(X, y, { features: 6, unit: "bits" });
      expect(bits.features).toEqual(nats.features);
      expect(bits.scores[2] * Math.LN2).toBeCloseTo(nats.scores[2], 12);
    }
    const quotient = mrmr(X, y, { form: "quotient", unit: "bits" }).features;
    expect(quotient).toEqual(mrmr(X, y, { form: "quotient" }).features);
    expect(mrmr(X, y, { estimator: "miller-madow" }).estimator).toBe("miller-madow");
  });
});

describe("input that cannot be selected from", () => {
  const X = fromRows([
    [0, 3, 1],
    [1, 3, 1],
    [0, 3, 2],
    [1, 3, 2],
  ]);
  const y = ["a", "b", "a", "b"];

  test("constant features are left out and named; all constant is an error", () => {
    const { features, constant, warnings } = mrmr(X, y, { ...given, features: 3 });
    expect([Array.from(features), Array.from(constant)]).toEqual([[0, 2], [1]]);
    expect(warnings).toEqual([
      "1 constant feature was left out",
      "only 2 of 3 features have more than one level, so 2 are selected",
    ]);
    expect(() => mrmr(fromRows([[1], [1]]), ["a", "b"], given)).toThrow("every column has one level only");
    // Balanced 0/1 columns lie on the cuts of "sigma".
    expect(() => mrmr(X, y)).toThrow("every column has one level only once discretised");
    const mixed = mrmr(
      fromRows([
        [0, 9],
        [1, 1],
        [0, 1],
        [1, 1],
      ]),
      y,
      { names: ["flag", "size"] },
    );
    expect(mixed.warnings).toContainEqual(
      expect.stringMatching(/fall into one level under "sigma".*\(flag\)/),
    );
  });

  test("continuous columns and labels, too many features, missing labels", () => {
    const measured = matrix(
      30,
      1,
      Float64Array.from({ length: 30 }, (_, i) => Math.sqrt(i)),
    );
    const labels = Array.from({ length: 30 }, (_, i) => i % 2);
    expect(() => mrmr(measured, labels, { ...given, names: ["length"] })).toThrow(
      /"length".*looks continuous/,
    );
    expect(() => mrmr(measured, measured.data)).toThrow("the labels look continuous");
    expect(() => chowLiuSelect(X, y, { features: 4 })).toThrow(
      "4 features are asked for, but there are only 3",
    );
    expect(() => cfs(X, ["a", "a", "a", "a"])).toThrow('needs at least two classes, got only "a"');
    expect(() => jmi(X, [null, "", -1, undefined])).toThrow("needs at least two classes, got none");
    expect(() => maxRelevance(X, ["a", "b"])).toThrow("there are 2 labels for 4 rows");
    expect(() => mrmr(X, y, { names: ["a"], ...given })).toThrow("1 names for 3 columns");
  });

  test("rows without a class are left out, and a class of one row is mentioned", () => {
    const wide = fromRows([
      [0, 1],
      [1, 1],
      [0, 2],
      [1, 2],
      [0, 2],
      [5, 5],
    ]);
    const result = mrmr(wide, ["a", "b", "a", "b", "c", ""], given);
    expect(result.warnings).toEqual([
      "1 of 6 rows has no class and was left out",
      'one class has a single row ("c"): what it says about a feature is chance',
    ]);
    expect(result.features[0]).toBe(0);
  });
});

test("CFS says where the merit was largest, and nothing while it grows", () => {
  const rows = Array.from({ length: 64 }, (_, i) => [i & 1, (i >> 1) & 1, (i >> 2) & 1]);
  const X = fromRows(rows);
  const both = rows.map(([a, b]) => 2 * a + b);
  expect(cfs(X, both, { ...given, features: 2 }).warnings).toEqual([]);
  const { features, warnings } = cfs(X, both, { ...given, features: 3 });
  expect(Array.from(features)).toEqual([0, 1, 2]);
  expect(warnings).toEqual(["the merit is largest, 0.9428, with 2 features, and falls after that"]);
});
