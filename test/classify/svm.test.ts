import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { linearSvm, svm, type Svm } from "../../src/classify/index.ts";
import { smo } from "../../src/classify/svm/smo.ts";
import { fromRows, matrix, row, takeRows, type Matrix } from "../../src/matrix/matrix.ts";
import { random } from "../../src/core/random.ts";
import type { Label } from "../../src/score/labels.ts";
import "../seed.ts";
import { plainState } from "./plainSmo.ts";
import { clouds, permuted, tables } from "./samples.ts";

const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, value, f) => sum + value * b[f], 0);

function kernelOf({ kernel }: Svm, a: Float64Array, b: Float64Array): number {
  if (kernel.kind === "linear") return dot(a, b);
  return Math.exp(-kernel.gamma * a.reduce((sum, value, f) => sum + (value - b[f]) ** 2, 0));
}

/** Primal and dual objective of a two-class machine from its stored parts alone. */
function objectives(
  model: Svm,
  X: Matrix,
  y: readonly Label[],
  cost: number,
): { primal: number; dual: number } {
  const beta = model.toJSON().coefficients[0];
  const S = model.supportVectors;
  let norm = 0;
  for (let i = 0; i < S.rows; i++) {
    for (let j = 0; j < S.rows; j++) norm += beta[i] * beta[j] * kernelOf(model, row(S, i), row(S, j));
  }
  const F = model.decision(X).data;
  const slack = y.reduce<number>(
    (sum, label, i) => sum + Math.max(0, 1 - (label === model.classes[0] ? F[i] : -F[i])),
    0,
  );
  return {
    primal: norm / 2 + cost * slack,
    dual: beta.reduce((sum, value) => sum + Math.abs(value), 0) - norm / 2,
  };
}

describe("svm", () => {
  test("primal and dual objective meet, coefficients are within their bounds and sum to 0", () => {
    fc.assert(
      fc.property(
        tables,
        fc.constantFrom("rbf", "linear"),
        fc.constantFrom(0.1, 1, 100),
        ({ X, y }, kernel, cost) => {
          const two = y.map((label) => Number(label === 0));
          const model = svm(X, two, { kernel: kernel as "rbf", cost, tolerance: 1e-8 });
          expect(model.converged).toBe(true);
          const { primal, dual } = objectives(model, X, two, cost);
          expect(dual).toBeCloseTo(model.objective, 6);
          expect((primal - dual) / (1 + dual)).toBeLessThan(1e-6);
          expect((primal - dual) / (1 + dual)).toBeGreaterThan(-1e-9);
          const beta = model.toJSON().coefficients[0];
          expect(Math.abs(beta.reduce((sum, value) => sum + value, 0))).toBeLessThan(1e-9 * cost);
          for (const value of beta) expect(Math.abs(value)).toBeLessThanOrEqual(cost);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("does not depend on the order of rows, nor on shifts; equal scales are absorbed by gamma", () => {
    const { X, y } = clouds(60, 3, 3, { apart: 1 });
    const model = svm(X, y, { tolerance: 1e-8 });
    const F = model.decision(X).data;
    const other = permuted(X, y, 5);
    const again = svm(other.X, other.y, { tolerance: 1e-8 }).decision(X).data;
    const moved = matrix(
      60,
      3,
      X.data.map((value) => 8 * value + 3),
    );
    const far = svm(moved, y, { tolerance: 1e-8 }).decision(moved).data;
    F.forEach((value, p) => {
      expect(again[p]).toBeCloseTo(value, 6);
      expect(far[p]).toBeCloseTo(value, 6);
    });
  });

  test("rows given twice count as twice the cost", () => {
    const { X, y } = clouds(40, 2, 2, { apart: 1 });
    const twice = takeRows(
      X,
      [...X.data.keys()].slice(0, 40).flatMap((i) => [i, i]),
    );
    const F = svm(X, y, { cost: 2, gamma: 0.5, tolerance: 1e-8 }).decision(X).data;
    const G = svm(
      twice,
      y.flatMap((label) => [label, label]),
      { cost: 1, gamma: 0.5, tolerance: 1e-8 },
    ).decision(X);
    G.data.forEach((value, p) => expect(value).toBeCloseTo(F[p], 5));
  });

  test("a cache of a few rows gives the same machine as the whole kernel", () => {
    const { X, y } = clouds(150, 4, 3, { apart: 0.7 });
    const whole = svm(X, y, { tolerance: 1e-6 });
    const small = svm(X, y, { tolerance: 1e-6, cacheMegabytes: 0.005 });
    whole.pairs.forEach(({ objective }, p) => expect(small.pairs[p].objective).toBeCloseTo(objective, 8));
    expect(small.predict(X)).toEqual(whole.predict(X));
  });

  test("an exclusive-or needs the kernel", () => {
    const X = fromRows([
      [0, 0],
      [1, 1],
      [0, 1],
      [1, 0],
    ]);
    const y = ["same", "same", "different", "different"];
    expect(svm(X, y, { gamma: 1, cost: 100 }).predict(X)).toEqual(y);
  });

  test("equal rows of two classes and constant data end with the larger class", () => {
    const model = svm(fromRows([[1], [1], [1]]), ["a", "b", "b"]);
    expect(model.converged).toBe(true);
    expect(model.predict(fromRows([[1]]))).toEqual(["b"]);
  });

  test("says when it did not converge", () => {
    const { X, y } = clouds(60, 2, 2, { apart: 0.1 });
    const model = svm(X, y, { maxIterations: 5 });
    expect(model.converged).toBe(false);
    expect(model.warnings.join()).toMatch("1 of 1 pairs of classes did not reach the tolerance");
    expect(model.certificate.residual).toBeGreaterThan(1e-3);
  });
});

describe("linearSvm", () => {
  const primal = (
    model: ReturnType<typeof linearSvm>,
    X: Matrix,
    y: readonly Label[],
    { cost, loss }: { cost: number; loss: "hinge" | "squared-hinge" },
    c: number,
  ): number => {
    const w = row(model.weights, c);
    let sum = (dot(w, w) + model.intercepts[c] ** 2) / 2;
    y.forEach((label, i) => {
      const f = dot(w, row(X, i)) + model.intercepts[c];
      const slack = Math.max(0, 1 - (label === model.classes[c] ? f : -f));
      sum += cost * (loss === "hinge" ? slack : slack ** 2);
    });
    return sum;
  };

  test("weights have the objective that is reported, no step in any direction lowers it", () => {
    fc.assert(
      fc.property(
        tables,
        fc.constantFrom("hinge" as const, "squared-hinge" as const),
        fc.constantFrom(0.1, 1, 50),
        ({ X, y }, loss, cost) => {
          const model = linearSvm(X, y, { loss, cost, tolerance: 1e-8 });
          expect(model.converged).toBe(true);
          model.machines.forEach(({ objective }, c) => {
            expect(primal(model, X, y, { cost, loss }, c)).toBeCloseTo(objective, 6);
            for (let f = 0; f < X.cols; f++) {
              for (const step of [-1e-3, 1e-3]) {
                const p = c * X.cols + f;
                const weights = model.weights.data.slice();
                weights[p] += step;
                const near = { ...model, weights: matrix(model.classes.length, X.cols, weights) };
                expect(primal(near, X, y, { cost, loss }, c)).toBeGreaterThan(objective * (1 - 1e-7));
              }
            }
          });
        },
      ),
      { numRuns: 60 },
    );
  });

  test("few rows with many features and many rows with few reach the same tolerance", () => {
    for (const [n, d] of [
      [30, 200],
      [400, 3],
      [3100, 2],
    ]) {
      const { X, y } = clouds(n, d, 3, { apart: 1 });
      for (const loss of ["hinge", "squared-hinge"] as const) {
        const model = linearSvm(X, y, { loss });
        expect(model.converged).toBe(true);
        expect(model.certificate.residual).toBeLessThan(1e-6);
      }
    }
  });

  test("does not depend on the order of rows", () => {
    const { X, y } = clouds(80, 3, 3, { apart: 1 });
    const other = permuted(X, y, 2);
    const F = linearSvm(X, y, { tolerance: 1e-9 }).decision(X).data;
    const G = linearSvm(other.X, other.y, { tolerance: 1e-9, seed: 9 }).decision(X).data;
    F.forEach((value, p) => expect(G[p]).toBeCloseTo(value, 4));
  });

  test("columns of very different scales do not keep the squared hinge from its optimum", () => {
    const { X, y } = clouds(120, 4, 3, { apart: 1 });
    const wild = matrix(
      120,
      4,
      X.data.map((value, p) => (value + 5) * 10 ** (2 * (p % 4) - 3)),
    );
    for (const cost of [1, 1000]) {
      const model = linearSvm(wild, y, { cost });
      expect(model.converged).toBe(true);
      expect(model.certificate.residual).toBeLessThan(1e-6);
    }
    const hinge = linearSvm(wild, y, { loss: "hinge", cost: 1000, maxIterations: 100 });
    expect(hinge.converged || hinge.warnings.length === 1).toBe(true);
  });

  test("without an intercept the plane goes through the origin", () => {
    const { X, y } = clouds(50, 2, 2);
    const model = linearSvm(X, y, { intercept: false });
    expect(Array.from(model.intercepts)).toEqual([0, 0]);
    expect(Array.from(model.decision(matrix(1, 2)).data)).toEqual([0, 0]);
  });

  test("says when it did not converge", () => {
    const { X, y } = clouds(60, 2, 2, { apart: 0.1 });
    const model = linearSvm(X, y, { loss: "hinge", maxIterations: 1, tolerance: 1e-12 });
    expect(model.converged).toBe(false);
    expect(model.warnings.join()).toMatch("1 of 1 machines did not reach the tolerance (relative gap");
  });
});

test("gamma of a linear kernel is refused, not ignored", () => {
  const X = fromRows([[0], [1], [2], [3]]);
  expect(() => svm(X, ["a", "a", "b", "b"], { kernel: "linear", gamma: 2 })).toThrow(
    /"gamma" belongs to the kernel "rbf"/,
  );
});

test.each([
  ["rbf", 200],
  ["rbf", 0.1],
  ["linear", 200],
] as const)("%s machines of many rows are those of plain loops, %s MB of cache", (kernel, cacheMegabytes) => {
  const { normal } = random(4);
  // Far from the origin a linear kernel is all cancellation.
  const shift = kernel === "linear" ? 0 : 1e4;
  const rows = Array.from({ length: 1203 }, (_, i) =>
    Array.from({ length: 5 }, (_, f) => shift + normal() + (f === i % 3 ? 1.5 : 0)),
  );
  const X = fromRows(rows);
  const model = svm(
    X,
    rows.map((_, i) => ["a", "b", "c"][i % 3]),
    { kernel, cacheMegabytes },
  );
  const solver = { cost: 1, tolerance: 1e-3, maxIterations: 1e6, report: () => true };
  let objective = 0;
  for (const [first, second] of [
    [0, 1],
    [0, 2],
    [1, 2],
  ]) {
    const members = [first, second].flatMap((c) => rows.flatMap((_, i) => (i % 3 === c ? i : [])));
    const y = Float64Array.from(members, (i) => (i % 3 === first ? 1 : -1));
    const state = plainState(model.kernel, takeRows(X, members), y, solver.cost);
    objective += smo({ y, state, ...solver }).objective;
  }
  expect(model.converged).toBe(true);
  expect(model.supportVectors.rows).toBeGreaterThan(100);
  expect(Math.abs(model.objective / objective - 1)).toBeLessThan(1e-6);
});
