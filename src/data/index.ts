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
  listData,
  namedData,
  type DataEntry,
  type DataFile,
  type NamedDataOptions,
} from "./named.ts";
export { gaussianMixtureOutliers, type GaussianMixtureOutliersOptions } from "./gaussianMixtureOutliers.ts";
export { readTable } from "./readTable.ts";
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
  Table,
  TextColumn,
} from "./table.ts";
export { writeCsv, type WritableTable, type WriteOptions } from "./writeCsv.ts";
export {
  applyReading,
  cellText,
  columnRecord,
  columnWords,
  dateText,
  describeColumns,
  readColumns,
  readLike,
  whyWords,
  type CellFormat,
  type Column,
  type ColumnKind,
  type ColumnReading,
  type ColumnRecord,
  type RawColumn,
  type ReadColumnsOptions,
  type Table as ColumnTable,
} from "./columns/index.ts";
