import { describe, expect, it } from "vitest";
import { agglomerative } from "../../../src/cluster/index.ts";
import { dendrogram, type Dendrogram } from "../../../src/cluster/linkage/dendrogram.ts";
import { linkageChain } from "../../../src/cluster/linkage/linkageChain.ts";
import { linkageRounds } from "../../../src/cluster/linkage/linkageRounds.ts";
import { random } from "../../../src/core/random.ts";
import { matrix, takeRows, type Matrix } from "../../../src/matrix/index.ts";
import { farthest } from "../../classicalFixture.ts";

const { integer, normal, shuffle } = random(17);
const make = (n: number, d: number, value: (i: number, j: number) => number): Matrix =>
  matrix(
    n,
    d,
    Float64Array.from({ length: n * d }, (_, p) => value(Math.floor(p / d), p % d)),
  );
const sorted = make(250, 1, () => normal());
sorted.data.sort();
/** Sets without equal distances. */
const PLAIN: Record<string, Matrix> = {
  "two rows": make(2, 3, () => normal()),
  "seventeen rows, a list of all others": make(17, 2, () => normal()),
  clouds: make(400, 5, (i) => normal() + 5 * (i % 6)),
  "an odd number of columns": make(301, 7, () => normal()),
  "many columns": make(200, 60, () => normal()),
  "one sorted column": sorted,
  "far rows": make(300, 2, () => normal() / normal()),
  "gaps that grow, so that few are mutually nearest": make(200, 1, (i) => 1.01 ** i),
};
/** Sets of many equal distances. */
const TIED: Record<string, Matrix> = {
  integers: make(120, 2, () => integer(8)),
  grid: make(100, 2, (i, j) => (j ? i % 10 : Math.floor(i / 10))),
  "forty copies of three rows": make(120, 2, (i, j) => (i % 3) * (j + 1)),
  "all the same": make(50, 2, () => 1),
};
const LINKAGES = ["average", "complete"] as const;
/** Distances of rows computed from them, and held. */
const FORMS = { rows: { clusters: 2, columns: 100 }, held: { clusters: 2, columns: 0 } };
const ROOM = 2 ** 31;

const rounds = (X: Matrix, linkage: "average" | "complete", form: keyof typeof FORMS): Dendrogram =>
  dendrogram(X.rows, linkageRounds(X, linkage, ROOM, FORMS[form])!);

/** How far any merge is from joining the two nearest clusters, each measured from the rows. */
function excess(
  X: Matrix,
  linkage: "average" | "complete",
  { rows: n, merges, heights }: Dendrogram,
): number {
  const d = X.cols;
  const distance = (i: number, j: number): number =>
    Math.hypot(...Array.from({ length: d }, (_, f) => X.data[i * d + f] - X.data[j * d + f]));
  const between = (a: number[], b: number[]): number => {
    const all = a.flatMap((i) => b.map((j) => distance(i, j)));
    return linkage === "complete" ? Math.max(...all) : all.reduce((sum, one) => sum + one, 0) / all.length;
  };
  const clusters = new Map(Array.from({ length: n }, (_, i) => [i, [i]]));
  const known = new Map<string, number>();
  const apart = (a: number, b: number): number => {
    const key = `${Math.min(a, b)} ${Math.max(a, b)}`;
    if (!known.has(key)) known.set(key, between(clusters.get(a)!, clusters.get(b)!));
    return known.get(key)!;
  };
  let worst = 0;
  heights.forEach((height, m) => {
    let least = Infinity;
    const names = [...clusters.keys()];
    names.forEach((a, p) => names.slice(0, p).forEach((b) => (least = Math.min(least, apart(a, b)))));
    const [a, b] = [merges[2 * m], merges[2 * m + 1]];
    worst = Math.max(worst, Math.abs(height - least), Math.abs(height - apart(a, b)));
    clusters.set(n + m, [...clusters.get(a)!, ...clusters.get(b)!]);
    clusters.delete(a);
    clusters.delete(b);
  });
  return worst;
}

describe.each(LINKAGES)("%s linkage in rounds", (linkage) => {
  it.each(Object.keys(PLAIN))("has the merges of the chain: %s", (name) => {
    const X = PLAIN[name];
    const chain = dendrogram(X.rows, linkageChain(X, linkage, 0));
    for (const form of ["rows", "held"] as const) {
      const tree = rounds(X, linkage, form);
      expect(tree.merges).toEqual(chain.merges);
      expect(farthest(tree.heights, chain.heights)).toBeLessThan(1e-13 * chain.heights.at(-1)!);
    }
  });

  it.each(Object.keys(TIED))("joins two nearest clusters in every merge: %s", (name) => {
    for (const form of ["rows", "held"] as const) {
      expect(excess(TIED[name], linkage, rounds(TIED[name], linkage, form))).toBeLessThan(1e-12);
    }
  });

  it("leaves the rest to the chain where few are joined, or few are left", () => {
    const X = PLAIN.clouds;
    const whole = rounds(X, linkage, "rows");
    for (const clusters of [400, 150, 30]) {
      const tree = dendrogram(X.rows, linkageRounds(X, linkage, ROOM, { clusters, columns: 100 })!);
      expect(tree.merges).toEqual(whole.merges);
    }
  });

  it("needs room only for the distances of the groups", () => {
    const X = PLAIN.clouds;
    const triangle = 4 * 400 * 399;
    const whole = rounds(X, linkage, "rows");
    for (const room of [triangle - 8, triangle / 2, 1000]) {
      const tree = dendrogram(
        X.rows,
        linkageRounds(X, linkage, room, FORMS.rows) ?? linkageChain(X, linkage),
      );
      expect(tree.merges).toEqual(whole.merges);
    }
  });

  it("does not depend on the order of rows, ties included", () => {
    for (const X of [make(1300, 3, () => normal()), make(1300, 3, () => integer(6))]) {
      const order = shuffle(Int32Array.from({ length: X.rows }, (_, i) => i));
      const [one, other] = [X, takeRows(X, order)].map((rows) =>
        agglomerative(rows, { linkage, clusters: 9 }),
      );
      expect(other.tree.heights).toEqual(one.tree.heights);
      const pairs = new Set(Array.from(order, (i, p) => `${one.labels[i]} ${other.labels[p]}`));
      expect(pairs.size).toBe(9);
    }
  });
});
