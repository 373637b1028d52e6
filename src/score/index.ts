export { accuracy, matchClusters, normalizedAccuracy, pairSets, purity } from "./accuracy.ts";
export { adjustedMutualInformation } from "./adjustedMutualInformation.ts";
export { allScores, type AllScores } from "./allScores.ts";
export { compareMethods, type Tournament, type TournamentOptions } from "./compareMethods.ts";
export { contingency, type Contingency, type LabelOptions } from "./contingency.ts";
export { dataScores, type DataScores } from "./dataScores.ts";
export { deltaLoss } from "./deltaLoss.ts";
export { hungarian, type Assignment } from "./hungarian.ts";
export { encodeLabels, isUnknown, type EncodedLabels, type Label, type Labeling } from "./labels.ts";
export { modularity, type EdgeList } from "./modularity.ts";
export {
  completeness,
  homogeneity,
  mutualInformation,
  nmi,
  vMeasure,
  type NmiOptions,
  type Normalization,
} from "./nmi.ts";
export { pairScores, type PairScoreOptions, type PairScores } from "./pairScores.ts";
export { adjustedRand, fowlkesMallows, rand, randLoss } from "./rand.ts";
export { scoreIntervals, type ScoreIntervals, type ScoreIntervalsOptions } from "./scoreIntervals.ts";
export { calinskiHarabasz, daviesBouldin, dunn } from "./separation.ts";
export { silhouette, silhouetteRows, type SilhouetteOptions } from "./silhouette.ts";
export { studentTail, tTest, type TTest } from "./tTest.ts";
export { withinSumOfSquares } from "./withinSumOfSquares.ts";
