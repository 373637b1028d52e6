import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blobs, scale } from "../../src/data/index.ts";
import { matrix, type Matrix } from "../../src/matrix/index.ts";
import { lda, ldaFromMoments, mlca, mlcaFromMoments, rca, rcaFromMoments } from "../../src/metric/index.ts";
import {
  allMoments,
  labelledMoments,
  loadMomentStatistics,
  mergeStatistics,
  momentAccumulator,
  momentStatistics,
  scaledMoments,
  statisticsScaling,
  type MomentStatistics,
  type RowBatch,
} from "../../src/scale/index.ts";

const names = (d: number): string[] => Array.from({ length: d }, (_, j) => `c${j}`);

function part(X: Matrix, labels: readonly string[], rows: readonly number[]): MomentStatistics {
  const accumulator = momentAccumulator(names(X.cols));
  if (rows.length > 0) {
    const data = rows.flatMap((i) => Array.from(X.data.subarray(i * X.cols, (i + 1) * X.cols)));
    accumulator.add(
      matrix(rows.length, X.cols, Float64Array.from(data)),
      rows.map((i) => labels[i]),
    );
  }
  return accumulator.result();
}

/** Largest difference of two matrices against the largest entry. */
function distance(a: Matrix | Float64Array, b: Matrix | Float64Array): number {
  const x = a instanceof Float64Array ? a : a.data;
  const y = b instanceof Float64Array ? b : b.data;
  expect(x.length).toBe(y.length);
  const size = x.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-300);
  return x.reduce((most, value, p) => Math.max(most, Math.abs(value - y[p])), 0) / size;
}

/** In a form that does not depend on the shift: metrics, and the scatter of all rows. */
function expectSame(a: MomentStatistics, b: MomentStatistics, tolerance: number): void {
  expect(a.rows).toBe(b.rows);
  expect(labelledMoments(a).classes).toEqual(labelledMoments(b).classes);
  expect(labelledMoments(a).counts).toEqual(labelledMoments(b).counts);
  expect(a.min).toEqual(b.min);
  expect(a.max).toEqual(b.max);
  for (const kind of ["zscore", "minmax"] as const) {
    const [x, y] = [a, b].map((s) => statisticsScaling(s, kind).scaling);
    const size = x.groups[0].scale;
    size.forEach((s, j) => {
      expect(Math.abs(x.groups[0].center[j] - y.groups[0].center[j]) / s).toBeLessThan(tolerance);
      expect(Math.abs(s - y.groups[0].scale[j]) / s).toBeLessThan(tolerance);
    });
  }
  const [A, B] = [a, b].map((s) => scaledMoments(allMoments(s), statisticsScaling(a).scaling));
  expect(distance(A.secondMoments, B.secondMoments)).toBeLessThan(tolerance);
}

const cell = fc.double({ min: -5, max: 5, noNaN: true });
const rows = fc.integer({ min: 2, max: 5 }).chain((d) =>
  fc.record({
    d: fc.constant(d),
    offset: fc.constantFrom(0, 1000, -3e4),
    rows: fc.array(
      fc.record({
        cells: fc.array(cell, { minLength: d, maxLength: d }),
        label: fc.constantFrom("a", "b", "1", "-1", ""),
        part: fc.integer({ min: 0, max: 2 }),
      }),
      { minLength: 6, maxLength: 40 },
    ),
  }),
);

describe("merging", () => {
  test("is associative and free of order, to 1e-10", () => {
    fc.assert(
      fc.property(rows, ({ d, offset, rows }) => {
        const X = matrix(
          rows.length,
          d,
          Float64Array.from(rows.flatMap((r) => r.cells.map((v) => v + offset))),
        );
        for (let f = 0; f < d; f++) {
          X.data[f] += 1; // no column is constant
          X.data[d + f] -= 1;
        }
        const labels = rows.map(({ label }) => label);
        const [a, b, c] = [0, 1, 2].map((k) =>
          part(
            X,
            labels,
            [...rows.keys()].filter((i) => rows[i].part === k),
          ),
        );
        const whole = part(X, labels, [...rows.keys()]);
        expectSame(whole, mergeStatistics(mergeStatistics(a, b), c), 1e-10);
        expectSame(whole, mergeStatistics(a, mergeStatistics(b, c)), 1e-10);
        expectSame(whole, mergeStatistics(c, mergeStatistics(b, a)), 1e-10);
        expectSame(whole, part(X, labels, [...rows.keys()].reverse()), 1e-10);
        expectSame(whole, loadMomentStatistics(throughJson(whole)), 1e-15);
      }),
      { numRuns: 150 },
    );
  });

  test("parts far apart from each other lose no digits", () => {
    const accumulators = [0, 1e6].map((offset) => {
      const { X } = blobs({ rows: 500, features: 3, clusters: 1, seed: 3 });
      const accumulator = momentAccumulator(names(3));
      accumulator.add(
        matrix(
          X.rows,
          3,
          X.data.map((value) => value + offset),
        ),
      );
      return accumulator.result();
    });
    const [a, b] = accumulators;
    expectSame(mergeStatistics(a, b), mergeStatistics(b, a), 1e-12);
  });

  test("other columns are refused", () => {
    const X = matrix(1, 1, Float64Array.of(1));
    const other = momentAccumulator(["y"]);
    other.add(X);
    expect(() => mergeStatistics(part(X, ["a"], [0]), other.result())).toThrow("columns c0 cannot be merged");
  });

  test("damaged statistics are refused", () => {
    const X = matrix(2, 1, Float64Array.of(1, 2));
    const data = throughJson(part(X, ["a", "b"], [0, 1]));
    expect(() => loadMomentStatistics({ ...data, known: { ...data.known, counts: [1] } })).toThrow("damaged");
    expect(() => loadMomentStatistics({} as never)).toThrow("not the statistics");
  });
});

function throughJson(statistics: MomentStatistics): ReturnType<MomentStatistics["toJSON"]> {
  return JSON.parse(JSON.stringify(statistics)) as ReturnType<MomentStatistics["toJSON"]>;
}

describe("models from a stream are those from memory, to 1e-8", () => {
  const { X: clean, labels: classes } = blobs({
    rows: 3000,
    features: 6,
    clusters: 4,
    deviation: 3,
    seed: 11,
  });
  const X = matrix(clean.rows, 7);
  for (let i = 0; i < X.rows; i++) {
    for (let f = 0; f < 6; f++) X.data[i * 7 + f] = 1e4 + clean.data[i * 6 + f] * 2 ** f;
    X.data[i * 7 + 6] = 5; // constant, left out by scaling
  }
  const labels = Array.from(classes, (c, i) => (i % 10 === 0 ? "" : i % 17 === 0 ? "-1" : `k${c}`));
  const source = async function* (): AsyncGenerator<RowBatch> {
    for (let first = 0; first < X.rows; first += 271) {
      const count = Math.min(271, X.rows - first);
      yield {
        names: names(7),
        X: matrix(count, 7, X.data.slice(first * 7, (first + count) * 7)),
        label: { name: "y", values: labels.slice(first, first + count) },
        source: "memory",
        first,
      };
    }
  };

  test.each(["zscore", "minmax", "none"] as const)("mlca, lda and rca under %s", async (kind) => {
    const statistics = await momentStatistics(source);
    expect(statistics.rows).toBe(X.rows);
    const inMemory = scale(X, kind);
    const { scaling, notes } = statisticsScaling(statistics, kind);
    expect(scaling.kept).toEqual(inMemory.kept);
    expect(notes).toEqual(inMemory.notes);
    const moments = scaledMoments(labelledMoments(statistics), scaling);
    const all = scaledMoments(allMoments(statistics), scaling);
    const known = scaledMoments(statistics.known, scaling);
    expect(distance(mlcaFromMoments(moments).matrix, mlca(inMemory.X, labels).matrix)).toBeLessThan(1e-8);
    expect(distance(ldaFromMoments(moments).matrix, lda(inMemory.X, labels).matrix)).toBeLessThan(1e-8);
    for (const options of [{}, { dims: 2 }]) {
      const streamed = rcaFromMoments(known, options, all);
      const direct = rca(inMemory.X, labels, options);
      expect(distance(streamed.matrix, direct.matrix)).toBeLessThan(1e-8);
      expect(distance(streamed.relevance, direct.relevance)).toBeLessThan(1e-8);
    }
  });

  test("-1 is a class where the classes are -1 and 1", async () => {
    const signs = Array.from(classes, (c) => (c < 2 ? "1" : "-1"));
    const streamed = labelledMoments(part(X, signs, [...signs.keys()]));
    expect(streamed.classes).toEqual(["-1", "1"]);
    const { X: scaledX, scaling } = scale(X);
    expect(
      distance(mlcaFromMoments(scaledMoments(streamed, scaling)).matrix, mlca(scaledX, signs).matrix),
    ).toBeLessThan(1e-8);
  });
});
