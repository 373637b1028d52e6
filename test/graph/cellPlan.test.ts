import { expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { cellPlan, type CellEvidence } from "../../src/graph/approximate/cellPlan.ts";

function evidence(seed: number): CellEvidence {
  const { integer, uniform } = random(seed);
  const pairs = 200;
  const needed = Float64Array.from({ length: pairs }, () => (uniform() < 0.03 ? Infinity : integer(12)));
  const reached = Float64Array.from({ length: 10 }, (_, p) => 100 * (p + 1));
  const screens = [16, 48].flatMap((directions) =>
    [12, 24].map((kept) => ({
      directions,
      kept,
      survives: Uint8Array.from({ length: pairs }, () => (uniform() < 0.9 + directions / 600 ? 1 : 0)),
    })),
  );
  return { rows: 5000, columns: 384, needed, reached, screens: [{ directions: 0, kept: 12 }, ...screens] };
}

test.each([1, 2, 3, 4])("a plan finds what is wanted, and no smaller one does (seed %i)", (seed) => {
  const known = evidence(seed);
  for (const enough of [0, 0.3, 0.6, 0.75]) {
    const plan = cellPlan(known, enough)!;
    const shareOf = (cells: number): number => {
      const { survives } = known.screens.find(
        ({ directions, kept }) => directions === plan.directions && kept === plan.kept,
      )!;
      return (
        known.needed.filter((need, p) => need <= cells && (survives === undefined || survives[p] === 1))
          .length / known.needed.length
      );
    };
    expect(shareOf(plan.cells)).toBeGreaterThanOrEqual(enough);
    expect(plan.cells === 0 || shareOf(plan.cells - 1) < enough).toBe(true);
    // Each screen alone gives no cheaper plan.
    for (const screen of known.screens) {
      const alone = cellPlan({ ...known, screens: [screen] }, enough);
      expect(alone?.cost ?? Infinity).toBeGreaterThanOrEqual(plan.cost);
    }
  }
});

test("no plan where the sample cannot be found", () => {
  expect(cellPlan(evidence(1), 0.99)).toBeUndefined();
  expect(cellPlan({ ...evidence(1), screens: [] }, 0)).toBeUndefined();
});
