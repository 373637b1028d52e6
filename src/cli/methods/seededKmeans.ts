import { Option } from "commander";
import { seededKmeans } from "../../cluster/index.ts";
import { optionError } from "../../core/errors.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import type { Clustering, MethodFile, MethodOptions } from "../methods.ts";
import { pairLines, restartOptions, someOf } from "./pairOptions.ts";

export const accepts: MethodFile["accepts"] = {
  clusters: "optional",
  seed: true,
  sparse: true,
  pairs: true,
  labels: true,
};

export function options(): Option[] {
  return [
    ...restartOptions(300),
    new Option("--free", "the labels only say where to start: known rows may change cluster"),
  ];
}

export function run(X: Matrix | Sparse, given: MethodOptions): Clustering {
  const { labels, clusters, seed, onProgress, pairs } = given;
  if (labels === undefined) throw optionError("seeded-kmeans needs --labels, a file of known labels");
  const { restarts, maxIterations, free } = given.own as {
    restarts?: number;
    maxIterations?: number;
    free?: boolean;
  };
  const some = someOf(pairs);
  const result = seededKmeans(X, {
    labels,
    clusters,
    seed,
    restarts,
    maxIterations,
    onProgress,
    free,
    ...(some ? pairs : {}),
  });
  const known = labels.filter((label) => label !== "" && label !== "-1").length;
  const names = result.classes.map((name, k) => `${k} = ${name}`).join(", ");
  const moved = result.certificate.seedsMoved;
  const details = pairLines(pairs, result.labels);
  return {
    ...result,
    details: {
      json: { ...details.json, classes: result.classes, known, moved },
      lines: [
        ["labels", `${known} known${moved > 0 ? `, ${moved} of them in another cluster` : ""}; ${names}`],
        ...(some ? details.lines : []),
      ],
    },
  };
}
