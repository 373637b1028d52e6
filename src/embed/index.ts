export type { Embedding } from "./embedding.ts";
export {
  kernelPca,
  loadKernelPca,
  type KernelPca,
  type KernelPcaData,
  type KernelPcaModel,
  type KernelPcaOptions,
} from "./kernelPca.ts";
export { loadPca, pca, type Pca, type PcaData, type PcaModel, type PcaOptions } from "./pca.ts";
