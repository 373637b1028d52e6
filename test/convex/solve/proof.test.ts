import { describe, expect, test } from "vitest";
import {
  cc,
  ccml,
  ccscml,
  rcc,
  scc,
  solveConvex,
  solveRcc,
  solveScc,
  type ConvexProblem,
  type ConvexSolution,
  type Norm,
} from "../../../src/recipes/index.ts";
import { KindredError } from "../../../src/core/messages.ts";
import { random } from "../../../src/core/random.ts";
import { matrix, type Matrix, mapped } from "../../../src/matrix/matrix.ts";
import { instance } from "../instances.ts";

/*
 * Every solver's proof, computed again from the U and Z that it returns, at every scale of the data: the gap is that of this U,
 * and it is small beside the problem's own size, not beside 1.
 */
const SCALES = [1e-160, 1e-120, 1e-20, 1e-3, 1, 1e20, 1e100, 1e150, 1e300];

/** P(U) and dual(Z) of the plain problem, written out; everything is divided by the scale first, so that squares exist. */
function writtenOut(problem: ConvexProblem, gamma: number, { U, Z }: ConvexSolution, scale: number) {
  const { X, graph, norm } = problem;
  const d = X.cols;
  const g = gamma / scale;
  const at = (A: Matrix, i: number, k: number): number => A.data[i * d + k] / scale;
  let primal = 0;
  let dual = 0;
  const outflow = new Float64Array(X.rows * d);
  graph.from.forEach((i, e) => {
    const j = graph.to[e];
    const difference = Array.from({ length: d }, (_, k) => at(U, i, k) - at(U, j, k));
    const z = Array.from({ length: d }, (_, k) => at(Z, e, k));
    primal += g * graph.weights[e] * size(difference, norm);
    const dualNorm = size(z, norm === 1 ? "inf" : norm === "inf" ? 1 : 2);
    expect(dualNorm).toBeLessThanOrEqual(g * graph.weights[e] * (1 + 1e-9));
    z.forEach((value, k) => {
      outflow[i * d + k] += value;
      outflow[j * d + k] -= value;
    });
  });
  for (let i = 0; i < X.rows; i++) {
    for (let k = 0; k < d; k++) {
      primal += 0.5 * (at(X, i, k) - at(U, i, k)) ** 2;
      dual += outflow[i * d + k] * at(X, i, k) - 0.5 * outflow[i * d + k] ** 2;
    }
  }
  return { primal, dual, spread: spreadOf(X, scale) };
}

/** Half the squared distances from the mean: the objective of complete fusion. */
function spreadOf({ rows, cols, data }: Matrix, scale: number): number {
  let spread = 0;
  for (let k = 0; k < cols; k++) {
    const column = Array.from({ length: rows }, (_, i) => data[i * cols + k] / scale);
    const mean = column.reduce((sum, value) => sum + value / rows, 0);
    for (const value of column) spread += 0.5 * (value - mean) ** 2;
  }
  return spread;
}

function size(values: readonly number[], norm: Norm): number {
  if (norm === 1) return values.reduce((sum, value) => sum + Math.abs(value), 0);
  if (norm === 2) return Math.hypot(...values);
  return Math.max(...values.map(Math.abs));
}

const times = (X: Matrix, scale: number): Matrix => mapped(X, (value) => value * scale);

/** Refusing in words is an answer, too. */
function answered<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    const told =
      error instanceof KindredError && /too (?:large|small)|beyond|number range|scale/.test(error.message);
    if (!told) throw error;
    return undefined;
  }
}

describe.each(SCALES)("data of scale %d", (scale) => {
  test.each([
    [1, "default"],
    [2, "default"],
    ["inf", "default"],
    [1, "admm"],
    [2, "admm"],
  ] as const)("norm %s, solver %s", (norm, solver) => {
    for (let seed = 0; seed < 5; seed++) {
      const plain = instance({ seed, n: 12, d: 3, norm });
      const problem = { ...plain, X: times(plain.X, scale) };
      for (const part of [0.01, 0.1, 0.5]) {
        const gamma = part * scale;
        const solution = answered(() => solveConvex(problem, { gamma, tolerance: 1e-6 }, solver));
        if (solution === undefined) continue;
        const { primal, dual, spread } = writtenOut(problem, gamma, solution, scale);
        const { certificate, converged } = solution;
        expect(certificate.primal / scale / scale).toBeCloseTo(primal, 9);
        expect(converged).toBe(certificate.relativeGap <= 1e-6);
        expect(primal - dual).toBeLessThanOrEqual((converged ? 1.1e-6 : Infinity) * Math.max(primal, spread));
      }
    }
  });

  test("robust and sparse: the answer is that of the same data at scale 1", () => {
    for (let seed = 0; seed < 5; seed++) {
      const plain = instance({ seed, n: 12, d: 3, norm: 1 });
      const problem = { ...plain, X: times(plain.X, scale) };
      const robust = answered(() => solveRcc(problem, { gamma: 0.1 * scale, beta: scale }));
      const sparse = answered(() => solveScc(problem, { gamma: 0.1 * scale, gamma2: 0.1 * scale * scale }));
      const expected = [
        solveRcc(plain, { gamma: 0.1, beta: 1 }),
        solveScc(plain, { gamma: 0.1, gamma2: 0.1 }),
      ];
      [robust, sparse].forEach((found, s) => {
        if (found === undefined || !found.converged) return;
        const error = found.U.data.reduce(
          (most, value, p) => Math.max(most, Math.abs(value / scale - expected[s].U.data[p])),
          0,
        );
        expect(error).toBeLessThan(1e-3);
        expect(found.certificate.primal / scale / scale).toBeCloseTo(expected[s].certificate.primal, 6);
      });
    }
  });

  test.each([cc, rcc, scc, ccml, ccscml])("%o is proven, or says that it is not", (method) => {
    const source = random(3);
    const X = matrix(24, 2);
    for (let i = 0; i < 24; i++) {
      for (let k = 0; k < 2; k++) X.data[2 * i + k] = (8 * (i % 3) * (k + 1) + source.normal()) * scale;
    }
    const found = answered(() => method(X, { clusters: 3 }));
    if (found === undefined) return;
    const { certificate, converged, warnings } = found;
    expect([certificate.primal, certificate.gap, certificate.relativeGap].every(Number.isFinite)).toBe(true);
    expect(certificate.gap).toBeLessThanOrEqual((converged ? 1e-5 : Infinity) * certificate.primal);
    expect(converged || /tolerance|early/.test(warnings.join(" "))).toBe(true);
    expect(new Set(found.labels).size).toBe(3);
  });
});
