import { option, optionError } from "../../core/errors.ts";
import type { Format } from "../../data/index.ts";
import type { TableOptions } from "./tableInput.ts";

/** The options by which rows are read that are never in memory at once: plain numbers, and text beside them. */
export interface PassOptions {
  readonly label?: string;
  readonly batch?: string;
  readonly id?: string;
  readonly ignore?: readonly string[];
  readonly categorical?: readonly string[];
  readonly missing?: "refuse" | "drop";
  readonly format?: Format;
  readonly header?: boolean;
  readonly delimiter?: string;
  readonly decimal?: "." | ",";
  readonly data?: string;
  readonly stream?: boolean;
}

/** What is decided by looking at all rows, or done to columns of other kinds. */
const DECIDED = ["as", "na", "weights", "text", "adjust", "encoding", "sheet", "vector"] as const;

/** The same options for rows that come in batches or stay on an engine; what needs all rows at once is refused. */
export function passInput<T extends TableOptions>(options: T): Omit<T, "missing" | "format"> & PassOptions {
  const { missing, format, ...others } = options;
  if (missing === "fill") {
    throw optionError(`${option("missing")} fill needs all rows at once; give drop or refuse`);
  }
  const given = DECIDED.find((name) => options[name] !== undefined);
  if (given !== undefined) {
    throw optionError(
      `${option(given)} needs all rows at once: a stream or an engine has columns of plain numbers`,
    );
  }
  return { ...others, missing, format: format as Format | undefined };
}
