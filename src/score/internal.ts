// What other rooms import from score/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { scores } from "./allScores.ts";
export { scoresByData } from "./dataScores.ts";
export { logGamma } from "./incompleteBeta.ts";
export { requireLabels } from "./labels.ts";
export { knownClasses, labelledRows, requireTwoClasses, type LabelledRows } from "./labelledRows.ts";
