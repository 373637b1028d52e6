/** The formats of files with columns of any kind. */
export const CELL_FORMATS = [
  "csv",
  "tsv",
  "json",
  "ndjson",
  "parquet",
  "arrow",
  "npy",
  "npz",
  "xlsx",
] as const;
export type CellFormat = (typeof CELL_FORMATS)[number];
