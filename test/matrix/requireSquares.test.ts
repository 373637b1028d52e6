import { expect, it } from "vitest";
import {
  agglomerative,
  blobs,
  cc,
  ccml,
  ccscml,
  gaussianMixture,
  kernelKmeans,
  kernelPca,
  matrix,
  normalizedCut,
  pca,
  rcc,
  scc,
  spectral,
} from "../all.ts";
import { plane } from "../../src/report/index.ts";

const { X } = blobs({ rows: 30, features: 3, clusters: 2, seed: 1 });
const sized = (size: number) =>
  matrix(
    30,
    3,
    X.data.map((value) => value * size),
  );

it.each([1e200, 1e-200])("values of size %d are refused in words, not called equal or infinite", (size) => {
  const extreme = sized(size);
  const message =
    /^(?:\w+: the largest value is \d\.\de[+-]\d+, whose square leaves the number range; scale|the data has (?:no value above )?-?\d\.\d+e[+-]\d+ in .*, too (?:large|small) to be squared; scale the data first$)/;
  const options = { clusters: 2, scale: "none" } as const;
  for (const method of [cc, rcc, scc, ccml, ccscml]) {
    expect(() => method(extreme, options)).toThrow(message);
    expect(method(extreme, { ...options, scale: "zscore" }).sizes.length).toBe(2);
  }
  for (const method of [spectral, normalizedCut, gaussianMixture, kernelKmeans]) {
    expect(() => method(extreme, { clusters: 2 })).toThrow(message);
  }
  expect(() => pca(extreme)).toThrow(message);
  expect(() => kernelPca(extreme)).toThrow(message);
});

it.each([1e200, 1e-200])("a tree of values of size %d can be drawn", (size) => {
  const extreme = sized(size);
  const { labels } = agglomerative(extreme, { clusters: 2 });
  const names = ["a", "b", "c"];
  const drawn = plane(extreme, names, labels);
  const usual = plane(X, names, labels);
  expect(drawn.axes).toEqual(usual.axes);
  drawn.points.data.forEach((value, p) =>
    expect(Math.abs(value / size)).toBeCloseTo(Math.abs(usual.points.data[p]), 6),
  );
});

it("heights beyond the number range are refused", () => {
  const largest = X.data.reduce((size, value) => Math.max(size, Math.abs(value)), 0);
  const extreme = sized(1.7e308 / largest);
  for (const linkage of ["ward", "complete"] as const) {
    expect(() => agglomerative(extreme, { clusters: 2, linkage })).toThrow(
      /the heights exceed the number range; scale the data first/,
    );
  }
});
