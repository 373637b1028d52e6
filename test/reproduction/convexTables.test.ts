import { describe, expect, test } from "vitest";
import {
  DATA,
  gridOf,
  METHODS,
  omission,
  PROTOCOLS,
  PUBLISHED,
  SETS,
  STATED,
} from "../../reproduction/convex/convexTables.ts";

describe("published numbers", () => {
  test("Table 4.2 repeats Table 1", () => {
    for (const set of SETS) {
      for (const [column, value] of Object.entries(PUBLISHED["1"].rows[set] ?? {})) {
        expect(PUBLISHED["4.2"].rows[set]).toHaveProperty(column, value);
      }
    }
  });

  test("sums of the rows, as a check of the copying", () => {
    const sums = SETS.map((set) =>
      Object.values(PUBLISHED["4.2"].rows[set] ?? {}).reduce((sum, value) => sum + value, 0),
    );
    expect(sums.map((sum) => Number(sum.toFixed(1)))).toEqual([521.8, 486.1, 558.8, 440.3]);
  });
});

describe("protocols", () => {
  test("the paper's is raw, strict and tuned by labels; the others are practical", () => {
    for (const protocol of PROTOCOLS) {
      const paper = protocol.name === "paper";
      expect(protocol.assignment).toBe(paper ? "strict" : "practical");
      for (const set of SETS) {
        const grid = gridOf(protocol, set, "cc", false);
        expect(grid.scales.includes("none")).toBe(paper || protocol.name === "raw");
        expect(grid.neighbors.join() === "n/K").toBe(paper);
      }
    }
  });

  test("without labels there is exactly one setting", () => {
    for (const protocol of PROTOCOLS.filter(({ chosenBy }) => chosenBy === "unsupervised")) {
      for (const set of SETS) {
        for (const method of METHODS) {
          const { iterations: _, ...lists } = gridOf(protocol, set, method, false);
          for (const list of Object.values(lists)) expect(list).toHaveLength(1);
        }
      }
    }
  });

  test("quick keeps one value of each list, and what it leaves out has a reason", () => {
    for (const protocol of PROTOCOLS) {
      for (const set of SETS) {
        const { iterations: _, ...lists } = gridOf(protocol, set, "ccml", true);
        for (const list of Object.values(lists)) expect(list).toHaveLength(1);
        for (const method of METHODS) {
          if (omission(protocol, set, method, false) === undefined) continue;
          expect(omission(protocol, set, method, true)).not.toBe("");
        }
      }
    }
  });

  test("platforms of DLBCL make up its rows; relevant features are counted from 1", () => {
    expect(DATA.dlbcl.batches?.reduce((sum, rows) => sum + rows, 0)).toBe(321);
    for (const set of SETS) expect(Math.min(1, ...STATED[set].relevant)).toBe(1);
  });
});
