import { option, optionError } from "../../core/internal.ts";
import type { Format } from "../../data/index.ts";
import type { TableOptions } from "./tableInput.ts";

/** The options that read rows that do not fit into memory: plain numbers, and text beside them. */
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

/** Options that need all rows, or that concern columns of other kinds. */
const DECIDED = ["as", "na", "weights", "text", "adjust", "encoding", "sheet", "vector"] as const;

/** The same options for rows in batches or on an engine; options that need all rows at once are refused. */
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
