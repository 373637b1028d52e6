import { describe, expect, test } from "vitest";
import { KindredError } from "../../src/core/messages.ts";
import { scale, type NumberTable } from "../../src/data/index.ts";
import { cluster } from "../../src/run/cluster.ts";
import { matrix, takeColumns, type Matrix } from "../../src/matrix/index.ts";
import { classifiers, embeddings, metrics } from "../../src/method/index.ts";
import { loadClassifierModel, storeClassifierModel } from "../../src/model/classifierModel.ts";
import { loadModel } from "../../src/model/index.ts";
import {
  loadEmbedding,
  storeEmbedding,
  loadMetricModel,
  storeMetricModel,
} from "../../src/model/learnedModels.ts";
import { scaledRows } from "../../src/model/space.ts";
import { halves, labels, pairs, triplets, X } from "../method/families.ts";

const names = ["a", "b", "c", "d"];
const { scaling } = scale(X, "minmax", { names });
const space = { columns: [], space: { kind: "scaling" as const, scaling } };
const throughJson = (value: unknown): object => JSON.parse(JSON.stringify(value)) as object;
const fresh: Matrix = matrix(
  3,
  4,
  Float64Array.from({ length: 12 }, (_, p) => Math.sin(p)),
);

describe("models pass through JSON", () => {
  test.each(metrics.map((method) => [method.name, method] as const))("metric %s", async (_, method) => {
    const { learn } = await method.open();
    const metric = learn(X, { labels, pairs, chunklets: labels, triplets }, { names });
    const model = loadMetricModel(throughJson(storeMetricModel({ ...space, metric })));
    expect(model.space).toEqual(space.space);
    expect(model.metric.transform(fresh).data).toEqual(metric.transform(fresh).data);
  });

  test.each(classifiers.map((method) => [method.name, method] as const))(
    "classifier %s",
    async (_, method) => {
      const { fit } = await method.open();
      const { classifier } = fit(X, method.classes === 2 ? halves : labels, {});
      const model = loadClassifierModel(
        throughJson(storeClassifierModel({ label: "y", ...space, classifier })),
      );
      expect(model.label).toBe("y");
      expect(model.classifier.predict(X)).toEqual(classifier.predict(X));
      expect(model.classifier.probabilities?.(X).data).toEqual(classifier.probabilities?.(X).data);
    },
  );

  test.each(embeddings.map((method) => [method.name, method] as const))(
    "embedding %s",
    async (name, method) => {
      const { fit } = await method.open();
      const clusters = method.needs.clusters === undefined ? undefined : 3;
      const found = fit(X, { dims: 2, clusters });
      const model = await loadEmbedding(throughJson(storeEmbedding(name, space, found)));
      expect(model.method).toBe(name);
      expect(model.model.transform(fresh).data).toEqual(found.transform(fresh).data);
    },
  );
});

/** Every way to damage a list of numbers in a file: shorter, longer, with something that is no number. */
function* damaged(value: object, path: string = ""): Generator<[string, object]> {
  if (Array.isArray(value)) {
    if (value.length === 0 || !value.every((one) => typeof one === "number")) {
      for (const [i, one] of value.entries()) {
        if (typeof one !== "object" || one === null) continue;
        for (const [at, inner] of damaged(one as object, `${path}[${i}]`)) yield [at, value.with(i, inner)];
      }
      return;
    }
    yield [`${path} shorter`, value.slice(1)];
    yield [`${path} longer`, [...value, 0.5]];
    yield [`${path} null`, (value as unknown[]).with(0, null)];
    yield [`${path} text`, (value as unknown[]).with(0, "1")];
    return;
  }
  for (const [key, part] of Object.entries(value)) {
    if (FREE.has(key)) continue;
    const { [key]: _, ...rest } = value as Record<string, unknown>;
    yield [`${path}.${key} missing`, rest];
    if (typeof part !== "object" || part === null) continue;
    for (const [at, inner] of damaged(part as object, `${path}.${key}`))
      yield [at, { ...value, [key]: inner }];
  }
}

/** Fields that are told to people and change no prediction, or may be absent. */
const FREE: ReadonlySet<string> = new Set([
  "history",
  "objective",
  "warnings",
  "converged",
  "certificate",
  "machines",
  "pairs",
  "outOfBag",
  "cost",
  "loss",
  "known",
  "names",
  "threshold",
  "center",
  "whiten",
  "kernel",
  "iterations",
  "method",
]);

/** The damages that a loader does not refuse in words. */
async function unnoticed(whole: object, load: (json: unknown) => unknown): Promise<string[]> {
  const passed: string[] = [];
  for (const [path, json] of damaged(whole)) {
    try {
      await load(json);
      passed.push(path);
    } catch (error) {
      if (!(error instanceof KindredError)) passed.push(`${path}: ${String(error)}`);
    }
  }
  return passed;
}

test("a file of before, which has the scaling of its columns, is read", async () => {
  const { learn } = await metrics[0].open();
  const metric = learn(X, { labels }, { names });
  const { columns: _, space: __, ...old } = storeMetricModel({ ...space, metric });
  expect(loadMetricModel(throughJson({ ...old, scaling })).space).toEqual(space.space);
});

describe("a damaged model is refused in words", () => {
  test("metric", async () => {
    const { learn } = await metrics[0].open();
    const metric = learn(X, { labels }, { names });
    const stored = throughJson(storeMetricModel({ ...space, metric }));
    expect(Array.from(damaged(stored)).length).toBeGreaterThan(15);
    expect(await unnoticed(stored, loadMetricModel)).toEqual([]);
  });

  test.each(classifiers.map((method) => [method.name, method] as const))(
    "classifier %s",
    async (_, method) => {
      const { fit } = await method.open();
      const { classifier } = fit(X, method.classes === 2 ? halves : labels, {
        trees: method.name === "forest" ? 3 : undefined,
      });
      const stored = throughJson(storeClassifierModel({ label: "y", ...space, classifier }));
      expect(await unnoticed(stored, loadClassifierModel)).toEqual([]);
    },
  );

  test.each(embeddings.map((method) => [method.name, method] as const))(
    "embedding %s",
    async (name, method) => {
      const { fit } = await method.open();
      const clusters = method.needs.clusters === undefined ? undefined : 3;
      const stored = throughJson(storeEmbedding(name, space, fit(X, { dims: 2, clusters })));
      // A projection need not have centres.
      const passed = await unnoticed(stored, loadEmbedding);
      expect(passed.filter((path) => path !== ".model.centers missing")).toEqual([]);
    },
  );

  test.each([[{}], [null], ["a"], [[1]], [{ kind: "clustering" }]])("what is no model: %j", async (json) => {
    expect(() => loadMetricModel(json)).toThrow(/this is not a learned metric/);
    expect(() => loadClassifierModel(json)).toThrow(/this is not a classifier/);
    await expect(loadEmbedding(json)).rejects.toThrow(/this is not an embedding/);
  });
});

describe("rows in the units of a model", () => {
  const table = (columns: readonly string[], rows: Matrix): NumberTable =>
    ({ source: "new.csv", names: columns, X: rows, notes: [] }) as unknown as NumberTable;

  test("columns are found by name, in any order", () => {
    const learned = { what: "metric", source: "m.json" };
    const straight = scaledRows(table(names, fresh), scaling, learned);
    const turned = scaledRows(table(names.toReversed(), takeColumns(fresh, [3, 2, 1, 0])), scaling, learned);
    expect(turned.data).toEqual(straight.data);
    expect(() => scaledRows(table(["a", "b", "c", "e"], fresh), scaling, learned)).toThrow(
      /new.csv does not have the columns of m.json: it lacks "d"; the metric does not know "e"/,
    );
  });

  test.each([
    [{ kind: "log" }, /"space.scaling.kind" must be "zscore" or "minmax" or "none", not "log"/],
    [{ columns: "abcd" }, /"space.scaling.columns" must be a list/],
    [
      { kept: [0, 1, 2, 4] },
      /"space.scaling.kept\[3\]" must be a whole number at least 0 and below 4, not 4/,
    ],
    [{ kept: [0, 1, 2, 2] }, /"space.scaling.kept" does not ascend/],
    [{ groups: [] }, /"space.scaling.groups" is empty/],
    [
      { groups: [{ center: [0, 0, 0, 0], scale: [1, 1, 1, -1] }] },
      /"space.scaling.groups\[0\].scale\[3\]" must be a finite number at least 0, not -1/,
    ],
    [
      { groups: [...scaling.groups, ...scaling.groups] },
      /"space.scaling.groups\[0\].batch" must be a text, not missing/,
    ],
  ])("a model with the scaling %j is refused", async (change, message) => {
    const damaged = { kind: "scaling", scaling: { ...scaling, ...change } };
    const metric = metrics[0].open().then(({ learn }) => learn(X, { labels }, { names }));
    const file = throughJson(storeMetricModel({ ...space, metric: await metric }));
    expect(() => loadMetricModel({ ...file, space: damaged })).toThrow(message);
    const found = await cluster(X, { method: "kmeans", clusters: 2 });
    expect(() => loadModel({ ...found.toJSON(), space: damaged })).toThrow(message);
  });
});
