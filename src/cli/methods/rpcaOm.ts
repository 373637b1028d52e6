import { Option } from "commander";
import { kmeans } from "../../cluster/index.ts";
import { rpcaOm } from "../../embed/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import { storeMatrix } from "../../matrix/storedMatrix.ts";
import { integerAtLeast } from "../arguments.ts";
import type { Clustering, MethodFile, MethodOptions } from "../methods.ts";
import { restartsOption, rpcaOmFlags, rpcaOmGiven, rpcaOmLines } from "../projectionOptions.ts";

export const accepts: MethodFile["accepts"] = { clusters: "required", seed: true, sparse: false };

export function options(): Option[] {
  return [
    new Option("--dims <n>", "directions of the plane (default: one less than clusters)").argParser(
      integerAtLeast(1),
    ),
    restartsOption(),
    ...rpcaOmFlags(),
  ];
}

/** The plane first, then k-means in it. */
export function run(X: Matrix | Sparse, { clusters, seed, onProgress, own }: MethodOptions): Clustering {
  const K = clusters as number;
  const { dims = Math.max(1, Math.min(K, X.rows, X.cols) - 1), restarts } = own as {
    dims?: number;
    restarts?: number;
  };
  const options = { dims, ...rpcaOmGiven(own) };
  const plane = rpcaOm(X as Matrix, { ...options, onProgress });
  const found = kmeans(plane.embedding, { clusters: K, seed, restarts });
  return {
    labels: found.labels,
    sizes: found.sizes,
    converged: plane.converged && found.converged,
    warnings: [...plane.warnings, ...found.warnings],
    objective: plane.objective,
    iterations: plane.iterations,
    certificate: found.certificate,
    model: { ...plane.model(), centers: storeMatrix(found.centers) },
    details: { json: { dims, withinPlane: found.objective }, lines: rpcaOmLines(plane) },
    drawing: { history: plane.history },
  };
}
