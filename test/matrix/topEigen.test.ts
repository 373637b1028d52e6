import * as fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { symmetricEigen } from "../../src/matrix/factor/eigen.ts";
import { useEngine } from "../../src/matrix/engine.ts";
import { fromRows, identity, matrix, type Matrix } from "../../src/matrix/matrix.ts";
import { gram, multiply, multiplyVector } from "../../src/matrix/multiply.ts";
import { sparse, toSparse, type Sparse } from "../../src/matrix/sparse.ts";
import { blockOperator, type BlockOperator, type Operator } from "../../src/matrix/factor/blockOperator.ts";
import { chebyshevDirections, farEnd, topEigen, type TopEigen } from "../../src/matrix/factor/topEigen.ts";
import {
  byEntry,
  diagonal,
  difference,
  factorEngines,
  normal,
  ofRank,
  scaled,
  symmetricNormal,
} from "./samples.ts";

afterEach(() => void useEngine("simd"));

/**
 * The largest error relative to its bound: orthonormal vectors, residuals, and values at the asked end of `all`
 * (descending). Infinite if the result says that it has not converged.
 */
function endError(result: TopEigen, all: ArrayLike<number>, which: "largest" | "smallest"): number {
  const { values, vectors, converged, residuals } = result;
  const k = values.length;
  const n = all.length;
  if (!converged) return Infinity;
  const size = Math.max(Math.abs(all[0]), Math.abs(all[n - 1])) || 1;
  const errors = [difference(gram(vectors), identity(k)) / 1e-12];
  for (let j = 0; j < k; j++) {
    const expected = which === "largest" ? all[j] : all[n - 1 - j];
    errors.push(Math.abs(values[j] - expected) / size / 1e-11, residuals[j] / size / 1.001e-10);
  }
  return Math.max(...errors);
}

/** Known by its products alone, so that `topEigen` cannot decompose it as a whole. */
function operator(A: Matrix): Operator {
  return { size: A.rows, apply: (x, y) => y.set(multiplyVector(A, x)) };
}

/** Laplacian of `count` cycles of length `size`, in no particular order of the nodes. */
function cycles(count: number, size: number): Sparse {
  const n = count * size;
  const node = (c: number, i: number): number => ((((c * size + ((i + size) % size)) * 7919) % n) + n) % n;
  const rows: [number, number][][] = Array.from({ length: n }, () => []);
  for (let c = 0; c < count; c++) {
    for (let i = 0; i < size; i++) {
      rows[node(c, i)].push([node(c, i), 2], [node(c, i - 1), -1], [node(c, i + 1), -1]);
    }
  }
  const offsets = Int32Array.from({ length: n + 1 }, (_, i) => 3 * i);
  const entries = rows.flat();
  return sparse(
    n,
    n,
    offsets,
    Int32Array.from(entries, ([j]) => j),
    Float64Array.from(entries, ([, value]) => value),
  );
}

function cycleValues(count: number, size: number): Float64Array {
  const values: number[] = [];
  for (let c = 0; c < count; c++) {
    for (let i = 0; i < size; i++) values.push(4 * Math.sin((Math.PI * i) / size) ** 2);
  }
  return Float64Array.from(values).sort().reverse();
}

describe.each(factorEngines)("topEigen with the %s engine", (name) => {
  test("dense, sparse and operator agree with the full decomposition, at both ends", () => {
    useEngine(name);
    const A = scaled(symmetricNormal(330, 3), 0.03);
    for (let i = 0; i < 10; i++) A.data[i * 331] += i % 2 === 0 ? 2 + i : -2 - i;
    const { values } = symmetricEigen(A);
    for (const which of ["largest", "smallest"] as const) {
      for (const form of [A, toSparse(A), operator(A)])
        expect(endError(topEigen(form, 3, { which }), values, which)).toBeLessThanOrEqual(1);
    }
  });

  test("zero eigenvalues of a Laplacian come with their multiplicity", () => {
    useEngine(name);
    const L = cycles(7, 31);
    for (const k of [1, 3, 7, 9, 12]) {
      expect(
        endError(topEigen(L, k, { which: "smallest", seed: k }), cycleValues(7, 31), "smallest"),
      ).toBeLessThanOrEqual(1);
    }
    expect(endError(topEigen(L, 5), cycleValues(7, 31), "largest")).toBeLessThanOrEqual(1);
  });
});

test("products with a sparse matrix have the same bits one by one as together, under every engine", () => {
  const A = cycles(5, 40);
  // Rows are drawn one after the other, so the first ones are the same for every count.
  const filter = (A: BlockOperator, count: number, first: number): Float64Array => {
    const R = normal(17, 200, 4).data.slice(200 * first, 200 * (first + count));
    const theta = Array.from({ length: count }, (_, j) => 4 - 0.01 * (first + j));
    chebyshevDirections(A, 1, 9, 0, 3, 4, theta, R);
    return R;
  };
  const product = (A: BlockOperator, count: number, first: number): Float64Array => {
    const Y = new Float64Array(200 * count);
    A.apply(count, normal(17, 200, 5).data.slice(200 * first, 200 * (first + count)), Y);
    return Y;
  };
  const single = { ...blockOperator(A), recur: undefined };
  for (const work of [filter, product]) {
    const alone = Array.from({ length: 17 }, (_, j) => [...work(single, 1, j)]).flat();
    for (const count of [1, 2, 7, 8, 9, 17]) {
      for (const name of factorEngines) {
        useEngine(name);
        expect([...work(blockOperator(A), count, 0)]).toEqual(alone.slice(0, 200 * count));
      }
    }
  }
  for (const name of factorEngines) {
    useEngine(name);
    const plain = { ...blockOperator(A), lanczos: undefined };
    for (const sign of [1, -1]) expect(farEnd(blockOperator(A), sign, 3)).toBe(farEnd(plain, sign, 3));
  }
});

test("a sparse matrix with an entry outside of it, or one that is not finite, is an error", () => {
  const { rows, offsets, indices, values } = cycles(5, 40);
  const outside = { rows, cols: rows, offsets, indices: indices.map((j, p) => (p === 3 ? rows : j)), values };
  expect(() => topEigen(outside, 3)).toThrow(/200 columns.*column 200/);
  const infinite = {
    rows,
    cols: rows,
    offsets,
    indices,
    values: values.map((v, p) => (p === 3 ? Infinity : v)),
  };
  expect(() => topEigen(infinite, 3)).toThrow(/NaN or infinite/);
});

test("a vector of the null space is constant on every component", () => {
  const { values, vectors } = topEigen(cycles(4, 50), 4, { which: "smallest" });
  for (const value of values) expect(Math.abs(value)).toBeLessThan(1e-10);
  const shape = multiply(vectors, matrix(4, 4, identity(4).data));
  const distinct = new Set(
    Array.from({ length: 200 }, (_, i) =>
      Array.from(shape.data.subarray(4 * i, 4 * i + 4), (value) => Math.round(value * 1e5) + 0).join(),
    ),
  );
  expect(distinct.size).toBe(4);
});

test("degenerate matrices: zeros, identity, all ones, low rank, extreme scales", () => {
  const n = 180;
  const zeros = operator(matrix(n, n));
  expect(endError(topEigen(zeros, 3), new Float64Array(n), "largest")).toBeLessThanOrEqual(1);
  expect(
    endError(
      topEigen(operator(identity(n)), 4, { which: "smallest" }),
      new Float64Array(n).fill(1),
      "smallest",
    ),
  ).toBeLessThanOrEqual(1);
  const ones = Float64Array.from({ length: n }, (_, i) => (i === 0 ? n : 0));
  expect(endError(topEigen(operator(byEntry(n, n, () => 1)), 3), ones, "largest")).toBeLessThanOrEqual(1);
  const low = gram(ofRank(n, n, 4));
  const { values } = symmetricEigen(low);
  expect(endError(topEigen(operator(low), 8), values, "largest")).toBeLessThanOrEqual(1);
  expect(endError(topEigen(operator(low), 8, { which: "smallest" }), values, "smallest")).toBeLessThanOrEqual(
    1,
  );
  for (const factor of [1e300, 1e-300]) {
    const wide = scaled(symmetricNormal(n, 4), factor);
    expect(endError(topEigen(operator(wide), 3), symmetricEigen(wide).values, "largest")).toBeLessThanOrEqual(
      1,
    );
  }
  const repeated = Float64Array.from({ length: n }, (_, i) => (i < 5 ? 9 : i < 9 ? 8 : (n - i) / n));
  const result = topEigen(operator(diagonal(repeated)), 8);
  expect(endError(result, repeated, "largest")).toBeLessThanOrEqual(1);
  expect(result.iterations).toBeGreaterThan(0);
});

test("small orders and many pairs go through the full decomposition", () => {
  for (const [n, k] of [
    [0, 0],
    [1, 1],
    [5, 5],
    [60, 0],
    [170, 170],
    [170, 40],
  ]) {
    const A = symmetricNormal(n, 5);
    const result = topEigen(A, k);
    expect(result.iterations).toBe(0);
    expect([result.vectors.rows, result.vectors.cols]).toEqual([n, k]);
    expect(endError(result, n === 0 ? [0] : symmetricEigen(A).values, "largest")).toBeLessThanOrEqual(1);
  }
});

test("repeatable by seed, and any seed finds the same values", () => {
  const A = gram(normal(500, 350, 6));
  const first = topEigen(A, 4, { seed: 1 });
  expect(first.iterations).toBeGreaterThan(0);
  expect(topEigen(A, 4, { seed: 1 })).toEqual(first);
  const { values } = symmetricEigen(A);
  for (const seed of [2, 3, 2 ** 40])
    expect(endError(topEigen(A, 4, { seed }), values, "largest")).toBeLessThanOrEqual(1);
});

test("what has not converged is said to, with its residuals", () => {
  const path = byEntry(1200, 1200, (i, j) => (i === j ? 2 : Math.abs(i - j) === 1 ? -1 : 0));
  const { converged, iterations, residuals, values } = topEigen(toSparse(path), 3, {
    which: "smallest",
    maxIterations: 5,
  });
  expect(converged).toBe(false);
  expect(iterations).toBe(5);
  expect(Math.max(...residuals)).toBeGreaterThan(1e-10);
  expect(values.every(Number.isFinite)).toBe(true);
});

test("properties: random spectra with random multiplicities", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 165, max: 200 }),
      fc.integer({ min: 1, max: 10 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer(),
      fc.constantFrom("largest" as const, "smallest" as const),
      (n, k, copies, seed, which) => {
        const { vectors } = symmetricEigen(symmetricNormal(n, seed));
        const all = Float64Array.from({ length: n }, (_, i) => -Math.floor(i / copies));
        const A = rotated(vectors, all);
        expect(endError(topEigen(operator(A), k, { which, seed }), all, which)).toBeLessThanOrEqual(1);
      },
    ),
    { numRuns: 12 },
  );
});

const rotated = (V: Matrix, values: Float64Array): Matrix => {
  const half = multiply(V, diagonal(values));
  return byEntry(V.rows, V.rows, (i, j) => {
    const [a, b] = [Math.max(i, j), Math.min(i, j)];
    let sum = 0;
    for (let c = 0; c < V.cols; c++) sum += half.data[a * V.cols + c] * V.data[b * V.cols + c];
    return sum;
  });
};

test("bad input is named", () => {
  const A = identity(3);
  expect(() => topEigen(A, 4)).toThrow("the number of eigenpairs must be an integer from 0 to 3, got 4");
  expect(() => topEigen(A, 1.5)).toThrow("got 1.5");
  expect(() => topEigen(matrix(2, 3), 1)).toThrow("topEigen: the matrix must be square");
  expect(() => topEigen(A, 1, { which: "middle" as "largest" })).toThrow('option "which"');
  expect(() =>
    topEigen(
      fromRows([
        [1, 2],
        [0, 1],
      ]),
      1,
    ),
  ).toThrow("must be symmetric");
  expect(() => topEigen(fromRows([[Number.NaN]]), 1)).toThrow("NaN in row 0, column 0");
  const broken = { size: 200, apply: (_: Float64Array, y: Float64Array) => void y.fill(Number.NaN) };
  expect(() => topEigen(broken, 2)).toThrow("a product with the matrix has an entry that is NaN or infinite");
  const skew = toSparse(byEntry(200, 200, (i, j) => (j === i + 1 ? 1 : 0)));
  expect(() => topEigen(skew, 2)).toThrow("topEigen: the matrix is not symmetric");
});
