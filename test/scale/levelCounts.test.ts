import * as fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { discreteNaiveBayes, discreteNaiveBayesFromCounts } from "../../src/classify/index.ts";
import { random } from "../../src/core/random.ts";
import { matrix, setThreads, stopThreads, takeRows, useEngine, type Matrix } from "../../src/matrix/index.ts";
import {
  classColumnsAccumulator,
  levelCounts,
  levelCountsAccumulator,
  levelScheme,
  levelSchemeFromColumns,
  type LevelSchemeOptions,
  type RowBatch,
} from "../../src/scale/index.ts";
import { mergeClassColumnStatistics } from "../../src/scale/internal.ts";
import {
  applyDiscretization,
  cfs,
  cfsFromCounts,
  chowLiuSelect,
  chowLiuSelectFromCounts,
  chowLiuTree,
  chowLiuTreeFromCounts,
  discretize,
  maxRelevance,
  maxRelevanceFromCounts,
  mrmr,
  mrmrFromCounts,
  type DiscretizationKind,
  type Estimator,
  type LevelCounts,
  type LevelScheme,
} from "../../src/select/index.ts";
import { plainPairCounts } from "../select/plainPairs.ts";
import { mapped } from "../../src/matrix/matrix.ts";
import { levelTables } from "../select/tables.ts";

afterEach(() => {
  useEngine("simd");
  stopThreads();
});

const names = (d: number): string[] => Array.from({ length: d }, (_, j) => `c${j}`);

interface Labelled {
  readonly X: Matrix;
  readonly labels: readonly (string | null)[];
}

/** Batches of so many rows; any source that can be read again. */
function batches({ X, labels }: Labelled, size: number): () => AsyncGenerator<RowBatch> {
  return async function* () {
    for (let first = 0; first < X.rows; first += size) {
      const rows = Array.from({ length: Math.min(size, X.rows - first) }, (_, i) => first + i);
      yield {
        names: names(X.cols),
        X: takeRows(X, rows),
        label: { name: "y", values: rows.map((i) => labels[i] ?? "") },
        source: "memory",
        first,
      };
    }
  };
}

function counted({ X, labels }: Labelled, scheme: LevelScheme, rows: readonly number[]): LevelCounts {
  const accumulator = levelCountsAccumulator(scheme);
  accumulator.add(
    takeRows(X, rows),
    rows.map((i) => labels[i]),
  );
  return accumulator.result();
}

/** Columns that follow the class, each other or nothing, a constant one and one with a single other value. */
function table(n: number, seed: number, classes: readonly string[]): Labelled {
  const stream = random(seed);
  const labels = Array.from({ length: n }, (_, i) => classes[i % classes.length]);
  const X = matrix(n, 9);
  for (let i = 0; i < n; i++) {
    const c = i % classes.length;
    const row = X.data.subarray(9 * i, 9 * i + 9);
    row[0] = stream.normal() + 2 * c;
    row[1] = 1e5 + stream.normal();
    row[2] = row[0] + 0.3 * stream.normal();
    row[3] = 7.25;
    row[4] = -row[0];
    row[5] = stream.normal() - c;
    row[6] = i === 3 ? 1 : 0;
    row[7] = i < n / 2 ? 0 : 1; // balanced: it lies on both cuts of "sigma"
    row[8] = stream.integer(4) + (c === 1 ? 1 : 0);
  }
  return { X, labels };
}

describe("rows in batches", () => {
  test("give the same counts in any order and partition, exactly", () => {
    const rows = fc.integer({ min: 1, max: 5 }).chain((d) =>
      fc.record({
        d: fc.constant(d),
        kind: fc.constantFrom("sigma", "width", "frequency", "given"),
        rows: fc.array(
          fc.record({
            cells: fc.array(fc.integer({ min: -2, max: 3 }), { minLength: d, maxLength: d }),
            label: fc.constantFrom("a", "b", "1", "-1", "", null),
            part: fc.integer({ min: 0, max: 2 }),
          }),
          { minLength: 1, maxLength: 90 },
        ),
      }),
    );
    fc.assert(
      fc.property(rows, ({ d, kind, rows }) => {
        const X = matrix(rows.length, d, Float64Array.from(rows.flatMap(({ cells }) => cells)));
        const data = { X, labels: rows.map(({ label }) => label) };
        const scheme = {
          discretization: discretize(X, { kind: kind as "sigma", names: names(d) }),
          classes: ["1", "a", "b"],
        };
        const all = [...rows.keys()];
        const whole = counted(data, scheme, all);
        const parts = levelCountsAccumulator(scheme);
        for (const own of [2, 0, 1]) {
          const part = all.filter((i) => rows[i].part === own);
          parts.add(
            takeRows(X, part),
            part.map((i) => data.labels[i]),
          );
        }
        expect(parts.result()).toEqual(whole);
        expect(counted(data, scheme, all.toReversed())).toEqual(whole);
        const known = all.filter((i) => ["1", "a", "b"].includes(String(rows[i].label)));
        const levels = applyDiscretization(scheme.discretization, takeRows(X, known));
        expect(whole.pairTables).toEqual(plainPairCounts(levels));
      }),
      { numRuns: 120 },
    );
  });

  test("popcounts, histograms, plain TypeScript and threads count alike, over several buffers", () => {
    const levels = [2, 3, 4, 9, 14, 40, 200, 1, 70];
    const stream = random(4);
    const X = matrix(40_000, levels.length);
    for (let p = 0; p < X.data.length; p++) X.data[p] = stream.integer(levels[p % levels.length]);
    const scheme: LevelScheme = {
      discretization: {
        kind: "given",
        columns: names(levels.length),
        cuts: levels.map((L) => Array.from({ length: L }, (_, a) => a)),
      },
      classes: [],
    };
    const run = (): LevelCounts => {
      const accumulator = levelCountsAccumulator(scheme);
      accumulator.add(X);
      return accumulator.result();
    };
    const one = run();
    setThreads(2);
    expect(run()).toEqual(one);
    expect(one.pairTables).toEqual(plainPairCounts(applyDiscretization(scheme.discretization, X)));
    expect(one.rows).toBe(40_000);
  });
});

describe("from counts everything is as from memory, bit for bit", () => {
  const cases = [
    ["two classes", table(211, 1, ["a", "b"]), {}],
    ["three classes, bits", table(300, 2, ["0", "1", "2"]), { unit: "bits" }],
    ["signs", table(128, 3, ["-1", "1"]), {}],
    ["unknown classes", table(200, 4, ["a", "b", "", "-1"]), { estimator: "miller-madow" }],
  ] as const;

  describe.each(cases)("%s", (_, data, information) => {
    const { X, labels } = data;
    const memory = { ...information, names: names(X.cols) };

    test.each(["sigma", "width"] as const)("selections under %s", async (kind) => {
      const options: LevelSchemeOptions = { discretize: kind };
      const scheme = await levelScheme(batches(data, 37), options);
      const counts = await levelCounts(batches(data, 41), scheme);
      const direct = { ...memory, discretize: kind, features: 5 };
      const streamed = { ...information, features: 5 };
      const pairs = [
        [chowLiuSelect(X, labels, direct), chowLiuSelectFromCounts(counts, streamed)],
        [
          chowLiuSelect(X, labels, { ...direct, fill: "none" }),
          chowLiuSelectFromCounts(counts, { ...streamed, fill: "none" }),
        ],
        [mrmr(X, labels, direct), mrmrFromCounts(counts, streamed)],
        [
          mrmr(X, labels, { ...direct, form: "quotient" }),
          mrmrFromCounts(counts, { ...streamed, form: "quotient" }),
        ],
        [cfs(X, labels, direct), cfsFromCounts(counts, streamed)],
        [
          cfs(X, labels, { ...direct, search: "best-first" }),
          cfsFromCounts(counts, { ...streamed, search: "best-first" }),
        ],
        [maxRelevance(X, labels, direct), maxRelevanceFromCounts(counts, streamed)],
      ] as const;
      for (const [fromRows, fromCounts] of pairs) {
        const { warnings, discretization, ...rest } = fromCounts;
        const { warnings: told, discretization: cuts, ...expected } = fromRows;
        expect(rest).toEqual(expected);
        expect(warnings.filter((text) => !text.includes("one level"))).toEqual(
          told.filter((text) => !text.includes("one level") && !text.includes("constant feature")),
        );
        expect(discretization.kind).toBe(cuts.kind);
      }
      expect(chowLiuTreeFromCounts(counts, information)).toEqual(
        chowLiuTree(X, { ...memory, discretize: kind, labels }),
      );
      expect(chowLiuTreeFromCounts(counts, { root: 2 }).root).toBe(2);
    });
  });

  test("random tables under any discretization, with constant columns and classes that are absent", () => {
    const cases = fc.record({
      table: levelTables({ rows: 60, cols: 6, levels: 5 }),
      kind: fc.constantFrom<DiscretizationKind>("sigma", "width", "frequency", "given"),
      noise: fc.boolean(),
      unknown: fc.integer({ min: 2, max: 9 }),
      estimator: fc.constantFrom<Estimator>("plug-in", "miller-madow"),
    });
    fc.assert(
      fc.property(cases, ({ table: { X: levels, y }, kind, noise, unknown, estimator }) => {
        const stream = random(y.length);
        const jitter = noise && kind !== "given";
        const X = mapped(levels, (value) => (jitter ? value + stream.normal() : value));
        const labels = y.map((c, i) => (i > 1 && i % unknown === 0 ? null : `k${c}`));
        const known = [...labels.keys()].filter((i) => labels[i] !== null);
        const discretization = discretize(takeRows(X, known), { kind });
        const counts = counted(
          { X, labels },
          { discretization, classes: ["absent", "k0", "k1", "k2", "k9"] },
          [...labels.keys()],
        );
        const direct = { discretize: kind, estimator };
        const outcome = (run: () => object): object => {
          try {
            return { ...run(), warnings: 0 };
          } catch (error) {
            return { message: (error as Error).message.replace(/^\w+/, "") };
          }
        };
        const same = (fromRows: () => object, fromCounts: () => object): void =>
          expect(outcome(fromCounts)).toEqual(outcome(fromRows));
        same(
          () => chowLiuSelect(X, labels, direct),
          () => chowLiuSelectFromCounts(counts, { estimator }),
        );
        same(
          () => mrmr(X, labels, direct),
          () => mrmrFromCounts(counts, { estimator }),
        );
        same(
          () => cfs(X, labels, direct),
          () => cfsFromCounts(counts, { estimator }),
        );
        same(
          () => maxRelevance(X, labels, direct),
          () => maxRelevanceFromCounts(counts, { estimator }),
        );
        same(
          () => chowLiuTree(X, { ...direct, labels }),
          () => chowLiuTreeFromCounts(counts, { estimator }),
        );
      }),
      { numRuns: 150 },
    );
  });

  test("values that are levels: selections, trees without a class, naive Bayes", async () => {
    const stream = random(6);
    const X = matrix(500, 6);
    const labels = Array.from({ length: 500 }, (_, i) => (i % 11 === 0 ? "" : ["u", "v", "w"][i % 3]));
    for (let p = 0; p < X.data.length; p++) {
      X.data[p] = stream.integer(2 + (p % 6)) + (p % 2) * (Math.floor(p / 6) % 3);
    }
    for (let i = 0; i < 500; i++) X.data[6 * i + 3] = 2.5;
    const data = { X, labels };
    const scheme = await levelScheme(batches(data, 90), { discretize: "given" });
    const counts = await levelCounts(batches(data, 64), scheme);
    expect(scheme.classes).toEqual(["u", "v", "w"]);
    const given = { discretize: "given", names: names(6) } as const;
    const { warnings: told, ...direct } = mrmr(X, labels, given);
    const { warnings, ...streamed } = mrmrFromCounts(counts);
    expect(streamed).toEqual(direct);
    expect(told).toEqual([
      "46 of 500 rows have no class and were left out",
      "1 constant feature was left out",
    ]);
    expect(warnings).toEqual([told[0], '1 feature with one level only under "given" was left out (c3)']);

    const bayes = discreteNaiveBayesFromCounts(
      await levelCounts(batches(data, 64), scheme, { pairs: false }),
      { smoothing: 0.5 },
    );
    expect(bayes.toJSON()).toEqual(discreteNaiveBayes(X, labels, { smoothing: 0.5 }).toJSON());

    const plain = { X, labels: labels.map(() => null) };
    const unlabelled = await levelScheme(batches(plain, 90), { discretize: "given" });
    expect(unlabelled.classes).toEqual([]);
    const tree = chowLiuTreeFromCounts(await levelCounts(batches(plain, 33), unlabelled), { root: 4 });
    expect(tree).toEqual(chowLiuTree(X, { ...given, root: 4 }));
    expect(() => chowLiuTreeFromCounts(counts, { root: 6 })).toThrow("the root is column 6, but there are 6");
  });

  test("a class of the scheme that has no rows is no class", () => {
    const data = table(120, 8, ["a", "b"]);
    const scheme = {
      discretization: discretize(data.X, { kind: "width", bins: 4, names: names(9) }),
      classes: ["a", "absent", "b"],
    };
    const counts = counted(data, scheme, [...data.labels.keys()]);
    const { warnings: _, ...streamed } = mrmrFromCounts(counts);
    const { warnings: __, ...direct } = mrmr(data.X, data.labels, {
      discretize: "width",
      bins: 4,
      names: names(9),
    });
    expect(streamed).toEqual(direct);
    const given = {
      ...scheme,
      discretization: discretize(coded(data.X), { kind: "given" }),
    };
    const coarse = { X: coded(data.X), labels: data.labels };
    const bayes = discreteNaiveBayesFromCounts(counted(coarse, given, [...data.labels.keys()]));
    expect(bayes.toJSON()).toEqual(discreteNaiveBayes(coarse.X, data.labels).toJSON());
  });

  test("a billion rows: entropies stay exact sums", () => {
    const data = table(240, 5, ["a", "b"]);
    const counts = counted(data, { discretization: discretize(data.X), classes: ["a", "b"] }, [
      ...data.labels.keys(),
    ]);
    const small = mrmrFromCounts(counts, { features: 3 });
    const times = (values: Float64Array): Float64Array => values.map((count) => count * 5_000_000);
    const { rows, classCounts, margins, classTables, pairTables, ...rest } = counts;
    const large = mrmrFromCounts(
      {
        ...rest,
        rows: rows * 5_000_000,
        classCounts: times(classCounts),
        margins: times(margins),
        classTables: times(classTables),
        pairTables: times(pairTables!),
      },
      { features: 3 },
    );
    expect(large.features).toEqual(small.features);
    large.scores.forEach((score, r) => expect(score).toBeCloseTo(small.scores[r], 9));
  });

  test("schemes of parts are merged", () => {
    const { X, labels } = table(180, 7, ["a", "b", "-1"]);
    const part = (rows: readonly number[]): ReturnType<typeof mergeClassColumnStatistics> => {
      const accumulator = classColumnsAccumulator(names(9));
      accumulator.add(
        takeRows(X, rows),
        rows.map((i) => labels[i]),
      );
      return accumulator.result();
    };
    const all = [...labels.keys()];
    const merged = mergeClassColumnStatistics(part(all.slice(70)), part(all.slice(0, 70)));
    const { discretization, classes } = levelSchemeFromColumns(
      JSON.parse(JSON.stringify(merged)) as typeof merged,
    );
    expect(classes).toEqual(["a", "b"]);
    const direct = chowLiuSelect(X, labels, { names: names(9) }).discretization;
    discretization.cuts.forEach((cuts, f) =>
      cuts.forEach((cut, j) =>
        expect(Math.abs(cut - direct.cuts[f][j])).toBeLessThanOrEqual(1e-12 * Math.abs(cut)),
      ),
    );
    expect(discretization.cuts[7]).toEqual([0, 1]); // balanced 0/1: exactly on the values
  });
});

/** Three levels as values. */
function coded(X: Matrix): Matrix {
  return mapped(X, (value) => Math.max(-1, Math.min(1, Math.round(value))) + 0);
}

describe("bad input", () => {
  const data = table(40, 1, ["a", "b"]);
  const scheme: LevelScheme = {
    discretization: discretize(data.X, { names: names(9) }),
    classes: ["a", "b"],
  };
  const counts = counted(data, scheme, [...data.labels.keys()]);
  const { X } = data;

  test("in rows", async () => {
    const { add } = levelCountsAccumulator(scheme);
    expect(() => add(X)).toThrow("the scheme has classes, but the rows have no labels");
    expect(() => add(X, ["a"])).toThrow("there are 1 labels for 40 rows");
    expect(() =>
      add(
        X,
        data.labels.map(() => "c"),
      ),
    ).toThrow('row 0 of a batch (counted from 0) has the class "c"');
    expect(() => add(matrix(1, 2), ["a"])).toThrow("made for 9 columns, the rows have 2");
    expect(() => add(matrix(1, 9, new Float64Array(9).fill(Number.NaN)), ["a"])).toThrow("NaN");
    const given = { discretization: { kind: "given", columns: ["x"], cuts: [[1, 2]] }, classes: [] } as const;
    expect(() => levelCountsAccumulator(given).add(matrix(1, 1, Float64Array.of(3)))).toThrow(
      'column "x" has the value 3, which is not among the levels',
    );
    const renamed = { ...scheme, discretization: { ...scheme.discretization, columns: names(10).slice(1) } };
    await expect(levelCounts(batches(data, 9), renamed)).rejects.toThrow(
      'column 0 (counted from 0) is "c0", but the scheme was made for "c1"',
    );
    await expect(levelCounts(async function* () {}, scheme)).resolves.toMatchObject({ rows: 0 });
    await expect(levelScheme(async function* () {})).rejects.toThrow("no batches");
  });

  test("in options", async () => {
    const source = batches(data, 9);
    await expect(levelScheme(source, { discretize: "frequency" as "width" })).rejects.toThrow(
      '"discretize" cannot be "frequency" in a stream, whose quantiles are known only after the last row',
    );
    await expect(levelScheme(source, { bins: 4 })).rejects.toThrow('"bins" is for "width"');
    await expect(levelScheme(source, { discretize: "given" })).rejects.toThrow("it looks continuous");
    const wide = {
      X: matrix(
        2000,
        1,
        Float64Array.from({ length: 2000 }, (_, i) => i),
      ),
      labels: [],
    };
    await expect(levelScheme(batches(wide, 500), { discretize: "given" })).rejects.toThrow(
      'column "c0" has more than 256 different values in 2000 rows',
    );
    const none = { names: ["x"], groups: [] };
    expect(() => levelSchemeFromColumns(none)).toThrow("of no rows");
    expect(() => levelSchemeFromColumns(none, { discretize: "given" })).toThrow("do not follow");
    expect(() => mrmrFromCounts(counts, { features: 10 })).toThrow(
      "10 features are asked for, but there are only 9",
    );
    expect(() => mrmrFromCounts(counts, { bins: 4 } as object)).toThrow("bins");
    const bare = levelCountsAccumulator(scheme, { pairs: false });
    bare.add(X, data.labels);
    expect(() => cfsFromCounts(bare.result())).toThrow("needs the counts of pairs");
    expect(() => discreteNaiveBayesFromCounts(counts)).toThrow('of intervals ("sigma")');
    expect(() => mrmrFromCounts(levelCountsAccumulator(scheme).result())).toThrow(
      "at least two classes, got none",
    );
    const many = {
      discretization: {
        kind: "given",
        columns: names(100),
        cuts: Array.from({ length: 100 }, () => Array.from({ length: 256 }, (_, a) => a)),
      },
      classes: [],
    } as const;
    expect(() => levelCountsAccumulator(many)).toThrow("take fewer columns or fewer levels");
  });

  test.each([
    ["no cuts", { discretization: {} as never }, '"discretization.kind" must be'],
    [
      "cuts out of order",
      { discretization: { kind: "width", columns: ["x"], cuts: [[2, 1]] } as const },
      'column "x"',
    ],
    [
      "cuts of other columns",
      { discretization: { ...scheme.discretization, columns: ["x"] } },
      '"discretization.cuts" has 9 entries where 1 belong',
    ],
    ["classes out of order", { classes: ["b", "a"] }, 'in order, numbers before texts: "a", "b"'],
    ["a class twice", { classes: ["a", "a"] }, "must differ"],
    ["no classes", { classes: undefined as never }, '"classes" must be a list'],
  ])("in schemes: %s", (_, change, message) => {
    expect(() => levelCountsAccumulator({ ...scheme, ...change })).toThrow(message);
  });
});
