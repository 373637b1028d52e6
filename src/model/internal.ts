// What other rooms import from model/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { checkSql } from "./featureSql.ts";
export { labelling, spareNames, trustWords } from "./clustering.ts";
export { cellWords, profileForm } from "./profiles.ts";
export { representativesForm, typicalRows } from "./representatives.ts";
export { knownColumns, recordsOf, requireColumns, usedColumns } from "./space.ts";
export { noteForm, proofForm } from "./modelForm.ts";
export { scorerOf } from "./scorer.ts";
export { placedForm, requireFormat } from "./placedForm.ts";
