import { describe, expect, test } from "vitest";
import type { NumberTable, Pair, ScaleKind } from "../../src/data/index.ts";
import { takeRows, type Matrix } from "../../src/matrix/index.ts";
import type { Mahalanobis } from "../../src/metric/index.ts";
import { classifiers, metrics, selections } from "../../src/method/index.ts";
import {
  learnClassifier,
  learnMetric,
  numberRows,
  selectFeatures,
  streamRows,
  type RowSource,
  type StreamSource,
} from "../../src/rows/index.ts";
import type { RowBatch } from "../../src/scale/index.ts";
import { mapped } from "../../src/matrix/matrix.ts";
import { labels, X } from "../method/families.ts";

const names = ["a", "b", "c", "d"];
const codes: Matrix = mapped(X, Math.round);

function inMemory(rows: Matrix, scale: ScaleKind = "none"): RowSource {
  const table = { source: "rows", names, X: rows, label: { name: "y", values: labels }, notes: [] };
  return numberRows(table as unknown as NumberTable, scale);
}

/** The same rows in batches of seven, as from files; counts the passes. */
function inBatches(rows: Matrix, source = "rows"): RowSource & { readings: number } {
  const counter = { readings: 0 };
  const stream: StreamSource = {
    source,
    async *batches(): AsyncGenerator<RowBatch, void, undefined> {
      counter.readings++;
      for (let first = 0; first < rows.rows; first += 7) {
        const own = Array.from({ length: Math.min(7, rows.rows - first) }, (_, i) => first + i);
        yield {
          names,
          X: takeRows(rows, own),
          label: { name: "y", values: own.map((i) => labels[i]) },
          source,
          first,
        };
      }
    },
  };
  return Object.assign(counter, streamRows(stream));
}

const summed = <M extends { readonly sums?: unknown; readonly name: string }>(methods: readonly M[]) =>
  methods.filter(({ sums }) => sums !== undefined).map((method) => [method.name, method] as const);

describe("batches and rows in memory give the same", () => {
  test.each(summed(metrics).filter(([name]) => name !== "kissme"))("metric %s", async (_, method) => {
    const side = { labels, chunklets: labels };
    const whole = await learnMetric(inMemory(X, "zscore"), method, { side });
    const streamed = await learnMetric(inBatches(X), method, { scale: "zscore" });
    expect(streamed).toMatchObject({
      rows: X.rows,
      names,
      notes: [{ code: "reading", message: "streamed in 7 batches; the time includes reading" }],
    });
    const [a, b] = [whole, streamed].map(({ metric }) => (metric as Mahalanobis).matrix.data);
    const size = Math.max(...a.map(Math.abs));
    b.forEach((value, p) => expect(Math.abs(value - a[p]) / size).toBeLessThan(1e-9));
  });

  test("metric kissme, from all pairs that the classes imply", async () => {
    const mustLink: Pair[] = [];
    const cannotLink: Pair[] = [];
    for (let i = 0; i < X.rows; i++) {
      for (let j = i + 1; j < X.rows; j++) (labels[i] === labels[j] ? mustLink : cannotLink).push([i, j]);
    }
    const method = metrics.find(({ name }) => name === "kissme")!;
    const side = { pairs: { mustLink, cannotLink } };
    const whole = await learnMetric(inMemory(X), method, { side });
    const streamed = await learnMetric(inBatches(X), method, { scale: "none" });
    const [a, b] = [whole, streamed].map(({ metric }) => (metric as Mahalanobis).matrix.data);
    const size = Math.max(...a.map(Math.abs));
    b.forEach((value, p) => expect(Math.abs(value - a[p]) / size).toBeLessThan(1e-8));
  });

  test.each(summed(selections))("selection %s", async (_, method) => {
    const whole = await selectFeatures(inMemory(X), method, { features: 3, own: { unit: "bits" } });
    const rows = inBatches(X);
    const streamed = await selectFeatures(rows, method, { features: 3, own: { unit: "bits" } });
    expect(streamed.result.features).toEqual(whole.result.features);
    expect(streamed.result.figures).toEqual(whole.result.figures);
    expect({ classes: streamed.classes, rows: streamed.rows, passes: rows.readings }).toEqual({
      classes: 3,
      rows: X.rows,
      passes: 2,
    });
  });

  test.each([
    [{ discrete: false }, 1],
    [{ discrete: true, smoothing: 2 }, 2],
  ])("naive Bayes %j", async (own, passes) => {
    const method = classifiers.find(({ name }) => name === "naive-bayes")!;
    const rows = inBatches(codes);
    const [whole, streamed] = [
      await learnClassifier(inMemory(codes), method, { own }),
      await learnClassifier(rows, method, { own }),
    ];
    expect(rows.readings).toBe(passes);
    expect(streamed.space).toEqual(whole.space);
    const [a, b] = [whole, streamed].map(({ fitted }) => fitted.classifier.probabilities!(codes).data);
    b.forEach((value, p) => expect(Math.abs(value - a[p])).toBeLessThan(1e-9));
  });
});

describe("what sums are not enough for is refused", () => {
  test("methods", async () => {
    const lmnn = metrics.find(({ name }) => name === "lmnn")!;
    await expect(learnMetric(inBatches(X), lmnn, { scale: "none" })).rejects.toThrow(
      /lmnn needs all rows at once; streaming supports mlca, lda, rca, kissme/,
    );
    await expect(
      selectFeatures(
        inBatches(X),
        selections.find(({ name }) => name === "jmi")!,
        {},
      ),
    ).rejects.toThrow(/jmi needs all rows at once/);
    await expect(learnClassifier(inBatches(X), classifiers[0])).rejects.toThrow(
      /forest needs all rows at once/,
    );
  });

  test("quantiles, scaling, too many features, a source that is read once", async () => {
    const [first] = selections;
    await expect(selectFeatures(inBatches(X), first, { own: { discretize: "frequency" } })).rejects.toThrow(
      /"discretize" frequency needs all rows at once/,
    );
    await expect(selectFeatures(inBatches(X), first, { features: 5 })).rejects.toThrow(/has only 4 features/);
    await expect(selectFeatures(inMemory(X), first, { features: 5 })).rejects.toThrow(/has only 4 features/);
    await expect(selectFeatures(inBatches(X, "-"), first, {})).rejects.toThrow(/can be read only once/);
    const bayes = classifiers.find(({ name }) => name === "naive-bayes")!;
    await expect(learnClassifier(inBatches(X), bayes, { scale: "zscore" })).rejects.toThrow(/"scale" zscore/);
  });
});
