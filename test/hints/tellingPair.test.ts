import { describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { knownFrom } from "../../src/hints/known.ts";
import { tellingPair } from "../../src/hints/questions/tellingPair.ts";
import { adjustedRand } from "../../src/score/index.ts";

const n = 60;
const everyPair = (): boolean => true;
const nothing = knownFrom(n, [], []);

function member(of: (i: number) => number, weight: number): { labels: Int32Array; weight: number } {
  return { labels: Int32Array.from({ length: n }, (_, i) => of(i)), weight };
}

/** Two kinds of members: by i % 2, and by i < 30; of each kind one that differs on a few rows. */
const kinds = [
  member((i) => i % 2, 0.3),
  member((i) => (i < 5 ? 0 : i % 2), 0.2),
  member((i) => Number(i < 30), 0.3),
  member((i) => Number(i < 26), 0.2),
];

const apart = kinds.map((m) => kinds.map((o) => 1 - adjustedRand(m.labels, o.labels)));

/** How much an answer takes from the doubt, written down from its definition. */
function fallOf(members: typeof kinds, a: number, b: number): number {
  const total = members.reduce((sum, { weight }) => sum + weight, 0);
  const doubt = (w: readonly number[]): number => {
    let sum = 0;
    w.forEach((p, m) => w.forEach((q, o) => (sum += p * q * apart[m][o])));
    return sum;
  };
  const w = members.map(({ weight }) => weight / total);
  let expected = 0;
  for (const same of [true, false]) {
    const joint = members.map(({ labels }, m) => w[m] * ((labels[a] === labels[b]) === same ? 0.75 : 0.25));
    const chance = joint.reduce((sum, value) => sum + value, 0);
    expected += chance * doubt(joint.map((value) => value / chance));
  }
  return doubt(w) - expected;
}

describe("the pair that tells ways of looking apart", () => {
  test("takes most of the doubt of all pairs, and its fall is what the definition says", () => {
    const found = tellingPair(kinds, nothing, everyPair, random(1))!;
    expect(found.fall).toBeCloseTo(fallOf(kinds, found.a, found.b), 12);
    let most = 0;
    for (let a = 0; a < n; a++) for (let b = 0; b < a; b++) most = Math.max(most, fallOf(kinds, a, b));
    expect(found.fall).toBeCloseTo(most, 12);
  });

  test("members of one kind agree on it, those of the other kind say the opposite", () => {
    for (let seed = 0; seed < 10; seed++) {
      const { a, b } = tellingPair(kinds, nothing, everyPair, random(seed))!;
      const together = kinds.map(({ labels }) => labels[a] === labels[b]);
      expect(together[0]).toBe(together[1]);
      expect(together[2]).toBe(together[3]);
      expect(together[0]).not.toBe(together[2]);
    }
  });

  test("asks about nothing that is known or was skipped", () => {
    const known = knownFrom(
      n,
      Array.from({ length: n - 2 }, (_, i): [number, number] => [i, i + 1]),
      [],
    );
    for (let seed = 0; seed < 5; seed++) {
      const { a, b } = tellingPair(kinds, known, everyPair, random(seed))!;
      expect([a, b]).toContain(n - 1);
    }
    expect(tellingPair(kinds, nothing, () => false, random(1))).toBeUndefined();
  });

  test("equal members leave no doubt", () => {
    const { doubt, fall } = tellingPair([kinds[0], kinds[0]], nothing, everyPair, random(1))!;
    expect(doubt).toBe(0);
    expect(fall).toBeCloseTo(0, 12);
  });
});
