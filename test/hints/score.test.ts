import { describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { affinity, diffusion, normalized } from "../../src/hints/affinity.ts";
import { chooseClusters } from "../../src/hints/chooseClusters.ts";
import { consensus } from "../../src/hints/consensus.ts";
import { exclusiveGroups, knownFrom, relation, withDeductions, withoutRows } from "../../src/hints/known.ts";
import { balance, evidence, pairTable, weighMembers } from "../../src/hints/score.ts";
import { impliedPairs, stackedWeights } from "../../src/hints/stack.ts";
import { trustIn } from "../../src/hints/trust.ts";
import { matrix } from "../../src/matrix/index.ts";

/** Pairs that do not contradict the given classes. */
function answers(classes: ArrayLike<number>, count: number, seed: number) {
  const stream = random(seed);
  const same: [number, number][] = [];
  const different: [number, number][] = [];
  for (let p = 0; p < count; p++) {
    const a = stream.integer(classes.length);
    const b = (a + 1 + stream.integer(classes.length - 1)) % classes.length;
    (classes[a] === classes[b] ? same : different).push([a, b]);
  }
  return { same, different };
}

function classesOf(n: number, K: number, seed: number): Int32Array {
  const stream = random(seed);
  return Int32Array.from({ length: n }, () => stream.integer(K));
}

describe("what is known", () => {
  const classes = classesOf(40, 3, 1);
  const { same, different } = answers(classes, 45, 2);
  const known = knownFrom(40, same, different);

  test("tables count every implied pair once", () => {
    for (const seed of [3, 4]) {
      const labels = classesOf(40, 4, seed);
      const held = Uint8Array.from({ length: 40 }, (_, i) => Number(i % 3 === 0));
      for (const only of [undefined, held]) {
        const slow = [0, 0, 0, 0];
        for (const i of known.hinted) {
          for (const j of known.hinted) {
            if (i >= j || (only !== undefined && only[i] + only[j] === 0)) continue;
            const said = relation(known, i, j);
            if (said !== 0) slow[(labels[i] === labels[j] ? 0 : 2) + (said === 1 ? 0 : 1)]++;
          }
        }
        const t = pairTable(known, labels, only);
        expect([t.togetherSame, t.togetherDifferent, t.apartSame, t.apartDifferent]).toEqual(slow);
      }
    }
  });

  test("the truth has the most evidence, and balance near 1", () => {
    const truth = pairTable(known, classes);
    const other = pairTable(known, classesOf(40, 3, 9));
    expect(evidence(truth)).toBeGreaterThan(evidence(other));
    expect(balance(truth)).toBeGreaterThan(0.9);
    expect(evidence({ togetherSame: 0, togetherDifferent: 0, apartSame: 0, apartDifferent: 0 })).toBeCloseTo(
      0,
      12,
    );
    // B(5/2, 1/2) / B(3/2, 1/2) = 3/4.
    expect(evidence({ togetherSame: 1, togetherDifferent: 0, apartSame: 0, apartDifferent: 0 })).toBeCloseTo(
      Math.log(0.75),
      12,
    );
  });

  test("what follows from the number of clusters agrees with the truth", () => {
    for (let seed = 0; seed < 30; seed++) {
      const K = 2 + (seed % 3);
      const truth = classesOf(15, K, seed);
      const drawn = answers(truth, 25, seed + 100);
      const all = withDeductions(knownFrom(15, drawn.same, drawn.different), K);
      for (let i = 0; i < 15; i++) {
        for (let j = 0; j < i; j++) {
          const said = relation(all, i, j);
          expect(said === 0 || (said === 1) === (truth[i] === truth[j])).toBe(true);
        }
      }
    }
    const triangle = withDeductions(
      knownFrom(
        4,
        [],
        [
          [0, 1],
          [1, 2],
          [0, 3],
          [3, 2],
        ],
      ),
      2,
    );
    expect(relation(triangle, 0, 2)).toBe(1);
    expect(relation(triangle, 1, 3)).toBe(1);
  });

  test("rows that are left out are not known, links through them are", () => {
    const chain = knownFrom(
      4,
      [
        [0, 1],
        [1, 2],
      ],
      [[1, 3]],
    );
    const held = Uint8Array.of(0, 1, 0, 0);
    const rest = withoutRows(chain, held);
    expect(relation(rest, 0, 2)).toBe(1);
    expect(relation(rest, 0, 3)).toBe(-1);
    expect(relation(rest, 0, 1)).toBe(0);
    expect(exclusiveGroups(rest)).toHaveLength(2);
  });
});

describe("the vote", () => {
  test("one voter without hints is itself; every hint is kept", () => {
    for (let seed = 0; seed < 40; seed++) {
      const K = 2 + (seed % 3);
      const labels = classesOf(30, K, seed);
      const free = consensus([{ labels, weight: 1 }], knownFrom(30, [], []), K);
      expect(Array.from(free)).toEqual(Array.from(labels));
      const { same, different } = answers(classesOf(30, K, seed + 50), 25, seed);
      const voters = [1, 2, 3].map((weight) => ({ labels: classesOf(30, K, seed + 7 * weight), weight }));
      const kept = consensus(voters, knownFrom(30, same, different), K);
      for (const [i, j] of same) expect(kept[i]).toBe(kept[j]);
      for (const [i, j] of different) expect(kept[i]).not.toBe(kept[j]);
    }
  });

  test("names of the clusters of a voter do not matter", () => {
    const a = classesOf(30, 3, 5);
    const b = classesOf(30, 3, 6);
    const known = knownFrom(30, [[0, 1]], [[2, 3]]);
    const renamed = b.map((label) => (label + 1) % 3);
    const first = consensus(
      [
        { labels: a, weight: 2 },
        { labels: b, weight: 1 },
      ],
      known,
      3,
    );
    const second = consensus(
      [
        { labels: a, weight: 2 },
        { labels: renamed, weight: 1 },
      ],
      known,
      3,
    );
    expect(Array.from(second)).toEqual(Array.from(first));
  });
});

test("diffusion solves (I - 0.8 S) x = e", () => {
  const stream = random(4);
  const Z = matrix(
    50,
    3,
    Float64Array.from({ length: 150 }, () => stream.normal()),
  );
  const S = normalized(affinity(Z));
  const columns = [0, 17, 33];
  const A = diffusion(S, columns);
  for (let c = 0; c < 3; c++) {
    for (let i = 0; i < 50; i++) {
      let left = A.data[i * 3 + c];
      for (let p = S.offsets[i]; p < S.offsets[i + 1]; p++)
        left -= 0.8 * S.values[p] * A.data[S.indices[p] * 3 + c];
      expect(Math.abs(left - Number(columns[c] === i))).toBeLessThan(1e-3);
    }
  }
});

test("trust rises with the balance and is careful with few answers", () => {
  let before = -1;
  for (let b = 0.3; b <= 1; b += 0.05) {
    const { expected, between } = trustIn(b, 40);
    expect(expected).toBeGreaterThanOrEqual(before);
    expect(between[0]).toBeLessThanOrEqual(expected);
    expect(between[1]).toBeGreaterThanOrEqual(expected);
    expect(trustIn(b, 8).expected).toBeLessThan(expected);
    before = expected;
  }
  expect(trustIn(0.5, 50).word).toBe("poor");
  expect(trustIn(0.97, 50).word).toBe("very good");
});

describe("weights of members", () => {
  const stream = random(5);
  const same = Array.from({ length: 40 }, (_, p) => p % 2 === 0);
  const pairs = { rows: same.map((_, p): [number, number] => [2 * p, 2 * p + 1]), same };
  const right = (known: (p: number) => boolean) => same.map((said, p) => (known(p) ? Number(said) : 0.5));
  const together = [right((p) => p < 20), right((p) => p >= 20), right((p) => p < 10), right(() => false)];
  const q = [0.25, 0.25, 0.25, 0.25];
  const objective = (w: readonly number[]): number =>
    same.reduce((sum, said, p) => {
      const share = w.reduce((total, weight, m) => total + weight * (0.1 + 0.8 * together[m][p]), 0);
      return sum + Math.log(said ? share : 1 - share);
    }, 0) +
    10 * w.reduce((sum, weight, m) => sum + q[m] * Math.log(weight), 0);

  test("no other weights foresee the answers better, and members that complete each other lead", () => {
    const w = stackedWeights(pairs, together, q, 40);
    expect(w.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 12);
    for (let trial = 0; trial < 200; trial++) {
      const other = w.map((weight) => weight * Math.exp(0.3 * stream.normal()));
      const total = other.reduce((a, b) => a + b, 0);
      expect(objective(other.map((weight) => weight / total))).toBeLessThanOrEqual(objective(w) + 1e-9);
    }
    expect(Math.min(w[0], w[1])).toBeGreaterThan(Math.max(w[2], w[3]));
  });

  test("without pairs the weights stay, and of very many pairs some are taken", () => {
    expect(stackedWeights({ rows: [], same: [] }, [[], []], [0.3, 0.7], 0)).toEqual([0.3, 0.7]);
    const group = knownFrom(
      100,
      Array.from({ length: 99 }, (_, i): [number, number] => [i, i + 1]),
      [],
    );
    const implied = impliedPairs(group);
    expect(implied.rows.length).toBeLessThanOrEqual(2000);
    expect(implied.rows.length).toBeGreaterThan(1000);
    expect(implied.same.every(Boolean)).toBe(true);
  });
});

describe("a default that the caller chose", () => {
  const classes = classesOf(60, 3, 5);
  const shelf = Array.from({ length: 20 }, (_, s) => ({
    name: `view ${s}`,
    labels: s === 0 ? classes : classes.map((label, i) => ((i + s) % 7 === 0 ? (label + 1) % 3 : label)),
  }));
  const weights = (labels: Int32Array, chosen: boolean): number => {
    const { same, different } = answers(labels, 12, 3);
    const known = knownFrom(60, same, different);
    return weighMembers(known, impliedPairs(known), shelf, [], chosen)[0].weight;
  };

  test("has a large share of the vote as long as it predicts the answers", () => {
    expect(weights(classes, true)).toBeGreaterThan(0.4);
    expect(weights(classes, true)).toBeGreaterThan(2 * weights(classes, false));
  });

  test("loses it to those that predict them better", () => {
    const meant = shelf[3].labels.map((label, i) => (i % 2 === 0 ? label : shelf[10].labels[i]));
    expect(weights(meant, true)).toBeLessThan(weights(classes, true));
    expect(weights(classesOf(60, 3, 8), true)).toBeLessThan(0.4);
  });
});

describe("the number of clusters", () => {
  test("a partition that was given counts at its number, also beyond those that are tried", () => {
    const classes = Int32Array.from({ length: 90 }, (_, i) => i % 15);
    const stream = random(6);
    const X = matrix(90, 3);
    for (let p = 0; p < X.data.length; p++) X.data[p] = stream.normal();
    const { same, different } = answers(classes, 40, 7);
    expect(same.length).toBeGreaterThan(0);
    const given = [{ name: "default", labels: classes }];
    expect(chooseClusters(X, knownFrom(90, same, different), 0, given, 15)).toBe(15);
  });

  test("answers that have nothing to do with the rows give no more clusters than they prove", () => {
    let more = 0;
    for (let round = 0; round < 20; round++) {
      const stream = random(100 + round);
      const X = matrix(80, 4);
      for (let p = 0; p < X.data.length; p++) X.data[p] = stream.normal();
      const { same, different } = answers(classesOf(80, 2, round), 24, 200 + round);
      const known = knownFrom(80, same, different);
      const proved = Math.max(2, exclusiveGroups(known).length);
      if (chooseClusters(X, known, 0, [], 1) > proved) more++;
    }
    expect(more).toBeLessThanOrEqual(2);
  });

  test("answers that follow more groups than the default has prove them", () => {
    const classes = Int32Array.from({ length: 90 }, (_, i) => i % 4);
    const stream = random(4);
    const X = matrix(90, 3);
    for (let p = 0; p < X.data.length; p++)
      X.data[p] = stream.normal() + (classes[Math.floor(p / 3)] === p % 3 ? 7 : 0);
    const { same, different } = answers(classes, 20, 5);
    const given = [{ name: "default", labels: classes.map((label) => Math.min(label, 1)) }];
    expect(chooseClusters(X, knownFrom(90, same, different), 0, given, 2)).toBe(4);
  });
});
