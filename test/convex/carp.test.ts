import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { carpPath } from "../../src/convex/recipe/carp.ts";
import type { ConvexProblem, ConvexSolution, Norm } from "../../src/convex/solve/problem.ts";
import { solveConvex } from "../../src/convex/solve/solve.ts";
import { solve } from "../../src/matrix/factor/solve.ts";
import { fromRows, matrix, type Matrix } from "../../src/matrix/matrix.ts";
import { carp, cc } from "../../src/recipes/index.ts";
import { adjustedRand } from "../../src/score/index.ts";
import { gaussians } from "./gaussians.ts";
import { graphOf, inCross, instance, largestDifference } from "./instances.ts";

const NORMS: Norm[] = [1, 2, "inf"];
type Step = Pick<ConvexSolution, "gamma" | "certificate" | "fused"> & { readonly U: Matrix };

/** All steps, or those up to a gamma. */
function stepsOf(
  problem: ConvexProblem,
  { ratio = 1.05, tolerance = 1, variant = "printed" as "printed" | "repaired", until = Infinity },
): Step[] {
  const steps: Step[] = [];
  carpPath(problem, { ratio, tolerance, variant }, ({ gamma, U, certificate, fused }) => {
    steps.push({ gamma, U: matrix(U.rows, U.cols, U.data.slice()), certificate, fused });
    return gamma < until;
  });
  return steps;
}

/** Algorithm 1 of Weylandt et al. (2020) with Z = 0 at first: dense matrices, and the proximal map of each norm. */
function literal({ X, graph, norm }: ConvexProblem, gammas: readonly number[]): Matrix[] {
  const { nodes: n, from, to, weights } = graph;
  const d = X.cols;
  const rho = (10 * n) / (2 * from.length);
  const A = matrix(n, n);
  for (let i = 0; i < n; i++) A.data[i * n + i] = 1;
  from.forEach((i, l) => {
    const j = to[l];
    A.data[i * n + i] += rho;
    A.data[j * n + j] += rho;
    A.data[i * n + j] -= rho;
    A.data[j * n + i] -= rho;
  });
  const difference = (U: Matrix, l: number): number[] =>
    Array.from({ length: d }, (_, k) => U.data[from[l] * d + k] - U.data[to[l] * d + k]);
  const proximal = (v: number[], t: number): number[] => {
    if (norm === 1) return v.map((x) => Math.sign(x) * Math.max(0, Math.abs(x) - t));
    if (norm === 2) return v.map((x) => x * Math.max(0, 1 - t / Math.hypot(...v)));
    const near = inCross(v, t);
    return v.map((x, k) => x - near[k]);
  };
  const V = Array.from(from, (_, l) => difference(X, l));
  const Z = V.map((v) => v.map(() => 0));
  return gammas.map((gamma) => {
    const R = matrix(n, d, X.data.slice());
    V.forEach((v, l) =>
      v.forEach((value, k) => {
        const pull = rho * (value - Z[l][k] / rho);
        R.data[from[l] * d + k] += pull;
        R.data[to[l] * d + k] -= pull;
      }),
    );
    const U = solve(A, R);
    V.forEach((_, l) => {
      const moved = difference(U, l);
      V[l] = proximal(
        moved.map((value, k) => value + Z[l][k] / rho),
        (gamma * weights[l]) / rho,
      );
      Z[l] = Z[l].map((value, k) => value + rho * (moved[k] - V[l][k]));
    });
    return U;
  });
}

/** The largest distance of a step from the exact centres, and how far it may be by the certificates. */
function distances(problem: ConvexProblem, steps: readonly Step[]) {
  return steps.map(({ gamma, U, certificate }) => {
    const exact = solveConvex(problem, { gamma, tolerance: 1e-11 });
    const squares = U.data.reduce((sum, value, p) => sum + (value - exact.U.data[p]) ** 2, 0);
    const bound = Math.sqrt(2 * certificate.gap) + Math.sqrt(2 * exact.certificate.gap);
    return { distance: Math.sqrt(squares), bound };
  });
}

describe.each(NORMS)("as printed, q = %s", (norm) => {
  const problem = instance({ seed: 1, n: 14, d: 3, norm });

  test("is the plain code of a page", () => {
    const steps = stepsOf(problem, { ratio: 1.1 });
    const plain = literal(
      problem,
      steps.map(({ gamma }) => gamma),
    );
    expect(steps.length).toBeGreaterThan(30);
    steps.forEach(({ U }, s) => expect(largestDifference(U, plain[s])).toBeLessThan(1e-9));
  });

  test("is never farther from the exact centres than its certificate says, and comes nearer at first order", () => {
    // A step keeps a share of its error and adds the movement of the path over one step of gamma, which is proportional to
    // ratio - 1: where that is halved, the largest error tends to its half. The first steps have the error of the start.
    const errors = [0.04, 0.02, 0.01].map((step) => {
      const steps = stepsOf(problem, { ratio: 1 + step });
      const found = distances(problem, steps);
      for (const { distance, bound } of found) expect(distance).toBeLessThanOrEqual(bound + 1e-9);
      const settled = found.filter((_, s) => steps[s].gamma > 3 * steps[0].gamma);
      return Math.max(...settled.map(({ distance }) => distance));
    });
    expect(errors[1] / errors[0]).toBeLessThan(0.65);
    expect(errors[2] / errors[1]).toBeLessThan(0.65);
  });

  test("begins with nothing fused and ends with all", () => {
    const steps = stepsOf(problem, {});
    expect(steps[0].fused.includes(1)).toBe(false);
    expect(steps.at(-1)!.fused.includes(0)).toBe(false);
  });
});

interface Plain {
  readonly norm: "1" | "2" | "inf";
  readonly gamma: number;
  readonly objective: number;
  readonly U: readonly number[][];
}

const fixture = JSON.parse(
  readFileSync(new URL("../fixtures/convex-rivals.json", import.meta.url), "utf8"),
) as {
  X: readonly number[][];
  edges: readonly (readonly [number, number, number])[];
  plain: readonly Plain[];
};

test.each(fixture.plain)("is the minimum of cvxpy: norm $norm, gamma $gamma", (one) => {
  const X = fromRows(fixture.X);
  const norm = (one.norm === "inf" ? one.norm : Number(one.norm)) as Norm;
  const problem: ConvexProblem = { X, graph: graphOf(X.rows, fixture.edges), norm };
  // A ratio near 1.05 with which the path meets gamma.
  const [{ gamma: first }] = stepsOf(problem, { until: 0 });
  const length = Math.log(one.gamma / first);
  const ratio = Math.exp(length / Math.ceil(length / Math.log(1.05)));
  const until = one.gamma * (1 - 1e-9);
  const { gamma, U, certificate } = stepsOf(problem, {
    ratio,
    tolerance: 1e-9,
    variant: "repaired",
    until,
  }).at(-1)!;
  expect(Math.abs(gamma / one.gamma - 1)).toBeLessThan(1e-9);
  expect(certificate.relativeGap).toBeLessThan(1e-9);
  expect(Math.abs(certificate.primal / one.objective - 1)).toBeLessThan(1e-7);
  expect(largestDifference(U, fromRows(one.U))).toBeLessThan(Math.sqrt(2 * certificate.gap) + 1e-5);
});

describe("as a method", () => {
  const { X, y } = gaussians(3, 40, 4, 11);

  test.each(NORMS)("finds three Gaussians, as cc does, every step within its tolerance: q = %s", (norm) => {
    const fit = carp(X, { clusters: 3, norm });
    expect(fit.method).toBe("carp");
    expect(adjustedRand(y, fit.labels)).toBeGreaterThan(0.9);
    expect(adjustedRand(cc(X, { clusters: 3, norm }).labels, fit.labels)).toBeGreaterThan(0.9);
    expect(fit.converged).toBe(true);
    expect(fit.warnings).toEqual([]);
    for (const { certificate } of fit.path.steps) expect(certificate.relativeGap).toBeLessThanOrEqual(0.001);
    expect(fit.path.steps[0].clusters).toBe(Math.min(...fit.availableCounts));
    expect(fit.path.steps.at(-1)!.clusters).toBe(X.rows);
    expect(fit.iterations).toBeGreaterThan(fit.path.steps.length);
  });

  test("as printed it takes one step at each gamma, and says how many of them prove nothing", () => {
    const fit = carp(X, { clusters: 3, variant: "printed" });
    expect(fit.iterations).toBe(fit.path.steps.length);
    expect(fit.converged).toBe(false);
    expect(fit.warnings.join()).toMatch(/^\d+ of \d+ solves did not reach the tolerance/);
    expect(adjustedRand(y, fit.labels)).toBeGreaterThan(0.9);
  });

  test("keeps pairs, and stops on request with what it has", () => {
    const other = y.findIndex((label) => label !== y[0]);
    const { labels, pairs } = carp(X, { clusters: 3, mustLink: [[0, other]] });
    expect(labels[0]).toBe(labels[other]);
    expect(pairs?.violated).toBe(0);
    const stopped = carp(X, { clusters: 3, onProgress: () => false });
    expect(stopped.converged).toBe(false);
    expect(stopped.labels).toHaveLength(X.rows);
    expect(stopped.warnings.join()).toMatch(/stopped/);
  });
});
