import type { Option } from "commander";
import { pckMeans } from "../../cluster/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import type { Clustering, MethodFile, MethodOptions } from "../methods.ts";
import { dense, pairLines, penaltyOptions, softAccepts, softOptions } from "./pairOptions.ts";

export const accepts: MethodFile["accepts"] = softAccepts;

export function options(): Option[] {
  return penaltyOptions();
}

export function run(X: Matrix | Sparse, given: MethodOptions): Clustering {
  const options = softOptions(given);
  const result = pckMeans(dense(X), options);
  return { ...result, details: pairLines(given.pairs, result.labels), call: { name: "pckMeans", options } };
}
