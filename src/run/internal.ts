// What other rooms import from run/ beside its public names (index.ts). `npm run lint` keeps it exact.
export type { FitRows } from "./cluster.ts";
export { againstClasses, unknownClasses, type ClassScores } from "./compare/againstClasses.ts";
export { taskAnswer, type CompareAnswer } from "./compare/compareTasks.ts";
export { matching } from "./compare/disagreement.ts";
export { compared } from "./compare/methodChoices.ts";
export { keptHints } from "./keptRows.ts";
export { ALIASES } from "./methods.ts";
export { prepareMeasured, type MeasuredBy } from "./prepareNumbers.ts";
export { idsNote, idsOf } from "./readHints.ts";
export { fittedRows, sampleNote, sampleSize } from "./sampleSize.ts";
export { unhintedLibrary } from "./unhintedLibrary.ts";
