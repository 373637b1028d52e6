import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blobs, scale, type Pair } from "../../src/data/index.ts";
import { matrix, takeRows, type Matrix } from "../../src/matrix/index.ts";
import { mapped } from "../../src/matrix/matrix.ts";
import { scatter } from "../../src/metric/moments/classMoments.ts";
import {
  kissme,
  kissmeFromMoments,
  lda,
  ldaFromMoments,
  mlca,
  mlcaFromMoments,
  rca,
  rcaFromMoments,
} from "../../src/metric/index.ts";
import {
  allMoments,
  classwiseAccumulator,
  columnScaling,
  columnStatistics,
  knownGroups,
  labelledMoments,
  mlcaFromStatistics,
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

/** Largest difference of two matrices against the largest entry, of `a` or of `against`. */
function distance(
  a: Matrix | Float64Array,
  b: Matrix | Float64Array,
  against: Matrix | Float64Array = a,
): number {
  const x = a instanceof Float64Array ? a : a.data;
  const y = b instanceof Float64Array ? b : b.data;
  expect(x.length).toBe(y.length);
  const size = (against instanceof Float64Array ? against : against.data).reduce(
    (most, value) => Math.max(most, Math.abs(value)),
    1e-300,
  );
  return x.reduce((most, value, p) => Math.max(most, Math.abs(value - y[p])), 0) / size;
}

/** The largest relative difference, in a form that does not depend on the shift; infinite where counts differ. */
function difference(a: MomentStatistics, b: MomentStatistics): number {
  const exact = (s: MomentStatistics): string =>
    JSON.stringify([
      s.rows,
      labelledMoments(s).classes,
      Array.from(labelledMoments(s).counts),
      Array.from(s.min),
      Array.from(s.max),
    ]);
  if (exact(a) !== exact(b)) return Infinity;
  let most = 0;
  for (const kind of ["zscore", "minmax"] as const) {
    const [x, y] = [a, b].map((s) => statisticsScaling(s, kind).scaling.groups[0]);
    x.scale.forEach((size, j) => {
      most = Math.max(most, Math.abs(x.center[j] - y.center[j]) / size, Math.abs(size - y.scale[j]) / size);
    });
  }
  const { scaling } = statisticsScaling(a);
  for (const moments of [allMoments, labelledMoments]) {
    const [A, B] = [a, b]
      .map((s) => moments(s))
      .map((m) => (m.classes.length === 0 ? m : scaledMoments(m, scaling)));
    if (A.classes.length === 0) continue;
    most = Math.max(most, distance(scatter(A).total, scatter(B).total));
    most = Math.max(most, distance(scatter(A).within, scatter(B).within, scatter(A).total));
  }
  return most;
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

describe("rows in batches", () => {
  test("have the sums of the whole in any order, to 1e-10", () => {
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
        const accumulator = momentAccumulator(names(d));
        for (const own of [2, 0, 1]) {
          const group = [...rows.keys()].filter((i) => rows[i].part === own);
          if (group.length === 0) continue;
          accumulator.add(
            takeRows(X, group),
            group.map((i) => labels[i]),
          );
        }
        const whole = part(X, labels, [...rows.keys()]);
        expect(difference(whole, accumulator.result())).toBeLessThan(1e-10);
        expect(difference(whole, part(X, labels, [...rows.keys()].reverse()))).toBeLessThan(1e-10);
      }),
      { numRuns: 150 },
    );
  });

  test("batches far apart from each other lose no digits", () => {
    const { X } = blobs({ rows: 500, features: 3, clusters: 1, seed: 3 });
    const parts = [0, 1e6].map((offset) => mapped(X, (value) => value + offset));
    const [a, b] = [parts, parts.toReversed()].map((batches) => {
      const accumulator = momentAccumulator(names(3));
      for (const batch of batches) accumulator.add(batch);
      return accumulator.result();
    });
    expect(difference(a, b)).toBeLessThan(1e-12);
  });
});

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

  test("mlca in two lines", async () => {
    const stats = await momentStatistics(source, {});
    const metric = mlcaFromStatistics(stats);
    expect(distance(metric.matrix, mlca(X, labels).matrix)).toBeLessThan(1e-8);
    expect(metric.names).toEqual(names(7));
    expect(mlcaFromStatistics(stats, { center: false }).rank).toBeGreaterThan(0);
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

  test("kissme from all pairs of the classes", async () => {
    const drawn = Array.from({ length: 90 }, (_, i) => 33 * i);
    const few = [...drawn.keys()];
    const some = takeRows(X, drawn);
    const { X: rows, scaling } = scale(some);
    const mine = drawn.map((i) => labels[i]);
    const known = mine.map((label) => label !== "" && label !== "-1");
    const pairs = { mustLink: [] as Pair[], cannotLink: [] as Pair[] };
    for (const i of few) {
      for (let j = 0; j < i; j++) {
        if (known[i] && known[j]) pairs[mine[i] === mine[j] ? "mustLink" : "cannotLink"].push([i, j]);
      }
    }
    const accumulator = classwiseAccumulator(names(7));
    for (const isFirst of [true, false]) {
      const half = few.filter((i) => i < 33 === isFirst);
      accumulator.add(
        takeRows(some, half),
        half.map((i) => mine[i]),
      );
    }
    const groups = knownGroups(accumulator.result()).map((group) => scaledMoments(group, scaling));
    const all = part(some, mine, few);
    const streamed = kissmeFromMoments(groups, {}, scaledMoments(allMoments(all), scaling));
    const direct = kissme(rows, pairs);
    expect(distance(streamed.matrix, direct.matrix)).toBeLessThan(1e-8);
    expect(distance(streamed.relevance, direct.relevance)).toBeLessThan(1e-8);
    expect(streamed.warnings).toEqual(direct.warnings);
    expect(() => kissmeFromMoments(groups.slice(0, 1))).toThrow("at least two classes");
  });

  test("scalings, also from columns alone", async () => {
    const statistics = await columnStatistics(source);
    for (const kind of ["zscore", "minmax", "none"] as const) {
      const direct = scale(X, kind);
      const { scaling, notes } = columnScaling(statistics, kind);
      expect(scaling.kept).toEqual(direct.kept);
      expect(notes).toEqual(direct.notes);
      for (const field of ["center", "scale"] as const) {
        const [a, b] = [scaling, direct.scaling].map(({ groups }) => Float64Array.from(groups[0][field]));
        expect(distance(a, b)).toBeLessThan(1e-12);
      }
    }
  });
});
