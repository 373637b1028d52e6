import { Option } from "commander";
import { ccml } from "../../convex/index.ts";
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
    new Option("--ridge <r>", "on the diagonal of the residuals' covariance (default: 1e-3)").argParser(
      finiteNumber,
    ),
    new Option("--condition <c>", "bound on the metric's condition number (default: 1e6)").argParser(
      finiteNumber,
    ),
    new Option("--rebuild-graph", "take neighbours in the learned metric"),
    ...convexOptions(),
  ];
}

export function run(X: Matrix | Sparse, given: MethodOptions): Clustering {
  const { iterations, ridge, condition, rebuildGraph } = given.own as {
    iterations?: number;
    ridge?: number;
    condition?: number;
    rebuildGraph?: boolean;
  };
  const options = {
    ...sharedOptions(given),
    ...normFlags(given.own),
    iterations,
    ridge,
    condition,
    rebuildGraph,
  };
  const result = ccml(dense(X), options);
  const { eigenvalues } = result.metric;
  const cond = eigenvalues[0] / eigenvalues[eigenvalues.length - 1];
  return convexClustering(result, given, { name: "ccml", options }, [
    ["metric", `cond(B) ${cond.toPrecision(3)}`],
  ]);
}
