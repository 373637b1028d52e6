import { readFileSync } from "node:fs";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { random } from "../../../src/core/random.ts";
import { namedData } from "../../../src/data/named.ts";
import type { Triplet } from "../../../src/data/index.ts";
import { drawnTriplets } from "./drawnTriplets.ts";
import { scale } from "../../../src/data/scaling.ts";
import { fromRows, identity, matrix, takeColumns, takeRows, type Matrix } from "../../../src/matrix/index.ts";
import { lda } from "../../../src/metric/moments/lda.ts";
import { localDiscriminants, scml, scmlFromTriplets } from "../../../src/metric/neighbours/scml.ts";
import { hingeSums, tripletLoss, tripletProblem } from "../../../src/metric/neighbours/triplets.ts";
import { referenceTriplets } from "./tripletReference.ts";
import { squaredDistances, wine } from "../pairs/pairFixture.ts";
import { expectsClasses, fromMoved, oddCases } from "../labelFixture.ts";

const peers = JSON.parse(readFileSync("test/fixtures/local-metrics.json", "utf8")) as Record<
  "iris" | "wine",
  { scml: number }
>;
let X: Matrix;
let labels: readonly string[];

beforeAll(async () => {
  ({ X, labels } = await wine());
});

/** mean_t [1 + d_ij - d_il]_+ under the metric, by loops. */
function hinge(distance: (i: number, j: number) => number, triplets: readonly Triplet[]): number {
  let sum = 0;
  for (const [i, j, l] of triplets) sum += Math.max(0, 1 + distance(i, j) - distance(i, l));
  return sum / triplets.length;
}

/** The bases and triplets of test/fixtures/local-metrics.py. */
function peerCase(rows: Matrix, classes: readonly string[]): { basis: Matrix; triplets: Triplet[] } {
  const { rows: n, cols: d } = rows;
  const basis = matrix(
    6 * d,
    d,
    Float64Array.from({ length: 6 * d * d }, (_, p) => Math.sin(1 + p)),
  );
  const triplets: Triplet[] = [];
  for (let i = 0; i < n; i++) {
    const all = Array.from({ length: n }, (_, j) => j);
    const same = all.filter((j) => classes[j] === classes[i] && j !== i);
    const other = all.filter((j) => classes[j] !== classes[i]);
    for (let t = 0; t < 4; t++) {
      triplets.push([i, same[(7 * i + 11 * t) % same.length], other[(5 * i + 13 * t) % other.length]]);
    }
  }
  return { basis, triplets };
}

describe("scml", () => {
  it.each(["iris", "wine"] as const)("takes a basis, and gets below metric-learn on it: %s", async (name) => {
    const table = await namedData(name);
    const rows = scale(table.X, "zscore").X as Matrix;
    const { basis, triplets } = peerCase(rows, table.label!.values);
    const metric = scmlFromTriplets(rows, triplets, { basis, sparsity: 1e-3, tolerance: 0.01 });
    expect(metric.objective).toBeLessThan(peers[name].scml);
    expect(metric.certificate.residual).toBeLessThan(0.01);
    expect(metric.converged).toBe(true);
  });

  it("reports the objective of its own metric", () => {
    // With the axes as bases the price is the trace of M.
    const triplets = drawnTriplets(labels, { count: 500, seed: 1 });
    const metric = scmlFromTriplets(X, triplets, { basis: identity(13), sparsity: 0.02 });
    const distance = (i: number, j: number): number => squaredDistances(metric, X, [[i, j]])[0];
    const { data } = metric.matrix;
    let trace = 0;
    for (let f = 0; f < 13; f++) trace += data[f * 14];
    expect(metric.objective).toBeCloseTo(hinge(distance, triplets) + 0.02 * trace, 10);
    expect(Math.max(...data.map((value, p) => (p % 14 === 0 ? 0 : Math.abs(value))))).toBeLessThan(1e-12);
  });

  it("proves its bound: weights tried at random do not get below it", () => {
    const triplets = drawnTriplets(labels, { count: 400, seed: 2 });
    const metric = scmlFromTriplets(X, triplets, { basis: identity(13), sparsity: 0.01, tolerance: 1e-3 });
    const bound = metric.objective! * (1 - metric.certificate.residual);
    const stream = random(3);
    const M = metric.matrix.data;
    for (let trial = 0; trial < 20; trial++) {
      const w = Float64Array.from({ length: 13 }, (_, f) =>
        Math.max(0, M[14 * f] * (1 + 0.1 * trial * stream.normal())),
      );
      const distance = (i: number, j: number): number =>
        w.reduce((sum, weight, f) => sum + weight * (X.data[i * 13 + f] - X.data[j * 13 + f]) ** 2, 0);
      const price = 0.01 * w.reduce((sum, value) => sum + value, 0);
      expect(hinge(distance, triplets) + price).toBeGreaterThanOrEqual(bound);
    }
  });

  it("has the gradient of its rounded hinge", () => {
    const basis = matrix(
      5,
      13,
      Float64Array.from({ length: 65 }, (_, p) => Math.cos(p)),
    );
    const lists = {
      pairs: Int32Array.of(0, 1, 0, 100, 60, 61, 60, 2),
      groups: Int32Array.of(0, 1, 1, 2, 2, 3, 3, 4),
      count: 2,
    };
    const problem = tripletProblem(X, basis, lists);
    const w = Float64Array.of(0.02, 0, 0.01, 0.03, 0.01);
    const { gradient } = tripletLoss(problem, w, 2);
    for (let k = 0; k < 5; k++) {
      const at = (step: number): number =>
        tripletLoss(
          problem,
          w.map((value, j) => value + (j === k ? step : 0)),
          2,
        ).value;
      expect(gradient[k]).toBeCloseTo((at(1e-6) - at(-1e-6)) / 2e-6, 5);
    }
  });

  it("has a kernel that agrees with its loops", () => {
    const lists = {
      pairs: Int32Array.of(0, 1, 0, 2, 0, 100, 0, 120, 60, 61, 60, 2),
      groups: Int32Array.of(0, 2, 2, 4, 4, 5, 5, 6),
      count: 5,
    };
    for (const columns of [1, 2, 3, 4, 13]) {
      const some = takeColumns(
        X,
        Array.from({ length: columns }, (_, f) => f),
      );
      const problem = tripletProblem(some, identity(columns), lists);
      const Y = matrix(
        some.rows,
        columns,
        some.data.map((value, p) => (0.1 + 0.05 * (p % columns)) * value),
      );
      for (const width of [0, 0.5, 3]) {
        const slow = referenceTriplets(problem, Y, width);
        const fast = hingeSums(problem, Y, width);
        expect(fast.value).toBeCloseTo(slow.value, 10);
        expect(fast.slopes).toBeCloseTo(slow.slopes, 10);
        fast.forces.data.forEach((value, p) => expect(value).toBeCloseTo(slow.forces.data[p], 10));
      }
    }
  });

  it("makes its bases of discriminants: with one region of all rows, Fisher's own", () => {
    // Classes of at most 10 rows are wholly inside every region. (A peer takes rows of the eigenvector matrix for columns.)
    const few = Array.from({ length: 30 }, (_, i) => (i % 3) * 60 + Math.floor(i / 3));
    const rows = takeColumns(takeRows(X, few), [0, 6, 9]);
    const members = [0, 1, 2].map((c) => Int32Array.from({ length: 10 }, (_, i) => 3 * i + c));
    const B = localDiscriminants(rows, members, 2, 0);
    const fisher = lda(
      rows,
      few.map((_, i) => i % 3),
    ).factor;
    for (let r = 0; r < 2; r++) {
      let product = 0;
      let length = 0;
      for (let f = 0; f < 3; f++) {
        product += B.data[3 * r + f] * fisher.data[3 * r + f];
        length += fisher.data[3 * r + f] ** 2;
      }
      expect(Math.abs(product) / Math.sqrt(length)).toBeGreaterThan(0.99);
    }
  });

  it("is the same in other units, for translated and reordered rows", () => {
    const learn = (rows: Matrix, classes: readonly string[]) => scml(rows, classes, { tolerance: 1e-3 });
    const metric = learn(X, labels);
    expect(metric.certificate.residual).toBeLessThan(1e-3);
    const moved = fromMoved(learn, X, labels, { metric, value: (x) => 100 * x - 7 });
    expect(moved.same.objective! / metric.objective!).toBeCloseTo(1, 2);
    expect(moved.distance / moved.before).toBeCloseTo(1, 1);
  });

  it("stays finite for duplicates, constant columns, more columns than rows and a class of one row", () => {
    for (const [rows, classes] of oddCases(X, labels)) {
      const metric = scml(rows, classes);
      expect(metric.factor.data.every(Number.isFinite)).toBe(true);
      expect(metric.objective).not.toBeNaN();
    }
  });

  it("names what is wrong", () => {
    expectsClasses((classes) => scml(X, classes));
    expect(() => scml(fromRows([[1], [2]]), ["a", "b"])).toThrow("every class has only one");
    expect(() => scml(fromRows([[1], [1], [1], [1]]), [0, 0, 1, 1])).toThrow("no direction separates");
    expect(() => scml(X, labels, { basis: matrix(2, 5) })).toThrow('"basis" has 5 columns');
    expect(() => scml(X, labels, { basis: identity(13), bases: 4 })).toThrow(
      'either option "basis" or "bases"',
    );
    expect(() => scmlFromTriplets(X, [[0, 1, 178]], { basis: identity(13) })).toThrow("there is no row 178");
    expect(() => scmlFromTriplets(X, [[0, 0, 1]], { basis: identity(13) })).toThrow("names a row twice");
    expect(scml(X, labels, { sparsity: 100 }).warnings.join()).toContain("the metric is zero");
    const short = scml(X, labels, { maxIterations: 1 });
    expect(short.converged).toBe(false);
    expect(short.warnings.join()).toContain("duality gap");
  });
});

describe("memory", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  it("is that of the rows and pairs, not of a matrix of triplets by bases", () => {
    const [n, d, bases] = [1200, 10, 200];
    const stream = random(3);
    const rows = matrix(n, d);
    const classes = Array.from({ length: n }, (_, i) => i % 3);
    for (let p = 0; p < rows.data.length; p++) {
      rows.data[p] = stream.normal() + (p % d < 3 ? classes[Math.floor(p / d)] : 0);
    }
    const arrays: number[] = [];
    const Plain = Float64Array;
    vi.stubGlobal(
      "Float64Array",
      new Proxy(Plain, {
        construct(target, args: unknown[]) {
          const made = Reflect.construct(target, args) as Float64Array;
          if (!(args[0] instanceof ArrayBuffer)) arrays.push(made.byteLength);
          return made;
        },
      }),
    );
    const grow = vi.spyOn(WebAssembly.Memory.prototype, "grow");
    const metric = scml(rows, classes, { bases, maxIterations: 20 });
    const grown = grow.mock.calls.reduce((sum, [pages]) => sum + 65536 * pages, 0);
    vi.unstubAllGlobals();
    expect(metric.factor.data.every(Number.isFinite)).toBe(true);
    const triplets = n * 3 * 10;
    expect(arrays.length).toBeGreaterThan(20);
    expect(Math.max(...arrays) + grown).toBeLessThan((8 * triplets * bases) / 10);
  });
});
