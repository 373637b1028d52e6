export { examples, exampleText, type ExampleOptions } from "./examples.ts";
export {
  checkConstraints,
  type CheckedConstraints,
  type Constraints,
  type Pair,
  type Triplet,
} from "./constraints.ts";
export {
  blobs,
  gaussianMixtureOutliers,
  law,
  LAW_CENTERS,
  rings,
  twoMoons,
  type BlobsOptions,
  type GaussianMixtureOutliersOptions,
  type Generated,
  type LawOptions,
  type RingsOptions,
  type TwoMoonsOptions,
} from "./generate.ts";
export {
  dataFile,
  generators,
  isNamedData,
  listData,
  namedData,
  type DataEntry,
  type DataFile,
  type DataName,
  type NamedData,
  type NamedDataOptions,
} from "./named.ts";
export { readNumbers, type Missing, type ReadOptions } from "./files/readNumbers.ts";
export type { ColumnRoles } from "./files/numberRows.ts";
export { samplePairs } from "./samplePairs.ts";
export {
  applyScaling,
  scale,
  type Scaled,
  type ScaleGroup,
  type ScaleKind,
  type ScaleOptions,
  type Scaling,
} from "./scaling.ts";
export type { Source, NumberTable, TextColumn } from "./table.ts";
export { writeCsv, type WritableTable, type WriteOptions } from "./writeCsv.ts";
export {
  copiedRows,
  copiedTable,
  type AppendedColumn,
  writtenRows,
  type WrittenRows,
} from "./columns/writtenRows.ts";
export {
  cellText,
  columnRecord,
  dateText,
  writtenTexts,
  type Column,
  type ColumnKind,
  type ColumnReading,
  type ColumnRecord,
  type Table,
  takeTableRows,
  columnWords,
  describeColumns,
  whyWords,
} from "./columns/column.ts";
export { conform } from "./columns/typeLike.ts";
export { readColumns, readLike, type ReadColumnsOptions } from "./columns/readColumns.ts";
export type { CellFormat, Format } from "./files/formats.ts";
export type { RawColumn, ReadFile } from "./cells/rawColumn.ts";
export {
  fillHints,
  writeHints,
  type Hints,
  type LabelHint,
  type NotHint,
  type PairHint,
} from "./hints/hints.ts";
export { constraintsFromHints, hintLinks, type Contradiction, type HintLinks } from "./hints/hintLinks.ts";
export {
  parseHints,
  readHints,
  readText,
  type HintedRows,
  type ReadHintsOptions,
} from "./hints/readHints.ts";
