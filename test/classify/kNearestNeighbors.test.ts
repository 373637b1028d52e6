import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { kNearestNeighbors } from "../../src/classify/index.ts";
import { fromRows, row, type Matrix } from "../../src/matrix/matrix.ts";
import type { Label } from "../../src/score/labels.ts";
import "../seed.ts";
import { permuted, tables } from "./samples.ts";

/** Shares of votes by comparing all rows, with the places at the k-th distance shared out among all rows there. */
function shares(
  X: Matrix,
  y: readonly Label[],
  classes: readonly Label[],
  x: Float64Array,
  k: number,
  byDistance: boolean,
): number[] {
  const distances = y.map((_, j) => row(X, j).reduce((sum, value, f) => sum + (value - x[f]) ** 2, 0));
  const edge = distances.toSorted((a, b) => a - b)[k - 1];
  const inside = distances.filter((value) => value < edge).length;
  const atEdge = distances.filter((value) => value === edge).length;
  const exact = distances.includes(0);
  const weight = (distance: number): number => {
    const share = distance < edge ? 1 : distance === edge ? (k - inside) / atEdge : 0;
    if (!byDistance) return share;
    if (exact) return distance === 0 ? share : 0;
    return share === 0 ? 0 : share / Math.sqrt(distance);
  };
  const votes = classes.map((c) =>
    distances.reduce((sum, distance, j) => sum + (y[j] === c ? weight(distance) : 0), 0),
  );
  const total = votes.reduce((sum, vote) => sum + vote, 0);
  return votes.map((vote) => vote / total);
}

describe("kNearestNeighbors", () => {
  const cases = fc.record({
    table: tables,
    k: fc.integer({ min: 1, max: 6 }),
    weights: fc.constantFrom("uniform" as const, "distance" as const),
  });

  test("votes are those of comparing all rows, with every tie shared", () => {
    fc.assert(
      fc.property(cases, ({ table: { X, y }, k, weights }) => {
        const model = kNearestNeighbors(X, y, { neighbors: k, weights });
        const P = model.probabilities(X);
        for (let i = 0; i < X.rows; i++) {
          const expected = shares(X, y, model.classes, row(X, i), k, weights === "distance");
          expect(Array.from(row(P, i))).toEqual(expected.map((value) => expect.closeTo(value, 10)));
        }
      }),
    );
  });

  test("the order of training rows changes nothing", () => {
    fc.assert(
      fc.property(cases, fc.nat(), ({ table: { X, y }, k, weights }, seed) => {
        const other = permuted(X, y, seed);
        const model = kNearestNeighbors(X, y, { neighbors: k });
        expect(kNearestNeighbors(other.X, other.y, { neighbors: k }).predict(X)).toEqual(model.predict(X));
        const P = kNearestNeighbors(X, y, { neighbors: k, weights }).probabilities(X);
        const Q = kNearestNeighbors(other.X, other.y, { neighbors: k, weights }).probabilities(X);
        P.data.forEach((value, p) => expect(Q.data[p]).toBeCloseTo(value, 12));
      }),
    );
  });

  test("equal votes go to the class of the nearest row, then to the first class", () => {
    const model = kNearestNeighbors(fromRows([[0], [3]]), ["b", "a"], { neighbors: 2 });
    expect(model.predict(fromRows([[1], [2], [1.5]]))).toEqual(["b", "a", "a"]);
  });

  test("one neighbour of a training row is the row itself", () => {
    const X = fromRows([
      [0, 1],
      [2, 3],
      [4, 5],
      [6, 7],
    ]);
    expect(kNearestNeighbors(X, [1, 2, 1, 2], { neighbors: 1 }).predict(X)).toEqual([1, 2, 1, 2]);
  });

  test("more neighbours than rows are refused", () => {
    expect(() => kNearestNeighbors(fromRows([[0], [1]]), ["a", "b"])).toThrow(
      'option "neighbors" is 5, but there are only 2 training rows',
    );
  });
});
