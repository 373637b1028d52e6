import { numericError } from "../../core/internal.ts";
import type { Matrix } from "../../matrix/index.ts";
import { checkedScale, scaled } from "../clusterInput.ts";
import { dendrogram, type Dendrogram } from "./dendrogram.ts";
import { linkageChain } from "./linkageChain.ts";
import type { Merges } from "./nearestNeighborChain.ts";
import { wardChain } from "./wardChain.ts";

/** Limits below which the triangle is faster than recomputing distances of centroids. */
const WIDE = 16;
const WIDE_ROWS = 8000;

/** The tree of Ward linkage on finite rows with a fixed order, which ties follow. */
export function wardTree(X: Matrix): Dendrogram {
  return dendrogram(X.rows, mergesInRange(X, wardMerges));
}

export function wardMerges(X: Matrix): Merges {
  return X.cols > WIDE && X.rows <= WIDE_ROWS ? linkageChain(X, "ward") : wardChain(X);
}

/** The merges of rows that are scaled so that squares stay inside the number range, with their heights as they were. */
export function mergesInRange(X: Matrix, find: (X: Matrix) => Merges): Merges {
  if (X.rows === 1) return { from: new Int32Array(0), to: new Int32Array(0), heights: new Float64Array(0) };
  const scale = checkedScale(X, undefined);
  const found = find(scaled(X, scale));
  if (scale === 1) return found;
  const heights = found.heights.map((value) => value / scale);
  if (!heights.every(Number.isFinite)) {
    throw numericError("agglomerative: the heights exceed the number range; scale the data first");
  }
  return { ...found, heights };
}
