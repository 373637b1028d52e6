import { describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { namedData } from "../../src/data/index.ts";
import { asTable } from "../../src/data/columns/asTable.ts";
import type { MethodName } from "../../src/run/callOptions.ts";
import { cluster } from "../../src/run/cluster.ts";
import { compare } from "../../src/run/compare/compare.ts";
import { compared } from "../../src/run/compare/methodChoices.ts";
import { SAME } from "../../src/run/compare/methodChoices.ts";
import { inTurn, type CompareTask } from "../../src/run/compare/compareTasks.ts";
import { matrix } from "../../src/matrix/index.ts";
import { adjustedRand } from "../../src/score/index.ts";

const iris = asTable(await namedData("iris"));
const quick = ["kmeans", "ward", "spectral", "gmm"];

describe("all methods on iris", async () => {
  const found = await compare(iris, { label: "class", clusters: 3, budget: 600 });

  test("the recommended partition is that of the default, bit for bit", async () => {
    const { labels, trust, sizes } = await cluster(iris, { label: "class", clusters: 3 });
    expect(found.partitions[0].labels).toEqual(Array.from(labels));
    expect(found.partitions[0].sizes).toEqual(sizes);
    expect(found.recommendation).toMatchObject({ complete: true, trust });
    expect(found.partitions[0].methods[0].name).toBe("auto");
  });

  test("the partition is judged as the default judged it", async () => {
    const { details } = await cluster(iris, { label: "class", clusters: 3 });
    const [chosen] = (details as { candidates: { expected: number }[] }).candidates;
    expect(found.partitions[0].expected).toBeCloseTo(chosen.expected, 12);
  });

  test("every method gave what cluster gives by it, and every partition can be had again by its call", async () => {
    expect(found.failed).toEqual([]);
    const runs = found.partitions.flatMap(({ methods }) => methods);
    expect(runs.map(({ method }) => method).toSorted()).toEqual(compared.toSorted());
    for (const { method, labels } of runs) {
      const own = await cluster(iris, { label: "class", clusters: 3, method: method as MethodName });
      expect({ method, labels }).toEqual({ method, labels: Array.from(own.labels) });
    }
    for (const { use, labels } of found.partitions) {
      expect(use.exact).toBe(true);
      expect(Array.from((await cluster(iris, use.options)).labels)).toEqual(labels);
    }
    expect(found.partitions[0].use.call).toBe('await cluster(table, { clusters: 3, label: "class" })');
  });

  /** Rows in no cluster are a class of their own. */
  const agreed = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
    adjustedRand(a, b, { unknown: "class" });

  test("methods that gave the same partition are together, and others are apart", () => {
    const { partitions, agreement } = found;
    expect(partitions.length).toBeLessThan(compared.length);
    partitions.forEach((one, p) => {
      for (const { labels } of one.methods) {
        expect(agreed(labels, one.labels)).toBeGreaterThanOrEqual(SAME);
      }
      partitions.forEach((other, q) => {
        expect(agreement[p][q]).toBeCloseTo(agreed(one.labels, other.labels), 12);
        expect(agreement[p][q] < SAME).toBe(p !== q);
      });
      expect(one.agreement).toBe(agreement[0][p]);
      expect(one.differs === null).toBe(p === 0);
    });
  });

  test("the result is plain data, without numbers that JSON does not know", () => {
    expect(structuredClone(found)).toEqual(found);
    expect(JSON.parse(JSON.stringify(found))).toEqual(found);
  });
});

test("without a number the default finds it, and the classes change scores alone", async () => {
  const { label: _, ...rest } = await namedData("iris");
  const plain = await compare(rest, { methods: quick });
  const scored = await compare(iris, { label: "class", methods: quick });
  const { clusters, labels } = await cluster(iris, { label: "class" });
  expect(plain).toMatchObject({ found: true, clusters, label: null });
  expect(plain.partitions[0].labels).toEqual(Array.from(labels));
  expect(plain.partitions[0].use).toMatchObject({ options: {}, call: "await cluster(table)" });
  expect(scored.partitions.map((one) => one.labels)).toEqual(plain.partitions.map((one) => one.labels));
  expect(plain.partitions[0].scores).toBeUndefined();
  expect(scored.partitions[0].scores!.adjustedRand).toBeGreaterThan(0.4);
  expect(plain.notes.map(({ code }) => code)).toContain("clusters-found");
});

test("rows without clusters: the default says so, and shows how they would split", async () => {
  const source = random(5);
  const X = matrix(
    200,
    2,
    Float64Array.from({ length: 400 }, () => source.normal()),
  );
  const { partitions, clusters, notes, recommendation } = await compare(X, { methods: ["kmeans"] });
  expect(partitions.map((one) => one.clusters)).toEqual(partitions.map(() => clusters));
  expect(recommendation.trust?.word).toBe("none");
  expect(notes.map(({ code }) => code)).toContain("no-clusters");
});

test("tables with levels, and rows that are dropped", async () => {
  const source = random(2);
  const rows = Array.from({ length: 120 }, (_, i) => ({
    size: i === 7 ? null : (i % 2) * 4 + source.normal(),
    kind: ["red", "blue"][(i + (source.uniform() < 0.1 ? 1 : 0)) % 2],
  }));
  const { partitions } = await compare(rows, { clusters: 2, missing: "drop", methods: ["kmeans", "ward"] });
  for (const { labels, use, expected } of partitions) {
    expect(labels[7]).toBe(-1);
    expect(expected).toBeGreaterThan(0);
    expect(Array.from((await cluster(rows, use.options)).labels)).toEqual(labels);
  }
});

test("settings of a method are runs of their own", async () => {
  const { partitions } = await compare(iris, {
    label: "class",
    clusters: 3,
    methods: [
      { method: "spectral", options: { neighbors: 5 } },
      { method: "spectral", options: { neighbors: 30 } },
      "spectral",
      "spectral",
    ],
  });
  const names = partitions.flatMap(({ methods }) => methods.map(({ name }) => name));
  expect(names.toSorted()).toEqual(["auto", "spectral", "spectral --neighbors 30", "spectral --neighbors 5"]);
  for (const { use, labels } of partitions) {
    expect(Array.from((await cluster(iris, use.options)).labels)).toEqual(labels);
  }
});

test("resamples measure stability, the same for the same seed", async () => {
  const options = { label: "class", clusters: 2, methods: ["kmeans", "ward"], resamples: 3 };
  const planned: unknown[] = [];
  const once = await compare(iris, { ...options, onResample: (plan) => planned.push(plan) });
  expect(planned).toEqual([{ partitions: once.partitions.length, resamples: 3 }]);
  for (const { stability } of once.partitions) {
    expect(stability).toBeGreaterThan(0.5);
    expect(stability).toBeLessThanOrEqual(1);
  }
  const again = await compare(iris, options);
  expect(again.partitions.map(({ stability }) => stability)).toEqual(
    once.partitions.map(({ stability }) => stability),
  );
});

test("what the time does not suffice for is named, and the default's best so far is not called exact", async () => {
  // Enough rows for a choice that asks more than once whether to go on.
  const { X } = await namedData("blobs", { generator: { rows: 6000 } });
  const asked: CompareTask[] = [];
  let end = 0;
  const before = performance.now();
  const found = await compare(X as never, {
    clusters: 4,
    methods: ["kmeans", "ccml"],
    budget: 100,
    // A runner whose time is over after the first task, which is told to stop at once.
    run: async (rows, tasks, listener, until) => {
      asked.push(...tasks);
      end = until;
      return inTurn(rows, [{ ...tasks[0], until: 0 }], listener, until);
    },
  });
  expect(asked.map(({ method }) => method)).toEqual(["auto", "kmeans", "ccml"]);
  // All ends within the budget, the choice of the default before that.
  expect(end - before).toBeLessThanOrEqual(100_000);
  expect(asked[0].until! - Date.now()).toBeLessThan(end - before);
  expect(found.failed.map(({ name, why }) => [name, why])).toEqual([
    ["kmeans", "time"],
    ["ccml", "time"],
  ]);
  expect(found.partitions).toHaveLength(1);
  expect(found.recommendation.complete).toBe(false);
  expect(found.partitions[0].use.exact).toBe(false);
});

test("a stop compares what is done; before anything is done there is nothing to compare", async () => {
  let done = 0;
  const found = await compare(iris, {
    label: "class",
    clusters: 3,
    methods: ["kmeans", "biclusters", "ccml"],
    onMethod: () => void done++,
    onProgress: () => done < 2,
  });
  expect(found.stopped).toBe(true);
  expect(found.partitions.flatMap(({ methods }) => methods.map(({ name }) => name)).toSorted()).toEqual([
    "auto",
    "kmeans",
  ]);
  expect(found.failed.map(({ why }) => why)).toEqual(["stopped", "stopped"]);
  const never = compare(iris, { label: "class", clusters: 3, run: async () => true });
  await expect(never).rejects.toMatchObject({ code: "stopped" });
});

test("a method that fails leaves the others", async () => {
  const found = await compare(iris, {
    label: "class",
    clusters: 3,
    methods: ["kmeans", "ward"],
    run: (rows, tasks, listener, end) =>
      inTurn(
        rows,
        tasks.filter((task) => {
          if (task.method !== "ward") return true;
          listener.failed(task, new Error("no tree"));
          return false;
        }),
        listener,
        end,
      ),
  });
  expect(found.failed).toMatchObject([{ name: "ward", why: "error", message: "no tree" }]);
  expect(found.partitions[0].methods[0].name).toBe("auto");
});

test.each([
  [{ clusters: 151 }, /"clusters" is 151, but .* only 150 rows/],
  [{ clusters: 0 }, /"clusters" must be an integer/],
  [{ budget: 0 }, /"budget" must be/],
  [{ resamples: 1.5 }, /"resamples" must be/],
  [{ methods: ["kmean"] }, /no method "kmean"/],
  [{ methods: ["cop-kmeans"] }, /cop-kmeans needs pairs/],
  [{ methods: ["seeded-kmeans"] }, /seeded-kmeans needs labels/],
  [{ methods: ["hints"] }, /hints needs hints/],
  [{ methods: [{ method: "kmeans", options: { neighbors: 3 } }] }, /kmeans has no option "neighbors"/],
  [{ klusters: 3 }, /no option "klusters"/],
])("refuses %j", async (options, message) => {
  await expect(compare(iris, { label: "class", ...options } as never)).rejects.toThrow(message);
});

test("two rows are too few", async () => {
  await expect(compare([[1], [2]])).rejects.toThrow(/fewer than three rows/);
});
