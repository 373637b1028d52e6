import { describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { affinity, diffusion, normalized } from "../../src/hints/affinity.ts";
import { voteInto } from "../../src/hints/consensus.ts";
import { balance, evidence, togetherIn } from "../../src/hints/evidence.ts";
import { learnFromHints } from "../../src/hints/index.ts";
import { exclusiveGroups, knownFrom, relation, withDeductions, withoutRows } from "../../src/hints/known.ts";
import { mergedCandidates } from "../../src/hints/merged.ts";
import { posterior } from "../../src/hints/posterior.ts";
import type { Candidate } from "../../src/hints/shelf.ts";
import { statementsIn, tableOf, type Statement } from "../../src/hints/statements.ts";
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

  test("tables count what was said, of groups and labels each two rows twice by half", () => {
    for (const seed of [3, 4]) {
      const labels = classesOf(40, 4, seed);
      const together = togetherIn(labels);
      const slow = [0, 0, 0, 0];
      const count = (i: number, j: number, said: boolean, by: number): void => {
        slow[(labels[i] === labels[j] ? 0 : 2) + (said ? 0 : 1)] += by;
      };
      const pairs = hints(same, different);
      for (const { a, b, same: said } of distinctPairs(pairs)) count(a, b, said, 1);
      const named = [0, 3, 7, 12, 20].map((row) => ({ row, label: `c${classes[row]}` }));
      for (const one of named) {
        const alike = named.filter(({ row, label }) => row !== one.row && label === one.label);
        const others = named.filter(({ label }) => label !== one.label);
        for (const { row } of alike) count(one.row, row, true, 1 / 2 / alike.length);
        if (alike.length > 0) for (const { row } of others) count(one.row, row, false, 1 / 2 / others.length);
      }
      const t = tableOf(
        statementsIn({ pairs, groups: [], labels: named, not: [] }, (row) => row),
        together,
      );
      [t.togetherSame, t.togetherDifferent, t.apartSame, t.apartDifferent].forEach((value, p) =>
        expect(value).toBeCloseTo(slow[p], 12),
      );
    }
  });

  test("the truth has the most evidence, and balance near 1", () => {
    const truth = tableOf(saidOf(same, different), togetherIn(classes));
    const other = tableOf(saidOf(same, different), togetherIn(classesOf(40, 3, 9)));
    expect(evidence(truth)).toBeGreaterThan(evidence(other));
    expect(balance(truth)).toBeGreaterThan(0.9);
    expect(evidence({ togetherSame: 0, togetherDifferent: 0, apartSame: 0, apartDifferent: 0 })).toBeCloseTo(
      0,
      12,
    );
    // B(4, 1) / B(3, 1) = 3/4.
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
      const free = voteInto([{ labels, weight: 1 }], knownFrom(30, [], []), K);
      expect(Array.from(free)).toEqual(Array.from(labels));
      const { same, different } = answers(classesOf(30, K, seed + 50), 25, seed);
      const voters = [1, 2, 3].map((weight) => ({ labels: classesOf(30, K, seed + 7 * weight), weight }));
      const kept = voteInto(voters, knownFrom(30, same, different), K);
      for (const [i, j] of same) expect(kept[i]).toBe(kept[j]);
      for (const [i, j] of different) expect(kept[i]).not.toBe(kept[j]);
    }
  });

  test("names of the clusters of a voter do not matter", () => {
    const a = classesOf(30, 3, 5);
    const b = classesOf(30, 3, 6);
    const known = knownFrom(30, [[0, 1]], [[2, 3]]);
    const renamed = b.map((label) => (label + 1) % 3);
    const first = voteInto(
      [
        { labels: a, weight: 2 },
        { labels: b, weight: 1 },
      ],
      known,
      3,
    );
    const second = voteInto(
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

const trustOf = (support: number, answers: number) =>
  trustIn({ balance: support, expected: support, undecided: false }, answers);

test("trust rises with the balance and is careful with few answers", () => {
  let before = -1;
  for (let b = 0.3; b <= 1; b += 0.05) {
    const { expected, between } = trustOf(b, 40);
    expect(expected).toBeGreaterThanOrEqual(before);
    expect(between[0]).toBeLessThanOrEqual(expected);
    expect(between[1]).toBeGreaterThanOrEqual(expected);
    expect(trustOf(b, 8).between[0]).toBe(0);
    before = expected;
  }
  expect(trustOf(0.3, 50).word).toBe("poor");
  expect(trustOf(1, 50).word).toBe("very good");
  expect(trustIn({ balance: 1, expected: 1, undecided: true }, 50).word).toBe("fair");
});

function candidate(name: string, labels: Int32Array, judged: number): Candidate {
  return { name, labels, clusters: new Set(labels).size, shares: { judged }, together: togetherIn(labels) };
}

function saidOf(same: readonly [number, number][], different: readonly [number, number][]): Statement[] {
  return statementsIn({ pairs: hints(same, different), groups: [], labels: [], not: [] }, (row) => row);
}

function distinctPairs(pairs: ReturnType<typeof hints>): ReturnType<typeof hints> {
  const key = ({ a, b, same }: (typeof pairs)[0]): string => [Math.min(a, b), Math.max(a, b), same].join();
  return [...new Map(pairs.map((one) => [key(one), one])).values()];
}

describe("the posterior over partitions", () => {
  const classes = classesOf(60, 3, 5);
  const candidates = Array.from({ length: 20 }, (_, s) =>
    candidate(
      `view ${s}`,
      s === 0 ? classes : classes.map((label, i) => ((i + s) % 7 === 0 ? (label + 1) % 3 : label)),
      s === 0 ? 0.25 : 0.75 / 19,
    ),
  );
  const weightOf = (labels: Int32Array, count: number, seed = 3): number => {
    const { same, different } = answers(labels, count, seed);
    return posterior(candidates, saidOf(same, different))[0].weight;
  };

  test("without answers it is the prior; each answer multiplies the odds by what was predicted", () => {
    expect(weightOf(classes, 0)).toBeCloseTo(0.25, 12);
    const pair = saidOf([[0, 1]], []);
    const [same] = [classes.slice(0, 2)].map(([a, b]) => a === b);
    const members = posterior(candidates, pair);
    for (const { labels, evidence: own } of members)
      expect(own).toBeCloseTo(Math.log(labels[0] === labels[1] ? 0.75 : 0.25), 12);
    expect(members[0].weight > 0.25).toBe(same);
  });

  test("the partition of the answers gains with every answer, and loses to one that predicts them better", () => {
    expect(weightOf(classes, 12)).toBeGreaterThan(0.25);
    expect(weightOf(classes, 48)).toBeGreaterThan(weightOf(classes, 12));
    const other = candidates[3].labels.map((label, i) => (i % 2 === 0 ? label : candidates[10].labels[i]));
    expect(weightOf(other, 48)).toBeLessThan(weightOf(classes, 48));
  });

  test('answers "same" across two clusters join them, as far as they are worth the choice', () => {
    const fine = classes.map((label, i) => (label === classes[0] && i >= 30 ? 3 : label));
    const { same, different } = answers(classes, 60, 4);
    const said = saidOf(same, different);
    const members = posterior([candidate("fine", fine, 1)], said);
    const merged = mergedCandidates(members, said, 2);
    const found = merged.find(({ clusters }) => clusters === 3)!;
    for (let i = 0; i < 60; i++) expect(found.labels[i] === found.labels[0]).toBe(classes[i] === classes[0]);
    expect(found.shares.judged).toBeCloseTo(1 / 6, 12);
    expect(found.merged).toBe(true);
    expect(posterior([...members, found], said)[1].weight).toBeGreaterThan(0.5);
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
    const library = [{ name: "default", labels: classes }];
    expect(learnFromHints(X, { pairs: hints(same, different) }, { library, without: 15 }).clusters).toBe(15);
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
      if (learnFromHints(X, { pairs: hints(same, different) }, { without: 1 }).clusters > proved) more++;
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
    const library = [{ name: "default", labels: classes.map((label) => Math.min(label, 1)) }];
    expect(learnFromHints(X, { pairs: hints(same, different) }, { library, without: 2 }).clusters).toBe(4);
  });
});

function hints(same: readonly [number, number][], different: readonly [number, number][]) {
  return [
    ...same.map(([a, b]) => ({ a, b, same: true })),
    ...different.map(([a, b]) => ({ a, b, same: false })),
  ];
}
