export { applyReading, type Applied, type Unread } from "./applyReading.ts";
export { cellText, columnRecord, dateText } from "./column.ts";
export type { Column, ColumnKind, ColumnReading, ColumnRecord, Table } from "./column.ts";
export type { RawColumn, RawTable } from "./cells/rawColumn.ts";
export type { CellFormat } from "./cells/readCells.ts";
export { conform } from "./conform.ts";
export { columnWords, describeColumns, whyWords } from "./describeColumns.ts";
export { readColumns, readLike, typeLike, typeTable, type ReadColumnsOptions } from "./readColumns.ts";
export { takeTableRows } from "./takeTableRows.ts";
