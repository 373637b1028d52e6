import { InvalidArgumentError, Option } from "commander";
import { bregmanKmeans } from "../../cluster/index.ts";
import { optionError } from "../../core/errors.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import type { BregmanFunction } from "../../metric/index.ts";
import { finiteNumber } from "../arguments.ts";
import type { Clustering, MethodFile, MethodOptions } from "../methods.ts";
import { pairLines, restartOptions } from "./pairOptions.ts";

export const accepts: MethodFile["accepts"] = { clusters: "required", seed: true, sparse: true, pairs: true };

export function options(): Option[] {
  return [
    new Option("--function <h>", "exp, square or an even power such as 4 (default: exp)").argParser(
      convexFunction,
    ),
    new Option("--cost <C>", "weight of the pairs (default: 1)").argParser(finiteNumber),
    new Option(
      "--form <which>",
      "the divergence, or the symmetrised distance, for which the objective may rise",
    ).choices(["divergence", "symmetrised"]),
    new Option("--enforce", "clusters must respect the pairs, not only learn from them"),
    ...restartOptions(300),
  ];
}

export function run(X: Matrix | Sparse, given: MethodOptions): Clustering {
  const { pairs, onProgress, seed } = given;
  const own = given.own as {
    function?: BregmanFunction;
    cost?: number;
    form?: "divergence" | "symmetrised";
    enforce?: boolean;
    restarts?: number;
    maxIterations?: number;
  };
  if (pairs === undefined || pairs.mustLink.length === 0 || pairs.cannotLink.length === 0) {
    throw optionError("bregman-kmeans learns from both kinds of pairs: --must-link and --cannot-link");
  }
  const result = bregmanKmeans(X, {
    ...pairs,
    function: own.function,
    cost: own.cost,
    clusters: given.clusters as number,
    form: own.form,
    enforce: own.enforce,
    restarts: own.restarts,
    maxIterations: own.maxIterations,
    seed,
    onProgress,
  });
  const held = pairLines(pairs, result.labels);
  const { distance } = result;
  const { residual } = distance.certificate;
  return {
    ...result,
    details: {
      json: { ...held.json, enforced: own.enforce === true, distance: distance.toJSON() },
      lines: [
        [
          "distance",
          `h = ${distance.h}, ${distance.weights.length} points, KKT residual ${residual.toExponential(1)}`,
        ],
        ...held.lines,
      ],
    },
  };
}

function convexFunction(text: string): BregmanFunction {
  if (text === "exp" || text === "square") return text;
  const power = Number(text);
  if (Number.isInteger(power) && power >= 2 && power <= 20 && power % 2 === 0) return power;
  throw new InvalidArgumentError("It must be exp, square or an even number from 2 to 20.");
}
