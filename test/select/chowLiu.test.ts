import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { fromRows, type Matrix } from "../../src/matrix/matrix.ts";
import { chowLiuSelect, chowLiuTree, drawTree } from "../../src/select/index.ts";
import { growingTree, maximumSpanningTree, type TreeEdge } from "../../src/select/chowLiuTree.ts";
import { column, entropyOf, informationOf, levelTables } from "./tables.ts";

const weigh = (edges: readonly TreeEdge[]): number => edges.reduce((sum, { weight }) => sum + weight, 0);

/** Weight of the maximum spanning tree of the columns, by Prim on informations from the definition. */
function treeWeight(columns: readonly number[][]): number {
  return weigh(
    maximumSpanningTree(columns.length, (v) => columns.map((values) => informationOf(values, columns[v]))),
  );
}

function scoreOf({ X, y }: { X: Matrix; y: readonly number[] }, features: readonly number[]): number {
  const columns = features.map((f) => column(X, f));
  return treeWeight([...columns, [...y]]) - treeWeight(columns);
}

describe("growing a maximum spanning tree", () => {
  const weightMatrices = fc.integer({ min: 1, max: 12 }).chain((m) =>
    fc.array(fc.integer({ min: 0, max: 20 }), { minLength: m * m, maxLength: m * m }).map((cells) => {
      const W = Array.from({ length: m }, (_, i) => cells.slice(i * m, (i + 1) * m));
      return W.map((line, i) => Float64Array.from(line, (_, j) => (i < j ? W[i][j] : W[j][i])));
    }),
  );

  test("equals the tree from scratch at every size, and foretells each increase", () => {
    fc.assert(
      fc.property(weightMatrices, (W) => {
        const tree = growingTree();
        const increases = new Float64Array(W.length);
        for (let m = 0; m < W.length; m++) {
          const before = weigh(tree.edges);
          tree.increases(W.slice(0, m), increases);
          tree.grow(W.slice(0, m).map((row) => row[m]));
          const scratch = maximumSpanningTree(m + 1, (v) => W[v].subarray(0, m + 1));
          expect(tree.edges).toHaveLength(m);
          expect(weigh(tree.edges)).toBe(weigh(scratch));
          expect(before + increases[m]).toBe(weigh(tree.edges));
          for (let c = m; c < W.length; c++) {
            const keys = [...Array.from({ length: m }, (_, v) => v), c];
            const grown = maximumSpanningTree(m + 1, (v) => keys.map((u) => W[keys[v]][u]));
            expect(before + increases[c]).toBe(weigh(grown));
          }
        }
      }),
    );
  });

  test("many candidates at a time gain what each gains alone", () => {
    const stream = random(4);
    const links = Array.from({ length: 5 }, () =>
      Float64Array.from({ length: 1100 }, () => stream.uniform()),
    );
    const tree = growingTree();
    links.forEach((_, m) => tree.grow(links.slice(0, m).map((row) => row[m])));
    const [together, alone] = [new Float64Array(1100), new Float64Array(1)];
    tree.increases(links, together);
    for (let c = 0; c < together.length; c += 7) {
      tree.increases(
        links.map((row) => row.subarray(c, c + 1)),
        alone,
      );
      expect(together[c]).toBe(alone[0]);
    }
  });

  test("has the edges of the only maximum when all weights differ", () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray(
          Array.from({ length: 45 }, (_, i) => i),
          { minLength: 45 },
        ),
        (weights) => {
          const W = Array.from({ length: 10 }, () => new Float64Array(10));
          let at = 0;
          for (let i = 0; i < 10; i++) for (let j = 0; j < i; j++) W[i][j] = W[j][i] = weights[at++];
          const tree = growingTree();
          for (let m = 0; m < 10; m++) tree.grow(W[m].subarray(0, m));
          const named = (edges: readonly TreeEdge[]): string[] =>
            edges.map(({ a, b }) => `${Math.min(a, b)}-${Math.max(a, b)}`).toSorted();
          expect(named(tree.edges)).toEqual(named(maximumSpanningTree(10, (v) => W[v])));
        },
      ),
    );
  });
});

describe("chowLiuTree", () => {
  test("log-likelihood is that of the product of conditionals, from any root", () => {
    fc.assert(
      fc.property(levelTables({ rows: 40, cols: 5, levels: 3 }), ({ X, y }) => {
        const tree = chowLiuTree(X, { labels: y, discretize: "given" });
        const values = tree.names.map((_, v) => (v === X.cols ? [...y] : column(X, v)));
        for (let root = 0; root < tree.names.length; root++) {
          const turned = chowLiuTree(X, {
            labels: y,
            discretize: "given",
            root: root === X.cols ? "class" : root,
          });
          let likelihood = 0;
          for (const v of turned.order) {
            const p = turned.parents[v];
            likelihood -=
              X.rows *
              (p < 0 ? entropyOf(values[v]) : entropyOf(values[v], values[p]) - entropyOf(values[p]));
          }
          expect(likelihood).toBeCloseTo(tree.logLikelihood, 8);
          expect(turned.weights.reduce((a, b) => a + b, 0)).toBeCloseTo(tree.total, 10);
        }
        expect(tree.total).toBeCloseTo(treeWeight(values), 10);
      }),
      { numRuns: 30 },
    );
  });

  test("is drawn with its root on top", () => {
    // a determines b and c, d is noise.
    const X = fromRows([
      [0, 0, 0, 0],
      [1, 1, 1, 1],
      [2, 2, 1, 0],
      [3, 2, 0, 1],
      [0, 0, 0, 1],
      [1, 1, 1, 0],
    ]);
    const tree = chowLiuTree(X, { discretize: "given", names: ["a", "b", "c", "d"] });
    expect(drawTree(tree)).toBe("a\n├─ b  1.0986\n├─ c  0.6931\n└─ d  0.2310\n");
    expect(drawTree(chowLiuTree(X, { discretize: "given", names: ["a", "b", "c", "d"], root: 3 }))).toBe(
      "d\n└─ a  0.2310\n   ├─ b  1.0986\n   └─ c  0.6931\n",
    );
    expect(chowLiuTree(X, { discretize: "given", root: 2 }).root).toBe(2);
    expect(() => chowLiuTree(X, { discretize: "given", root: "class" })).toThrow("needs labels");
    expect(() => chowLiuTree(X, { discretize: "given", root: 4 })).toThrow("the root is column 4");
  });
});

describe("chowLiuSelect", () => {
  test("is Algorithm 3 with line 11 corrected", () => {
    fc.assert(
      fc.property(levelTables({ rows: 60, cols: 7, levels: 3 }), (problem) => {
        const { X, y } = problem;
        fc.pre(Array.from({ length: X.cols }, (_, f) => entropyOf(column(X, f))).some((h) => h > 0));
        const { features, scores, gains, filledFrom, certificate } = chowLiuSelect(X, y, {
          discretize: "given",
        });
        const chosen: number[] = [];
        features.forEach((feature, rank) => {
          const before = chosen.length === 0 ? 0 : scoreOf(problem, chosen);
          const gainOf = (f: number): number => scoreOf(problem, [...chosen, f]) - before;
          expect(gains[rank]).toBeCloseTo(gainOf(feature), 10);
          const byGain = filledFrom === undefined || rank < filledFrom;
          const others = Array.from({ length: X.cols }, (_, f) => f).filter((f) => !chosen.includes(f));
          const best = Math.max(...others.map(gainOf));
          expect(byGain ? gains[rank] : Math.max(0, best)).toBeCloseTo(Math.max(0, best), 10);
          expect(byGain).toBe(byGain && gains[rank] > 0);
          chosen.push(feature);
          expect(scores[rank]).toBeCloseTo(scoreOf(problem, chosen), 10);
        });
        expect(certificate.score).toBe(scores[scores.length - 1]);
      }),
      { numRuns: 40 },
    );
  });

  test("no set of as many features beats it by more than the gap it reports", () => {
    fc.assert(
      fc.property(
        levelTables({ rows: 40, cols: 6, levels: 3 }),
        fc.integer({ min: 1, max: 4 }),
        (problem, k) => {
          const { X, y } = problem;
          fc.pre(
            k <= X.cols &&
              Array.from({ length: X.cols }, (_, f) => entropyOf(column(X, f))).some((h) => h > 0),
          );
          const { certificate, features } = chowLiuSelect(X, y, { discretize: "given", features: k });
          for (const set of subsets(X.cols, features.length)) {
            expect(scoreOf(problem, set)).toBeLessThanOrEqual(certificate.score + certificate.gap + 1e-10);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  test("stops, or fills by mRMR, when no gain is left; a copy of the class ends it", () => {
    const y = [0, 0, 1, 1, 0, 0, 1, 1];
    const X = fromRows(y.map((value, i) => [value, 1 - value, i % 2, i < 4 ? 0 : 1]));
    const stopped = chowLiuSelect(X, y, { discretize: "given", features: 4, fill: "none" });
    expect(Array.from(stopped.features)).toEqual([0]);
    expect(stopped.warnings).toEqual([
      "after 1 feature no other adds to the score; the selection ends there",
    ]);
    const filled = chowLiuSelect(X, y, { discretize: "given", features: 4 });
    expect(filled.filledFrom).toBe(1);
    // The negated copy comes last, behind features that tell nothing.
    expect(Array.from(filled.features)).toEqual([0, 2, 3, 1]);
    expect(filled.warnings[0]).toMatch("the rest was chosen by mRMR");
    expect(filled.tree.names[0]).toBe("(class)");
    expect(Array.from(filled.tree.columns)).toEqual([-1, 0, 2, 3, 1]);
  });
});

function subsets(n: number, k: number): number[][] {
  if (k === 0) return [[]];
  return Array.from({ length: n - k + 1 }, (_, i) => n - 1 - i).flatMap((last) =>
    subsets(last, k - 1).map((rest) => [...rest, last]),
  );
}
