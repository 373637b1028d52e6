import { beforeAll, describe, expect, it } from "vitest";
import { random } from "../../../src/core/random.ts";
import { symmetricEigen } from "../../../src/matrix/factor/eigen.ts";
import { fromRows, matrix, row, takeRows, type Matrix, mapped } from "../../../src/matrix/matrix.ts";
import { rankOneUpdate } from "../../../src/matrix/multiply.ts";
import { solve } from "../../../src/matrix/factor/solve.ts";
import { xqda } from "../../../src/metric/moments/xqda.ts";
import { difference, shifted, wine } from "../pairs/pairFixture.ts";
import { expectsClasses } from "../labelFixture.ts";

let X: Matrix;
let labels: readonly string[];
beforeAll(async () => {
  ({ X, labels } = await wine());
});

/** Mean outer products over every pair, one by one. */
function enumerated(
  Y: Matrix,
  classes: ArrayLike<unknown>,
  counts: (i: number, j: number) => boolean,
): { within: Matrix; between: Matrix } {
  const within = matrix(Y.cols, Y.cols);
  const between = matrix(Y.cols, Y.cols);
  let same = 0;
  let other = 0;
  for (let i = 0; i < Y.rows; i++) {
    for (let j = 0; j < i; j++) {
      if (!counts(i, j)) continue;
      const v = row(Y, i).map((value, f) => value - row(Y, j)[f]);
      const alike = classes[i] === classes[j];
      rankOneUpdate(alike ? within : between, 1, v);
      if (alike) same++;
      else other++;
    }
  }
  return {
    within: { ...within, data: within.data.map((value) => value / same) },
    between: { ...between, data: between.data.map((value) => value / other) },
  };
}

/** M = S_I^-1 - S_E^-1 restricted to its positive part in the coordinates where S_I = I, by another route. */
function expected(within: Matrix, between: Matrix): Matrix {
  const d = within.rows;
  const { values, vectors } = symmetricEigen(within);
  const root = matrix(d, d); // S_I^(-1/2)
  for (let r = 0; r < d; r++) {
    rankOneUpdate(
      root,
      1 / Math.sqrt(values[r]),
      Float64Array.from({ length: d }, (_, f) => vectors.data[f * d + r]),
    );
  }
  const product = (A: Matrix, B: Matrix): Matrix => {
    const C = matrix(d, d);
    for (let i = 0; i < d; i++)
      for (let j = 0; j < d; j++)
        for (let k = 0; k < d; k++) C.data[i * d + j] += A.data[i * d + k] * B.data[k * d + j];
    return C;
  };
  const E = symmetricEigen(product(product(root, between), root));
  const inner = matrix(d, d);
  for (let r = 0; r < d; r++) {
    if (E.values[r] > 1) {
      rankOneUpdate(
        inner,
        1 - 1 / E.values[r],
        Float64Array.from({ length: d }, (_, f) => E.vectors.data[f * d + r]),
      );
    }
  }
  return product(product(root, inner), root);
}

describe("xqda", () => {
  it("is what enumerating all pairs gives", () => {
    const { within, between } = enumerated(X, labels, () => true);
    const metric = xqda(X, labels, { shrinkage: 0 });
    const M = expected(within, between);
    metric.matrix.data.forEach((value, p) => expect(value).toBeCloseTo(M.data[p], 8));
    expect(metric.certificate.residual).toBeLessThan(1e-10);
  });

  it("is what enumerating the pairs across two views gives", () => {
    const views = labels.map((_, i) => (i % 3 === 0 ? "probe" : "gallery"));
    const { within, between } = enumerated(X, labels, (i, j) => views[i] !== views[j]);
    const metric = xqda(X, labels, { shrinkage: 0, views });
    const M = expected(within, between);
    metric.matrix.data.forEach((value, p) => expect(value).toBeCloseTo(M.data[p], 8));
  });

  it("equals KISSME's difference of inverses where every eigenvalue is above 1", () => {
    const stream = random(4);
    const rows = matrix(200, 2);
    const classes = Array.from({ length: 200 }, (_, i) => i % 5);
    for (let i = 0; i < 200; i++) {
      rows.data[2 * i] = 4 * classes[i] + stream.normal();
      rows.data[2 * i + 1] = 4 * ((classes[i] * 2) % 5) + stream.normal();
    }
    const { within, between } = enumerated(rows, classes, () => true);
    const metric = xqda(rows, classes, { shrinkage: 0 });
    expect(metric.rank).toBe(2);
    const I = fromRows([
      [1, 0],
      [0, 1],
    ]);
    const inverses = solve(within, I).data.map((value, p) => value - solve(between, I).data[p]);
    metric.matrix.data.forEach((value, p) => expect(value).toBeCloseTo(inverses[p], 10));
  });

  it("does not depend on the order of rows or a shift, and leaves unknown rows out", () => {
    const metric = xqda(X, labels);
    const order = random(5).shuffle(Int32Array.from({ length: X.rows }, (_, i) => i));
    const shuffled = Array.from(order, (i) => labels[i]);
    expect(difference(xqda(takeRows(X, order), shuffled), metric)).toBeLessThan(1e-8);
    expect(difference(xqda(shifted(X, 1000), labels), metric)).toBeLessThan(1e-7);
    const known = Array.from({ length: 100 }, (_, i) => i);
    const hidden = labels.map((label, i) => (i < 100 ? label : ""));
    expect(
      difference(
        xqda(X, hidden),
        xqda(
          takeRows(X, known),
          known.map((i) => labels[i]),
        ),
      ),
    ).toBeLessThan(1e-10);
  });

  it("works in the span of the rows where columns outnumber them, and with zero columns", () => {
    const stream = random(7);
    const wide = matrix(12, 40);
    const classes = Array.from({ length: 12 }, (_, i) => i % 2);
    for (let i = 0; i < 12; i++) {
      for (let f = 0; f < 39; f++) wide.data[40 * i + f] = stream.normal() + (f === 0 ? 8 * classes[i] : 0);
    }
    const metric = xqda(wide, classes);
    expect(metric.factor.data.every(Number.isFinite)).toBe(true);
    expect(metric.factor.cols).toBe(40);
    expect(metric.distance(row(wide, 0), row(wide, 2))).toBeLessThan(
      metric.distance(row(wide, 0), row(wide, 1)),
    );
    const flat = mapped(X, (value, p) => (p % X.cols === 5 ? 0 : value));
    expect(xqda(flat, labels).factor.data.every(Number.isFinite)).toBe(true);
  });

  it("names what is wrong", () => {
    expectsClasses((classes) => xqda(X, classes));
    expect(() =>
      xqda(
        X,
        labels.map((_, i) => i),
      ),
    ).toThrow("at least two rows");
    expect(() => xqda(X, labels, { views: labels })).toThrow("two different values, got 3");
    const split = labels.map((label) => (label === labels[0] ? "a" : "b"));
    expect(() => xqda(X, split, { views: split })).toThrow("rows in both views");
    const same = fromRows([[1], [-1], [1], [-1]]);
    expect(() => xqda(same, [0, 0, 1, 1])).toThrow("no direction varies more");
  });
});
