import * as fc from "fast-check";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { random } from "../../src/core/random.ts";
import {
  engines,
  matrix,
  nearestRows,
  setThreads,
  stopThreads,
  useEngine,
  type Matrix,
  type NearestOptions,
  type NearestRows,
} from "../../src/matrix/index.ts";
import { normal } from "./samples.ts";

const available = engines()
  .filter((entry) => entry.available)
  .map((entry) => entry.name);

afterEach(() => setThreads(1));
afterAll(() => {
  useEngine("simd");
  stopThreads();
});

describe.each(available)("nearest rows under the %s engine", (name) => {
  it.each([
    [2, 1, 1],
    [3, 2, 2],
    [5, 3, 1],
    [17, 4, 16],
    [65, 7, 5],
    [130, 33, 10],
    [300, 5, 64],
    [5, 0, 2],
    [400, 12, 3],
  ])("equal those of all pairs, n = %i, d = %i, k = %i", (n, d, k) => {
    useEngine(name);
    const X = normal(n, d, n + d);
    expect(nearestRows(X, k)).toEqual(allPairs(X, X, k, true));
    const queries = normal(7, d, 3);
    expect(nearestRows(X, k, { queries })).toEqual(allPairs(X, queries, k, false));
  });

  it("order ties by row, and put duplicates at exactly zero", () => {
    useEngine(name);
    const source = random(4);
    const X = matrix(
      257,
      3,
      new Float64Array(771).map(() => source.integer(3) / 3 + 1e6),
    );
    const found = nearestRows(X, 40);
    expect(found).toEqual(allPairs(X, X, 40, true));
    expect(found.distances[0]).toBe(0);
    const same = matrix(90, 4, new Float64Array(360).fill(0.1));
    const near = nearestRows(same, 5);
    expect(Array.from(near.indices.subarray(0, 5))).toEqual([1, 2, 3, 4, 5]);
    expect(near.distances.every((distance) => distance === 0)).toBe(true);
  });

  it("survive an offset that destroys the expanded square", () => {
    useEngine(name);
    const X = normal(200, 6, 5);
    for (let p = 0; p < X.data.length; p++) X.data[p] = 1e9 + X.data[p];
    X.data[0] = -1e12;
    expect(nearestRows(X, 8)).toEqual(allPairs(X, X, 8, true));
  });

  it.each([
    ["far from the rows", (value: number) => 1e8 + value],
    ["on the rows", (value: number) => value],
    ["with one value that dwarfs the others", (value: number, p: number) => (p === 3 ? 1e15 : value)],
    ["of small integers", (value: number) => Math.round(value)],
    ["of many sizes", (value: number, p: number) => value * 10 ** ((p % 13) - 6)],
    ["with an offset", (value: number) => value + 1e9],
  ])("of queries %s are those of all pairs", (_, change) => {
    useEngine(name);
    const X = normal(700, 6, 8);
    const some = matrix(150, 6, X.data.slice(0, 900).map(change));
    for (const [rows, queries] of [
      [X, some],
      [some, X],
      [some, matrix(150, 6, some.data.slice())],
    ]) {
      expect(nearestRows(rows, 9, { queries })).toEqual(allPairs(rows, queries, 9, false));
    }
  });

  it("rank right where squares leave the number range", () => {
    useEngine(name);
    const X = normal(60, 5, 6);
    const expected = nearestRows(X, 4);
    for (const scale of [2 ** 996, 2 ** -996]) {
      const far = matrix(
        60,
        5,
        X.data.map((value) => value * scale),
      );
      expect(nearestRows(far, 4).indices).toEqual(expected.indices);
    }
    const tiny = matrix(3, 1, Float64Array.of(5e-324, 0, 1.5e-323));
    expect(Array.from(nearestRows(tiny, 1).indices)).toEqual([1, 0, 0]);
  });

  it("agree with all pairs on small integers, where ties abound", () => {
    useEngine(name);
    const rows = fc.integer({ min: 2, max: 40 });
    const features = fc.integer({ min: 1, max: 5 });
    fc.assert(
      fc.property(rows, features, fc.integer(), fc.nat(), (n, d, seed, pick) => {
        const source = random(seed);
        const X = matrix(
          n,
          d,
          new Float64Array(n * d).map(() => source.integer(4) - 1),
        );
        const k = 1 + (pick % (n - 1));
        expect(nearestRows(X, k)).toEqual(allPairs(X, X, k, true));
      }),
      { numRuns: 100 },
    );
  });
});

describe("nearest rows", () => {
  it("are the same on several threads, over several blocks", () => {
    useEngine("simd");
    const cases: [Matrix, number, Matrix | undefined][] = [
      [normal(2000, 9, 7), 6, undefined],
      [normal(1500, 1400, 8), 6, normal(140, 1400, 9)], // two blocks of rows
      [normal(1400, 12, 10), 1300, undefined], // two blocks of queries
    ];
    for (const [X, k, queries] of cases) {
      setThreads(1);
      const alone = nearestRows(X, k, { queries });
      setThreads(3);
      const together = nearestRows(X, k, { queries });
      expect(Buffer.from(together.indices.buffer).equals(Buffer.from(alone.indices.buffer))).toBe(true);
      expect(Buffer.from(together.distances.buffer).equals(Buffer.from(alone.distances.buffer))).toBe(true);
    }
  });

  it("are right where X passes in several blocks", () => {
    const X = normal(1500, 1400, 11);
    const queries = normal(3, 1400, 12);
    expect(nearestRows(X, 4, { queries })).toEqual(allPairs(X, queries, 4, false));
  });

  it("refuse what they cannot answer", () => {
    const X = normal(4, 2, 9);
    expect(() => nearestRows(X, 4)).toThrow(/k must be an integer from 1 to 3/);
    expect(() => nearestRows(X, 0)).toThrow(/got 0/);
    expect(() => nearestRows(X, 1, { queries: normal(2, 3, 1) })).toThrow(/3 columns/);
    const misspelt = { query: X } as NearestOptions;
    expect(() => nearestRows(X, 1, misspelt)).toThrow(/no option "query"; the options are queries/);
    X.data[3] = Number.NaN;
    expect(() => nearestRows(X, 1)).toThrow(/NaN in row 1, column 1/);
  });
});

function allPairs(X: Matrix, Q: Matrix, k: number, self: boolean): NearestRows {
  const indices = new Int32Array(Q.rows * k);
  const distances = new Float64Array(Q.rows * k);
  for (let i = 0; i < Q.rows; i++) {
    const found: [number, number][] = [];
    for (let j = 0; j < X.rows; j++) {
      if (self && i === j) continue;
      let sum = 0;
      for (let f = 0; f < X.cols; f++) sum += (Q.data[i * X.cols + f] - X.data[j * X.cols + f]) ** 2;
      found.push([sum, j]);
    }
    found.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    for (let p = 0; p < k; p++) [distances[i * k + p], indices[i * k + p]] = found[p];
  }
  return { indices, distances };
}
