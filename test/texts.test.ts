// Small problems of the texts beside cvxpy and numpy (test/fixtures/texts.py), which share nothing with what is tested.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { segment } from "../src/cluster/index.ts";
import { solveBiclusters, solveScc, type Norm } from "../src/recipes/index.ts";
import type { Pair } from "../src/data/index.ts";
import { random } from "../src/core/random.ts";
import { naml } from "../src/embed/index.ts";
import { edgeList } from "../src/graph/index.ts";
import { fromRows } from "../src/matrix/index.ts";
import { bregman, distBoost, lajugieSets, lmnn, pccaKernel, triplets } from "../src/metric/index.ts";
import { adjustedRand } from "../src/score/index.ts";

type Rows = number[][];
const TEXTS = JSON.parse(readFileSync("test/fixtures/texts.json", "utf8")) as {
  scc: {
    X: Rows;
    pairs: Pair[];
    weights: number[];
    v: number[];
    q: Norm;
    gamma: number;
    gamma2: number;
    value: number;
    U: Rows;
  }[];
  biclusters: {
    X: Rows;
    rows: Pair[];
    v: number[];
    columns: Pair[];
    w: number[];
    gamma: number;
    value: number;
    U: Rows;
  }[];
  lmnn: { X: Rows; y: number[]; value: number }[];
  triplets: { X: Rows; triplets: [number, number, number][]; price: number; value: number }[];
  bregman: {
    X: Rows;
    must: Pair[];
    cannot: Pair[];
    name: "exp" | "shifted4";
    loss: "hinge" | "squared";
    C: number;
    value: number;
  }[];
  segments: { X: Rows; K: number; cuts: number[]; value: number }[];
  distBoost: {
    X: Rows;
    K: number;
    must: Pair[];
    cannot: Pair[];
    starts: Rows;
    agreements: number[];
    strengths: number[];
    H: Rows;
    error: number;
  }[];
  lajugie: { sets: { X: Rows; y: number[] }[]; penalty: number; value: number; M: Rows }[];
  pccaKernel: {
    X: Rows;
    must: Pair[];
    cannot: Pair[];
    gamma: number;
    ridge: number;
    value: number;
    D: number[];
  }[];
  naml: { X: Rows; y: number[]; sigmas: number[]; lam: number; value: number; weights: number[] }[];
};

const relative = (ours: number, theirs: number): number =>
  Math.abs(ours - theirs) / Math.max(1, Math.abs(theirs));
const apartFrom = (ours: ArrayLike<number>, theirs: Rows): number =>
  Math.max(...theirs.flat().map((value, p) => Math.abs(value - ours[p])));

/** The largest deviation of a problem; KINDRED_DEVIATIONS=1 prints it. */
function deviation(what: string, values: readonly number[]): number {
  const most = Math.max(...values);
  if (process.env["KINDRED_DEVIATIONS"] === "1") console.log(`${what}: ${most.toExponential(1)}`);
  return most;
}

test.each([1, 2, "inf"] as const)("sparse convex clustering, q = %s", (q) => {
  const found = TEXTS.scc.filter((one) => one.q === q);
  const fits = found.map((one) => {
    const problem = {
      X: fromRows(one.X),
      graph: edgeList(one.X.length, one.pairs, one.weights),
      norm: q,
    };
    const { gamma, gamma2 } = one;
    return solveScc(problem, { gamma, gamma2, featureWeights: Float64Array.from(one.v), tolerance: 1e-10 });
  });
  expect(fits.every(({ converged }) => converged)).toBe(true);
  const values = fits.map(({ certificate }, i) => relative(certificate.primal, found[i].value));
  expect(deviation(`SCC, q = ${q}, objective`, values)).toBeLessThan(1e-8);
  const points = fits.map(({ U }, i) => apartFrom(U.data, found[i].U));
  expect(deviation(`SCC, q = ${q}, centres`, points)).toBeLessThan(1e-3);
});

test("convex biclustering", () => {
  const fits = TEXTS.biclusters.map((one) => {
    const X = fromRows(one.X);
    const problem = {
      X,
      rows: edgeList(X.rows, one.rows, one.v),
      columns: edgeList(X.cols, one.columns, one.w),
    };
    return solveBiclusters(problem, { gamma: one.gamma, tolerance: 1e-9 });
  });
  const values = fits.map(({ certificate }, i) => relative(certificate.primal, TEXTS.biclusters[i].value));
  expect(deviation("biclusters, objective", values)).toBeLessThan(1e-8);
  const points = fits.map(({ U }, i) => apartFrom(U.data, TEXTS.biclusters[i].U));
  expect(deviation("biclusters, U", points)).toBeLessThan(1e-3);
});

test("LMNN is the semidefinite program", () => {
  const values = TEXTS.lmnn.map(({ X, y, value }) => {
    const metric = lmnn(fromRows(X), y, { tolerance: 1e-6, maxIterations: 20_000 });
    return relative(metric.objective!, value);
  });
  expect(deviation("LMNN, objective", values)).toBeLessThan(1e-5);
  const usual = TEXTS.lmnn.map(({ X, y, value }) => relative(lmnn(fromRows(X), y).objective!, value));
  expect(deviation("LMNN by default, objective", usual)).toBeLessThan(0.01);
});

test("triplets", () => {
  const values = TEXTS.triplets.map(({ X, triplets: given, price, value }) =>
    relative(triplets(fromRows(X), given, { price, tolerance: 1e-6 }).objective!, value),
  );
  expect(deviation("triplets, objective", values)).toBeLessThan(1e-6);
});

test("Bregman distances, hinge plain and squared", () => {
  const values = TEXTS.bregman.map(({ X, must, cannot, name, loss, C, value }) => {
    const fit = bregman(fromRows(X), {
      mustLink: must,
      cannotLink: cannot,
      function: name,
      loss,
      cost: C,
      rowScale: 0.4,
    });
    return relative(fit.objective!, value);
  });
  expect(deviation("Bregman, objective", values)).toBeLessThan(1e-6);
});

test("cuts of consecutive rows", () => {
  for (const { X, K, cuts, value } of TEXTS.segments) {
    const found = segment(fromRows(X), { clusters: K });
    expect([...found.cuts]).toEqual(cuts);
    expect(deviation(`segments, K = ${K}, objective`, [relative(found.objective!, value)])).toBeLessThan(
      1e-10,
    );
  }
});

test("DistBoost", () => {
  for (const one of TEXTS.distBoost) {
    const { K, must, cannot, H, starts } = one;
    const X = fromRows(one.X);
    const rounds = starts.length;
    const streams = random(0);
    const drawn = starts.map(() => [...streams.split().sample(K, X.rows)]);
    expect(drawn).toEqual(starts);
    const fit = distBoost(X, { mustLink: must, cannotLink: cannot, components: K, rounds, iterations: 10 });
    expect(fit.pairError).toBe(one.error);
    const all = H.flatMap((line, i) => line.map((_, j) => [i, j] as Pair));
    const what = `DistBoost, ${K} components`;
    const agreements = apartFrom(fit.agreements, [one.agreements]);
    expect(deviation(`${what}, r`, [agreements])).toBeLessThan(1e-9);
    const strengths = apartFrom(fit.strengths, [one.strengths]);
    expect(deviation(`${what}, strengths`, [strengths])).toBeLessThan(1e-9);
    expect(deviation(`${what}, H`, [apartFrom(fit.similarities(X, all), H)])).toBeLessThan(1e-9);
  }
});

test("Lajugie's metric of one set and of several", () => {
  const fits = TEXTS.lajugie.map(({ sets, penalty }) =>
    lajugieSets(
      sets.map(({ X, y }) => ({ X: fromRows(X), labels: y })),
      { whiten: false, regularization: penalty, tolerance: 1e-8, maxIterations: 50_000 },
    ),
  );
  expect(fits.every(({ converged }) => converged)).toBe(true);
  const values = fits.map(({ objective }, i) => relative(objective!, TEXTS.lajugie[i].value));
  expect(deviation("Lajugie, objective", values)).toBeLessThan(1e-7);
  const metrics = fits.map(({ matrix }, i) => apartFrom(matrix.data, TEXTS.lajugie[i].M));
  expect(deviation("Lajugie, M", metrics)).toBeLessThan(1e-3);
});

test("kernel PCCA", () => {
  const fits = TEXTS.pccaKernel.map(({ X, must, cannot, gamma, ridge }) =>
    pccaKernel(fromRows(X), { mustLink: must, cannotLink: cannot, gamma, ridge, tolerance: 1e-9 }),
  );
  const values = fits.map(({ objective }, i) => relative(objective!, TEXTS.pccaKernel[i].value));
  expect(deviation("kernel PCCA, objective", values)).toBeLessThan(1e-6);
  const squares = fits.map(({ distance }, p) => {
    const { X, must, cannot, D } = TEXTS.pccaKernel[p];
    return apartFrom(
      [...must, ...cannot].map(([i, j]) => distance(X[i], X[j]) ** 2),
      [D],
    );
  });
  expect(deviation("kernel PCCA, squared distances", squares)).toBeLessThan(1e-3);
});

test("the kernel of NAML", () => {
  const fits = TEXTS.naml.map(({ X, y, sigmas, lam }) => {
    const fit = naml(fromRows(X), { clusters: new Set(y).size, sigmas, lambda: lam });
    expect(adjustedRand(fit.labels, y)).toBe(1);
    return fit;
  });
  const values = fits.map(({ objective }, i) => relative(objective, TEXTS.naml[i].value));
  expect(deviation("NAML, f", values)).toBeLessThan(1e-6);
  const weights = fits.map((fit, i) => apartFrom(fit.weights, [TEXTS.naml[i].weights]));
  expect(deviation("NAML, weights", weights)).toBeLessThan(1e-3);
});
