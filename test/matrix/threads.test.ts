import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { random } from "../../src/core/random.ts";
import {
  gram,
  matrix,
  multiply,
  multiplyTransposeA,
  multiplyTransposeB,
  parallelKernel,
  setThreads,
  stopThreads,
  threads,
  transpose,
  useEngine,
  type Matrix,
} from "../../src/matrix/index.ts";
import * as nearest from "../../src/matrix/kernel/nearest.wasm.ts";
import * as products from "../../src/matrix/kernel/products.wasm.ts";
import { normal } from "./samples.ts";

interface ProductKernel {
  product(...args: number[]): void;
  productScratch(): number;
}

beforeAll(() => {
  useEngine("simd");
});

afterAll(() => {
  useEngine("simd");
  setThreads(1);
  stopThreads();
});

describe.each(["simd", "relaxed"] as const)("the %s engine on threads", (name) => {
  it("gives the bits of one thread", () => {
    useEngine(name);
    const A = normal(701, 307, 1);
    const B = normal(307, 403, 2);
    const wide = normal(60, 1100, 3);
    const tall = normal(20011, 43, 4);
    const broad = normal(1003, 290, 5);
    const all = (): Matrix[] => [
      multiply(A, B),
      multiply(transpose(B), transpose(A)),
      multiplyTransposeA(A, normal(701, 401, 6)),
      multiplyTransposeB(B, normal(501, 403, 7)),
      multiply(normal(350, 60, 8), wide),
      gram(tall),
      gram(broad),
      gram(wide),
    ];
    setThreads(1);
    const alone = all();
    for (const count of [2, 3]) {
      setThreads(count);
      expect(all().map((C, i) => sameBits(C, alone[i]))).toEqual(alone.map(() => true));
    }
  });
});

describe("the pool", () => {
  it("runs every task of thousands of rounds once, whoever takes it", () => {
    setThreads(4);
    const kernel = parallelKernel<ProductKernel>("matrix/products", products, true);
    const source = random(9);
    const scratch = kernel.exports.productScratch();
    const most = 40;
    const deepest = 300;
    const packed = 384; // where `product` packs B in its scratch
    let rounds = 0;
    let shared = 0;
    let wrong = 0;
    kernel.scope(() => {
      const a = kernel.reserve(8 * most * deepest);
      const b = kernel.reserve(8 * deepest);
      const c = kernel.reserve(8 * most);
      const first = kernel.scope(() => kernel.reserve(4 * scratch));
      kernel.f64(a, most * deepest).fill(3);
      const deadline = performance.now() + 20_000;
      while ((rounds < 4000 || shared < 200) && performance.now() < deadline) {
        // C += A b, one row of A to a task: a task that ran twice or not at all, or with the arguments of another
        // round, would show in its sum.
        const tasks = source.integer(most) + 1;
        const depth = source.integer(deepest) + 1;
        kernel.f64(b, depth).fill(++rounds);
        const sums = kernel.f64(c, most).fill(0);
        for (let thread = 1; thread < 4; thread++) kernel.f64(first + thread * scratch + packed, 1)[0] = -1;
        kernel.run("product", tasks, scratch, [1, 1, tasks, 1, depth, 1, a, depth, 1, b, 1, 1, c]);
        for (let i = 0; i < most; i++) if (sums[i] !== (i < tasks ? 3 * depth * rounds : 0)) wrong++;
        const took = [1, 2, 3].some((thread) => kernel.f64(first + thread * scratch + packed, 1)[0] !== -1);
        if (took) shared++;
      }
    });
    expect(wrong).toBe(0);
    expect(rounds).toBeGreaterThanOrEqual(4000);
    expect(shared).toBeGreaterThanOrEqual(200);
  });

  it("serves several kernels in turn", () => {
    setThreads(3);
    const first = parallelKernel<ProductKernel>("matrix/products", products, true);
    const second = parallelKernel<{ sort(...args: number[]): void }>("matrix/nearest", nearest, true);
    expect(second.memory).toBe(first.memory);
    const X = normal(900, 200, 11);
    const expected = gram(X).data[7];
    for (let round = 0; round < 50; round++) {
      second.scope(() => {
        const distances = second.reserve(8 * 400);
        const indices = second.reserve(4 * 400);
        // Max-heaps of two, so that sorting swaps them.
        second
          .f64(distances, 400)
          .set(Float64Array.from({ length: 400 }, (_, p) => (p % 2 === 0 ? 5 : round % 5)));
        second.i32(indices, 400).fill(1);
        second.run("sort", 50, 0, [4, 200, 2, distances, indices]);
        const sorted = second.f64(distances, 400);
        expect([sorted[0], sorted[1], sorted[398], sorted[399]]).toEqual([round % 5, 5, round % 5, 5]);
      });
      expect(gram(X).data[7]).toBe(expected);
    }
  });

  it("reports a trap, and works on", () => {
    setThreads(3);
    const kernel = parallelKernel<{ sort(...args: number[]): void }>("matrix/nearest", nearest, true);
    // The lists are at addresses outside the memory.
    expect(() => kernel.run("sort", 40, 0, [4, 200, 2, -65536, -65536])).toThrow(
      /out of bounds|on another thread/,
    );
    expect(gram(matrix(400, 300)).data.every((value) => value === 0)).toBe(true);
  });

  it("starts anew after it was stopped", () => {
    setThreads(2);
    const X = normal(800, 300, 10);
    const before = gram(X);
    stopThreads();
    expect(sameBits(gram(X), before)).toBe(true);
  });

  it("has as many threads as asked for", () => {
    setThreads(3);
    expect(threads()).toBe(3);
    expect(() => setThreads(0)).toThrow(/1 to 64, got 0/);
    expect(() => setThreads(1.5)).toThrow(/got 1.5/);
  });
});

/** `toEqual` is too slow for matrices of this size. */
function sameBits(A: Matrix, B: Matrix): boolean {
  return A.rows === B.rows && Buffer.from(A.data.buffer).equals(Buffer.from(B.data.buffer));
}
