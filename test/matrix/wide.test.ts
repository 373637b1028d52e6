import { afterAll, describe, expect, it } from "vitest";
import { random } from "../../src/core/random.ts";
import { engines, matrix, multiply, setThreads, stopThreads, useEngine } from "../../src/matrix/index.ts";
import * as products from "../../src/matrix/kernel/products.wasm.ts";
import { canWiden } from "../../src/matrix/v8.ts";
import { buildProblem, kernelBytes } from "../../src/matrix/wasm.ts";

/** Rows, depth and columns: whole tiles of 6 x 8, every rest of both, odd depths, more than one block of each. */
const SHAPES = [
  [6, 4, 8],
  [12, 5, 16],
  [7, 3, 9],
  [11, 17, 15],
  [5, 300, 7],
  [97, 257, 515],
  [103, 511, 521],
];

afterAll(() => {
  useEngine("simd");
  setThreads(1);
  stopThreads();
});

describe.skipIf(buildProblem(products, "relaxed") !== undefined)("tiles of 6 x 8", () => {
  it("have the bits of tiles of 6 x 4 and 4 x 4", () => {
    const source = random(1);
    for (const [m, k, n] of SHAPES) {
      const [A, B, C] = [m * k, k * n, m * n].map((length) =>
        Float64Array.from({ length }, () => source.normal()),
      );
      const narrow = product(0, m, n, k, A, B, C);
      expect(narrow.every(Number.isFinite)).toBe(true);
      expect(product(1, m, n, k, A, B, C)).toEqual(narrow);
    }
  });

  it("multiply large matrices rightly, on one thread and on two", () => {
    const source = random(2);
    const [A, B] = [matrix(503, 401), matrix(401, 509)];
    for (const { data } of [A, B]) for (let p = 0; p < data.length; p++) data[p] = source.normal();
    useEngine("simd");
    const expected = multiply(A, B).data;
    useEngine("relaxed");
    setThreads(1);
    const alone = multiply(A, B).data;
    setThreads(2);
    expect(multiply(A, B).data).toEqual(alone);
    expect(alone.findIndex((value, p) => !(Math.abs(value - expected[p]) < 1e-12))).toBe(-1);
  });

  it("are said to be used in Node 24 on x64 alone", () => {
    expect(canWiden()).toBe(process.arch === "x64" && process.versions.node.startsWith("24."));
    const { detail } = engines().find(({ name }) => name === "relaxed")!;
    expect(detail.includes("256 bits")).toBe(canWiden());
  });
});

/** C + A B by the relaxed build, with tiles as `wide` says. */
function product(
  wide: number,
  m: number,
  n: number,
  k: number,
  A: Float64Array,
  B: Float64Array,
  C: Float64Array,
): Float64Array {
  const memory = new WebAssembly.Memory({ initial: 200, maximum: 65536 });
  const abort = (): never => {
    throw new Error("the kernel stopped");
  };
  const module = new WebAssembly.Module(kernelBytes("matrix/products", products, "relaxed"));
  const exports = new WebAssembly.Instance(module, { env: { memory, abort, wide } })
    .exports as unknown as products.Exports;
  const heap = new Float64Array(memory.buffer).fill(Number.NaN);
  const [a, b, c] = [65536, 65536 + 8 * A.length, 65536 + 8 * (A.length + B.length)];
  heap.set(A, a / 8);
  heap.set(B, b / 8);
  heap.set(C, c / 8);
  exports.product(0, c + 8 * C.length, m, n, m, n, k, 1, a, k, 1, b, n, 1, c);
  return heap.slice(c / 8, c / 8 + C.length);
}
