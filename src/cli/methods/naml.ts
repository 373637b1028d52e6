import type { Option } from "commander";
import { aml, type AmlOptions } from "../../embed/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import { kernelSpaceOf, kernelSpaceOptions } from "../kernelSpaceOptions.ts";
import type { Clustering, MethodFile, MethodOptions } from "../methods.ts";
import { amlFlags, amlGiven } from "../projectionOptions.ts";
import { amlClustering } from "./aml.ts";

export const accepts: MethodFile["accepts"] = { clusters: "required", seed: true, sparse: false };

export function options(): Option[] {
  return [...amlFlags(), ...kernelSpaceOptions("gaussian")];
}

export function run(X: Matrix | Sparse, { clusters, seed, onProgress, own }: MethodOptions): Clustering {
  const kernel = kernelSpaceOf(own, "gaussian");
  const options: AmlOptions = { clusters: clusters as number, seed, ...amlGiven(own), kernel };
  return amlClustering(aml(X as Matrix, { ...options, onProgress }), options);
}
