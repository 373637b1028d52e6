import { describe, expect, test } from "vitest";
import { random, type Random } from "../../src/core/random.ts";
import { learnFromHints } from "../../src/hints/index.ts";
import { fromRows, matrix, takeRows, type Matrix } from "../../src/matrix/index.ts";
import { placingOf } from "../../src/method/placing.ts";
import { adjustedRand } from "../../src/score/index.ts";

/** Three groups in the first two columns, three other groups in the other four: two ways to look. */
function twoWays(n: number, stream: Random): { X: Matrix; meant: number[]; other: number[] } {
  const X = matrix(n, 6);
  const meant: number[] = [];
  const other: number[] = [];
  for (let i = 0; i < n; i++) {
    meant.push(stream.integer(3));
    other.push(stream.integer(3));
    for (let f = 0; f < 6; f++) {
      const angle = (2 * Math.PI * meant[i]) / 3 + (f === 0 ? 0 : Math.PI / 2);
      X.data[i * 6 + f] = stream.normal() + (f < 2 ? 4 * Math.cos(angle) : 5 * (other[i] - 1));
    }
  }
  return { X, meant, other };
}

function pairsOf(
  truth: readonly number[],
  count: number,
  stream: Random,
): { a: number; b: number; same: boolean }[] {
  return Array.from({ length: count }, () => {
    const a = stream.integer(truth.length);
    const b = (a + 1 + stream.integer(truth.length - 1)) % truth.length;
    return { a, b, same: truth[a] === truth[b] };
  });
}

describe("learnFromHints", () => {
  const stream = random(3);
  const { X, meant, other } = twoWays(120, stream);
  const pairs = pairsOf(meant, 30, stream);
  const learned = learnFromHints(X, { pairs }, { clusters: 3 });

  test("hints turn the clustering to what is meant, and the metric to its columns", () => {
    const without = learnFromHints(X, {}, { clusters: 3 });
    expect(adjustedRand(without.labels, other)).toBeGreaterThan(0.9);
    expect(adjustedRand(learned.labels, meant)).toBeGreaterThan(0.9);
    expect(learned.guarded).toBe(false);
    expect(learned.explained.share).toBeGreaterThan(0.8);
    const leading = [...learned.metric.columns].sort((p, q) => q.after - p.after).slice(0, 2);
    expect(leading.map(({ column }) => column).sort()).toEqual([0, 1]);
    expect(learned.moved.length).toBeGreaterThan(20);
    expect(learned.members.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 10);
  });

  test("the result is plain data, and the rule places the rows where they are", () => {
    expect(structuredClone(learned)).toEqual(learned);
    const read = JSON.parse(JSON.stringify(learned)) as typeof learned;
    expect(read).toEqual(learned);
    const place = placingOf(read.placing);
    expect(Array.from(place(X).labels)).toEqual([...learned.labels]);
    const fresh = twoWays(200, random(99));
    expect(adjustedRand(place(fresh.X).labels, fresh.meant)).toBeGreaterThan(0.85);
    // The rule speaks of the columns as they are, not of scaled ones.
    const Y = matrix(
      X.rows,
      6,
      X.data.map((value, p) => 1000 + 8 ** (p % 6) * value),
    );
    const wide = learnFromHints(Y, { pairs }, { clusters: 3 });
    expect(Array.from(placingOf(wide.placing)(Y).labels)).toEqual([...wide.labels]);
  });

  test("equal input gives equal output; neither order of rows nor of hints matters", () => {
    expect(learnFromHints(X, { pairs }, { clusters: 3 })).toEqual(learned);
    const order = stream.shuffle(Int32Array.from({ length: X.rows }, (_, i) => i));
    const place = new Int32Array(X.rows);
    order.forEach((row, p) => (place[row] = p));
    const moved = pairs.map(({ a, b, same }) => ({ a: place[b], b: place[a], same })).reverse();
    const shuffled = learnFromHints(takeRows(X, order), { pairs: moved }, { clusters: 3 });
    expect(Array.from(order, (_, i) => shuffled.labels[place[i]])).toEqual([...learned.labels]);
    expect(shuffled.explained).toEqual(learned.explained);
  });

  test("repeated hints change nothing", () => {
    expect(learnFromHints(X, { pairs: [...pairs, ...pairs] }, { clusters: 3 }).labels).toEqual(
      learned.labels,
    );
  });

  test("shift and scale of columns change nothing under z-scores", () => {
    const Y = matrix(
      X.rows,
      6,
      X.data.map((value, p) => 2 ** ((p % 6) - 3) * value),
    );
    const again = learnFromHints(Y, { pairs }, { clusters: 3 });
    expect(adjustedRand(again.labels, learned.labels)).toBeGreaterThan(0.95);
  });

  test("labels name clusters, and a row that is not in one is kept out", () => {
    const rows = [0, 1, 2].flatMap((k) => meant.flatMap((m, i) => (m === k ? [i] : [])).slice(0, 4));
    const labels = rows.map((row) => ({ row, label: `class ${meant[row]}` }));
    const odd = meant.findIndex((m, i) => m === 1 && !rows.includes(i));
    const found = learnFromHints(X, { labels, not: [{ row: odd, label: "class 1" }] });
    expect(found.clusters).toBeGreaterThanOrEqual(3);
    for (const { row, label } of labels) expect(found.names[found.labels[row]]).toBe(label);
    expect(found.names[found.labels[odd]]).not.toBe("class 1");
    expect(() => learnFromHints(X, { labels }, { clusters: 2 })).toThrow(/name 3 clusters/);
  });

  test("the guard keeps the default where hints are noise", () => {
    const noise = random(11);
    const Z = matrix(
      90,
      3,
      Float64Array.from({ length: 270 }, () => noise.normal()),
    );
    const coin = Array.from({ length: 90 }, () => noise.integer(2));
    const found = learnFromHints(Z, { pairs: pairsOf(coin, 16, noise) }, { clusters: 2 });
    expect(found.trust.expected).toBeLessThan(0.5);
    expect(found.notes.some(({ code }) => code === "guard")).toBe(found.guarded);
  });

  test("too few clusters for the hints: named, and the rest is kept", () => {
    const triangle = [
      { a: 0, b: 1, same: false },
      { a: 1, b: 2, same: false },
      { a: 0, b: 2, same: false },
    ];
    const found = learnFromHints(X, { pairs: triangle }, { clusters: 2 });
    expect(found.contradictions).toHaveLength(1);
    expect([...found.contradictions[0].rows].sort()).toEqual([0, 1, 2]);
    const aside = found.contradictions[0].setAside[0];
    const kept = triangle.filter(({ a, b }) => a !== aside.a || b !== aside.b);
    expect(kept).toHaveLength(2);
    for (const { a, b } of kept) expect(found.labels[a]).not.toBe(found.labels[b]);
    expect(learnFromHints(X, { pairs: triangle }).clusters).toBeGreaterThanOrEqual(3);
  });

  test("a library given by the caller holds the default", () => {
    const found = learnFromHints(X, {}, { clusters: 3, library: [{ name: "mine", labels: meant }] });
    expect(adjustedRand(found.labels, meant)).toBe(1);
    expect(found.moved).toEqual([]);
    expect(() => learnFromHints(X, {}, { library: [{ name: "short", labels: [0] }] })).toThrow(/"short"/);
  });

  test("tiny tables", () => {
    expect(() => learnFromHints(matrix(1, 1, Float64Array.of(2)), {})).toThrow(/every column is constant/);
    const two = matrix(2, 1, Float64Array.of(1, 2));
    expect(learnFromHints(two, { pairs: [{ a: 0, b: 1, same: true }] }, { clusters: 2 }).clusters).toBe(1);
    const apart = learnFromHints(two, { pairs: [{ a: 0, b: 1, same: false }] });
    expect(apart.labels[0]).not.toBe(apart.labels[1]);
    const equal = matrix(6, 2, Float64Array.from([1, 2, 1, 2, 1, 2, 1, 2, 3, 4, 3, 4]));
    const split = learnFromHints(equal, { pairs: [{ a: 0, b: 1, same: false }] }, { clusters: 2 });
    expect(split.labels[0]).not.toBe(split.labels[1]);
    expect(() => learnFromHints(matrix(0, 0), {})).toThrow(/empty/);
    expect(() => learnFromHints(two, {}, { clusters: 3 })).toThrow(/3 clusters of 2 rows/);
  });

  test("random instances: every kept hint holds, every other one is named", () => {
    const chance = random(17);
    for (let round = 0; round < 60; round++) {
      const n = 4 + chance.integer(26);
      const Z = matrix(n, 1 + chance.integer(3));
      for (let p = 0; p < Z.data.length; p++)
        Z.data[p] = chance.integer(3) === 0 ? chance.integer(3) : chance.normal();
      Z.data[0] = 5;
      const K = 2 + chance.integer(Math.min(3, n - 2));
      const hints = Array.from({ length: 1 + chance.integer(20) }, () => {
        const a = chance.integer(n);
        return { a, b: (a + 1 + chance.integer(n - 1)) % n, same: chance.uniform() < 0.4 };
      });
      const found = learnFromHints(Z, { pairs: hints }, { clusters: K, seed: round });
      const aside = new Set([
        ...found.contradictions
          .flatMap(({ setAside }) => setAside)
          .map(({ a, b, same }) => `${a} ${b} ${same}`),
        ...found.suspicious.filter(({ kept }) => !kept).map(({ rows, same }) => `${rows.join(" ")} ${same}`),
      ]);
      for (const { a, b, same } of hints) {
        if (aside.has(`${Math.min(a, b)} ${Math.max(a, b)} ${same}`)) continue;
        expect(found.labels[a] === found.labels[b]).toBe(same);
      }
      for (const { rows, message } of found.contradictions) {
        expect(rows.length).toBeGreaterThan(0);
        expect(message).not.toBe("");
      }
    }
  });
});

test("a partition that was given may have more clusters than are made", () => {
  const rows = Array.from({ length: 60 }, (_, i) => [(i % 3) * 5 + (i % 7) / 10, (i % 5) / 2]);
  const many = Int32Array.from({ length: 60 }, (_, i) => i % 7);
  const hints = {
    pairs: [
      { a: 0, b: 3, same: true },
      { a: 6, b: 9, same: true },
      { a: 0, b: 1, same: false },
      { a: 1, b: 4, same: true },
    ],
  };
  const found = learnFromHints(fromRows(rows), hints, {
    clusters: 3,
    library: [{ name: "given", labels: many }],
  });
  expect(found.clusters).toBe(3);
  expect(found.labels[0]).toBe(found.labels[3]);
  expect(found.labels[0]).not.toBe(found.labels[1]);
});
