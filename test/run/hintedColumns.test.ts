import { describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { asTable, prepare, type AnyOptions } from "../../src/run/index.ts";

/** Three columns that go together, and two that tell nothing of them. */
function table(): ReturnType<typeof asTable> {
  const stream = random(3);
  const rows = Array.from({ length: 80 }, () => {
    const kind = 4 * stream.integer(3);
    const near = (): number => kind + stream.normal();
    return { a: near(), b: near(), c: near(), alone: stream.normal(), odd: "pqrs"[stream.integer(4)] };
  });
  return asTable(rows);
}

const weights = (options: AnyOptions): Record<string, number> =>
  Object.fromEntries(prepare(table(), options).columns.map(({ name, weight }) => [name, weight]));

describe("columns that tell nothing of others", () => {
  test("count half where nothing is known of rows", () => {
    for (const options of [{}, { method: "ccml" }]) {
      const { a, b, c, alone, odd } = weights(options);
      expect([alone, odd]).toEqual([0.5, 0.5]);
      expect(Math.min(a, b, c)).toBeGreaterThan(0.8);
    }
  });

  const mustLink = [[0, 1]] as const;
  test.each(["hints", "mpck-means", "cop-kmeans", "ccml", "ccscml"])(
    "are heard by %s, which learns from pairs what counts",
    (method) => expect(weights({ method, mustLink })).toEqual({ a: 1, b: 1, c: 1, alone: 1, odd: 1 }),
  );

  test("count half for methods that do not learn it, and under plain distances", () => {
    expect(weights({ method: "pck-means", mustLink }).alone).toBe(0.5);
    expect(weights({ method: "cop-kmeans", mustLink, distances: "plain" }).alone).toBe(0.5);
  });
});
