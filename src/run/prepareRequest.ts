import { option, optionError } from "../core/internal.ts";
import type { Table } from "../data/index.ts";
import { numberTable } from "../data/internal.ts";
import { byAngle } from "../features/index.ts";
import { isSparse, toDense } from "../matrix/index.ts";
import type { ClusterOptions } from "./cluster.ts";
import { prepare, type Prepared } from "./prepare.ts";
import { prepareMeasured, prepareNumbers, type MeasuredBy } from "./prepareNumbers.ts";
import type { Input } from "./readTable.ts";
import type { TableRequest } from "./request.ts";

/** Numbers up to which sparse rows are made dense. */
const MOST_NUMBERS = 4e7;

/** The numbers of a table, by the options that concern its columns. */
export function prepareInput(
  { table, numbers }: Input,
  options: TableRequest & {
    readonly seed?: number;
    readonly method?: string;
    readonly distances?: string;
    /** There are hints about some rows. */
    readonly hinted?: boolean;
  },
  by?: MeasuredBy,
): Prepared {
  const { label, id, use, ignore, scale, missing, weights, adjust, seed } = options;
  const text = textOption(options);
  const free = scale === undefined || scale === "auto";
  if (numbers !== undefined && by === undefined && free && isSparse(numbers.X)) {
    // Sparse rows are often counts, which are compared by angle; others are scaled without centring.
    const { rows, cols } = numbers.X;
    if (rows * cols <= MOST_NUMBERS && byAngle(toDense(numbers.X))) {
      return prepare(numberTable(numbers), { label: numbers.label?.name, seed });
    }
  }
  if (numbers !== undefined) {
    const kind = scale === undefined || scale === "auto" ? "zscore" : scale;
    if (kind !== "zscore" && kind !== "minmax" && kind !== "none") {
      throw optionError(`${option("scale")} ${kind} is for tables that are read column by column`);
    }
    return prepareNumbers(numbers, { scale: kind, by });
  }
  if (by !== undefined) {
    const aside = [named(table, label), id, ...(ignore ?? [])].filter((name) => name !== undefined);
    return prepareMeasured(table, by, aside);
  }
  const { method, distances } = options;
  const columns = { label: named(table, label), id, use, ignore, scale, missing, weights, text, adjust };
  return prepare(table, { ...columns, method, distances, seed }, options.hinted ?? false);
}

/** "none" and "auto" are not columns. */
export function textOption({ text }: TableRequest): ClusterOptions["text"] {
  return text?.length === 1 && (text[0] === "none" || text[0] === "auto") ? text[0] : text;
}

/** The classes of a named data set are never a feature. */
function named({ columns }: Table, label: string | undefined): string | undefined {
  return label ?? columns.find(({ role }) => role === "classes")?.name;
}
