import { expect, test } from "vitest";
import { extended, jsonOf, plain, type Plain } from "../../src/core/result.ts";

interface Fit extends Plain {
  readonly labels: Int32Array;
  readonly centers: { readonly rows: number; readonly cols: number; readonly data: Float64Array };
  readonly rank: number;
  predict(y: number): number;
}

const fit = plain<Fit>({
  labels: Int32Array.of(0, 1),
  centers: { rows: 1, cols: 2, data: Float64Array.of(0.5, 2) },
  get rank() {
    return 2;
  },
  predict: (y) => y + 1,
});

test("functions are called but not copied, data is", () => {
  expect(fit.predict(1)).toBe(2);
  expect(Object.keys(fit)).toEqual(["labels", "centers", "rank"]);
  expect(structuredClone(fit)).toEqual({ labels: fit.labels, centers: fit.centers, rank: 2 });
  expect(JSON.parse(JSON.stringify(fit))).toEqual({
    labels: [0, 1],
    centers: { rows: 1, cols: 2, data: [0.5, 2] },
    rank: 2,
  });
});

test("more parts keep the functions, and JSON has the new ones", () => {
  const more = extended(fit, {
    labels: Int32Array.of(7),
    sizes: Int32Array.of(1),
    twice: (y: number) => 2 * y,
  });
  expect([more.predict(1), more.twice(4)]).toEqual([2, 8]);
  expect(JSON.parse(JSON.stringify(more))).toMatchObject({ labels: [7], sizes: [1], rank: 2 });
  expect(JSON.parse(JSON.stringify(fit))).toMatchObject({ labels: [0, 1] });
  expect(structuredClone(more).labels).toEqual(Int32Array.of(7));
});

test("a toJSON that is given stays, and is the model where there is none", () => {
  const metric = plain<Plain & { kind: string; model(): object }>({
    kind: "m",
    toJSON: () => ({ kind: "stored" }),
  });
  expect(JSON.stringify(metric)).toBe('{"kind":"stored"}');
  expect(metric.model()).toEqual({ kind: "stored" });
  expect(jsonOf({ metric, absent: undefined, list: [Float64Array.of(1)] })).toEqual({
    metric: { kind: "stored" },
    list: [[1]],
  });
});
