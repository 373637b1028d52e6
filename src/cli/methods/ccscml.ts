import { Option } from "commander";
import { ccscml } from "../../convex/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import { finiteNumber, integerAtLeast } from "../arguments.ts";
import type { Clustering, MethodFile, MethodOptions } from "../methods.ts";
import {
  convexAccepts,
  convexClustering,
  convexOptions,
  dense,
  normFlags,
  normOptions,
  sharedOptions,
} from "./convexOptions.ts";

export const accepts: MethodFile["accepts"] = convexAccepts;

export function options(): Option[] {
  return [
    ...normOptions(),
    new Option("--iterations <n>", "rounds of metric learning (default: 3)").argParser(integerAtLeast(1)),
    new Option("--directions <s>", "at most, and by default, one less than the clusters").argParser(
      integerAtLeast(1),
    ),
    new Option("--ridge <r>", "on the diagonal of the scatter within clusters (default: 0.1)").argParser(
      finiteNumber,
    ),
    new Option("--fraction <f>", "share of each cluster to learn from (default: 0.75)").argParser(
      finiteNumber,
    ),
    ...convexOptions(),
  ];
}

export function run(X: Matrix | Sparse, given: MethodOptions): Clustering {
  const { iterations, directions, ridge, fraction } = given.own as {
    iterations?: number;
    directions?: number;
    ridge?: number;
    fraction?: number;
  };
  const options = {
    ...sharedOptions(given),
    ...normFlags(given.own),
    iterations,
    directions,
    ridge,
    fraction,
  };
  const result = ccscml(dense(X), options);
  return convexClustering(result, given, { name: "ccscml", options }, [
    ["metric", `${result.projection.cols} directions`],
  ]);
}
