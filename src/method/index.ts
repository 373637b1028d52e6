export {
  clusteringNamed,
  clusterings,
  keptPairs,
  percentages,
  relevanceFact,
  squareRoot,
} from "./clusterings.ts";
export type { Drawing, Tree, TreeMerge } from "./drawing.ts";
export {
  expectation,
  fallbackText,
  flagOf,
  parseValue,
  shownOptions,
  type ClusteringMethod,
  type Elsewhere,
  type EngineFit,
  type Fact,
  type FitOptions,
  type Fitted,
  type Needs,
  type OpenMethod,
  type OptionRules,
  type PassFit,
  type ShownOption,
  type StreamFit,
} from "./method.ts";
export {
  placingOf,
  placingRule,
  type Place,
  type Placed,
  type PlacingRule,
  type Proposal,
} from "./placing.ts";
