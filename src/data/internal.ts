// What other rooms import from data/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { plainNumber } from "./kinds/amount.ts";
export { arrivedTable, asTable, type AsyncRows, tableOf, type Rows } from "./columns/asTable.ts";
export { numberTable, textColumns } from "./columns/numberTable.ts";
export { appendTables, rawParts } from "./cells/appendTables.ts";
export { codedTexts, takeRawRows, type RawTable } from "./cells/rawColumn.ts";
export { memoryLimit } from "./files/budget.ts";
export { isParquetOfNumbers } from "./binary/parquetCells.ts";
export { cellBatches } from "./files/openCells.ts";
export {
  BY_MEANING,
  COLUMN_KINDS,
  columnRecordForm,
  daysBetween,
  levelsOf,
  missingIn,
  numbersOf,
  requireTable,
  textOf,
  type ColumnRole,
} from "./columns/column.ts";
export { isMissingWord, missingWords, isBeside, normalLevel, numbersBeside } from "./kinds/scales.ts";
export { readToCopy } from "./columns/readColumns.ts";
export { typeLike } from "./columns/typeLike.ts";
export { typeTable, TYPING_RULES } from "./columns/typeTable.ts";
export { PAIR_RULES } from "./constraints.ts";
export { openSource, reason } from "./files/bytes.ts";
export { rowGatherer } from "./json/rowGatherer.ts";
export { delimitedLines, wholeText } from "./text/records.ts";
export { FORMATS } from "./files/formats.ts";
export { parseNumber } from "./text/cellScanner.ts";
export { numberParts } from "./files/readNumbers.ts";
export { assignRoles, type Role, type Part } from "./files/numberRows.ts";
export { clusterName } from "./hints/hintLinks.ts";
export { hintCount } from "./hints/hints.ts";
export { noSuchRow, rowFinder } from "./hints/readHints.ts";
export {
  scalingForm,
  scalingFromSpreads,
  columnSpreads,
  spreadOf,
  spreadOfValues,
  type Spread,
} from "./scaling.ts";
