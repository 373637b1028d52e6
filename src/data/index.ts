export { examples, exampleText, type ExampleOptions } from "./examples.ts";
export { checkConstraints, type CheckedConstraints, type Constraints, type Pair } from "./constraints.ts";
export {
  blobs,
  law,
  rings,
  twoMoons,
  type BlobsOptions,
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
  type NamedDataOptions,
} from "./named.ts";
export { gaussianMixtureOutliers, type GaussianMixtureOutliersOptions } from "./gaussianMixtureOutliers.ts";
export { readNumbers } from "./files/readNumbers.ts";
export { sampleChunklets, samplePairs, sampleTriplets, type Triplet } from "./sampleConstraints.ts";
export {
  applyScaling,
  invertScaling,
  scale,
  type Scaled,
  type ScaleGroup,
  type ScaleKind,
  type ScaleOptions,
  type Scaling,
} from "./scaling.ts";
export type {
  ColumnRoles,
  FoundColumn,
  Format,
  Missing,
  ReadOptions,
  Source,
  NumberTable,
  TextColumn,
} from "./table.ts";
export { writeCsv, type WritableTable, type WriteOptions } from "./writeCsv.ts";
export {
  applyReading,
  copiedRows,
  copiedTable,
  type AppendedColumn,
  cellText,
  columnRecord,
  columnWords,
  conform,
  dateText,
  describeColumns,
  readColumns,
  readLike,
  whyWords,
  writtenTexts,
  type CellFormat,
  type Column,
  type ColumnKind,
  type ColumnReading,
  type ColumnRecord,
  type RawColumn,
  type ReadColumnsOptions,
  type ReadFile,
  type Table,
  takeTableRows,
  writtenRows,
  type WrittenRows,
} from "./columns/index.ts";
export { fillHints, type Hints, type LabelHint, type NotHint, type PairHint } from "./hints/hints.ts";
export { constraintsFromHints, hintLinks, type Contradiction, type HintLinks } from "./hints/hintLinks.ts";
export {
  parseHints,
  readHints,
  readText,
  type HintedRows,
  type ReadHintsOptions,
} from "./hints/readHints.ts";
export { writeHints } from "./hints/writeHints.ts";
