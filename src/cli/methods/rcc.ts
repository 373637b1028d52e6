import { Option } from "commander";
import { rcc } from "../../convex/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import { finiteNumber } from "../arguments.ts";
import type { Clustering, MethodFile, MethodOptions } from "../methods.ts";
import { convexAccepts, convexClustering, convexOptions, dense, sharedOptions } from "./convexOptions.ts";

export const accepts: MethodFile["accepts"] = convexAccepts;

export function options(): Option[] {
  return [
    new Option("--beta <b>", "residual norm beyond which a feature is an outlier").argParser(finiteNumber),
    ...convexOptions(),
  ];
}

export function run(X: Matrix | Sparse, given: MethodOptions): Clustering {
  const { beta } = given.own as { beta?: number };
  const options = { ...sharedOptions(given), beta };
  const result = rcc(dense(X), options);
  const robust = result.robustShares.filter((share) => share > 0).length;
  return convexClustering(result, given, { name: "rcc", options }, [
    [
      "beta",
      `${Number(result.beta.toPrecision(6))}: ${robust} of ${given.names.length} features hold outliers`,
    ],
  ]);
}
