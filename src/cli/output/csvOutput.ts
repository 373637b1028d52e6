import { writeCsv as write, type WritableTable, type WriteOptions } from "../../data/index.ts";
import { outDelimiter, spreadsheetSafe } from "../options/csvOptions.ts";

/** How the command line writes CSV. */
export function csvOptions(): WriteOptions {
  return { delimiter: outDelimiter(), spreadsheetSafe: spreadsheetSafe() };
}

/** `writeCsv` of the library with these options. */
export function writeCsv(table: WritableTable, options: WriteOptions = {}): Generator<string> {
  return write(table, { ...csvOptions(), ...options });
}
