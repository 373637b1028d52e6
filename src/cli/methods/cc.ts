import type { Option } from "commander";
import { cc } from "../../convex/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
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
  return [...normOptions(), ...convexOptions()];
}

export function run(X: Matrix | Sparse, given: MethodOptions): Clustering {
  const options = { ...sharedOptions(given), ...normFlags(given.own) };
  return convexClustering(cc(dense(X), options), given, { name: "cc", options });
}
