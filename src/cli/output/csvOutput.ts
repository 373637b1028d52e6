import { writeCsv as write, type WritableTable, type WriteOptions } from "../../data/writeCsv.ts";
import { spreadsheetSafe } from "../options/csvOptions.ts";

/** `writeCsv` of the library with the options of the command line. */
export function writeCsv(table: WritableTable, options: WriteOptions = {}): Generator<string> {
  return write(table, { ...options, spreadsheetSafe: spreadsheetSafe() });
}
