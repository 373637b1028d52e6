export {
  flagOf,
  parseValue,
  shellWord,
  shownOptions,
  type OptionRules,
  type ShownOption,
} from "../core/internal.ts";
export { clusterings } from "./clusterings.ts";
export { percentages } from "./told.ts";
export {
  classifiers,
  type ClassifierMethod,
  type ClassifierOptions,
  type ClassifierSums,
  type FittedClassifier,
  type OpenClassifier,
} from "./classifiers.ts";
export {
  embeddings,
  type EmbeddingMethod,
  type EmbeddingModel,
  type EmbeddingOptions,
  type FittedEmbedding,
  type OpenEmbedding,
} from "./embeddings.ts";
export {
  metrics,
  type MetricMethod,
  type MetricNeed,
  type MetricOptions,
  type OpenMetric,
  type RowMoments,
  type SideInformation,
} from "./metrics.ts";
export {
  selections,
  type OpenSelection,
  type Ranked,
  type SelectionMethod,
  type SelectionOptions,
  type SelectionSide,
} from "./selections.ts";
export type {
  ClusteringMethod,
  Drawing,
  Elsewhere,
  EngineFit,
  Fact,
  FitContext,
  FitOptions,
  Fitted,
  WeighedPartitions,
  Needs,
  OpenMethod,
  PassFit,
  StreamFit,
  Tree,
  TreeMerge,
  Trust,
} from "./method.ts";
export { placingOf, placingRule, type Proposal } from "./placing.ts";
export type { Place, Placed, PlacingRule } from "./placingForm.ts";
