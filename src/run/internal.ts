// What other rooms import from run/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { classScoresForm, type ClassScores } from "./compare/againstClasses.ts";
export { commandedForm } from "./compare/comparison.ts";
export { taskAnswer, type CompareAnswer } from "./compare/compareTasks.ts";
export { matching } from "./compare/disagreement.ts";
export { compared } from "./compare/methodChoices.ts";
export type { FitRows } from "./fit/fit.ts";
export { keptHints, keptLists, readPairs, readSeeds, readTriplets, rowNames } from "./known/knowledge.ts";
export { ALIASES, defaultMethod } from "./methods.ts";
export {
  inFile,
  metricFile,
  readClustering,
  readMetricFile,
  readModelJson,
  type MetricFile,
} from "./input/modelFile.ts";
export { newRows, type NewRows } from "./input/newRows.ts";
export {
  forTarget,
  readOrSample,
  readRows,
  rowsOf,
  scaleOfSums,
  weighed,
  withEngineRows,
  withRows,
  type LearnRequest,
  type ReadRows,
} from "./input/openRows.ts";
export { engineTarget, ownOptions, placeOf, refuse, sourcesOf } from "./plan.ts";
export { prepareInput, requireColumn } from "./input/prepare.ts";
export { hintRowsLine, hintRowsOf, idsOf, type RowIds } from "./known/readHints.ts";
export { readDistances, readGraph } from "./input/readDistances.ts";
export { isSparseFile, readInput, readingOf } from "./input/readTable.ts";
export { spaceText } from "./report.ts";
export {
  columnWords,
  engineWords,
  featureWords,
  fileWords,
  embedWords,
  knownWords,
  labelWords,
  machineWords,
  OF_ENGINES,
  OF_MODELS,
  OF_READING,
  sizeWords,
  weightWords,
  type Word,
  type WordRule,
} from "./request.ts";
export { unhintedLibrary } from "./fit/unhintedLibrary.ts";
