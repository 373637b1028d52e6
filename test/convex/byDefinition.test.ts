import { expect, test } from "vitest";
import { COMMON, makeSetting } from "../../src/convex/path/setting.ts";
import { fisherDirections } from "../../src/convex/recipe/fisher.ts";
import { solveConvex } from "../../src/convex/solve/solve.ts";
import { resolveOptions } from "../../src/core/options.ts";
import { gram, multiply, row, type Matrix } from "../../src/matrix/index.ts";
import { biclusters, ccscml } from "../../src/recipes/index.ts";
import { gaussians } from "./gaussians.ts";
import { blobs } from "./smallProblems.ts";

/* Parts of the recipes, computed again from their definitions. */

/** The mean of the rows with these numbers. */
function meanOf(X: Matrix, rows: readonly number[]): number[] {
  return Array.from(
    { length: X.cols },
    (_, f) => rows.reduce((sum, i) => sum + row(X, i)[f], 0) / rows.length,
  );
}

const distance = (a: ArrayLike<number>, b: readonly number[]): number =>
  b.reduce((sum, value, f) => sum + (a[f] - value) ** 2, 0);

test("the Fisher direction of two clusters is that of their closest rows", () => {
  const { X } = gaussians(2, 30, 2, 5);
  const labels = Int32Array.from({ length: X.rows }, (_, i) => (i * 7) % 2);
  for (let i = 0; i < X.rows; i++) X.data[2 * i] += 3 * labels[i];
  const [fraction, ridge] = [0.6, 0.2];
  const means = [0, 1].map((c) => {
    const all = Array.from(labels.keys()).filter((i) => labels[i] === c);
    const center = meanOf(X, all);
    const closest = all.sort((i, j) => distance(row(X, i), center) - distance(row(X, j), center));
    const core = closest.slice(0, Math.ceil(fraction * all.length));
    return { core, mean: meanOf(X, core) };
  });
  const within = [0, 0, 0, 0];
  for (const { core, mean } of means) {
    for (const i of core) {
      const [a, b] = Array.from(row(X, i), (x, f) => x - mean[f]);
      [a * a, a * b, b * a, b * b].forEach((value, p) => (within[p] += value));
    }
  }
  const floor = (1e-9 * (within[0] + within[3])) / 2;
  const [p, q, s] = [(1 + ridge) * within[0] + floor, within[1], (1 + ridge) * within[3] + floor];
  const [u, v] = means[0].mean.map((m, f) => m - means[1].mean[f]);
  // S_B = 1/2 (u, v)(u, v)' for two cores of one size: q = S_W^-1 (u, v) and lambda = (u, v) q / 2.
  const [x, y] = [(s * u - q * v) / (p * s - q * q), (p * v - q * u) / (p * s - q * q)];
  const { Q, values } = fisherDirections(X, labels, 2, { directions: 1, fraction, ridge });
  expect(values[0]).toBeCloseTo((u * x + v * y) / 2, 10);
  expect(Math.abs(Q.data[0] * x + Q.data[1] * y)).toBeCloseTo(Math.hypot(x, y), 10);
});

test("sigma of CCSCML is the geometric mean of the residuals divided by each", () => {
  const { X } = gaussians(3, 20, 4, 2);
  const start = Array.from({ length: X.rows }, (_, i) => i % 3);
  const { rounds } = ccscml(X, { clusters: 3, iterations: 1, start });
  const { Q, sigma } = rounds[0];
  const P = multiply(X, Q);
  const centers = [0, 1, 2].map((c) =>
    meanOf(
      P,
      Array.from(start.keys()).filter((i) => start[i] === c),
    ),
  );
  const residuals = [0, 1].map((f) =>
    start.reduce((sum, c, i) => sum + (row(P, i)[f] - centers[c][f]) ** 2, 0),
  );
  const [A, B] = residuals;
  expect(sigma[0]).toBeCloseTo(Math.sqrt(A * B) / A, 8);
  expect(sigma[1]).toBeCloseTo(Math.sqrt(A * B) / B, 8);
});

test("a graph whose lists have different lengths is refused by these", () => {
  const { graph, ...rest } = blobs(6, 2, 1);
  for (const name of ["from", "to", "weights"] as const) {
    const problem = { ...rest, graph: { ...graph, [name]: graph[name].slice(1) } };
    expect(() => solveConvex(problem, { gamma: 1 })).toThrow("the graph's arrays disagree");
  }
});

test("a warm start does not see what an earlier problem left in the kernel's memory", () => {
  const problem = blobs(12, 3, 4);
  const start = solveConvex(problem, { gamma: 1 });
  const warm = () => solveConvex(problem, { gamma: 0.9, start });
  const clean = warm();
  const large = blobs(40, 8, 5);
  for (let p = 0; p < large.X.data.length; p++) large.X.data[p] *= 1e3;
  solveConvex(large, { gamma: 2 });
  expect(warm()).toEqual(clean);
});

test("points that stand for several rows count as these", () => {
  const { X } = blobs(12, 2, 1);
  const masses = Float64Array.from({ length: 12 }, (_, i) => i + 1);
  const options = resolveOptions("cc", {}, COMMON);
  expect(makeSetting("cc", X, options, { solve: solveConvex, masses }).judge.rows).toBe(78);
  expect(makeSetting("cc", X, options, { solve: solveConvex }).judge.rows).toBe(12);
});

test("the path of biclusters is refined around its best step", () => {
  const gammas = biclusters(blobs(20, 6, 3).X).path.map(({ gamma }) => gamma);
  const has = (wanted: number): boolean => gammas.some((gamma) => Math.abs(gamma / wanted - 1) < 1e-12);
  expect(gammas.some((gamma) => [0.6, 0.8, 1.25, 1.6].every((factor) => has(factor * gamma)))).toBe(true);
});

test("a full metric takes as many sweeps in other units", () => {
  const { X, graph } = blobs(30, 4, 7);
  const metric = gram(X);
  for (let f = 0; f < 4; f++) metric.data[5 * f] *= 1.2;
  const large = { ...X, data: X.data.map((x) => 1024 * x) };
  const [one, other] = [X, large].map((rows, k) =>
    solveConvex({ X: rows, graph, norm: 1, metric }, { gamma: 1024 ** k * 20, tolerance: 1e-3 }),
  );
  expect(one.certificate.primal).toBeGreaterThan(1);
  expect(other.iterations).toBe(one.iterations);
});
