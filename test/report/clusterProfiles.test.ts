import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fromRows, type Matrix, namedData } from "../all.ts";
import { clusterProfiles } from "../../src/report/index.ts";

test("the profile of a cluster names what makes it differ, in the units of the data", () => {
  const X = fromRows([
    [1, 10, 0.1],
    [1, 12, 0.1],
    [9, 11, 0.1],
    [9, 13, 0.1],
  ]);
  const [low, high] = clusterProfiles(X, [0, 0, 1, 1], ["length", "width", "constant"]);
  expect(low.differences[0]).toMatchObject({ name: "length", mean: 1, overall: 5, effect: -1, explained: 1 });
  expect(high.differences[0]).toMatchObject({ name: "length", mean: 9, effect: 1 });
  expect(low.differences.map(({ name }) => name)).not.toContain("constant");
  expect(low.words).toBe("2 of 4 rows with low length");
  expect(high.words).toBe("2 of 4 rows with high length");
});

test("wine: the words are those that the cultivars are known for", async () => {
  const { X, names, label } = await namedData("wine");
  const profiles = clusterProfiles(
    X as Matrix,
    label!.values.map((value) => Number(value) - 1),
    names,
  );
  expect(profiles[0].differences[0].name).toBe("proline");
  expect(profiles[2].words).toContain("low flavanoids");
});

test("profiles do not depend on the order of rows, nor effects on units", () => {
  const value = fc.integer({ min: -100, max: 100 });
  const row = fc.tuple(fc.array(value, { minLength: 3, maxLength: 3 }), fc.integer({ min: 0, max: 2 }));
  const effects = (rows: [number[], number][], factor: number): Map<string, number> => {
    const X = fromRows(rows.map(([x]) => x.map((v) => factor * v + 7)));
    const labels = rows.map(([, k]) => k);
    return new Map(
      clusterProfiles(X, labels).flatMap(({ cluster, differences }) =>
        differences.map(({ feature, effect }) => [`${cluster} ${feature}`, effect] as const),
      ),
    );
  };
  const property = fc.property(fc.array(row, { minLength: 4, maxLength: 30 }), fc.nat(29), (rows, by) => {
    const turn = by % rows.length;
    const moved = [...rows.slice(turn), ...rows.slice(0, turn)];
    const given = effects(rows, 1);
    for (const other of [effects(moved, 1), effects(rows, 2)]) {
      expect(new Set(other.keys())).toEqual(new Set(given.keys()));
      for (const [key, effect] of given) expect(other.get(key)).toBeCloseTo(effect, 6);
    }
  });
  expect(() => fc.assert(property)).not.toThrow();
});

test("labels of another length are refused", () => {
  expect(() => clusterProfiles(fromRows([[1], [2]]), [0])).toThrow(/1 labels for 2 rows/);
});
