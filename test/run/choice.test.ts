import { describe, expect, test } from "vitest";
import { chosenPartition } from "../../src/judge/index.ts";
import { random, type Random } from "../../src/core/random.ts";
import { readColumns } from "../../src/data/index.ts";
import { asTable } from "../../src/data/columns/asTable.ts";
import { cluster } from "../../src/run/cluster.ts";
import { prepare } from "../../src/run/input/prepare.ts";
import { compare } from "../../src/run/compare/compare.ts";
import type { Matrix } from "../../src/matrix/index.ts";
import { adjustedRand } from "../../src/score/index.ts";

type Row = Record<string, number | string>;

/** Tables of several natures, with two to four groups of unequal size. */
const NATURES: Record<string, (g: Random, k: number) => Row> = {
  numbers: (g, k) => ({ a: 6 * (k % 2) + g.normal(), b: 6 * (k >> 1) + g.normal(), c: g.normal() }),
  mixed: (g, k) => ({
    a: 5 * k + g.normal(),
    b: 3 * g.normal() - 4 * k,
    color: ["red", "green", "blue", "grey"][g.uniform() < 0.85 ? k : 3],
    shape: ["round", "long"][g.uniform() < 0.9 ? k % 2 : 0],
  }),
  bits: (g, k) =>
    Object.fromEntries(
      Array.from({ length: 12 }, (_, f) => [`s${f}`, Number(g.uniform() < (f % 4 === k ? 0.9 : 0.15))]),
    ),
  counts: (g, k) => {
    const row: Row = Object.fromEntries(Array.from({ length: 80 }, (_, f) => [`w${f}`, 0]));
    for (let word = 0; word < 14; word++) {
      const f = g.uniform() < 0.6 ? 20 * k + Math.floor(20 * g.uniform() ** 2) : Math.floor(80 * g.uniform());
      row[`w${f}`] = Number(row[`w${f}`]) + 1;
    }
    return row;
  },
};

function rowsOf(nature: string, seed: number): Row[] {
  const g = random(100 + seed);
  const groups = 2 + (seed % 3);
  return Array.from({ length: 110 + 10 * seed }, () => {
    const k = Math.min(groups - 1, Math.floor(groups * g.uniform() ** 1.3));
    return NATURES[nature](g, k);
  });
}

describe.each(Object.keys(NATURES))("a random table of %s", (nature) => {
  test.each([0, 1, 2])("cluster, compare and the library agree bit for bit (%i)", async (seed) => {
    const rows = rowsOf(nature, seed);
    for (const clusters of [undefined, 3]) {
      const options = clusters === undefined ? {} : { clusters };
      const found = await cluster(rows, options);
      const { partitions } = await compare(rows, { ...options, methods: ["kmeans"] });
      expect(partitions[0].methods[0].name).toBe("auto");
      expect(partitions[0].labels).toEqual(Array.from(found.labels));
      const { X, space } = prepare(asTable(rows), {});
      if (space.kind !== "features") throw new Error("features are expected");
      const choice = chosenPartition(X as Matrix, { seed: 0, ...options }, space.record);
      expect(choice.labels).toEqual(found.labels);
      expect(choice.trust.probability).toBe(found.trust?.probability);
    }
  });

  test.each([0, 1])("rows in another order are in the same clusters (%i)", async (seed) => {
    const rows = rowsOf(nature, seed);
    const order = random(seed).shuffle(Int32Array.from(rows.keys()));
    for (const clusters of [undefined, 3]) {
      const options = clusters === undefined ? {} : { clusters };
      const before = await cluster(rows, options);
      const after = await cluster(
        Array.from(order, (i) => rows[i]),
        options,
      );
      expect(after.clusters).toBe(before.clusters);
      expect(after.sizes).toEqual(before.sizes);
      // Clusters of one size may change their numbers.
      const pairs = new Set(Array.from(order, (i, p) => `${before.labels[i]} ${after.labels[p]}`));
      expect(pairs.size).toBe(before.clusters);
    }
  });

  test("the numbers of clusters that were looked at are on a path, where the number was found", async () => {
    const { details, clusters } = await cluster(rowsOf(nature, 1));
    const { path } = details as { path: { clusters: number; support: number }[] };
    expect(path.length).toBeGreaterThan(2);
    expect(path.map((entry) => entry.clusters)).toContain(clusters);
    const most = path.reduce((a, b) => (b.support > a.support ? b : a));
    expect(most.clusters).toBe(clusters);
  });
});

test("amounts that are often 0 are no clusters of their own", async () => {
  const found = async (seed: number, groups: number) => {
    const g = random(seed);
    const truth = Array.from({ length: 600 }, (_, i) => i % groups);
    const spent = (none: number, level: number): number =>
      g.uniform() < none ? 0 : Math.exp(level + 0.5 * g.normal());
    const rows = truth.map((k) => ({
      food: spent(0.4, 2 + k),
      garden: spent([0.4, 0.4, 0.8][k], 3 - k),
      toys: spent(0.4, k === 1 ? 4 : 2),
      age: 40 + 9 * k + 3 * g.normal(),
      plan: ["free", "basic", "pro"][g.uniform() < 0.8 ? k : g.integer(3)],
    }));
    const { labels, trust } = await cluster(rows, {});
    return { agreement: adjustedRand(labels, truth), word: trust!.word };
  };
  for (const seed of [1, 2, 3]) expect((await found(seed, 3)).agreement).toBeGreaterThan(0.8);
  // Where there are no groups, what is found is not sure.
  const words: string[] = [];
  for (const seed of [1, 2, 3]) words.push((await found(seed, 1)).word);
  for (const word of words) expect(["weak", "none"]).toContain(word);
});

test("a table of answers on a few levels is clustered in spite of its ties", async () => {
  const g = random(8);
  const truth = Array.from({ length: 420 }, () => Math.floor(4 * g.uniform() ** 1.3));
  const centers = Array.from({ length: 4 }, () => Array.from({ length: 11 }, () => 2 * g.uniform()));
  const rows = truth.map((k) =>
    Object.fromEntries(
      centers[k].map((center, f) => [
        `q${f}`,
        ["no", "partly", "yes"][Math.round(Math.min(2, Math.max(0, center + 0.5 * g.normal())))],
      ]),
    ),
  );
  const levels = Object.fromEntries(Object.keys(rows[0]).map((name) => [name, "ordered:no|partly|yes"]));
  const table = await readColumns(new TextEncoder().encode(JSON.stringify(rows)), { as: levels });
  expect(table.columns.every(({ kind }) => kind === "ordered")).toBe(true);
  const { X, space } = prepare(table, {});
  if (space.kind !== "features") throw new Error("features are expected");
  const { labels } = chosenPartition(X as Matrix, { seed: 0, clusters: 4 }, space.record);
  expect(adjustedRand(labels, truth)).toBeGreaterThan(0.8);
});
