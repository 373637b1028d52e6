import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import fixtures from "../fixtures/optimize.json" with { type: "json" };
import { random } from "../../src/core/index.ts";
import { lbfgs, type Objective } from "../../src/optimize/index.ts";

/** The extended Rosenbrock function, sum of 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2. */
const rosenbrock: Objective = (x, g) => {
  g.fill(0);
  let sum = 0;
  for (let i = 0; i + 1 < x.length; i++) {
    const a = x[i + 1] - x[i] * x[i];
    const b = 1 - x[i];
    sum += 100 * a * a + b * b;
    g[i] += -400 * a * x[i] - 2 * b;
    g[i + 1] += 200 * a;
  }
  return sum;
};

/** 1/2 ||A x - b||^2 */
function leastSquares(A: number[][], b: number[]): Objective {
  return (x, g) => {
    g.fill(0);
    let sum = 0;
    A.forEach((row, i) => {
      const residual = row.reduce((s, value, j) => s + value * x[j], -b[i]);
      sum += 0.5 * residual * residual;
      row.forEach((value, j) => (g[j] += value * residual));
    });
    return sum;
  };
}

describe("lbfgs without bounds", () => {
  it("takes a leap where f is lower and goes on without it where it is not", () => {
    const to = (value: number) => (_: Float64Array, trial: Float64Array) => (trial.fill(value), true);
    const taken = lbfgs(rosenbrock, [-1.2, 1], { leap: to(1) });
    expect(taken.iterations).toBe(1);
    expect(taken.value).toBe(0);
    const plain = lbfgs(rosenbrock, [-1.2, 1]);
    const refused = lbfgs(rosenbrock, [-1.2, 1], { leap: to(30) });
    expect(refused.history).toEqual(plain.history);
    expect(refused.evaluations).toBe(plain.evaluations + plain.iterations);
    expect(() => lbfgs(rosenbrock, [-1.2, 1], { lower: 0, leap: to(1) })).toThrow("without bounds");
  });

  it("follows Rosenbrock's valley to its end, in 2 and in 50 dimensions", () => {
    for (const n of [2, 50]) {
      const start = Array.from({ length: n }, (_, i) => (i % 2 === 0 ? -1.2 : 1));
      const result = lbfgs(rosenbrock, start, { tolerance: 1e-10 });
      expect(result.converged).toBe(true);
      expect(result.value).toBeLessThan(1e-18);
      result.x.forEach((value) => expect(value).toBeCloseTo(1, 9));
      expect(result.evaluations).toBeLessThan(n === 2 ? 60 : 400);
      for (let t = 1; t < result.history.length; t++) {
        expect(result.history[t]).toBeLessThanOrEqual(result.history[t - 1]);
      }
      expect(result.history.length).toBe(result.iterations + 1);
    }
  });

  it("solves a quadratic of condition 1000 to many digits", () => {
    const n = 40;
    const f: Objective = (x, g) => {
      let sum = 0;
      for (let i = 0; i < n; i++) {
        const h = 10 ** ((3 * i) / (n - 1));
        g[i] = h * (x[i] - i);
        sum += 0.5 * h * (x[i] - i) ** 2;
      }
      return sum;
    };
    const result = lbfgs(f, new Float64Array(n), { tolerance: 1e-8, memory: 20 });
    expect(result).toMatchObject({ converged: true, warnings: [] });
    result.x.forEach((value, i) => expect(value).toBeCloseTo(i, 6));
  });

  it("finds scipy's logistic regression", () => {
    const { A, y, w, value } = fixtures.logistic;
    const result = lbfgs(
      (x, g) => {
        g.set(x);
        let sum = 0.5 * x.reduce((s, v) => s + v * v, 0);
        A.forEach((row, i) => {
          const t = y[i] * row.reduce((s, v, j) => s + v * x[j], 0);
          sum += t > 0 ? Math.log1p(Math.exp(-t)) : Math.log1p(Math.exp(t)) - t;
          row.forEach((v, j) => (g[j] -= (y[i] * v) / (1 + Math.exp(t))));
        });
        return sum;
      },
      [0, 0, 0, 0],
      { tolerance: 1e-10 },
    );
    expect(result.converged).toBe(true);
    expect(result.value).toBeCloseTo(value, 10);
    result.x.forEach((value, j) => expect(value).toBeCloseTo(w[j], 6));
  });

  it("steps back from points where the objective is not defined", () => {
    // x - log x is not defined for x <= 0, and the first full step from 0.01 goes there.
    const result = lbfgs(
      ([x], g) => {
        g[0] = 1 - 1 / x;
        return x - Math.log(x);
      },
      [50],
    );
    expect(result.converged).toBe(true);
    expect(result.x[0]).toBeCloseTo(1, 6);
  });

  it("finds the same minimum wherever the axes point", () => {
    fc.assert(
      fc.property(fc.nat(1e6), fc.double({ min: 0, max: 3, noNaN: true }), (seed, angle) => {
        const { normal } = random(seed);
        const [a, b] = [2 * normal(), 2 * normal()];
        const [c, s] = [Math.cos(angle), Math.sin(angle)];
        const turned: Objective = (x, g) => {
          const inner = new Float64Array(2);
          const value = rosenbrock(Float64Array.of(c * x[0] - s * x[1], s * x[0] + c * x[1]), inner);
          g[0] = c * inner[0] + s * inner[1];
          g[1] = -s * inner[0] + c * inner[1];
          return value;
        };
        const result = lbfgs(turned, [a, b], { tolerance: 1e-9 });
        expect(result.converged).toBe(true);
        expect(c * result.x[0] - s * result.x[1]).toBeCloseTo(1, 5);
      }),
      { numRuns: 50 },
    );
  });
});

describe("minimisers in a box", () => {
  it("agree with scipy on Rosenbrock's function", () => {
    for (const { lower, upper, start, x, value } of fixtures.rosenbrockInBox) {
      const quasi = lbfgs(rosenbrock, start, { lower, upper, tolerance: 1e-10 });
      expect(quasi).toMatchObject({ converged: true, warnings: [] });
      expect(quasi.value).toBeCloseTo(value, 9);
      quasi.x.forEach((v, i) => expect(v).toBeCloseTo(x[i], 5));
    }
  });

  it("agree with scipy on bounded least squares", () => {
    for (const { A, b, x, value } of fixtures.leastSquaresInBox) {
      const start = new Float64Array(A[0].length);
      const result = lbfgs(leastSquares(A, b), start, { lower: -0.2, upper: 0.3, tolerance: 1e-11 });
      expect(result.converged).toBe(true);
      expect(result.value).toBeCloseTo(value, 9);
      result.x.forEach((v, i) => expect(v).toBeCloseTo(x[i], 6));
    }
  });

  it("meet the Karush-Kuhn-Tucker conditions of random convex quadratics", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.nat(1e6), (n, seed) => {
        const { normal, uniform } = random(seed);
        const A = Array.from({ length: n + 2 }, () => Array.from({ length: n }, normal));
        const f = leastSquares(
          A,
          Array.from({ length: n + 2 }, () => 3 * normal()),
        );
        const lower = Array.from({ length: n }, () => (uniform() < 0.3 ? -Infinity : -uniform()));
        const upper = Array.from({ length: n }, () => (uniform() < 0.3 ? Infinity : uniform()));
        const start = Array.from({ length: n }, () => 5 * normal());
        const { x, gradient, converged } = lbfgs(f, start, { lower, upper, tolerance: 1e-8 });
        expect(converged).toBe(true);
        x.forEach((value, i) => {
          expect(value >= lower[i] && value <= upper[i]).toBe(true);
          expect(value === lower[i] || gradient[i] < 1e-5).toBe(true);
          expect(value === upper[i] || gradient[i] > -1e-5).toBe(true);
        });
      }),
    );
  });

  it("end at once when every variable is held, and at a corner", () => {
    const plane: Objective = (_, g) => {
      g.fill(1);
      return _.reduce((s, v) => s + v, 0);
    };
    expect(lbfgs(plane, [5, 5], { lower: 1 })).toMatchObject({ converged: true, x: Float64Array.of(1, 1) });
    expect(lbfgs(plane, [1, 1], { lower: 1 })).toMatchObject({ iterations: 0, evaluations: 1 });
    expect(lbfgs(plane, [0], { lower: 2, upper: 2 }).x[0]).toBe(2);
  });
});

describe("honesty", () => {
  it("says when it ran out of iterations or was stopped", () => {
    expect(lbfgs(rosenbrock, [-1.2, 1], { maxIterations: 3 })).toMatchObject({
      converged: false,
      iterations: 3,
      warnings: ["did not converge in 3 iterations"],
    });
    expect(lbfgs(rosenbrock, [-1.2, 1], { maxIterations: 0 }).x).toEqual(Float64Array.of(-1.2, 1));
  });

  it("says when a wrong gradient leaves no way down", () => {
    const wrong: Objective = (x, g) => {
      g[0] = -2 * x[0];
      return x[0] ** 2;
    };
    for (const options of [{}, { lower: -10 }]) {
      const result = lbfgs(wrong, [3], options);
      expect(result.converged).toBe(false);
      expect(result.warnings[0]).toContain("no step lowers the objective");
    }
  });

  it("refuses what has no answer", () => {
    const falling: Objective = (x, g) => {
      g[0] = -1;
      return x[0] > 100 ? -Infinity : -x[0];
    };
    expect(() => lbfgs(falling, [0])).toThrow("no minimum");
    expect(() => lbfgs(() => Number.NaN, [0])).toThrow("at the start");
    expect(() => lbfgs(rosenbrock, [])).toThrow("no variables");
    expect(() => lbfgs(rosenbrock, [0, 0], { lower: 1, upper: 0 })).toThrow("variable 0");
    expect(() => lbfgs(rosenbrock, [0, 0], { lower: [0] })).toThrow("1 bounds for 2 variables");
    expect(() => lbfgs(rosenbrock, [0, 0], { lower: Number.NaN })).toThrow('"lower"');
    expect(() => lbfgs(rosenbrock, [0, 0], { memory: 0 })).toThrow("memory");
  });
});
