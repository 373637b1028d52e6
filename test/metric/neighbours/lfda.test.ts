import { beforeAll, describe, expect, it } from "vitest";
import { random } from "../../../src/core/random.ts";
import { generalizedEigen } from "../../../src/matrix/factor/generalizedEigen.ts";
import { fromRows, matrix, row, takeColumns, takeRows, type Matrix } from "../../../src/matrix/matrix.ts";
import { rankOneUpdate } from "../../../src/matrix/multiply.ts";
import { lfda, localScales } from "../../../src/metric/neighbours/lfda.ts";
import { difference, wine } from "../pairs/pairFixture.ts";
import { expectsClasses, fromMoved, fromShuffled } from "../labelFixture.ts";

let X: Matrix;
let labels: readonly string[];

beforeAll(async () => {
  ({ X, labels } = await wine());
});

/** The two sums over all pairs, as they are written. */
function pairwise(X: Matrix, labels: ArrayLike<unknown>, k: number): { within: Matrix; between: Matrix } {
  const { rows: n, cols: d } = X;
  const square = (i: number, j: number): number => {
    let sum = 0;
    for (let f = 0; f < d; f++) sum += (X.data[i * d + f] - X.data[j * d + f]) ** 2;
    return sum;
  };
  const same = Array.from({ length: n }, (_, i) =>
    Array.from({ length: n }, (_, j) => j).filter((j) => labels[j] === labels[i]),
  );
  const scales = same.map((group, i) => {
    const others = group.filter((j) => j !== i).map((j) => square(i, j));
    return Math.sqrt(others.sort((a, b) => a - b)[Math.min(k, others.length) - 1] ?? 0);
  });
  const within = matrix(d, d);
  const between = matrix(d, d);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (i === j) continue;
      const step = row(X, i).map((value, f) => value - row(X, j)[f]);
      const size = same[i].length;
      if (labels[i] === labels[j]) {
        const A = square(i, j) === 0 ? 1 : Math.exp(-square(i, j) / (scales[i] * scales[j]));
        rankOneUpdate(within, (0.5 * A) / size, step);
        rankOneUpdate(between, 0.5 * A * (1 / n - 1 / size), step);
      } else rankOneUpdate(between, 0.5 / n, step);
    }
  }
  return { within, between };
}

describe("lfda", () => {
  it("solves the eigenproblem of the sums over all pairs", () => {
    const columns = takeColumns(X, [0, 1, 2, 6, 9]);
    const metric = lfda(columns, labels, { neighbors: 5, dims: 3 });
    const { within, between } = pairwise(columns, labels, 5);
    const { values } = generalizedEigen(between, within);
    expect(metric.objective).toBeCloseTo(values[0] + values[1] + values[2], 8);
    expect(metric.certificate.residual).toBeLessThan(1e-10);
    expect(metric.rank).toBe(3);
    expect(metric.warnings).toEqual([]);
  });

  it("scales by the distance to the k-th neighbour of a row's own class", () => {
    const line = fromRows([[0], [1], [3], [7], [100]]);
    // A peer reads another entry of the sorted distances, which hardly depends on the row.
    expect(Array.from(localScales(line, 2))).toEqual([3, 2, 3, 6, 97]);
    expect(Array.from(localScales(line, 4))).toEqual([100, 99, 97, 93, 100]);
  });

  it("caps k by each class alone, and says so", () => {
    const few = [
      0, 1, 2, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 140, 141, 142, 143, 144, 145, 146, 147, 148,
    ];
    const rows = takeColumns(takeRows(X, few), [0, 6, 9]);
    const classes = few.map((i) => labels[i]);
    const metric = lfda(rows, classes, { neighbors: 6, dims: 2 });
    expect(metric.warnings.join()).toContain("1 classes have at most 6 rows");
    const { within, between } = pairwise(rows, classes, 6);
    const { values } = generalizedEigen(between, within);
    expect(metric.objective).toBeCloseTo(values[0] + values[1], 8);
  });

  it("keeps two clusters of one class apart where Fisher's criterion joins them", () => {
    const stream = random(1);
    const rows = matrix(300, 2);
    const classes = Array.from({ length: 300 }, (_, i) => (i % 3 === 1 ? "inner" : "outer"));
    for (let i = 0; i < 300; i++) {
      rows.data[2 * i] = 10 * ((i % 3) - 1) + stream.normal(); // outer, inner, outer along the first axis
      rows.data[2 * i + 1] = stream.normal();
    }
    const metric = lfda(rows, classes, { dims: 1 });
    expect(metric.relevance[0]).toBeGreaterThan(0.99);
  });

  it("offers three embeddings of the same directions", () => {
    const options = { dims: 2, neighbors: 7 } as const;
    const plain = lfda(X, labels, { ...options, embedding: "plain" });
    const weighted = lfda(X, labels, options);
    const orthonormal = lfda(X, labels, { ...options, embedding: "orthonormal" });
    const ratio = (r: number): number => weighted.factor.data[r * 13] / plain.factor.data[r * 13];
    expect(ratio(0) ** 2 + ratio(1) ** 2).toBeCloseTo(weighted.objective!, 8);
    for (const [r, s] of [
      [0, 0],
      [0, 1],
      [1, 1],
    ]) {
      let product = 0;
      for (let f = 0; f < 13; f++) {
        product += orthonormal.factor.data[r * 13 + f] * orthonormal.factor.data[s * 13 + f];
      }
      expect(product).toBeCloseTo(r === s ? 1 : 0, 10);
    }
  });

  it("does not depend on the order of rows, a translation or names; distances do not on scale", () => {
    const metric = lfda(X, labels);
    const named = labels.map((label) => `class ${label}`);
    expect(difference(fromShuffled(lfda, X, named), metric)).toBeLessThan(1e-9);
    const moved = fromMoved(lfda, X, labels, { metric, value: (x) => 3 * x + 1000 });
    expect(moved.distance).toBeCloseTo(moved.before, 6);
  });

  it("stays finite for duplicates, constant columns, more columns than rows and a class of one row", () => {
    const cases: [Matrix, ArrayLike<string | number>][] = [
      [
        takeRows(
          X,
          Array.from({ length: 178 }, (_, i) => Math.floor(i / 20) * 20),
        ),
        labels.map((_, i) => Math.floor(i / 60)),
      ],
      [takeColumns(X, [0, 1, 0]), labels],
      [
        matrix(
          X.rows,
          2,
          X.data.slice(0, 2 * X.rows).map((value, p) => (p % 2 === 0 ? 0 : value)),
        ),
        labels,
      ],
      [takeRows(X, [0, 1, 70, 71, 140, 141]), [0, 0, 1, 1, 2, 2]],
      [takeRows(X, [0, 1, 2, 3, 70]), [0, 0, 0, 0, 1]],
    ];
    for (const [rows, classes] of cases) {
      const metric = lfda(rows, classes);
      expect(metric.factor.data.every(Number.isFinite)).toBe(true);
      expect(metric.rank).toBeGreaterThan(0);
    }
  });

  it("names what is wrong", () => {
    expectsClasses((classes) => lfda(X, classes));
    expect(() => lfda(X, labels, { dims: 14 })).toThrow('"dims" is 14');
    expect(() => lfda(fromRows([[1], [1], [1], [1]]), [0, 0, 1, 1])).toThrow("no direction separates");
  });
});
