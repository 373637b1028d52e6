import { describe, expect, test, vi } from "vitest";
import { assignMixedMixture, mixedMixture, type CodedColumn } from "../../src/cluster/index.ts";
import { mixedEm } from "../../src/cluster/mixture/mixedEm.ts";
import { random } from "../../src/core/random.ts";
import { matrix, type Matrix } from "../../src/matrix/index.ts";
import { adjustedRand } from "../../src/score/index.ts";

/** Three groups in d numbers and two categories, of which cells are missing. */
function planted(n: number, d: number, seed: number): { X: Matrix; codes: CodedColumn[]; truth: Int32Array } {
  const g = random(seed);
  const truth = Int32Array.from({ length: n }, () => g.integer(3));
  const centers = Array.from({ length: 3 * d }, () => 2 * g.normal());
  const X = matrix(
    n,
    d,
    Float64Array.from(
      { length: n * d },
      (_, p) => centers[truth[Math.floor(p / d)] * d + (p % d)] + g.normal(),
    ),
  );
  const column = (levels: number, p: number): CodedColumn => ({
    codes: Int32Array.from(truth, (k) => (g.uniform() < 0.1 ? -1 : g.uniform() < p ? k : g.integer(levels))),
    levels,
  });
  return { X, codes: [column(4, 0.7), column(3, 0.5)], truth };
}

/** The same EM with plain loops: densities from an inverse by Gauss-Jordan, one row at a time. */
function slowEm(
  X: Matrix,
  codes: readonly CodedColumn[],
  start: Matrix,
  ridge: number,
  prior: number,
  rounds: number,
): { objective: number[]; R: number[][] } {
  const n = X.rows;
  const d = X.cols;
  const K = start.cols;
  const x = (i: number): number[] => Array.from(X.data.subarray(i * d, (i + 1) * d));
  let R = Array.from({ length: n }, (_, i) => Array.from(start.data.subarray(i * K, (i + 1) * K)));
  const objective: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const counts = Array.from({ length: K }, (_, k) => R.reduce((sum, r) => sum + r[k], 0));
    const means = counts.map((count, k) =>
      Array.from({ length: d }, (_, f) => R.reduce((sum, r, i) => sum + r[k] * x(i)[f], 0) / count),
    );
    const S = Array.from({ length: d }, (_, a) =>
      Array.from({ length: d }, (__, b) => {
        let sum = 0;
        for (let i = 0; i < n; i++)
          for (let k = 0; k < K; k++)
            sum += (R[i][k] * (x(i)[a] - means[k][a]) * (x(i)[b] - means[k][b])) / n;
        return sum + (a === b ? ridge : 0);
      }),
    );
    const { inverse, determinant } = gaussJordan(S);
    const theta = codes.map(({ codes: own, levels }) =>
      counts.map((_, k) => {
        const sums = Array.from({ length: levels }, () => prior);
        own.forEach((code, i) => {
          if (code >= 0) sums[code] += R[i][k];
        });
        const all = sums.reduce((a, b) => a + b, 0);
        return sums.map((sum) => sum / all);
      }),
    );
    let value = 0;
    for (let f = 0; f < d; f++) value -= ((n * ridge) / 2) * inverse[f][f];
    for (const own of theta) for (const row of own) for (const p of row) value += prior * Math.log(p);
    R = R.map((_, i) => {
      const densities = counts.map((count, k) => {
        let square = 0;
        for (let a = 0; a < d; a++)
          for (let b = 0; b < d; b++)
            square += (x(i)[a] - means[k][a]) * inverse[a][b] * (x(i)[b] - means[k][b]);
        let density = ((count / n) * Math.exp(-square / 2)) / Math.sqrt((2 * Math.PI) ** d * determinant);
        codes.forEach(({ codes: own }, v) => {
          if (own[i] >= 0) density *= theta[v][k][own[i]];
        });
        return density;
      });
      const sum = densities.reduce((a, b) => a + b, 0);
      value += Math.log(sum);
      return densities.map((density) => density / sum);
    });
    objective.push(value);
  }
  return { objective, R };
}

function gaussJordan(A: readonly number[][]): { inverse: number[][]; determinant: number } {
  const n = A.length;
  const M = A.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  let determinant = 1;
  for (let c = 0; c < n; c++) {
    determinant *= M[c][c];
    M[c] = M[c].map((value) => value / M[c][c]);
    for (let r = 0; r < n; r++) if (r !== c) M[r] = M[r].map((value, j) => value - M[r][c] * M[c][j]);
  }
  return { inverse: M.map((row) => row.slice(n)), determinant };
}

function softStart(n: number, K: number, seed: number): Matrix {
  const g = random(seed);
  const R = matrix(n, K);
  for (let i = 0; i < n; i++) {
    const own = Array.from({ length: K }, () => 0.2 + g.uniform());
    const sum = own.reduce((a, b) => a + b, 0);
    own.forEach((value, k) => (R.data[i * K + k] = value / sum));
  }
  return R;
}

const settings = { ridge: 0.02, prior: 0.5, maxIterations: 25, tolerance: 1e-300, report: () => true };

describe("EM", () => {
  test("agrees with plain loops, iteration by iteration", () => {
    const { X, codes } = planted(60, 3, 2);
    for (let f = 0; f < 3; f++) {
      let mean = 0;
      for (let i = 0; i < 60; i++) mean += X.data[i * 3 + f] / 60;
      for (let i = 0; i < 60; i++) X.data[i * 3 + f] -= mean;
    }
    const start = softStart(60, 3, 9);
    const slow = slowEm(X, codes, start, 0.02, 0.5, 25);
    const fast = mixedEm(X, codes, start, settings);
    expect(fast.history).toHaveLength(25);
    fast.history.forEach((value, t) => expect(value).toBeCloseTo(slow.objective[t], 8));
    slow.R.flat().forEach((value, p) => expect(fast.posteriors.data[p]).toBeCloseTo(value, 8));
  });

  test("goes on without a component that has no rows left", () => {
    const { X, codes } = planted(60, 3, 2);
    const start = softStart(60, 3, 9);
    const dying = matrix(
      60,
      4,
      Float64Array.from({ length: 240 }, (_, p) => {
        const [i, k] = [Math.floor(p / 4), p % 4];
        return k === 1 ? 1e-6 : start.data[i * 3 + (k > 1 ? k - 1 : k)] * (1 - 1e-6);
      }),
    );
    const alone = mixedEm(X, codes, start, settings);
    const left = mixedEm(X, codes, dying, settings);
    expect(left.died).toBe(1);
    expect(left.posteriors.cols).toBe(3);
    left.posteriors.data.forEach((value, p) => expect(value).toBeCloseTo(alone.posteriors.data[p], 12));
  });

  test.each([1, 2, 3, 4, 5])("never lowers the penalised likelihood (start %i)", (seed) => {
    const { X, codes } = planted(150, 4, seed);
    for (const columns of [codes, []]) {
      const { history } = mixedEm(X, columns, softStart(150, 4, seed), { ...settings, maxIterations: 60 });
      for (let t = 1; t < history.length; t++) {
        expect(history[t]).toBeGreaterThanOrEqual(history[t - 1] - 1e-9 * Math.abs(history[t - 1]));
      }
    }
    const none = mixedEm(matrix(150, 0), codes, softStart(150, 2, seed), { ...settings, maxIterations: 60 });
    for (let t = 1; t < none.history.length; t++) {
      expect(none.history[t]).toBeGreaterThanOrEqual(
        none.history[t - 1] - 1e-9 * Math.abs(none.history[t - 1]),
      );
    }
  });
});

describe("mixedMixture", () => {
  test("finds planted groups and their number", () => {
    const { X, codes, truth } = planted(600, 5, 7);
    const given = mixedMixture(X, codes, { clusters: 3 });
    expect(adjustedRand(given.labels, truth)).toBeGreaterThan(0.9);
    expect(given.converged).toBe(true);
    expect(Array.from(given.sizes).reduce((a, b) => a + b, 0)).toBe(600);
    const free = mixedMixture(X, codes, {});
    expect(free.clusters).toBe(3);
    expect(free.tried.length).toBeGreaterThan(3);
    expect(adjustedRand(free.labels, given.labels)).toBe(1);
  });

  test("begins with given labels, and takes the likeliest run", () => {
    const { X, codes, truth } = planted(300, 4, 5);
    const halves = Int32Array.from(truth, (label) => Math.min(label, 1));
    const alone = mixedMixture(X, codes, { clusters: 3, starts: [truth] });
    const both = mixedMixture(X, codes, { clusters: 3, starts: [halves, truth], seed: 7 });
    expect(adjustedRand(alone.labels, truth)).toBeGreaterThan(0.9);
    expect(both.objective).toBe(alone.objective);
    expect(both.labels).toEqual(alone.labels);
  });

  test("does not divide a group by a count that is mostly zeros", () => {
    const { X, codes, truth } = planted(400, 4, 11);
    const g = random(12);
    const zeros = Float64Array.from(truth, () => (g.uniform() < 0.7 ? 0 : Math.exp(1 + 0.7 * g.normal())));
    const Y = matrix(
      X.rows,
      X.cols + 1,
      Float64Array.from({ length: X.rows * (X.cols + 1) }, (_, p) => {
        const [i, f] = [Math.floor(p / (X.cols + 1)), p % (X.cols + 1)];
        return f < X.cols ? X.data[i * X.cols + f] : zeros[i];
      }),
    );
    const { clusters, labels, tried, bic, icl } = mixedMixture(Y, codes, {});
    expect(clusters).toBe(3);
    expect(adjustedRand(labels, truth)).toBeGreaterThan(0.85);
    expect(icl).toBeGreaterThanOrEqual(bic);
    for (const one of tried) expect(one.icl).toBeGreaterThanOrEqual(one.bic);
    expect(tried[0].icl).toBe(tried[0].bic);
  });

  test("finds groups that only categories tell apart, and says the number", () => {
    const g = random(4);
    const truth = Int32Array.from({ length: 500 }, () => g.integer(2));
    const codes = Array.from({ length: 6 }, () => ({
      codes: Int32Array.from(truth, (k) => (g.uniform() < 0.85 ? k : 1 - k)),
      levels: 2,
    }));
    const found = mixedMixture(matrix(500, 0), codes, {});
    expect(found.clusters).toBe(2);
    expect(adjustedRand(found.labels, truth)).toBeGreaterThan(0.85);
    expect(found.centers.cols).toBe(0);
  });

  test("one group stays one", () => {
    const g = random(8);
    const X = matrix(
      400,
      4,
      Float64Array.from({ length: 1600 }, () => g.normal()),
    );
    expect(mixedMixture(X, [], {}).clusters).toBe(1);
  });

  test("means are in the units of X, and shifting or turning X changes nothing else", () => {
    const { X, codes } = planted(300, 3, 12);
    const first = mixedMixture(X, codes, { clusters: 3 });
    for (let k = 0; k < 3; k++) {
      for (let f = 0; f < 3; f++) {
        let sum = 0;
        for (let i = 0; i < 300; i++) if (first.labels[i] === k) sum += X.data[i * 3 + f] / first.sizes[k];
        expect(Math.abs(first.centers.data[k * 3 + f] - sum)).toBeLessThan(0.3);
      }
    }
    const moved = mixedMixture(
      matrix(
        300,
        3,
        X.data.map((value) => value + 1e3),
      ),
      codes,
      { clusters: 3 },
    );
    expect(adjustedRand(moved.labels, first.labels)).toBe(1);
    expect(moved.logLikelihood).toBeCloseTo(first.logLikelihood, 3);
  });

  test("the order of rows does not matter", () => {
    const { X, codes } = planted(200, 3, 15);
    const order = Int32Array.from({ length: 200 }, (_, i) => (i * 7 + 5) % 200);
    const Y = matrix(200, 3);
    order.forEach((i, r) => Y.data.set(X.data.subarray(i * 3, i * 3 + 3), r * 3));
    const other = codes.map(({ codes: own, levels }) => ({
      codes: Int32Array.from(order, (i) => own[i]),
      levels,
    }));
    const a = mixedMixture(X, codes, { clusters: 3 }).labels;
    const b = mixedMixture(Y, other, { clusters: 3 }).labels;
    expect(
      adjustedRand(
        Int32Array.from(order, (i) => a[i]),
        b,
      ),
    ).toBe(1);
  });

  test("the model is plain and places the training rows where they are", () => {
    const { X, codes } = planted(250, 4, 21);
    const found = mixedMixture(X, codes, { clusters: 3, posteriors: true });
    const model = JSON.parse(JSON.stringify(found.model)) as typeof found.model;
    expect(structuredClone(found.model)).toEqual(model);
    const placed = assignMixedMixture(model, X, codes);
    expect(placed.labels).toEqual(found.labels);
    placed.posteriors.data.forEach((value, p) => expect(value).toBeCloseTo(found.posteriors!.data[p], 9));
    expect(placed.logDensities.reduce((a, b) => a + b, 0)).toBeCloseTo(found.logLikelihood, 6);
    const unknown = codes.map(({ levels }) => ({ codes: Int32Array.from([levels + 5]), levels: levels + 6 }));
    const one = assignMixedMixture(model, matrix(1, 4, X.data.slice(0, 4)), unknown);
    expect(one.posteriors.data.every(Number.isFinite)).toBe(true);
  });

  test("is repeated by its seed and stops when asked", () => {
    const { X, codes } = planted(200, 3, 30);
    expect(mixedMixture(X, codes, { clusters: 4, seed: 5 }).labels).toEqual(
      mixedMixture(X, codes, { clusters: 4, seed: 5 }).labels,
    );
    let time = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (time += 1000));
    const slow = mixedMixture(X, codes, { clusters: 4, onProgress: () => false });
    clock.mockRestore();
    expect(slow.labels).toHaveLength(200);
    expect(slow.warnings).toContain("stopped by onProgress");
  });

  test("what cannot be is told", () => {
    const { X, codes } = planted(20, 2, 1);
    expect(() => mixedMixture(X, codes, { clusters: 21 })).toThrow(/cannot make 21 clusters of 20 rows/);
    expect(() => mixedMixture(matrix(20, 0), [], {})).toThrow(/the data is empty/);
    expect(() => mixedMixture(X, [{ codes: new Int32Array(3), levels: 2 }], {})).toThrow(
      /column 0 has 3 rows, but X has 20/,
    );
    expect(() => mixedMixture(X, [{ codes: new Int32Array(20).fill(7), levels: 2 }], {})).toThrow(
      /has code 7; codes are 0 to 1/,
    );
    expect(() => mixedMixture(matrix(1, 1, Float64Array.of(Number.NaN)), [], {})).toThrow(/NaN/);
    expect(mixedMixture(matrix(1, 1, Float64Array.of(3)), [], { clusters: 1 }).labels).toEqual(
      new Int32Array(1),
    );
    const same = mixedMixture(matrix(30, 2), [], { clusters: 2 });
    expect(same.clusters).toBe(1);
    expect(same.warnings).toContain("all rows are equal: there is one cluster");
  });

  test("numbers of clusters that were only tried are not told about", () => {
    const codes = { codes: Int32Array.from({ length: 200 }, (_, i) => i % 2), levels: 2 };
    const { clusters, warnings } = mixedMixture(matrix(200, 0), [codes], {});
    expect(clusters).toBe(1);
    expect(warnings).toEqual([]);
  });
});
