import { describe, expect, test } from "vitest";
import { random } from "../../src/core/index.ts";
import { matrix, type Matrix } from "../../src/matrix/index.ts";
import { tablesOf, withVariable } from "../../src/select/discrete.ts";
import * as select from "../../src/select/index.ts";
import { addPairCounts, levelLayout, tablesOfCounts } from "../../src/select/internal.ts";

/** Columns of 2 to 4 levels that follow the class, each other or nothing. */
function levels(n: number): { X: Matrix; labels: number[] } {
  const stream = random(3);
  const labels = Array.from({ length: n }, () => stream.integer(3));
  const X = matrix(n, 6);
  for (let i = 0; i < n; i++) {
    const noise = stream.integer(4);
    X.data.set(
      [labels[i] % 2, noise, Math.min(noise, 1), labels[i], stream.integer(2), stream.integer(3)],
      6 * i,
    );
    if (stream.uniform() < 0.2) X.data[6 * i + 3] = stream.integer(3);
  }
  return { X, labels };
}

function countsOf(X: Matrix, labels: readonly number[]): select.LevelCounts {
  const discretization = select.discretize(X, { kind: "given" });
  const variables = select.applyDiscretization(discretization, X);
  const layout = levelLayout(discretization);
  const d = X.cols;
  const all = tablesOf(withVariable(variables, labels, 3));
  const pairTables = new Float64Array(layout.starts[d]);
  addPairCounts(variables, layout, pairTables);
  return {
    discretization,
    classes: [0, 1, 2],
    rows: X.rows,
    unlabelled: 0,
    classCounts: Float64Array.from(all.margin(d)),
    margins: Float64Array.from(Array.from({ length: d }, (_, f) => Array.from(all.margin(f))).flat()),
    classTables: Float64Array.from(Array.from({ length: d }, (_, f) => Array.from(all.joint(f, d))).flat()),
    pairTables,
  };
}

const { X, labels } = levels(240);
const counts = countsOf(X, labels);

describe("from counts", () => {
  test("every table of two variables is that of the rows, in both orders, the class included", () => {
    const rows = tablesOf(withVariable(select.applyDiscretization(counts.discretization, X), labels, 3));
    const tables = tablesOfCounts(counts);
    expect(Array.from(tables.levels)).toEqual(Array.from(rows.levels));
    for (let u = 0; u <= X.cols; u++) {
      expect(Array.from(tables.margin(u))).toEqual(Array.from(rows.margin(u)));
      for (const v of [0, 1, 2, 3, 4, 5, 6].filter((other) => other !== u)) {
        expect(Array.from(tables.joint(u, v))).toEqual(Array.from(rows.joint(u, v)));
      }
    }
  });

  test("the layout ends with the number of all cells", () => {
    const { levels: L, before, starts, pairAt } = levelLayout(counts.discretization);
    const pairs = Array.from(L).flatMap((a, u) => Array.from(L.subarray(u + 1), (b) => a * b));
    expect(before[L.length]).toBe(L.reduce((sum, a) => sum + a, 0));
    expect(starts[L.length]).toBe(pairs.reduce((sum, cells) => sum + cells, 0));
    expect(pairAt(1, 2)).toBe(starts[1]);
    expect(pairAt(0, 2)).toBe(L[0] * L[1]);
  });

  test("selections and trees are those of the rows", () => {
    const options = { features: 4 };
    const given = { ...options, discretize: "given" as const };
    for (const [rows, few] of [
      [select.mrmr(X, labels, given), select.mrmrFromCounts(counts, options)],
      [select.cfs(X, labels, given), select.cfsFromCounts(counts, options)],
      [select.maxRelevance(X, labels, given), select.maxRelevanceFromCounts(counts, options)],
      [select.chowLiuSelect(X, labels, given), select.chowLiuSelectFromCounts(counts, options)],
    ]) {
      expect(Array.from(few.features)).toEqual(Array.from(rows.features));
      expect(Array.from(few.scores)).toEqual(Array.from(rows.scores));
    }
    const tree = select.chowLiuTree(X, { labels, discretize: "given" });
    expect(select.chowLiuTreeFromCounts(counts)).toEqual(tree);
  });
});
