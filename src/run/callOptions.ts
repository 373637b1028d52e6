import type {
  AffinityPropagationOptions,
  AgglomerativeOptions,
  BregmanKmeansOptions,
  ClaraOptions,
  ConstrainedKmeansOptions,
  DbscanOptions,
  DivisiveOptions,
  FuzzyCMeansOptions,
  GaussianMixtureOptions,
  ConsensusOptions,
  GenieOptions,
  HdbscanOptions,
  KernelKmeansOptions,
  KMedoidsOptions,
  KmeansOptions,
  KPrototypesOptions,
  LatentClassesOptions,
  LcvqeOptions,
  LeidenOptions,
  MclustOptions,
  MiniBatchKmeansOptions,
  MixedMixtureOptions,
  MpckMeansOptions,
  NormalizedCutOptions,
  OpticsOptions,
  PckMeansOptions,
  SeededKmeansOptions,
  SpectralOptions,
  SphericalKmeansOptions,
} from "../cluster/index.ts";
import type { AmlOptions, CpdUmlOptions, FmeOptions, NamlOptions, RpcaOmOptions } from "../embed/index.ts";
import type { LearnFromHintsOptions } from "../hints/index.ts";
import type { ChooseOptions } from "../judge/index.ts";
import type {
  BiclustersOptions,
  CcmlOptions,
  CarpOptions,
  CcOptions,
  CcscmlOptions,
  RccOptions,
  SccOptions,
} from "../recipes/index.ts";
import type { TableOptions } from "./cluster.ts";

/** The function of the library behind each method, by its options; the test of the package compiles every name. */
export interface MethodOptions {
  auto: ChooseOptions;
  hints: LearnFromHintsOptions;
  mixed: MixedMixtureOptions;
  kmeans: KmeansOptions;
  "k-medoids": KMedoidsOptions;
  clara: ClaraOptions;
  "fuzzy-cmeans": FuzzyCMeansOptions;
  "minibatch-kmeans": MiniBatchKmeansOptions;
  "affinity-propagation": AffinityPropagationOptions;
  "k-prototypes": KPrototypesOptions;
  "spherical-kmeans": SphericalKmeansOptions;
  gmm: GaussianMixtureOptions;
  mclust: MclustOptions;
  leiden: LeidenOptions;
  "latent-classes": LatentClassesOptions;
  spectral: SpectralOptions;
  ncut: NormalizedCutOptions;
  ward: AgglomerativeOptions;
  average: AgglomerativeOptions;
  complete: AgglomerativeOptions;
  single: AgglomerativeOptions;
  hdbscan: HdbscanOptions;
  dbscan: DbscanOptions;
  optics: OpticsOptions;
  consensus: ConsensusOptions;
  genie: GenieOptions;
  "bisecting-kmeans": DivisiveOptions;
  divisive: DivisiveOptions;
  cc: CcOptions;
  carp: CarpOptions;
  rcc: RccOptions;
  scc: SccOptions;
  ccml: CcmlOptions;
  ccscml: CcscmlOptions;
  biclusters: BiclustersOptions;
  "cpd-uml": CpdUmlOptions;
  aml: AmlOptions;
  naml: AmlOptions & NamlOptions;
  "rpca-om": RpcaOmOptions & Pick<KmeansOptions, "restarts">;
  fme: FmeOptions;
  "kernel-kmeans": KernelKmeansOptions;
  "cop-kmeans": ConstrainedKmeansOptions;
  "pck-means": PckMeansOptions;
  "mpck-means": MpckMeansOptions;
  lcvqe: LcvqeOptions;
  "bregman-kmeans": BregmanKmeansOptions;
  "seeded-kmeans": SeededKmeansOptions;
}

export type MethodName = keyof MethodOptions;

/** What the rows decide, and not the caller of `cluster`. */
type OfRows =
  | "initialCenters"
  | "initialLabels"
  | "linkage"
  | "metric"
  | "categorical"
  | "batch"
  | "library"
  | "without"
  | "nameOf"
  | "graph";

/** The options of a method that `cluster` passes on. Without a name hints are learned from, if there are any. */
type OwnOptions<M extends MethodName> = Omit<
  M extends "auto" ? MethodOptions["auto"] & MethodOptions["hints"] : MethodOptions[M],
  keyof TableOptions | OfRows
>;

/**
 * The options of `cluster` with one method: those of the table, and those of the method. A name that is wrong does not
 * compile.
 *
 *     const options: ClusterOptions<"kmeans"> = { method: "kmeans", clusters: 4, restarts: 20 };
 */
export type CallOptions<M extends MethodName = "auto"> = TableOptions & {
  /** Default "auto": several methods are tried, and the partition that agrees most with all of them is taken. */
  readonly method?: M;
} & Partial<OwnOptions<M>>;
