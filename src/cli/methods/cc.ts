import { Option } from "commander";
import { cc, type ByRepresentativesOptions } from "../../convex/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import { integerAtLeast } from "../arguments.ts";
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
    ...convexOptions(),
    new Option(
      "--representatives <n>",
      "cluster at most so many weighted points in the place of rows (default: 20000 beyond 50000 rows)",
    ).argParser(integerAtLeast(2)),
  ];
}

export function run(X: Matrix | Sparse, given: MethodOptions): Clustering {
  const { representatives } = given.own as { representatives?: number };
  const options = { ...sharedOptions(given), ...normFlags(given.own), representatives };
  const result = cc(dense(X), options);
  return convexClustering(result, given, { name: "cc", options });
}

/** The same where the rows are in a stream or on an engine: always by representatives. */
export function elsewhere(
  given: Pick<MethodOptions, "clusters" | "own" | "onProgress">,
): ByRepresentativesOptions {
  const { scale: _, ...shared } = sharedOptions({ ...given, names: [] });
  const { representatives } = given.own as { representatives?: number };
  return { ...shared, ...normFlags(given.own), representatives };
}
