// What other rooms import from run/ beside its public names (index.ts). `npm run lint` keeps it exact.
export type { ClassScores } from "./compare/againstClasses.ts";
export { taskAnswer, type CompareAnswer } from "./compare/compareTasks.ts";
export { matching } from "./compare/disagreement.ts";
export { compared } from "./compare/methodChoices.ts";
export { engineTarget } from "./engineRequest.ts";
export type { FitRows } from "./fit.ts";
export { keptHints } from "./keptRows.ts";
export { ALIASES, defaultMethod } from "./methods.ts";
export { inFile, metricFile, readMetricFile, readModelJson, type MetricFile } from "./modelFile.ts";
export { newRows, type NewRows } from "./newRows.ts";
export {
  forTarget,
  placeOf,
  readRows,
  rowsOf,
  scaleOfSums,
  sourcesOf,
  weighed,
  withEngineRows,
  withRows,
  type LearnRequest,
  type ReadRows,
} from "./openRows.ts";
export { readPairs, readTriplets, rowNames } from "./pairFile.ts";
export { ownOptions } from "./plan.ts";
export { requireColumn } from "./prepare.ts";
export { prepareInput } from "./prepareRequest.ts";
export { hintRowsLine, hintRowsOf } from "./hintRows.ts";
export { idsOf } from "./readHints.ts";
export { isSparseFile, readInput, readingOf } from "./readTable.ts";
export { OF_ENGINES, OF_MODELS, OF_READING, refuse } from "./refusals.ts";
export { spaceText } from "./report.ts";
export {
  columnWords,
  engineWords,
  featureWords,
  fileWords,
  knownWords,
  labelWords,
  machineWords,
  sizeWords,
  type Word,
  type WordRule,
} from "./request.ts";
export { readSeeds } from "./seedFile.ts";
export { unhintedLibrary } from "./unhintedLibrary.ts";
