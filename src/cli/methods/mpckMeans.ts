import { Option } from "commander";
import { mpckMeans } from "../../cluster/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import { finiteNumber } from "../arguments.ts";
import type { Clustering, MethodFile, MethodOptions } from "../methods.ts";
import { dense, pairLines, penaltyOptions, softAccepts, softOptions } from "./pairOptions.ts";

export const accepts: MethodFile["accepts"] = softAccepts;

export function options(): Option[] {
  return [
    ...penaltyOptions(),
    new Option("--per-cluster", "a metric for each cluster instead of one for all"),
    new Option("--diagonal", "weights of the features instead of a full matrix"),
    new Option("--prior <rows>", "evidence for the plain distance, in rows (default: 0.3)").argParser(
      finiteNumber,
    ),
  ];
}

export function run(X: Matrix | Sparse, given: MethodOptions): Clustering {
  const { perCluster, diagonal, prior, ...own } = given.own as {
    perCluster?: boolean;
    diagonal?: boolean;
    prior?: number;
  };
  const options = {
    ...softOptions({ ...given, own }),
    perCluster,
    diagonal,
    prior,
  } as const;
  const result = mpckMeans(dense(X), options);
  const { json, lines } = pairLines(given.pairs, result.labels);
  const kept = perCluster === true ? result.metrics : result.metrics.slice(0, 1);
  return {
    ...result,
    details: { json: { ...json, metrics: kept.map(({ data }) => Array.from(data)) }, lines },
    call: { name: "mpckMeans", options },
  };
}
