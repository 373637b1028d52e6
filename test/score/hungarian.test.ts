import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import fixtures from "../fixtures/scores.json" with { type: "json" };
import { fromRows, matrix } from "../../src/matrix/index.ts";
import { hungarian } from "../../src/score/index.ts";

describe("hungarian", () => {
  fixtures.assignments.forEach(({ cost, min, max }) => {
    it(`finds scipy's optimum of a ${cost.length} x ${cost[0].length} matrix`, () => {
      const C = fromRows(cost);
      expect(hungarian(C).total).toBeCloseTo(min, 12);
      expect(hungarian(C, { maximize: true }).total).toBeCloseTo(max, 12);
    });
  });

  it("is the best of all assignments, whatever the shape", () => {
    const costs = fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 })).chain(([r, c]) =>
      fc.array(fc.array(fc.integer({ min: -9, max: 9 }), { minLength: c, maxLength: c }), {
        minLength: r,
        maxLength: r,
      }),
    );
    fc.assert(
      fc.property(costs, (cost) => {
        const { columns, total } = hungarian(fromRows(cost));
        const used = Array.from(columns).filter((j) => j >= 0);
        expect(new Set(used).size).toBe(used.length);
        expect(used.length).toBe(Math.min(cost.length, cost[0].length));
        expect(total).toBe(cheapest(cost, 0, 0, Math.max(0, cost.length - cost[0].length)));
      }),
    );
  });

  it("keeps its head at the ends of the range and with ties", () => {
    expect(hungarian(matrix(3, 3)).total).toBe(0);
    const huge = fromRows([
      [1e308, -1e308],
      [-1e308, 1e308],
    ]);
    expect(Array.from(hungarian(huge).columns)).toEqual([1, 0]);
    expect(Array.from(hungarian(huge, { maximize: true }).columns)).toEqual([0, 1]);
  });

  it("refuses an empty matrix and names a cell that is not finite", () => {
    expect(() => hungarian(matrix(0, 3))).toThrow("empty");
    expect(() => hungarian(fromRows([[1, Number.NaN]]))).toThrow("row 0, column 1");
  });
});

/** The least cost when `skip` rows may stay unassigned. */
function cheapest(cost: number[][], row: number, used: number, skip: number): number {
  if (row === cost.length) return 0;
  let best = skip > 0 ? cheapest(cost, row + 1, used, skip - 1) : Infinity;
  for (let j = 0; j < cost[row].length; j++) {
    if ((used & (1 << j)) === 0) {
      best = Math.min(best, cost[row][j] + cheapest(cost, row + 1, used | (1 << j), skip));
    }
  }
  return best;
}
