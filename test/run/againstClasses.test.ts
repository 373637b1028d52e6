import { describe, expect, test } from "vitest";
import { againstClasses } from "../../src/run/compare/againstClasses.ts";

describe("agreement with known classes", () => {
  test("rows in no cluster, and of no known class, are not counted", () => {
    const labels = [0, 0, 1, 1, -1, 0];
    const classes = ["a", "a", "b", "b", "a", ""];
    expect(againstClasses(labels, classes)).toMatchObject({ adjustedRand: 1, accuracy: 1 });
  });

  test("where no row is in a cluster, all are one group: no agreement", () => {
    const classes = ["a", "a", "a", "b"];
    expect(againstClasses([-1, -1, -1, -1], classes)).toMatchObject({
      adjustedRand: 0,
      nmi: 0,
      accuracy: 0.75,
    });
    expect(againstClasses([-1, -1, 0, 0], ["a", "b", "", ""]).adjustedRand).toBe(0);
  });

  test("-1 is a class beside 1", () => {
    expect(againstClasses([0, 0, 1, 1], ["-1", "-1", "1", "1"]).adjustedRand).toBe(1);
  });
});
