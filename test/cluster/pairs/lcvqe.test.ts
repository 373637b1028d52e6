import { describe, expect, test } from "vitest";
import { lcvqe } from "../../../src/cluster/index.ts";
import { random } from "../../../src/core/index.ts";
import type { Constraints, Pair } from "../../../src/data/index.ts";
import type { Matrix } from "../../../src/matrix/index.ts";
import { clouds } from "../clouds.ts";
import { plantedPairs } from "./pairData.ts";

/**
 * The update rules of D. Pelleg and D. Baras (2007), section 3, one after the other and on plain arrays: rows to their
 * nearest centres; for each violated must-link the least of three costs, (a) left apart, the pair entering GMLV of both
 * centres, (b) and (c) both rows to one centre; for each violated cannot-link the farther row either stays, the pair
 * entering GCLV of the second nearest centre, or moves there; then
 * c = (sum of own rows + 1/2 sum over GMLV + sum over GCLV) / (their number).
 */
function reference(X: Matrix, start: number[][], { mustLink, cannotLink }: Constraints) {
  const row = (i: number): number[] => Array.from(X.data.subarray(i * X.cols, (i + 1) * X.cols));
  const distance = (x: number[], c: number[]): number => x.reduce((s, v, j) => s + (v - c[j]) ** 2, 0);
  let centers = start;
  let labels: number[] = [];
  let objective = 0;
  for (let iteration = 0; iteration < 200; iteration++) {
    const D = Array.from({ length: X.rows }, (_, i) => centers.map((c) => distance(row(i), c)));
    const order = D.map((ds) => ds.map((_, k) => k).sort((a, b) => ds[a] - ds[b]));
    const next = order.map((nearest) => nearest[0]);
    const extra: { row: number; center: number; weight: number }[] = [];
    let pull = 0;
    for (const [a, b] of mustLink) {
      const [p, q] = [next[a], next[b]];
      if (p === q) continue;
      const costs = [
        0.5 * (D[a][p] + D[b][q]) + 0.25 * (D[a][q] + D[b][p]),
        0.5 * (D[a][p] + D[b][p]),
        0.5 * (D[a][q] + D[b][q]),
      ];
      const least = Math.min(...costs);
      if (costs[1] === least) next[b] = p;
      else if (costs[2] === least) next[a] = q;
      else {
        extra.push({ row: a, center: q, weight: 0.5 }, { row: b, center: p, weight: 0.5 });
        pull += 0.25 * (D[a][q] + D[b][p]);
      }
    }
    for (const [i, j] of cannotLink) {
      if (next[i] !== next[j]) continue;
      const k = next[i];
      const far = D[i][k] > D[j][k] ? i : j;
      const near = far === i ? j : i;
      const other = order[far].find((c) => c !== k)!;
      const stays = 0.5 * (D[near][k] + D[far][k]) + 0.5 * D[far][other];
      const moves = 0.5 * (D[near][k] + D[far][other]);
      if (stays < moves) {
        extra.push({ row: far, center: other, weight: 1 });
        pull += 0.5 * D[far][other];
      } else next[far] = other;
    }
    objective = pull + next.reduce((sum, k, i) => sum + 0.5 * D[i][k], 0);
    const updated = centers.map((c, k) => {
      const terms = [
        ...next.flatMap((label, i) => (label === k ? [{ row: i, weight: 1 }] : [])),
        ...extra.filter(({ center }) => center === k),
      ];
      const mass = terms.reduce((sum, { weight }) => sum + weight, 0);
      if (mass === 0) return c;
      return c.map((_, j) => terms.reduce((sum, t) => sum + t.weight * row(t.row)[j], 0) / mass);
    });
    const rest = next.every((k, i) => k === labels[i]) && distance(updated.flat(), centers.flat()) < 1e-20;
    labels = next;
    if (rest) return { labels, objective, centers, rest };
    centers = updated;
  }
  return { labels, objective, centers, rest: false };
}

function distinct(pairs: readonly Pair[]): Pair[] {
  const seen = new Map<string, Pair>();
  for (const [i, j] of pairs)
    seen.set(`${Math.min(i, j)} ${Math.max(i, j)}`, [Math.min(i, j), Math.max(i, j)]);
  return [...seen.values()];
}

describe("lcvqe against its update rules written out", () => {
  test("a fixed point of ours is one of theirs, with the same labels, centres and objective", () => {
    let compared = 0;
    for (let seed = 0; seed < 40; seed++) {
      const n = 30 + seed;
      const K = 2 + (seed % 3);
      const { X } = clouds(n, 2, K, 1.2, seed);
      const planted = plantedPairs(n, K, 6, 6, random(seed));
      const pairs = { mustLink: distinct(planted.mustLink), cannotLink: distinct(planted.cannotLink) };
      const ours = lcvqe(X, { clusters: K, ...pairs, restarts: 2, seed });
      if (!ours.converged) continue;
      const start = Array.from({ length: K }, (_, k) =>
        Array.from(ours.centers.data.subarray(2 * k, 2 * k + 2)),
      );
      const theirs = reference(X, start, pairs);
      expect(theirs.rest, `seed ${seed}`).toBe(true);
      expect(Array.from(ours.labels)).toEqual(theirs.labels);
      expect(ours.objective).toBeCloseTo(theirs.objective, 8);
      theirs.centers.flat().forEach((c, p) => expect(ours.centers.data[p]).toBeCloseTo(c, 8));
      compared++;
    }
    expect(compared).toBeGreaterThan(20);
  });
});
