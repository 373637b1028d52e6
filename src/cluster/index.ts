export type { Clustered, Partitioned, Placement } from "./clustered.ts";
export type { CenterClustering } from "./centerClustering.ts";
export type { KnownRowsData } from "./knownRows.ts";
export type { RowDistance } from "./kmeans/rowDistance.ts";
export {
  kMedoids,
  kMedoidsOptions,
  type KMedoids,
  type KMedoidsCertificate,
  type KMedoidsOptions,
} from "./kmeans/kMedoids.ts";
export { dbscan, dbscanOptions, type Dbscan, type DbscanOptions } from "./density/dbscan.ts";
export { optics, opticsOptions, type Optics, type OpticsOptions } from "./density/optics.ts";
export {
  affinityPropagation,
  affinityPropagationOptions,
  type AffinityPropagation,
  type AffinityPropagationOptions,
} from "./affinityPropagation.ts";
export { clara, claraOptions, type Clara, type ClaraOptions } from "./kmeans/clara.ts";
export {
  fuzzyCMeans,
  fuzzyCMeansOptions,
  type FuzzyCMeans,
  type FuzzyCMeansOptions,
} from "./kmeans/fuzzyCMeans.ts";
export {
  kModes,
  kPrototypes,
  kPrototypesOptions,
  type KPrototypes,
  type KPrototypesOptions,
} from "./kmeans/kPrototypes.ts";
export {
  miniBatchKmeans,
  miniBatchKmeansOptions,
  type MiniBatchKmeans,
  type MiniBatchKmeansOptions,
} from "./kmeans/miniBatchKmeans.ts";
export {
  consensus,
  consensusOf,
  consensusOptions,
  type Consensus,
  type ConsensusCut,
  type ConsensusOfOptions,
  type ConsensusOptions,
} from "./linkage/consensus.ts";
export { genie, genieOptions, type Genie, type GenieOptions } from "./linkage/genie.ts";
export { hdbscan, hdbscanOptions, type Hdbscan, type HdbscanOptions } from "./density/hdbscan.ts";
export type { CondensedTree } from "./density/condensedTree.ts";
export {
  loadHdbscan,
  type DensityModel,
  type DensityModelData,
  type DensityPlaced,
} from "./density/densityModel.ts";
export {
  agglomerative,
  type Agglomerative,
  type AgglomerativeOptions,
  agglomerativeOptions,
} from "./linkage/agglomerative.ts";
export { segment, segmentOptions, type Segmentation, type SegmentOptions } from "./segment/segment.ts";
export type { Linkage } from "./linkage/agglomerativePredict.ts";
export {
  gapStatistic,
  gapStatisticOptions,
  partitionGap,
  predictionStrength,
  predictionStrengthOptions,
  type GapStatistic,
  type GapStatisticOptions,
  type PredictionStrength,
  type PredictionStrengthOptions,
} from "./kmeans/howMany.ts";
export type { KmeansCertificate } from "./kmeans/certificate.ts";
export {
  constrainedKmeans,
  type ConstrainedCertificate,
  type ConstrainedKmeans,
  type ConstrainedKmeansOptions,
  constrainedKmeansOptions,
} from "./pairs/constrainedKmeans.ts";
export { cutDendrogram, leafOrder, type Cut, type Dendrogram } from "./linkage/dendrogram.ts";
export {
  feasible,
  type Conflict,
  type Feasibility,
  type FeasibleOptions,
} from "./pairs/coloring/feasible.ts";
export { lcvqe, type Lcvqe, type LcvqeOptions, lcvqeOptions } from "./pairs/lcvqe.ts";
export { mpckMeans, type MpckMeans, type MpckMeansOptions, mpckMeansOptions } from "./pairs/mpckMeans.ts";
export { pckMeans, type PckMeans, type PckMeansOptions, pckMeansOptions } from "./pairs/pckMeans.ts";
export type { PairCertificate, SoftPairOptions } from "./pairs/softKmeans.ts";
export {
  representatives,
  type Compression,
  type Representatives,
  type RepresentativesOptions,
  representativesOptions,
} from "./compress/representatives.ts";
export type { CellTree } from "./compress/cellTree.ts";
export {
  sphericalKmeans,
  sphericalKmeansOptions,
  type SphericalKmeans,
  type SphericalKmeansOptions,
} from "./kmeans/sphericalKmeans.ts";
export { kmeans, type Kmeans, type KmeansOptions, kmeansOptions } from "./kmeans/kmeans.ts";
export {
  predictPartition,
  type PredictPartitionOptions,
  predictPartitionOptions,
} from "./spectral/predictPartition.ts";
export {
  bregmanKmeans,
  type BregmanKmeans,
  type BregmanKmeansOptions,
  bregmanKmeansOptions,
} from "./bregman/bregmanKmeans.ts";
export {
  seededKmeans,
  type SeedCertificate,
  type SeededKmeans,
  type SeededKmeansOptions,
  seededKmeansOptions,
} from "./pairs/seededKmeans.ts";
export {
  spectral,
  spectralFamily,
  spectralGraph,
  type Spectral,
  type SpectralGraph,
  type SpectralGraphOptions,
  type SpectralOptions,
  spectralGraphOptions,
  spectralOptions,
} from "./spectral/spectral.ts";
export type { RowGraphOptions } from "./spectral/spectralGraph.ts";
export {
  normalizedCut,
  normalizedCutGraph,
  type NormalizedCut,
  type NormalizedCutGraph,
  type NormalizedCutGraphOptions,
  type NormalizedCutOptions,
  normalizedCutGraphOptions,
  normalizedCutOptions,
} from "./spectral/normalizedCut.ts";
export {
  gaussianMixture,
  type GaussianMixture,
  type GaussianMixtureFit,
  type GaussianMixtureOptions,
  gaussianMixtureOptions,
} from "./mixture/gaussianMixture.ts";
export {
  loadGaussianMixture,
  type GaussianMixtureData,
  type GaussianMixtureModel,
} from "./mixture/gaussianMixtureModel.ts";
export {
  communities,
  communitiesOptions,
  leiden,
  leidenOptions,
  type Communities,
  type CommunitiesOptions,
  type Leiden,
  type LeidenOptions,
} from "./spectral/communities.ts";
export { latentClasses, latentClassesOptions, type LatentClassesOptions } from "./mixture/latentClasses.ts";
export { mclust, mclustOptions, type Mclust, type MclustOptions } from "./mixture/mclust.ts";
export type { CovarianceModel } from "./mixture/covarianceModels.ts";
export type { CovarianceKind, Covariances } from "./mixture/gaussianCovariance.ts";
export {
  kernelKmeans,
  loadKernelKmeans,
  type KernelKmeansData,
  type KernelKmeansModel,
  type KernelKmeans,
  type KernelKmeansOptions,
  kernelKmeansOptions,
} from "./mercer/kernelKmeans.ts";
export {
  divisive,
  type Division,
  type Divisive,
  type DivisiveOptions,
  divisiveOptions,
} from "./linkage/divisive.ts";
export {
  mixedMixture,
  type CodedColumn,
  type MixedMixture,
  type MixedMixtureOptions,
  mixedMixtureOptions,
} from "./mixture/mixedMixture.ts";
export { assignMixedMixture, linearMixture, type MixedMixtureModel } from "./mixture/mixedMixtureModel.ts";
