import { inputError, option, optionError, rule, defined } from "../../core/internal.ts";
import type { NumberTable, Source } from "../table.ts";
import { MOST_FEATURES } from "./budget.ts";
import { FORMATS, formats } from "./formats.ts";
import {
  joinedParts,
  numberRows,
  type NumberRows,
  type Part,
  roleRules,
  type RoleOptions,
} from "./numberRows.ts";
import { LAYOUT_RULES, openCells, readOpen, type OpenCells } from "./openCells.ts";

const RULES = {
  /** Default: by content, then by the file's extension. */
  format: rule.oneOf(FORMATS),
  ...LAYOUT_RULES,
  ...roleRules,
  /** Decides the roles once the columns are known, instead of the options of ColumnRoles. */
  roles: rule.callback<NonNullable<RoleOptions["roles"]>>(),
  /** Default "refuse": an empty cell, NA, NaN, null or ? is an error that gives the positions. */
  missing: rule.oneOf(["refuse", "mean", "drop"]),
  /** The decimal mark of delimited text. */
  decimal: rule.oneOf([".", ","]),
  /** LIBSVM: the number of columns; default: the largest index seen. */
  features: rule.integer({ min: 1, max: MOST_FEATURES }),
  /** Maximum number of bytes of the table; default: 1 GiB, and 256 bytes for each byte of a larger source. */
  budget: rule.real({ above: 0 }),
};

export type ReadOptions = rule.OptionsOf<typeof RULES>;
export type Missing = NonNullable<ReadOptions["missing"]>;

/** Options of tables whose columns have names. */
const OF_COLUMNS = ["id", "batch", "ignore", "roles", "missing"] as const;

/**
 * Reads a table of numbers, in any format, gzipped or not.
 *
 *     const table = await readNumbers("wine.csv", { label: "class" });
 *
 * Every column that is not named by `label`, `id`, `batch` or `ignore` must hold finite
 * numbers; other cells are refused with file, line and column.
 */
export async function readNumbers(source: Source, options: ReadOptions = {}): Promise<NumberTable> {
  const resolved: ReadOptions = rule.resolveOptions("readNumbers", options, RULES);
  const named = (["label", "id", "batch", "ignore"] as const).find(
    (role) => resolved.roles !== undefined && resolved[role] !== undefined,
  );
  if (named !== undefined) throw optionError(`readNumbers: give ${option("roles")} or "${named}", not both`);
  const open = await openNumbers(source, resolved);
  try {
    if (open.format === "libsvm") {
      const { readLibsvm } = await import("./libsvm.ts");
      return await readLibsvm(open.reader, open.name, resolved);
    }
    // Fills are those of all rows.
    const { missing, roles: decided } = resolved;
    const inParts = !formats[open.format].isText && missing !== "mean" && !decided;
    const rows = numberRows(open.name, resolved, open.budget, true);
    const parts = [];
    for await (const part of tables(open, resolved, rows, inParts)) parts.push(part);
    rows.requireWhole(`${option("missing")} can drop their rows or fill the cells`);
    const table = joinedParts(parts);
    if (table.X.rows === 0) throw inputError(`${open.name}: every row has a missing value`);
    return table;
  } finally {
    await open.reader.close();
  }
}

/** The rows of a table of numbers as they are read, for formats that stream. */
export async function* numberParts(source: Source, options: ReadOptions): AsyncGenerator<Part> {
  const open = await openNumbers(source, options);
  try {
    if (!formats[open.format].streams) throw notStreamed(open);
    const rows = numberRows(open.name, options, open.budget, false);
    for await (const part of tables(open, options, rows, true)) {
      rows.requireWhole(`set ${option("missing")} to "drop" to leave such rows out`);
      if (part.X.rows > 0) yield part;
    }
  } finally {
    await open.reader.close();
  }
}

async function openNumbers(source: Source, options: ReadOptions): Promise<OpenCells> {
  const open = await openCells(source, options);
  const { name, format } = open;
  const lacks =
    format === "libsvm"
      ? OF_COLUMNS.find((one) => options[one] !== undefined)
      : options.decimal !== undefined && !formats[format].options?.includes("delimiter")
        ? "decimal"
        : undefined;
  if (lacks === undefined) return open;
  await open.reader.close();
  throw optionError(`${option(lacks)} does not apply to ${name}, which is ${format.toUpperCase()}`);
}

/** Rows of a part of text. Files in groups of rows are read group by group. */
const PART_ROWS = 8192;

/** The numbers of the rows as they are read, or at once. */
async function* tables(
  open: OpenCells,
  options: ReadOptions,
  { plan, read }: NumberRows,
  inParts: boolean,
): AsyncGenerator<ReturnType<NumberRows["read"]>> {
  const { delimiter, header, encoding, sheet, decimal = "." } = options;
  const present = defined({ delimiter, header, encoding, sheet, decimal });
  const cells = { ...present, memory: open.budget.limit(), numbers: plan };
  const most = inParts ? (formats[open.format].isText ? PART_ROWS : 1) : Infinity;
  for await (const raw of readOpen(open, cells, most)) yield read(raw);
}

function notStreamed({ name, format }: OpenCells): Error {
  const streamed = FORMATS.filter((one) => formats[one].streams).map(
    (one) => SPELLED[one] ?? one.toUpperCase(),
  );
  const [last, ...others] = streamed.reverse();
  return inputError(
    `${name} is ${format.toUpperCase()}, which cannot be read row by row here; ${others.reverse().join(", ")} and ${last} can`,
  );
}

const SPELLED: Readonly<Record<string, string>> = { parquet: "Parquet", arrow: "Arrow" };
