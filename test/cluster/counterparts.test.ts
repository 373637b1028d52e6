import { describe, expect, it, test } from "vitest";
import fixtures from "../fixtures/counterparts.json" with { type: "json" };
import {
  affinityPropagation,
  agglomerative,
  clara,
  communities,
  dbscan,
  fuzzyCMeans,
  gaussianMixture,
  genie,
  hdbscan,
  kMedoids,
  kmeans,
  kModes,
  kPrototypes,
  latentClasses,
  leiden,
  mclust,
  miniBatchKmeans,
  optics,
} from "../../src/cluster/index.ts";
import { constrained } from "../../src/cluster/mixture/constrainedCovariances.ts";
import { COVARIANCE_MODELS, kindOf } from "../../src/cluster/mixture/covarianceModels.ts";
import { random } from "../../src/core/index.ts";
import { edgeList } from "../../src/graph/index.ts";
import {
  cholesky,
  fromRows,
  matrix,
  multiply,
  multiplyTransposeB,
  qr,
  row,
  squaredDistances,
  takeRows,
  type Matrix,
} from "../../src/matrix/index.ts";
import { adjustedRand } from "../../src/score/index.ts";
import { clouds } from "./clouds.ts";

const distance = (X: Matrix, i: number, j: number): number =>
  Math.hypot(...row(X, i).map((value, f) => value - row(X, j)[f]));

function distances(X: Matrix): Matrix {
  const D = matrix(X.rows, X.rows);
  for (let i = 0; i < X.rows; i++)
    for (let j = 0; j < X.rows; j++) D.data[i * X.rows + j] = distance(X, i, j);
  return D;
}

/** Noise counts as a cluster of its own. */
const agreement = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  adjustedRand(
    ...([a, b].map((labels) => Array.from(labels, (k) => `cluster ${k}`)) as [string[], string[]]),
  );

const { X, truth } = clouds(120, 3, 3, 5, 5);
const shuffled = random(2).sample(X.rows, X.rows);

describe("agrees with the programs that have these names", () => {
  fixtures.sets.forEach((set, s) => {
    const rows = fromRows(set.X);
    const D = distances(rows);
    test(`set ${s}`, () => {
      const K = set.K;
      expect(agreement(dbscan(rows, { epsilon: 1.5, minSamples: 4 }).labels, set.dbscan)).toBeGreaterThan(
        0.99,
      );
      expect(agreement(optics(rows).labels, set.optics)).toBeGreaterThan(0.99);
      const density = hdbscan(D, { minClusterSize: 6, minSamples: 4, metric: "precomputed" });
      expect(agreement(density.labels, set.hdbscan)).toBeGreaterThan(0.99);
      expect(agreement(genie(rows, { clusters: K }).labels, set.genie)).toBe(1);
      const messages = { damping: 0.7, maxIterations: 2000, patience: 30 };
      expect(agreement(affinityPropagation(rows, messages).labels, set.affinity)).toBe(1);
      const graph = edgeList(rows.rows, set.edges as [number, number][]);
      expect(communities(graph).objective).toBeGreaterThan(set.modularity - 1e-6);
      // leidenalg counts every edge of an undirected graph twice.
      expect(communities(graph, { quality: "potts", resolution: 0.1 }).objective).toBeGreaterThan(
        set.potts / 2 - 1e-6,
      );
      const classes = latentClasses(fromRows(set.codes), { clusters: 2 });
      expect(classes.logLikelihood).toBeGreaterThan(set.latentClasses - 1e-3 * Math.abs(set.latentClasses));
    });

    test.each(Object.entries(set.mclust))(
      `set ${s}: covariances %s reach the likelihood of mclust`,
      (model, of) => {
        const [logLikelihood, parameters] = of as [number, number];
        const fit = gaussianMixture(rows, {
          clusters: set.K,
          covariance: model as "VVV",
          restarts: s === 1 ? 30 : 10,
        });
        expect(fit.logLikelihood).toBeGreaterThan(logLikelihood - 1e-3 * Math.abs(logLikelihood));
        expect(fit.parameters).toBe(parameters);
        fit.history.forEach((value, t) => expect(t === 0 || value >= fit.history[t - 1]).toBe(true));
      },
    );
  });
});

describe("DBSCAN", () => {
  it("is that of the definition, for rows in any order and for their distances", () => {
    for (const [epsilon, minSamples] of [
      [0.8, 4],
      [0.5, 3],
      [2, 8],
    ]) {
      const fit = dbscan(X, { epsilon, minSamples });
      const near = (i: number): number[] =>
        Array.from({ length: X.rows }, (_, j) => j).filter((j) => distance(X, i, j) <= epsilon);
      const core = Array.from({ length: X.rows }, (_, i) => near(i).length >= minSamples);
      expect(Array.from(fit.core, Boolean)).toEqual(core);
      for (let i = 0; i < X.rows; i++) {
        const dense = near(i).filter((j) => core[j]);
        expect(fit.labels[i] >= 0).toBe(dense.length > 0);
        // A dense row is with all dense rows in reach, another with the nearest.
        const nearest = dense.toSorted((a, b) => distance(X, i, a) - distance(X, i, b)).slice(0, 1);
        for (const j of core[i] ? dense : nearest) expect(fit.labels[j]).toBe(fit.labels[i]);
      }
      // Dense rows of one cluster are connected: as many clusters as components.
      const seen = new Set<number>();
      let parts = 0;
      for (let i = 0; i < X.rows; i++) {
        if (!core[i] || seen.has(i)) continue;
        parts++;
        for (const open = [i]; open.length > 0;) {
          const at = open.pop()!;
          if (seen.has(at)) continue;
          seen.add(at);
          open.push(...near(at).filter((j) => core[j]));
        }
      }
      expect(fit.clusters).toBe(parts);
      const moved = dbscan(takeRows(X, shuffled), { epsilon, minSamples });
      expect(
        agreement(
          moved.labels,
          shuffled.map((i) => fit.labels[i]),
        ),
      ).toBe(1);
      const given = dbscan(distances(X), { epsilon, minSamples, metric: "precomputed" });
      expect(agreement(given.labels, fit.labels)).toBe(1);
    }
  });

  it("places rows far away nowhere, and rows near a dense row in its cluster", () => {
    const fit = dbscan(X, { clusters: 3 });
    expect(fit.clusters).toBe(3);
    expect(fit.predict([[1e3, 1e3, 1e3]])[0]).toBe(-1);
    const dense = fit.core.indexOf(1);
    expect(fit.predict([Array.from(row(X, dense), (value) => value + 1e-9)])[0]).toBe(fit.labels[dense]);
  });

  it("finds a reach by itself, and says where there is none", () => {
    expect(agreement(dbscan(X).labels, truth)).toBeGreaterThan(0.5);
    expect(dbscan(X, { epsilon: 1e-9 }).warnings[0]).toContain("a larger epsilon has clusters");
    expect(() => dbscan(X, { epsilon: 1, clusters: 2 })).toThrow("give one of");
    expect(dbscan(matrix(6, 2)).clusters).toBe(1);
  });
});

describe("OPTICS", () => {
  it("reaches every row from an earlier one at the least mutual distance", () => {
    const { order, reachability, coreDistances } = optics(X, { minSamples: 4 });
    expect(Array.from(order).sort((a, b) => a - b)).toEqual(Array.from({ length: X.rows }, (_, i) => i));
    order.forEach((i, p) => {
      const earlier = Array.from(order.subarray(0, p), (j) => Math.max(coreDistances[j], distance(X, i, j)));
      expect(reachability[i]).toBeCloseTo(Math.min(Infinity, ...earlier), 12);
      expect(coreDistances[i]).toBeCloseTo(
        Array.from({ length: X.rows }, (_, j) => distance(X, i, j)).sort((a, b) => a - b)[3],
        12,
      );
    });
  });

  it("cut at a distance has the dense rows of DBSCAN", () => {
    const cut = optics(X, { minSamples: 4, epsilon: 1.2 });
    const flat = dbscan(X, { minSamples: 4, epsilon: 1.2 });
    const dense = Array.from(flat.core.keys()).filter((i) => flat.core[i] === 1);
    expect(
      agreement(
        dense.map((i) => cut.labels[i]),
        dense.map((i) => flat.labels[i]),
      ),
    ).toBe(1);
    expect(optics(X, { clusters: 3 }).clusters).toBe(3);
    expect(optics(matrix(8, 2)).labels.every((label) => label <= 0)).toBe(true);
  });
});

describe("given distances", () => {
  const D = distances(X);
  it("give the clusters of the rows", () => {
    for (const linkage of ["average", "complete", "single"] as const) {
      const rows = agglomerative(X, { clusters: 4, linkage });
      const given = agglomerative(D, { clusters: 4, linkage, metric: "precomputed" });
      expect(agreement(rows.labels, given.labels)).toBe(1);
      given.tree.heights.forEach((height, m) => expect(height).toBeCloseTo(rows.tree.heights[m], 9));
    }
    expect(agreement(hdbscan(D, { metric: "precomputed" }).labels, hdbscan(X).labels)).toBe(1);
    const pam = kMedoids(D, { clusters: 3, metric: "precomputed" });
    expect(pam.objective).toBeCloseTo(kMedoids(X, { clusters: 3 }).objective, 9);
    expect(
      agreement(genie(D, { clusters: 3, metric: "precomputed" }).labels, genie(X, { clusters: 3 }).labels),
    ).toBe(1);
    expect(agreement(optics(D, { metric: "precomputed" }).labels, optics(X).labels)).toBe(1);
    const messages = affinityPropagation(D, { clusters: 3, metric: "precomputed" });
    expect(agreement(messages.labels, affinityPropagation(X, { clusters: 3 }).labels)).toBe(1);
  });

  it("are checked, and place no new rows", () => {
    const precomputed = { metric: "precomputed" } as const;
    expect(() => dbscan(X, precomputed)).toThrow("a square matrix, got 120 x 3");
    const bad = (i: number, j: number, value: number): Matrix => {
      const wrong = { ...D, data: D.data.slice() };
      wrong.data[i * D.cols + j] = value;
      return wrong;
    };
    expect(() => hdbscan(bad(2, 1, -1), precomputed)).toThrow("rows 2 and 1 (counted from 0) is -1");
    expect(() => genie(bad(2, 1, 50), { clusters: 2, ...precomputed })).toThrow("the other way round");
    expect(() => optics(bad(3, 3, 1), precomputed)).toThrow("distance 0 to itself");
    expect(() => kMedoids(bad(3, 2, Number.NaN), { clusters: 2, ...precomputed })).toThrow("is NaN");
    expect(() => agglomerative(D, { clusters: 2, ...precomputed })).toThrow("ward measures the means");
    for (const fit of [dbscan(D, precomputed), kMedoids(D, { clusters: 2, ...precomputed })]) {
      expect(() => fit.predict(X)).toThrow("place no new rows");
    }
  });
});

describe("fuzzy c-means", () => {
  it("is a fixed point of both steps", () => {
    for (const m of [1.3, 2, 3]) {
      const { memberships: U, centers, objective } = fuzzyCMeans(X, { clusters: 3, fuzziness: m });
      let J = 0;
      for (let i = 0; i < X.rows; i++) {
        const d = Array.from({ length: 3 }, (_, k) =>
          Math.hypot(...row(X, i).map((v, f) => v - row(centers, k)[f])),
        );
        d.forEach((own, k) => {
          const u = 1 / d.reduce((sum, other) => sum + (own / other) ** (2 / (m - 1)), 0);
          expect(U.data[3 * i + k]).toBeCloseTo(u, 6);
          J += u ** m * own ** 2;
        });
      }
      expect(objective / J).toBeCloseTo(1, 6);
    }
  });

  it("takes a weight of 2 for a row twice, and any order", () => {
    const weights = Float64Array.from({ length: X.rows }, (_, i) => 1 + (i % 2));
    const twice = Int32Array.from(weights, (w, i) => (w === 2 ? [i, i] : [i]).length).reduce<number[]>(
      (all, count, i) => [...all, ...Array.from({ length: count }, () => i)],
      [],
    );
    const a = fuzzyCMeans(X, { clusters: 3, weights });
    const b = fuzzyCMeans(takeRows(X, Int32Array.from(twice)), { clusters: 3 });
    expect(a.objective / b.objective).toBeCloseTo(1, 6);
    const moved = fuzzyCMeans(takeRows(X, shuffled), { clusters: 3 }).memberships;
    const own = fuzzyCMeans(X, { clusters: 3 });
    shuffled.forEach((i, p) => expect(row(moved, p)).toEqual(row(own.memberships, i)));
    expect(fuzzyCMeans(matrix(5, 2), { clusters: 2 }).warnings[0]).toContain("only 1 distinct rows");
  });
});

test("mini-batch k-means comes within a percent of k-means", () => {
  const many = clouds(3000, 4, 5, 2, 3).X;
  const full = kmeans(many, { clusters: 5 });
  const few = miniBatchKmeans(many, { clusters: 5, batchRows: 200 });
  expect(few.objective).toBeLessThan(1.01 * full.objective);
  expect(agreement(few.predict(many), few.labels)).toBe(1);
});

describe("k-prototypes", () => {
  const { integer, normal } = random(4);
  const rows = fromRows(Array.from({ length: 9 }, () => [normal(), integer(3), integer(2), integer(4)]));

  it("finds the least of all partitions into two", () => {
    const gamma = 0.7;
    const cost = (labels: number[]): number => {
      let sum = 0;
      for (const k of [0, 1]) {
        const own = labels.flatMap((label, i) => (label === k ? [i] : []));
        if (own.length === 0) return Infinity;
        const mean = own.reduce((total, i) => total + rows.data[4 * i], 0) / own.length;
        for (const i of own) sum += (rows.data[4 * i] - mean) ** 2;
        for (const f of [1, 2, 3]) {
          const counts = new Map<number, number>();
          for (const i of own) counts.set(rows.data[4 * i + f], (counts.get(rows.data[4 * i + f]) ?? 0) + 1);
          sum += gamma * (own.length - Math.max(...counts.values()));
        }
      }
      return sum;
    };
    let least = Infinity;
    for (let code = 1; code < 2 ** 9; code++) {
      least = Math.min(least, cost(Array.from({ length: 9 }, (_, i) => (code >> i) & 1)));
    }
    const fit = kPrototypes(rows, { clusters: 2, categorical: [1, 2, 3], gamma, restarts: 50 });
    expect(fit.objective).toBeCloseTo(least, 9);
    expect(fit.objective).toBeCloseTo(cost(Array.from(fit.labels)), 9);
    fit.history.forEach((value, t) => expect(t === 0 || value <= fit.history[t - 1] + 1e-12).toBe(true));
    expect(Array.from(fit.predict(rows))).toEqual(Array.from(fit.labels));
  });

  it("without levels is k-means, without numbers k-modes", () => {
    expect(kPrototypes(X, { clusters: 3 }).objective).toBeCloseTo(kmeans(X, { clusters: 3 }).objective, 6);
    const modes = kModes(
      [
        [1, 1],
        [1, 1],
        [1, 2],
        [3, 3],
        [3, 3],
        [3, 4],
      ],
      { clusters: 2 },
    );
    expect(modes.objective).toBeCloseTo(2, 12);
    expect(Array.from(modes.centers.data).sort()).toEqual([1, 1, 3, 3]);
    expect(() => kPrototypes(X, { clusters: 2, categorical: [7] })).toThrow(
      "names the column 7, but there are 3",
    );
  });
});

describe("CLARA", () => {
  it("of one sample of all rows is k-medoids", () => {
    const all = clara(X, { clusters: 3, samples: 1, size: X.rows });
    expect(all.objective).toBeCloseTo(kMedoids(X, { clusters: 3 }).objective, 9);
  });
  it("comes near it with few rows, and sums the distances of all rows", () => {
    const many = clouds(1500, 4, 4, 2, 9).X;
    const fit = clara(many, { clusters: 4 });
    expect(fit.objective).toBeLessThan(1.03 * kMedoids(many, { clusters: 4 }).objective);
    const sum = fit.labels.reduce((total, k, i) => total + distance(many, i, fit.medoids[k]), 0);
    expect(fit.objective).toBeCloseTo(sum, 6);
  });
});

test("affinity propagation reaches the best exemplars of all on few rows", () => {
  for (let seed = 0; seed < 5; seed++) {
    const { X: few } = clouds(12, 2, 3, 4, seed);
    const fit = affinityPropagation(few, { damping: 0.8, preference: -4 });
    let best = -Infinity;
    for (let set = 1; set < 2 ** 12; set++) {
      const exemplars = Array.from({ length: 12 }, (_, i) => i).filter((i) => (set >> i) & 1);
      let value = -4 * exemplars.length;
      for (let i = 0; i < 12; i++) {
        if (!exemplars.includes(i)) value += Math.max(...exemplars.map((e) => -(distance(few, i, e) ** 2)));
      }
      best = Math.max(best, value);
    }
    expect(fit.objective).toBeCloseTo(best, 6);
  }
});

describe("covariance models", () => {
  const { normal, uniform } = random(3);
  const [K, d] = [3, 3];
  const counts = Float64Array.of(20, 35, 50);
  const free = Array.from(counts, () => {
    const A = matrix(
      d,
      d,
      Float64Array.from({ length: d * d }, () => normal()),
    );
    const S = multiplyTransposeB(A, A);
    for (let f = 0; f < d; f++) S.data[f * (d + 1)] += 0.2;
    return S;
  });
  const logDeterminant = (S: Matrix): number => cholesky(S).logDeterminant;
  const cost = (all: readonly Matrix[]): number =>
    all.reduce((sum, S, k) => {
      const solved = cholesky(S).solve(free[k]);
      let trace = 0;
      for (let f = 0; f < d; f++) trace += solved.data[f * (d + 1)];
      return sum + counts[k] * (logDeterminant(S) + trace);
    }, 0);
  const asMatrices = (found: readonly Matrix[]): Matrix[] =>
    Array.from({ length: K }, (_, k) => {
      if (found[0].rows === d && found[0].cols === d && found.length === K) return found[k];
      const S = matrix(d, d);
      for (let f = 0; f < d; f++) S.data[f * (d + 1)] = found[0].data[k * d + f];
      return S;
    });
  const axes = (): Matrix =>
    qr(
      matrix(
        d,
        d,
        Float64Array.from({ length: d * d }, () => normal()),
      ),
    ).Q;

  test.each(COVARIANCE_MODELS.filter((model) => kindOf(model) === "diagonal" || kindOf(model) === "full"))(
    "%s: no drawn member of the model is better",
    (model) => {
      const diagonals = matrix(
        K,
        d,
        Float64Array.from(free.flatMap((S) => [0, 1, 2].map((f) => S.data[f * (d + 1)]))),
      );
      const isDiagonal = kindOf(model) === "diagonal";
      let found = constrained(model, isDiagonal ? [diagonals] : free, counts, undefined);
      // Models without a closed form go on from what they have, as in EM.
      if (model !== "VVI" && model !== "VVV") {
        for (let t = 0; t < 50; t++)
          found = constrained(model, isDiagonal ? [diagonals] : free, counts, found);
      }
      const own = asMatrices(found);
      const [volume, shape, orientation] = model;
      const value = cost(own);
      const volumes = own.map(logDeterminant);
      const equal = volume === "E" ? volumes : [];
      for (const v of equal) expect(v).toBeCloseTo(volumes[0], 6);
      let least = Infinity;
      for (let t = 0; t < 800; t++) {
        const draw = (): number => Math.exp(1.5 * normal());
        const common = { D: axes(), A: [draw(), draw(), draw()], v: 3 * uniform() };
        const member = own.map(() => {
          const A = shape === "I" ? [1, 1, 1] : shape === "E" ? common.A : [draw(), draw(), draw()];
          const D = orientation === "I" ? undefined : orientation === "E" ? common.D : axes();
          const size = Math.cbrt(A[0] * A[1] * A[2]);
          const lambda = volume === "E" ? common.v : 3 * uniform();
          const S = matrix(d, d);
          A.forEach((a, f) => (S.data[f * (d + 1)] = (lambda * a) / size));
          return D === undefined ? S : multiplyTransposeB(multiply(D, S), D);
        });
        least = Math.min(least, cost(member));
      }
      expect(value).toBeLessThan(least);
    },
  );

  it("mclust chooses model and number by BIC", () => {
    const stream = random(8);
    const rows = fromRows(
      Array.from({ length: 240 }, (_, i) => [
        (i % 2) * 8 + 0.5 * stream.normal(),
        (i % 2) * 8 + (i % 2 === 0 ? 0.5 : 2) * stream.normal(),
      ]),
    );
    const fit = mclust(rows, { maxClusters: 4, models: ["EII", "VII", "EEI", "VVI", "VVV"], restarts: 1 });
    expect(fit.clusters).toBe(2);
    expect(fit.chosen).toBe("VVI");
    expect(fit.tried.length).toBe(20);
    expect(fit.bic).toBe(Math.min(...fit.tried.map(({ bic }) => bic)));
  });
});

test("latent classes: the likelihood is that of the parameters, and missing codes say nothing", () => {
  const { integer, uniform } = random(6);
  const classes = Array.from({ length: 300 }, () => integer(2));
  const rows = classes.map((k) => [0, 1, 2, 3].map(() => (uniform() < 0.85 ? k : 1 - k)));
  const fit = latentClasses(rows, { clusters: 2 });
  expect(agreement(fit.labels, classes)).toBeGreaterThan(0.7);
  const holes = rows.map((values, i) => (i % 5 === 0 ? [-1, ...values.slice(1)] : values));
  expect(agreement(latentClasses(holes, { clusters: 2 }).labels, classes)).toBeGreaterThan(0.6);
  expect(latentClasses(rows).clusters).toBe(2);
});

describe("communities", () => {
  it("reach the best of all partitions of small graphs", () => {
    for (let seed = 0; seed < 6; seed++) {
      const { uniform } = random(seed);
      const pairs: [number, number][] = [];
      const weights: number[] = [];
      for (let i = 0; i < 8; i++) {
        for (let j = 0; j < i; j++) {
          if (uniform() > (i % 2 === j % 2 ? 0.8 : 0.25)) continue;
          pairs.push([j, i]);
          weights.push(0.5 + uniform());
        }
      }
      const graph = edgeList(8, pairs, weights);
      const m = weights.reduce((a, b) => a + b, 0);
      const degree = (i: number): number =>
        pairs.reduce((sum, pair, e) => sum + (pair.includes(i) ? weights[e] : 0), 0);
      const values = { modularity: -Infinity, potts: -Infinity };
      const visit = (labels: number[], most: number): void => {
        if (labels.length < 8) {
          for (let k = 0; k <= most; k++) visit([...labels, k], Math.max(most, k + 1));
          return;
        }
        const inside = pairs.reduce((sum, [i, j], e) => sum + (labels[i] === labels[j] ? weights[e] : 0), 0);
        let [chance, couples] = [0, 0];
        for (let k = 0; k < most; k++) {
          const own = labels.flatMap((label, i) => (label === k ? [i] : []));
          chance += own.reduce((sum, i) => sum + degree(i), 0) ** 2;
          couples += (own.length * (own.length - 1)) / 2;
        }
        values.modularity = Math.max(values.modularity, inside / m - chance / (4 * m * m));
        values.potts = Math.max(values.potts, inside - 0.4 * couples);
      };
      visit([], 0);
      expect(communities(graph, { restarts: 20 }).objective).toBeCloseTo(values.modularity, 9);
      const potts = communities(graph, { quality: "potts", resolution: 0.4, restarts: 20 });
      expect(potts.objective).toBeCloseTo(values.potts, 9);
    }
  });

  it("of rows: the clouds, the same for the same seed and any order, or as many as asked for", () => {
    const fit = leiden(X, { clusters: 3 });
    expect(agreement(fit.labels, truth)).toBeGreaterThan(0.9);
    const moved = leiden(takeRows(X, shuffled), { clusters: 3 });
    expect(
      agreement(
        moved.labels,
        shuffled.map((i) => fit.labels[i]),
      ),
    ).toBe(1);
    expect(leiden([[1, 2]]).clusters).toBe(1);
    expect(communities(edgeList(4, [])).clusters).toBe(4);
    expect(() => communities(edgeList(4, [[0, 1]]), { clusters: 2, resolution: 1 })).toThrow("give one of");
  });
});

test("squared distances of the fixture are its own", () => {
  // The tests above measure with their own loop; this ties it to that of the library.
  const rows = fromRows(fixtures.sets[0].X);
  expect(Math.sqrt(squaredDistances(rows).data[1])).toBeCloseTo(distance(rows, 0, 1), 12);
});
