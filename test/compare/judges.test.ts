import { describe, expect, it } from "vitest";
import { borders } from "../../src/compare/evidence/border.ts";
import { chooseCount } from "../../src/compare/chooseCount.ts";
import { linearBorder } from "../../src/compare/evidence/discriminant.ts";
import { weakest } from "../../src/compare/evidence/judge.ts";
import { icl, mergedMoments, moments } from "../../src/compare/evidence/likelihood.ts";
import { mixtureBic } from "../../src/compare/evidence/mixtureBic.ts";
import { mergedPartition, partition, rowCodes } from "../../src/compare/partition.ts";
import { judgedSpace, unionGraph } from "../../src/compare/space.ts";
import { smoothed, valley, valleyWork, walked } from "../../src/compare/evidence/valley.ts";
import { symmetricEigen } from "../../src/matrix/factor/eigen.ts";
import { forEachEngine } from "../matrix/samples.ts";
import { fromRows, matrix, toRows } from "../../src/matrix/matrix.ts";
import { blobs, cloud } from "./sets.ts";

const { X, y } = blobs(
  [
    [0, 0, 0],
    [5, 0, 0],
  ],
  [40, 30],
  1,
);
const space = judgedSpace(X, 0);
const rowsOf = (k: number): Int32Array => Int32Array.from(y.flatMap((own, i) => (own === k ? [i] : [])));
const [a, b] = [rowsOf(0), rowsOf(1)];

describe("the graph", () => {
  it("has an edge where one of two rows is among the 10 nearest of the other, both ways", () => {
    const n = X.rows;
    const rows = toRows(X);
    const near = rows.map((row, i) =>
      rows
        .map((other, j) => ({ j, d: other.reduce((sum, v, f) => sum + (v - row[f]) ** 2, 0) }))
        .filter(({ j }) => j !== i)
        .sort((p, q) => p.d - q.d)
        .slice(0, 10)
        .map(({ j }) => j),
    );
    const graph = unionGraph(space.neighbors, n, 10);
    for (let i = 0; i < n; i++) {
      const own = Array.from(graph.neighbors.subarray(graph.offsets[i], graph.offsets[i + 1])).sort(
        (p, q) => p - q,
      );
      const slow = [...Array(n).keys()].filter((j) => near[i].includes(j) || near[j].includes(i));
      expect(own).toEqual(slow);
    }
  });
});

describe("the valley", () => {
  it("is that of a slow walk on dense matrices", () => {
    const order = [...a, ...b];
    const m = order.length;
    const place = new Map(order.map((row, p) => [row, p]));
    const A = order.map(() => new Float64Array(m));
    for (const row of order) {
      for (let e = space.graph.offsets[row]; e < space.graph.offsets[row + 1]; e++) {
        const other = place.get(space.graph.neighbors[e]);
        if (other !== undefined) A[place.get(row)!][other] = 1;
      }
    }
    const degree = A.map((row) => row.reduce((p, q) => p + q, 0));
    const total = degree.reduce((p, q) => p + q, 0);
    let slow: number[] = order.map((_, p) => (p < a.length ? 1 : -1));
    const mean = slow.reduce((sum, value, p) => sum + degree[p] * value, 0) / total;
    slow = slow.map((value) => value - mean);
    for (let t = 0; t < 40; t++) {
      slow = slow.map(
        (own, p) => own / 2 + A[p].reduce((sum, w, q) => sum + w * slow[q], 0) / (2 * Math.max(degree[p], 1)),
      );
    }
    const starts = Int32Array.from([0, ...degree]);
    for (let p = 0; p < m; p++) starts[p + 1] += starts[p];
    const near = Int32Array.from(A.flatMap((row) => [...row.keys()].filter((q) => row[q] > 0)));
    const x = walked(starts, near, a.length);
    slow.forEach((value, p) => expect(Math.abs(x[p] - value)).toBeLessThan(1e-6));
    forEachEngine(() => expect(walked(starts, near, a.length)).toEqual(x));
    const ranked = [...Array(m).keys()].sort((p, q) => +(p >= a.length) - +(q >= a.length) || x[q] - x[p]);
    const cuts = Float64Array.from({ length: m - 1 }, (_, r) => {
      let sum = 0;
      for (let p = 0; p <= r; p++) for (let q = r + 1; q < m; q++) sum += A[ranked[p]][ranked[q]];
      return sum;
    });
    const found = valley(space.graph, a, b, valleyWork(X.rows));
    expect(found.cut).toBe(cuts[a.length - 1]);
    const left = Math.max(...smoothed(cuts.slice(0, a.length)));
    const right = Math.max(...smoothed(cuts.slice(a.length - 1)));
    expect(found.flank).toBeCloseTo(Math.min(left, right), 9);
    expect(found.farFlank).toBeLessThanOrEqual(found.flank + 1e-12);
  });

  it("does not depend on which of the two is first, but for the walk's rounding", () => {
    const work = valleyWork(X.rows);
    const [there, back] = [valley(space.graph, a, b, work), valley(space.graph, b, a, work)];
    expect(back.cut).toBe(there.cut);
    expect(back.flank).toBeCloseTo(there.flank, 6);
  });
});

describe("the likelihood", () => {
  it("is that of eigenvalues and sums over rows", () => {
    const spread = space.spread;
    const parts = [a, b].map((rows) => moments(space.G, rows, spread));
    const d = 3;
    const n = X.rows;
    const logDet = (rows: Int32Array, ridge: number): number => {
      const mean = [0, 1, 2].map((f) => rows.reduce((sum, i) => sum + X.data[i * d + f], 0) / rows.length);
      const S = matrix(d, d);
      for (const i of rows) {
        for (let f = 0; f < d; f++) {
          for (let g = 0; g < d; g++) {
            S.data[f * d + g] +=
              ((X.data[i * d + f] - mean[f]) * (X.data[i * d + g] - mean[g])) / rows.length;
          }
        }
      }
      for (let f = 0; f < d; f++) S.data[f * d + f] += ridge / rows.length;
      return symmetricEigen(S).values.reduce((sum, value) => sum + Math.log(value), 0);
    };
    for (const [p, rows] of [a, b].entries()) {
      expect(parts[p].full).toBeCloseTo(-0.5 * rows.length * logDet(rows, 1e-3 * spread * 4), 8);
    }
    const shares = [a, b].reduce((sum, rows) => sum + rows.length * Math.log(rows.length / n), 0);
    const full = parts[0].full + parts[1].full - 0.5 * Math.log(n) * (2 * 9 + 1) + shares;
    expect(icl(parts, spread)).toBeGreaterThanOrEqual(full / n - 1e-12);
    const all = moments(
      space.G,
      Int32Array.from({ length: n }, (_, i) => i),
      spread,
    );
    expect(mergedMoments(parts[0], parts[1], spread).full).toBeCloseTo(all.full, 8);
  });
});

describe("the evidence", () => {
  const codes = rowCodes(X.rows);
  const two = partition(y, codes);

  it("is high for a border between clusters and low for one through a cluster", () => {
    const wide = blobs(
      [
        [0, 0, 0],
        [5, 0, 0],
      ],
      [140, 110],
      6,
    );
    const apart = partition(wide.y, rowCodes(250));
    expect(weakest(borders(judgedSpace(wide.X, 0)), apart).evidence).toBeGreaterThan(2);
    const cloudy = cloud(200, 3, 4, "gaussian");
    const halves = partition(
      Array.from({ length: 200 }, (_, i) => Number(cloudy.data[3 * i] > 0)),
      rowCodes(200),
    );
    expect(weakest(borders(judgedSpace(cloudy, 0)), halves).evidence).toBeLessThan(-1);
    expect(linearBorder(space.G, a, b).separation).toBeGreaterThan(3);
  });

  it("knows equal partitions by their keys, and merged ones", () => {
    const renamed = partition(
      y.map((k) => 7 - k),
      codes,
    );
    expect(renamed.key).toBe(two.key);
    const three = partition(
      y.map((k, i) => (k === 1 && i % 2 === 0 ? 2 : k)),
      codes,
    );
    expect(three.key).not.toBe(two.key);
    const back = mergedPartition(
      three,
      three.labels[b[0]],
      three.labels[b.find((i) => i % 2 !== b[0] % 2)!],
      codes,
    );
    expect(back.key).toBe(two.key);
  });
});

describe("the number of clusters", () => {
  const choose = (pairs: [number, number][]): number => chooseCount(new Map(pairs)).clusters;

  it("is where the evidence falls", () => {
    expect(
      choose([
        [2, 12],
        [3, 6],
        [4, 4],
        [5, -4],
        [6, -5],
      ]),
    ).toBe(4);
    expect(
      choose([
        [2, 6],
        [3, -4],
        [4, -5],
      ]),
    ).toBe(2);
    expect(
      choose([
        [2, 5],
        [3, 1.5],
        [4, 3],
        [5, -4],
      ]),
    ).toBe(4);
  });

  it("does not take clusters whose unions have no borders", () => {
    expect(
      choose([
        [2, 2],
        [3, -1.5],
        [4, 0.2],
        [5, -3],
      ]),
    ).toBe(2);
  });

  it("is 1 where nothing is likely to be a border, or nothing was tried", () => {
    expect(
      choose([
        [2, -2],
        [3, -3],
      ]),
    ).toBe(1);
    expect(choose([])).toBe(1);
  });
});

describe("the BIC of a mixture", () => {
  const codes = rowCodes(X.rows);

  it("is that of one Gaussian for one cluster, the better of a full and a diagonal covariance", () => {
    const { rows: n, cols: d } = X;
    const S = covarianceByHand(X.data, n, d);
    const logs = (values: ArrayLike<number>): number =>
      Array.from(values).reduce((sum, value) => sum + Math.log(value), 0);
    // At the maximum the squares of a row add up to d on average.
    const bic = (logDeterminant: number, parameters: number): number =>
      -0.5 * (d + d * Math.log(2 * Math.PI) + logDeterminant) - (parameters / 2 / n) * Math.log(n);
    const full = bic(logs(symmetricEigen(fromRows(S)).values), d + (d * (d + 1)) / 2);
    const diagonal = bic(logs(S.map((row, f) => row[f])), 2 * d);
    expect(mixtureBic(space, partition(new Int32Array(n), codes))).toBeCloseTo(Math.max(full, diagonal), 3);
  });

  it("is larger for two clusters that are there, and smaller for two halves of one", () => {
    const halves = (rows: number): Int32Array => Int32Array.from({ length: rows }, (_, i) => i % 2);
    const one = mixtureBic(space, partition(new Int32Array(X.rows), codes));
    expect(mixtureBic(space, partition(Int32Array.from(y), codes))).toBeGreaterThan(one + 0.1);
    const none = judgedSpace(cloud(200, 3, 5, "gaussian"), 0);
    const all = rowCodes(200);
    const whole = mixtureBic(none, partition(new Int32Array(200), all));
    expect(mixtureBic(none, partition(halves(200), all))).toBeLessThan(whole);
  });
});

function covarianceByHand(data: Float64Array, n: number, d: number): number[][] {
  const column = (f: number): number[] => Array.from({ length: n }, (_, i) => data[i * d + f]);
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / n;
  const centred = Array.from({ length: d }, (_, f) => column(f).map((value) => value - mean(column(f))));
  return centred.map((a) => centred.map((b) => mean(a.map((value, i) => value * b[i]))));
}
