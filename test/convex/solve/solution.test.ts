import { expect, test } from "vitest";
import { cc } from "../../../src/recipes/cc.ts";
import { convexPath } from "../../../src/recipes/convexPath.ts";
import type { Edges } from "../../../src/graph/edges.ts";
import { fromRows, type Matrix } from "../../../src/matrix/matrix.ts";
import { gaussians } from "../gaussians.ts";

/* The optimality conditions, from the definition and for the rows as they were given: u_i - x_i + sum of the duals that
   leave i - sum of those that enter = 0, duals in their ball, and z'(u_i - u_j) = gamma w ||u_i - u_j||_q. */
function violation(X: Matrix, graph: Edges, gamma: number, q: 1 | 2 | "inf", U: Matrix, Z: Matrix): number {
  const { rows: n, cols: d } = X;
  const row = ({ data }: Matrix, i: number): number[] => Array.from(data.subarray(i * d, (i + 1) * d));
  const norm = (v: number[], p: 1 | 2 | "inf"): number =>
    p === 1
      ? v.reduce((sum, x) => sum + Math.abs(x), 0)
      : p === 2
        ? Math.hypot(...v)
        : Math.max(...v.map(Math.abs));
  const dual = { 1: "inf", 2: 2, inf: 1 }[q] as 1 | 2 | "inf";
  const balance = Array.from({ length: n }, (_, i) => row(U, i).map((u, k) => u - row(X, i)[k]));
  let worst = 0;
  for (let e = 0; e < graph.from.length; e++) {
    const [i, j, z] = [graph.from[e], graph.to[e], row(Z, e)];
    z.forEach((value, k) => {
      balance[i][k] += value;
      balance[j][k] -= value;
    });
    const v = row(U, i).map((u, k) => u - row(U, j)[k]);
    const radius = gamma * graph.weights[e];
    const aligned = z.reduce((sum, value, k) => sum + value * v[k], 0);
    worst = Math.max(worst, norm(z, dual) - radius, radius * norm(v, q) - aligned);
  }
  return Math.max(worst, ...balance.flat().map(Math.abs));
}

test.each([1, 2, "inf"] as const)("U and Z of cc satisfy the optimality conditions, q = %s", (norm) => {
  const { X } = gaussians(3, 12, 3, 7);
  const found = cc(X, { clusters: 3, norm, tolerance: 1e-10, solution: true });
  const { U, Z } = found.solution!;
  expect([U.rows, Z.rows]).toEqual([X.rows, found.graph.from.length]);
  expect(violation(X, found.graph, found.gamma, norm, U, Z)).toBeLessThan(norm === 1 ? 1e-9 : 2e-4);
  expect(cc(X, { clusters: 3, norm }).solution).toBeUndefined();
});

test("with must-links the centres are those of the groups", () => {
  const { X } = gaussians(3, 12, 3, 7);
  const found = cc(X, { clusters: 3, mustLink: [[0, 1]], solution: true });
  expect(found.solution!.U.rows).toBe(X.rows - 1);
  expect(found.solution!.Z.rows).toBe(found.graph.from.length);
});

test("representatives have no solution of all rows, and that is said", () => {
  const { X } = gaussians(3, 12, 3, 7);
  expect(() => cc(X, { clusters: 3, representatives: 9, solution: true })).toThrow(/representatives: 36/);
});

test("raw alpha: the weights are exp(-alpha d^2), also where cc sorts the rows", () => {
  const X = fromRows([
    [3, 0],
    [0, 0],
    [1, 2],
    [2, 2],
    [0.5, 1],
  ]);
  const alpha = 0.3;
  for (const { graph } of [
    convexPath(X, { alpha, rawAlpha: true, neighbors: 4 }),
    cc(X, { alpha, rawAlpha: true, neighbors: 4, gamma: 0.1 }),
  ]) {
    expect(graph.from).toHaveLength(10);
    graph.weights.forEach((weight, e) => {
      const [i, j] = [2 * graph.from[e], 2 * graph.to[e]];
      const square = (X.data[i] - X.data[j]) ** 2 + (X.data[i + 1] - X.data[j + 1]) ** 2;
      expect(weight).toBeCloseTo(Math.exp(-alpha * square), 14);
    });
  }
  // In other units raw weights change, those in units of the median do not.
  const larger = fromRows(Array.from({ length: 5 }, (_, i) => [2 * X.data[2 * i], 2 * X.data[2 * i + 1]]));
  const weightsOf = (rows: Matrix, rawAlpha: boolean): Float64Array =>
    convexPath(rows, { alpha, rawAlpha, neighbors: 4, kind: "union", gammas: [0.1] }).graph.weights;
  expect(weightsOf(larger, false)[0]).toBeCloseTo(weightsOf(X, false)[0], 12);
  expect(weightsOf(larger, true)[0]).toBeLessThan(weightsOf(X, true)[0]);
});
