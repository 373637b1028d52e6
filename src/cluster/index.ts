export {
  agglomerative,
  loadAgglomerative,
  type Agglomerative,
  type AgglomerativeData,
  type AgglomerativeOptions,
} from "./agglomerative.ts";
export type { Linkage } from "./agglomerativePredict.ts";
export { askPairs, type Answer, type AskPairsOptions, type Question } from "./askPairs.ts";
export type { KmeansCertificate } from "./certificate.ts";
export {
  constrainedKmeans,
  type ConstrainedCertificate,
  type ConstrainedKmeans,
  type ConstrainedKmeansOptions,
} from "./constrainedKmeans.ts";
export {
  copheneticDistances,
  cutDendrogram,
  fromLinkageMatrix,
  leafOrder,
  linkageMatrix,
  type Cut,
  type Dendrogram,
} from "./dendrogram.ts";
export { feasible, type Conflict, type Feasibility, type FeasibleOptions } from "./feasible.ts";
export { lcvqe, type Lcvqe, type LcvqeOptions } from "./lcvqe.ts";
export { mpckMeans, type MpckMeans, type MpckMeansOptions } from "./mpckMeans.ts";
export { pckMeans, type PckMeans, type PckMeansOptions } from "./pckMeans.ts";
export type { PairCertificate, SoftClustering, SoftPairOptions } from "./softInput.ts";
export {
  representatives,
  type Compression,
  type Representatives,
  type RepresentativesOptions,
} from "./representatives.ts";
export type { CellTree } from "./cellTree.ts";
export { kmeans, type Kmeans, type KmeansOptions } from "./kmeans.ts";
export { predictPartition, type PredictPartitionOptions } from "./predictPartition.ts";
export { bregmanKmeans, type BregmanKmeans, type BregmanKmeansOptions } from "./bregmanKmeans.ts";
export {
  seededKmeans,
  type SeedCertificate,
  type SeededKmeans,
  type SeededKmeansOptions,
} from "./seededKmeans.ts";
export {
  clusterCount,
  comparisonGraph,
  type Labelled,
  type Ranked,
  rankPartitions,
} from "./rankPartitions.ts";
export {
  loadSpectral,
  spectral,
  spectralFamily,
  spectralGraph,
  type Spectral,
  type SpectralData,
  type SpectralGraph,
  type SpectralGraphOptions,
  type SpectralOptions,
} from "./spectral.ts";
export type { RowGraphOptions } from "./rowGraph.ts";
export {
  loadNormalizedCut,
  normalizedCut,
  normalizedCutGraph,
  type NormalizedCut,
  type NormalizedCutData,
  type NormalizedCutGraph,
  type NormalizedCutGraphOptions,
  type NormalizedCutOptions,
} from "./normalizedCut.ts";
export {
  gaussianMixture,
  type GaussianMixture,
  type GaussianMixtureFit,
  type GaussianMixtureOptions,
} from "./gaussianMixture.ts";
export {
  loadGaussianMixture,
  type GaussianMixtureData,
  type GaussianMixtureModel,
} from "./gaussianMixtureModel.ts";
export type { CovarianceKind, Covariances } from "./gaussianCovariance.ts";
export {
  kernelKmeans,
  kernelMatrixKmeans,
  type KernelKmeans,
  type KernelKmeansOptions,
  type KernelMatrixKmeans,
  type KernelMatrixKmeansOptions,
} from "./kernelKmeans.ts";
export { loadKernelKmeans, type KernelKmeansData, type KernelKmeansModel } from "./kernelKmeansModel.ts";
export {
  divisive,
  loadDivisive,
  type Division,
  type Divisive,
  type DivisiveData,
  type DivisiveOptions,
} from "./divisive.ts";
