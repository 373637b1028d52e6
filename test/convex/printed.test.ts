import { describe, expect, test } from "vitest";
import { cc, ccml, ccscml } from "../../src/recipes/index.ts";
import { edgeList, neighborGraph } from "../../src/graph/index.ts";
import { takeColumns } from "../../src/matrix/index.ts";
import { rand } from "../../src/score/index.ts";
import { gaussians } from "./gaussians.ts";
import { literalCcml, literalCcscml } from "./printedReference.ts";

const { X, y } = gaussians(3, 12, 4, 5);
const { graph } = neighborGraph(X, { neighbors: 8, join: true });
const common = { graph, variant: "printed", protocol: "strict", scale: "none", tolerance: 1e-10 } as const;

describe("ccscml as printed", () => {
  test("is the alternation of the text: its Sigma, its objective before and after, its clusters", () => {
    // Six clusters to start from, so three directions are no null vectors.
    const start = y.map((group, i) => 2 * group + (i % 2));
    const gamma = 0.8;
    const { rounds, history } = ccscml(X, { ...common, gamma, start, directions: 3, iterations: 3 });
    expect(rounds).toHaveLength(3);
    const text = literalCcscml(
      X,
      graph,
      start,
      gamma,
      rounds.map(({ Q }) => Q),
    );
    text.forEach(({ sigma, before, after, labels }, r) => {
      rounds[r].sigma.forEach((value, k) => expect(value / sigma[k]).toBeCloseTo(1, 5));
      expect(history[2 * r].objective / before).toBeCloseTo(1, 5);
      expect(history[2 * r + 1].objective / after).toBeCloseTo(1, 6);
      expect(rand(labels, rounds[r].fit.chosen.labels)).toBe(1);
    });
  });

  test("takes more directions than clusters allow, and says which are arbitrary", () => {
    const options = {
      ...common,
      clusters: 3,
      start: y,
      directions: 4,
      iterations: 2,
      protocol: "practical",
    } as const;
    const result = ccscml(X, options);
    expect(result.projection.cols).toBe(4);
    expect(result.warnings.join("\n")).toMatch(/2 of 4 directions are null vectors of S_B/);
    expect(ccscml(X, { ...options, directions: 3 }).warnings.join("\n")).toMatch(
      /1 of 3 directions are null/,
    );
    expect(() => ccscml(X, { ...options, variant: "repaired" })).toThrow(/3 clusters of 4 features have 2/);
    // The order of the columns decides them.
    const turned = ccscml(takeColumns(X, [2, 0, 3, 1]), options);
    expect(turned.sigma).not.toEqual(result.sigma);
  });

  test("takes a start finer than K; the repaired form refuses it", () => {
    const start = y.map((group, i) => 2 * group + (i % 2));
    const options = { ...common, clusters: 3, start, protocol: "practical" } as const;
    expect(ccscml(X, options).clusters).toBe(3);
    expect(() => ccscml(X, { ...options, variant: "repaired" })).toThrow(
      /start has 6 clusters, but 3 were asked for/,
    );
  });

  test("keeps the weights of the data, which the repaired form finds anew in its directions", () => {
    const options = { clusters: 3, start: y, neighbors: 8, join: true };
    const { graph: ofData } = cc(X, { clusters: 3, neighbors: 8, join: true });
    expect(ccscml(X, { ...options, variant: "printed" }).graph).toEqual(ofData);
    expect(ccscml(X, options).graph).not.toEqual(ofData);
  });

  test("says that the objective rises", () => {
    const found = ccscml(X, { ...common, gamma: 0.8, start: y, directions: 2, iterations: 3 });
    const rises = found.history.filter(
      ({ step, objective }, h) => h > 0 && step === "metric" && objective > found.history[h - 1].objective,
    );
    const said = found.warnings.filter((warning) => /raise the objective from/.test(warning));
    expect(said).toHaveLength(rises.length);
    expect(rises.length).toBeGreaterThan(0);
  });
});

describe("ccml as printed", () => {
  const small = edgeList(
    X.rows,
    Array.from({ length: X.rows - 1 }, (_, i): [number, number] => [i, i + 1]),
  );

  test("has det B = det(A)^(d-1), as plain code, and says how many clusters the rounds have", () => {
    const gamma = 1;
    const text = literalCcml(X, small, gamma, 3);
    const { rounds, warnings } = ccml(X, { ...common, graph: small, gamma, iterations: 3 });
    const said = warnings.flatMap((warning) => /log det B is (\S+), not 0/.exec(warning)?.[1] ?? []);
    // Later rounds fit the rows almost exactly, and the determinant of what is left is rounding.
    expect(Number(said[0]) / text.logDets[0]).toBeCloseTo(1, 2);
    const counts = rounds.map(({ fit }) => fit.chosen.sizes.length);
    expect(counts).toEqual(text.counts.slice(0, counts.length));
    expect(warnings).toContain(`as printed: the rounds end with ${counts.join(", ")} clusters`);
    // The flip: nearly every row alone, or all together.
    expect(Math.max(...counts.slice(1))).toBeGreaterThan(0.9 * X.rows);
  });

  test("ends where A is singular", () => {
    const twice = takeColumns(X, [0, 1, 1]);
    const { warnings } = ccml(twice, { ...common, graph: small, gamma: 1 });
    expect(warnings.join("\n")).toMatch(/round 1: A is singular or too large for its determinant/);
  });
});
