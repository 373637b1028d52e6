import {
  flag,
  given,
  integer,
  oneOf,
  option,
  optionError,
  real,
  resolveOptions,
} from "../../core/internal.ts";
import { readAll } from "./bytes.ts";
import { LONGEST_JSON } from "./jsonCost.ts";
import { MOST_FEATURES } from "./budget.ts";
import { fill, openTable } from "./openTable.ts";
import type { ReadOptions, Source, NumberTable } from "../table.ts";
import { filled } from "./tableBuilder.ts";

const FORMATS = ["csv", "tsv", "json", "ndjson", "parquet", "arrow", "libsvm"] as const;

const isText = (value: unknown): boolean => typeof value === "string";
const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

const RULES = {
  format: oneOf(FORMATS),
  name: given<string>("a string", isText),
  label: given<string>("a column name", isText),
  id: given<string>("a column name", isText),
  batch: given<string>("a column name", isText),
  ignore: given<readonly string[]>("an array of column names", isTextList),
  categorical: given<"refuse" | "onehot" | readonly string[]>(
    '"refuse", "onehot" or an array of column names',
    (value) => value === "refuse" || value === "onehot" || isTextList(value),
  ),
  roles: given<ReadOptions["roles"]>("a function", (value) => typeof value === "function"),
  missing: oneOf(["refuse", "mean", "median", "drop"]),
  header: { ...flag(true), fallback: undefined },
  delimiter: given<string>("one character", isText),
  decimal: oneOf([".", ","]),
  features: integer({ min: 1, max: MOST_FEATURES }),
  budget: real({ above: 0 }),
  onProgress: given<ReadOptions["onProgress"]>("a function", (value) => typeof value === "function"),
};

/**
 * Reads a table: CSV, TSV, JSON, NDJSON, Parquet, Arrow IPC or LIBSVM, gzipped or not.
 *
 *     const table = await readNumbers("wine.csv", { label: "class" });
 *
 * Every column that is not named by `label`, `id`, `batch`, `ignore` or `categorical` must hold finite
 * numbers; other cells are refused with file, line and column.
 */
export async function readNumbers(source: Source, options: ReadOptions = {}): Promise<NumberTable> {
  const resolved: ReadOptions = resolveOptions<ReadOptions, typeof RULES>("readNumbers", options, RULES);
  const named = (["label", "id", "batch", "ignore", "categorical"] as const).find(
    (option) => resolved.roles !== undefined && resolved[option] !== undefined,
  );
  if (named !== undefined) throw optionError(`readNumbers: give ${option("roles")} or "${named}", not both`);
  const open = await openTable(source, resolved);
  const { name, reader } = open;
  const own = { ...resolved, format: open.format, memory: open.budget };
  try {
    switch (open.format) {
      case "json":
        return (await import("./json.ts")).readJson(await readAll(reader, name, LONGEST_JSON), name, own);
      case "libsvm":
        return await (await import("./libsvm.ts")).readLibsvm(reader, name, own);
      default:
        return (await filled(fill(open, own))).finish();
    }
  } finally {
    await open.close();
  }
}
