import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkConstraints, type Pair } from "../../src/data/constraints.ts";
import { samplePairs } from "../../src/data/samplePairs.ts";

describe("checkConstraints", () => {
  it("numbers must-link components by their first member and drops repeated pairs", () => {
    const checked = checkConstraints(6, {
      mustLink: [
        [4, 1],
        [1, 4],
        [4, 5],
      ],
      cannotLink: [
        [0, 5],
        [5, 0],
      ],
    });
    expect(Array.from(checked.group)).toEqual([0, 1, 2, 3, 1, 1]);
    expect(checked.groups).toBe(4);
    expect(checked.mustLink).toEqual([
      [1, 4],
      [4, 5],
    ]);
    expect(checked.cannotLink).toEqual([[0, 5]]);
    expect(checked.duplicates).toBe(2);
  });

  it("prints the shortest chain of a contradiction", () => {
    const mustLink: Pair[] = [
      [0, 1],
      [1, 2],
      [2, 3],
      [0, 4],
      [4, 3],
    ];
    expect(() => checkConstraints(5, { mustLink, cannotLink: [[3, 0]] })).toThrow(/0 = 4 = 3/);
  });

  it("names the pair and the row that are wrong", () => {
    expect(() => checkConstraints(3, { mustLink: [[0, 3]] })).toThrow(
      "must-link pair 0 (0, 3): there is no row 3; rows are numbered 0 to 2",
    );
    expect(() =>
      checkConstraints(3, {
        cannotLink: [
          [0, 1],
          [2, 2],
        ],
      }),
    ).toThrow("cannot-link pair 1 (2, 2)");
    expect(() => checkConstraints(3, { mustLink: [[0.5, 1]] })).toThrow("there is no row 0.5");
  });
});

const labelings = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 8, maxLength: 60 });

describe("samplePairs", () => {
  it("draws distinct pairs that agree with the labels", () => {
    fc.assert(
      fc.property(
        labelings,
        fc.integer(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (labels, seed, share) => {
          let within = 0;
          for (let i = 0; i < labels.length; i++)
            for (let j = 0; j < i; j++) within += Number(labels[i] === labels[j]);
          const between = (labels.length * (labels.length - 1)) / 2 - within;
          const wanted = { mustLink: Math.floor(share * within), cannotLink: Math.floor(share * between) };
          const pairs = samplePairs(labels, { ...wanted, seed });
          expect(pairs.mustLink).toHaveLength(wanted.mustLink);
          expect(pairs.cannotLink).toHaveLength(wanted.cannotLink);
          for (const [i, j] of pairs.mustLink) expect(labels[i]).toBe(labels[j]);
          for (const [i, j] of pairs.cannotLink) expect(labels[i]).not.toBe(labels[j]);
          expect(checkConstraints(labels.length, pairs).duplicates).toBe(0);
        },
      ),
      { numRuns: 50 },
    );
  });

  it("draws every pair about equally often", () => {
    const labels = [0, 0, 0, 1, 1, 2];
    const counts = new Map<string, number>();
    for (let seed = 0; seed < 6000; seed++) {
      const { mustLink, cannotLink } = samplePairs(labels, { mustLink: 1, cannotLink: 1, seed });
      for (const pair of [...mustLink, ...cannotLink]) {
        counts.set(pair.join(), (counts.get(pair.join()) ?? 0) + 1);
      }
    }
    expect(counts.size).toBe(15);
    for (const [pair, count] of counts) {
      const [i, j] = pair.split(",").map(Number);
      const expected = labels[i] === labels[j] ? 6000 / 4 : 6000 / 11;
      expect(Math.abs(count - expected)).toBeLessThan(5 * Math.sqrt(expected));
    }
  });

  it("refuses more pairs than there are", () => {
    expect(() => samplePairs([0, 0, 1], { mustLink: 2, cannotLink: 0 })).toThrow("only 1 must-link pairs");
    expect(() => samplePairs([0, 0, -1], { mustLink: 0, cannotLink: 1 })).toThrow("only 0 cannot-link pairs");
  });
});
