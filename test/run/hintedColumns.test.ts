import { describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { asTable, prepare, type ClusterOptions } from "../../src/run/index.ts";

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

const used = (options: ClusterOptions): readonly string[] => [...new Set(prepare(table(), options).sources)];

describe("columns that tell nothing of others", () => {
  test("are left out where nothing is known of rows", () => {
    expect(used({})).toEqual(["a", "b", "c"]);
    expect(used({ method: "ccml" })).toEqual(["a", "b", "c"]);
  });

  const mustLink = [[0, 1]] as const;
  test.each(["hints", "mpck-means", "cop-kmeans", "ccml", "ccscml"])(
    "are heard by %s, which learns from pairs what counts",
    (method) => expect(used({ method, mustLink })).toEqual(["a", "b", "c", "alone", "odd"]),
  );

  test("are left out by methods that do not learn it, and under plain distances", () => {
    expect(used({ method: "pck-means", mustLink })).toEqual(["a", "b", "c"]);
    expect(used({ method: "cop-kmeans", mustLink, distances: "plain" })).toEqual(["a", "b", "c"]);
  });
});
