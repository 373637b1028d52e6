import { expect, test } from "vitest";
import { biclusters, solveBiclusters, type BiclusterProblem } from "../../src/recipes/index.ts";
import { random } from "../../src/core/random.ts";
import { neighborGraph, type Edges } from "../../src/graph/index.ts";
import { matrix, transpose, type Matrix } from "../../src/matrix/index.ts";
import { adjustedRand } from "../../src/score/index.ts";

interface Board {
  readonly X: Matrix;
  readonly rows: Int32Array;
  readonly columns: Int32Array;
}

/** R x C blocks with means of deviation 3, and noise. */
function board(n: number, d: number, R: number, C: number, noise: number, seed: number): Board {
  const draw = random(seed);
  const rows = draw.shuffle(Int32Array.from({ length: n }, (_, i) => i % R));
  const columns = draw.shuffle(Int32Array.from({ length: d }, (_, k) => k % C));
  const means = Array.from({ length: R * C }, () => 3 * draw.normal());
  const X = matrix(n, d);
  for (let i = 0; i < n; i++)
    for (let k = 0; k < d; k++) X.data[i * d + k] = means[rows[i] * C + columns[k]] + noise * draw.normal();
  return { X, rows, columns };
}

function problemOf(X: Matrix): BiclusterProblem {
  const graph = (Z: Matrix): Edges => neighborGraph(Z, { neighbors: 3, alpha: 0.1, join: true }).graph;
  return { X, rows: graph(X), columns: graph(transpose(X)) };
}

/** P(U), written out. */
function objective({ X, rows, columns }: BiclusterProblem, gamma: number, U: Matrix): number {
  const d = X.cols;
  let sum = 0;
  for (let e = 0; e < X.data.length; e++) sum += 0.5 * (X.data[e] - U.data[e]) ** 2;
  for (let l = 0; l < rows.from.length; l++) {
    const parts = Array.from(
      { length: d },
      (_, k) => U.data[rows.from[l] * d + k] - U.data[rows.to[l] * d + k],
    );
    sum += gamma * rows.weights[l] * Math.hypot(...parts);
  }
  for (let l = 0; l < columns.from.length; l++) {
    const parts = Array.from(
      { length: X.rows },
      (_, i) => U.data[i * d + columns.from[l]] - U.data[i * d + columns.to[l]],
    );
    sum += gamma * columns.weights[l] * Math.hypot(...parts);
  }
  return sum;
}

/** ADMM with one copy of every difference, its linear system solved by Gauss-Seidel sweeps: slow, and nothing shared. */
function slowSolution(problem: BiclusterProblem, gamma: number): Matrix {
  const { X, rows, columns } = problem;
  const [n, d] = [X.rows, X.cols];
  const edges = [
    ...Array.from(rows.from, (from, l) => ({
      weight: rows.weights[l],
      cells: Array.from({ length: d }, (_, k) => [from * d + k, rows.to[l] * d + k]),
    })),
    ...Array.from(columns.from, (from, l) => ({
      weight: columns.weights[l],
      cells: Array.from({ length: n }, (_, i) => [i * d + from, i * d + columns.to[l]]),
    })),
  ].map((edge) => ({ ...edge, V: edge.cells.map(() => 0), L: edge.cells.map(() => 0) }));
  const U = Float64Array.from(X.data);
  const at = U.map(() => 0) as unknown as number[];
  const touching: { e: number; c: number; sign: number; other: number }[][] = Array.from(at, () => []);
  edges.forEach(({ cells }, e) =>
    cells.forEach(([a, b], c) => {
      touching[a].push({ e, c, sign: 1, other: b });
      touching[b].push({ e, c, sign: -1, other: a });
    }),
  );
  for (let iteration = 0; iteration < 4000; iteration++) {
    for (let sweep = 0; sweep < 3; sweep++) {
      for (let a = 0; a < U.length; a++) {
        let right = X.data[a];
        for (const { e, c, sign, other } of touching[a])
          right += U[other] + sign * (edges[e].V[c] - edges[e].L[c]);
        U[a] = right / (1 + touching[a].length);
      }
    }
    for (const edge of edges) {
      const shifted = edge.cells.map(([a, b], c) => U[a] - U[b] + edge.L[c]);
      const length = Math.hypot(...shifted);
      const keep = length > 0 ? Math.max(0, 1 - (gamma * edge.weight) / length) : 0;
      edge.V = shifted.map((value) => keep * value);
      edge.L = shifted.map((value, c) => value - edge.V[c]);
    }
  }
  return { rows: n, cols: d, data: U };
}

test.each([0.05, 0.3, 1])("gamma %s: the optimum of an independent slow solver", (gamma) => {
  const problem = problemOf(board(9, 6, 2, 2, 1, 5).X);
  const { U, certificate, converged } = solveBiclusters(problem, { gamma, tolerance: 1e-9 });
  expect(converged).toBe(true);
  expect(certificate.primal).toBeCloseTo(objective(problem, gamma, U), 9);
  expect(certificate.dual).toBeLessThanOrEqual(certificate.primal);
  const slow = slowSolution(problem, gamma);
  const reached = objective(problem, gamma, slow);
  expect(reached).toBeGreaterThanOrEqual(certificate.dual - 1e-9);
  expect(Math.abs(reached - certificate.primal) / reached).toBeLessThan(1e-6);
  for (let e = 0; e < U.data.length; e++) expect(Math.abs(U.data[e] - slow.data[e])).toBeLessThan(2e-3);
});

test("a start from another gamma gives the same solution", () => {
  const problem = problemOf(board(14, 10, 3, 2, 1, 2).X);
  const near = solveBiclusters(problem, { gamma: 0.4 });
  const warm = solveBiclusters(problem, { gamma: 0.5, start: near, tolerance: 1e-9 });
  const cold = solveBiclusters(problem, { gamma: 0.5, tolerance: 1e-9 });
  for (let e = 0; e < cold.U.data.length; e++)
    expect(Math.abs(warm.U.data[e] - cold.U.data[e])).toBeLessThan(1e-3);
  expect(Math.abs(warm.certificate.primal - cold.certificate.primal)).toBeLessThan(
    2e-9 * Math.max(1, cold.certificate.primal),
  );
});

test.each([
  [60, 40, 4, 3, 1],
  [100, 60, 3, 5, 1.5],
  [40, 30, 2, 4, 1],
])("a %s x %s checkerboard of %s x %s blocks is found", (n, d, R, C, noise) => {
  const { X, rows, columns } = board(n, d, R, C, noise, n);
  const found = biclusters(X);
  expect([found.clusters, found.columnClusters]).toEqual([R, C]);
  expect([adjustedRand(found.labels, rows), adjustedRand(found.columnLabels, columns)]).toEqual([1, 1]);
  expect(found.converged).toBe(true);
  expect(found.certificate.relativeGap).toBeLessThanOrEqual(1e-6);
  expect([found.blocks.rows, found.blocks.cols]).toEqual([R, C]);
  expect(found.sizes.reduce((a, b) => a + b, 0)).toBe(n);
});

test("noise has one block", () => {
  const found = biclusters(board(50, 30, 1, 1, 1, 3).X);
  expect([found.clusters, found.columnClusters]).toEqual([1, 1]);
});

test("numbers of groups that are asked for", () => {
  const { X, rows } = board(60, 24, 3, 3, 2, 8);
  const found = biclusters(X, { clusters: 3, columnClusters: 3 });
  expect([found.clusters, found.columnClusters]).toEqual([3, 3]);
  expect(adjustedRand(found.labels, rows)).toBeGreaterThan(0.9);
});

test("a warning names the groups that were asked for and not found, and nothing else", () => {
  const { X } = board(30, 12, 3, 2, 0.3, 5);
  expect(biclusters(X).warnings).toEqual([]);
  expect(biclusters(X, { clusters: 3, columnClusters: 2 }).warnings).toEqual([]);
  const { warnings, clusters, columnClusters } = biclusters(X, {
    gamma: 1e6,
    clusters: 3,
    columnClusters: 2,
  });
  expect([clusters, columnClusters]).toEqual([1, 1]);
  expect(warnings).toEqual([
    "no gamma gave 3 groups of rows; 1 were found",
    "no gamma gave 2 groups of columns; 1 were found",
  ]);
});

test("the order of rows and columns does not matter, nor does a shift", () => {
  const { X } = board(40, 20, 3, 2, 1, 4);
  const draw = random(9);
  const order = draw.shuffle(Int32Array.from({ length: 40 }, (_, i) => i));
  const across = draw.shuffle(Int32Array.from({ length: 20 }, (_, k) => k));
  const Y = matrix(40, 20);
  for (let i = 0; i < 40; i++)
    for (let k = 0; k < 20; k++) Y.data[i * 20 + k] = X.data[order[i] * 20 + across[k]] + 7;
  const [first, second] = [biclusters(X), biclusters(Y)];
  expect(
    adjustedRand(
      second.labels,
      order.map((i) => first.labels[i]),
    ),
  ).toBe(1);
  expect(
    adjustedRand(
      second.columnLabels,
      across.map((k) => first.columnLabels[k]),
    ),
  ).toBe(1);
});

test("names what is wrong", () => {
  const { X } = board(10, 6, 2, 2, 1, 1);
  expect(() => biclusters(matrix(5, 1))).toThrow("at least 2 rows and 2 columns");
  expect(() => biclusters(X, { clusters: 11 })).toThrow("more groups than rows");
  expect(() => biclusters(X, { columnClusters: 0 })).toThrow("columnClusters");
  expect(() => solveBiclusters(problemOf(X), { gamma: -1 })).toThrow("gamma must be");
});
