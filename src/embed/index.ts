export type { Embedding } from "./embedding.ts";
export {
  kernelPca,
  loadKernelPca,
  type KernelPca,
  type KernelPcaData,
  type KernelPcaModel,
  type KernelPcaOptions,
  type KernelSpaceOptions,
  kernelPcaOptions,
} from "./kernelPca.ts";
export {
  loadNeighborLayout,
  neighborLayout,
  neighborLayoutOptions,
  type NeighborLayout,
  type NeighborLayoutData,
  type NeighborLayoutModel,
  type NeighborLayoutOptions,
} from "./neighborLayout.ts";
export { loadPca, pca, type Pca, type PcaData, type PcaModel, type PcaOptions, pcaOptions } from "./pca.ts";
export {
  cpdUml,
  type CpdUml,
  type CpdUmlOptions,
  cpdUmlOptions,
  type StabilityCell,
} from "./cpdUml/cpdUml.ts";
export { loadCpdUml, type CpdUmlData, type CpdUmlModel } from "./cpdUml/cpdUmlField.ts";
export { aml, type Aml, type AmlOptions, amlOptions } from "./aml.ts";
export { fme, type Fme, type FmeOptions, fmeOptions } from "./fme.ts";
export { rpcaOm, type RpcaOm, type RpcaOmOptions, rpcaOmOptions } from "./rpcaOm.ts";
export { loadProjection, type Projection, type ProjectionData } from "./projection.ts";
export {
  naml,
  type Naml,
  type NamlOptions,
  namlOptions,
  loadNaml,
  type NamlData,
  type NamlModel,
} from "./naml.ts";
