// The functions that most programs need: a table in, clusters out, a model that places new rows, and the methods that
// people look for by name. All methods have their own entries: kindred/cluster, kindred/metric, kindred/matrix and so on.
export * from "./core/index.ts";
export {
  asTable,
  cluster,
  compare,
  explain,
  methods,
  readHints,
  type ClusterOptions,
  type CompareOptions,
  type Comparison,
  type MethodName,
  type Rows,
} from "./run/index.ts";
export {
  loadModel,
  modelSql,
  type Assigned,
  type Clustering,
  type ModelFile,
  type Profile,
  type Proof,
  type Representatives,
  type SqlDialect,
} from "./model/index.ts";
export { applyFeatures, learnFeatures, type FeatureOptions, type TableFeatures } from "./features/index.ts";
export { choosePartition, type Choice, type ChooseOptions } from "./judge/index.ts";
export {
  askQuestions,
  learnFromHints,
  type AskedPair,
  type AskQuestionsOptions,
  type HintedClustering,
  type LearnFromHintsOptions,
  type Reply,
} from "./hints/index.ts";
export {
  describeColumns,
  listData,
  namedData,
  readColumns as readTable,
  readLike,
  readNumbers,
  scale,
  writeCsv,
  writeHints,
  type Column,
  type ColumnKind,
  type Hints,
  type NumberTable,
  type ReadColumnsOptions as ReadTableOptions,
  type Source,
  type Table,
} from "./data/index.ts";
export {
  agglomerative,
  gaussianMixture,
  hdbscan,
  kmeans,
  spectral,
  type Agglomerative,
  type AgglomerativeOptions,
  type GaussianMixture,
  type GaussianMixtureOptions,
  type Hdbscan,
  type HdbscanOptions,
  type Kmeans,
  type KmeansOptions,
  type Spectral,
  type SpectralOptions,
} from "./cluster/index.ts";
export {
  itml,
  lmnn,
  nca,
  type Itml,
  type ItmlOptions,
  type LmnnOptions,
  type NcaOptions,
} from "./metric/index.ts";
export * from "./score/index.ts";
