import { inputError, note } from "../../core/internal.ts";
import { type NumberTable, scale, type ScaleKind, type Scaling, type Table } from "../../data/index.ts";
import { numberTable, textColumns } from "../../data/internal.ts";
import { isSparse, type Matrix } from "../../matrix/index.ts";
import { type AnyMetricData, isMahalanobis } from "../../metric/index.ts";
import { type MetricModel, placingIn, type Space } from "../../model/index.ts";
import { knownColumns } from "../../model/internal.ts";
import type { Prepared } from "./prepare.ts";

/** An existing metric, with its preprocessing. */
export interface MeasuredBy extends MetricModel {
  /** Its file. */
  readonly path?: string;
}

/**
 * A table with only numbers, on a common scale: every column has the same weight, and no cell is filled. For
 * sparse rows, rows that are scaled in groups, and rows under an existing metric.
 */
export function prepareNumbers(
  numbers: NumberTable,
  { scale: kind = "zscore", by }: { readonly scale?: ScaleKind; readonly by?: MeasuredBy } = {},
): Prepared {
  const table = isSparse(numbers.X) ? sparseTable(numbers) : numberTable(numbers);
  if (by?.space.kind === "scaling") return measured(numbers, by.space.scaling, by, table);
  const { X, names, scaling, notes } = scale(numbers.X, kind, {
    names: numbers.names,
    batch: numbers.batch?.values,
  });
  return {
    table,
    X,
    names,
    sources: names,
    space: {
      kind: "scaling",
      scaling,
      ...(numbers.batch !== undefined && { batch: numbers.batch.name }),
    },
    aside: asideOf(numbers),
    columns: [],
    notes: notes.map((message) => note("scaling", message)),
  };
}

const asideOf = ({ label, ids, batch }: NumberTable): string[] =>
  [label, ids, batch].flatMap((column) => (column === undefined ? [] : [column.name]));

/** Sparse columns are too many for a description of each. */
function sparseTable(numbers: NumberTable): Prepared["table"] {
  const { X, source, notes } = numbers;
  return {
    source,
    rows: X.rows,
    columns: textColumns(numbers),
    notes: notes.map((message) => note("reading", message)),
  };
}

function measured(
  numbers: NumberTable,
  scaling: Scaling,
  by: MeasuredBy,
  table: Prepared["table"],
): Prepared {
  const { names } = numbers;
  const absent = scaling.columns.filter((name) => !names.includes(name));
  if (absent.length > 0) {
    throw inputError(`${numbers.source} has no column "${absent[0]}", which the metric was learned on`, {
      column: absent[0],
    });
  }
  const scaled = knownColumns(numbers, scaling);
  const space = { kind: "scaling" as const, scaling, ...(numbers.batch && { batch: numbers.batch.name }) };
  return { ...underMetric(scaled, by, space), table, aside: asideOf(numbers) };
}

/** The rows of a table with columns of any kind, under a metric learned on such a table. */
export function prepareMeasured(table: Table, by: MeasuredBy, aside: readonly string[]): Prepared {
  const { X, rows, notes } = placingIn(by)(table);
  const under = underMetric(X, by, by.space);
  return {
    ...under,
    table,
    ...(rows !== undefined && { rows }),
    aside,
    notes: [...notes, ...under.notes],
  };
}

function underMetric(
  scaled: Matrix,
  { metric, path }: MeasuredBy,
  space: Space,
): Pick<Prepared, "X" | "names" | "sources" | "space" | "columns" | "notes"> {
  const X = metric.transform(scaled) as Matrix;
  const turned = Array.from({ length: X.cols }, (_, r) => `${metric.method}${r + 1}`);
  return {
    X,
    names: turned,
    sources: turned,
    space: { ...space, metric: JSON.parse(JSON.stringify(metric)) as AnyMetricData },
    columns: [],
    notes: [
      note(
        "metric",
        `distances by the ${metric.method} metric${path === undefined ? "" : ` of ${path}`} (${isMahalanobis(metric) ? `rank ${metric.rank}` : `${X.cols} dimensions`})`,
      ),
    ],
  };
}
