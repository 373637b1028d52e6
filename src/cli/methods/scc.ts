import { Option } from "commander";
import { scc } from "../../convex/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import { finiteNumber } from "../arguments.ts";
import type { Clustering, MethodFile, MethodOptions } from "../methods.ts";
import { convexAccepts, convexClustering, convexOptions, dense, sharedOptions } from "./convexOptions.ts";

export const accepts: MethodFile["accepts"] = convexAccepts;

export function options(): Option[] {
  return [
    new Option("--gamma2 <g>", "a feature is dropped when its centres have this variance or less").argParser(
      finiteNumber,
    ),
    ...convexOptions(),
  ];
}

export function run(X: Matrix | Sparse, given: MethodOptions): Clustering {
  const { gamma2 } = given.own as { gamma2?: number };
  const options = { ...sharedOptions(given), gamma2 };
  const result = scc(dense(X), options);
  const dropped = given.names.filter((_, f) => result.factors[f] === 0);
  return convexClustering(result, given, { name: "scc", options }, [
    [
      "gamma2",
      `${Number(result.gamma2.toPrecision(6))}: ${dropped.length === 0 ? "no feature" : dropped.join(", ")} dropped`,
    ],
  ]);
}
