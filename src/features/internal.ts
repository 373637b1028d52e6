// What other rooms import from features/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { drawnVectors } from "./drawnRows.ts";
export { columnOptions } from "./learnFeatures.ts";
export { completed } from "./applyFeatures.ts";
export { cellsOf, encodePart } from "./encode/encodePart.ts";
export { encodeNumber, levelLine } from "./encode/numberEncoding.ts";
export { featureRecordForm, type NumberEncoding } from "./featureRecord.ts";
export { codeRuleForm, lastFeature, levelCount } from "./splitKinds.ts";
export { BETWEEN, timeColumns } from "./encode/dateDifferences.ts";
export { phrasesOf } from "./encode/wordsOf.ts";
export { sharesByColumn } from "./columnShares.ts";
