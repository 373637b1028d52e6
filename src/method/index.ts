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
  type Fact,
  type FitOptions,
  type Fitted,
  type Needs,
  type OpenMethod,
  type OptionRules,
  type ShownOption,
} from "./method.ts";
export {
  placingOf,
  placingRule,
  type Place,
  type Placed,
  type PlacingRule,
  type Proposal,
} from "./placing.ts";
