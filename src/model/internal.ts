// What other rooms import from model/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { checkSql } from "./checkSql.ts";
export { labelling, trustWords } from "./clustering.ts";
export { cellWords } from "./profiles.ts";
export { typicalRows } from "./representatives.ts";
export { requireColumns } from "./scaledRows.ts";
export { recordsOf, usedColumns } from "./space.ts";
export { spareNames } from "./clustering.ts";
export { noteForm, proofForm, trustForm } from "./modelForm.ts";
export { profileForm } from "./profiles.ts";
export { representativesForm } from "./representatives.ts";
