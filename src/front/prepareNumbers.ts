import { inputError } from "../core/errors.ts";
import { note } from "../core/notes.ts";
import { applyScaling, scale, type NumberTable, type ScaleKind, type Scaling } from "../data/index.ts";
import { isSparse, takeColumns, toDense } from "../matrix/index.ts";
import type { Matrix } from "../matrix/matrix.ts";
import type { Mahalanobis } from "../metric/index.ts";
import { asTable, textColumns } from "./asTable.ts";
import type { Prepared } from "./cluster.ts";

/** A metric that was learned before, with the scaling that goes before it. */
export interface MeasuredBy {
  readonly scaling: Scaling;
  readonly metric: Mahalanobis;
  /** The file that it is from. */
  readonly path?: string;
}

/**
 * A table that holds nothing but numbers, on a common scale: every column counts the same, no cell is filled. For
 * sparse rows, rows that are scaled in groups, and rows under a metric that was learned before.
 */
export function prepareNumbers(
  numbers: NumberTable,
  { scale: kind = "zscore", by }: { readonly scale?: ScaleKind; readonly by?: MeasuredBy } = {},
): Prepared {
  const table = isSparse(numbers.X) ? sparseTable(numbers) : asTable(numbers, "cluster");
  if (by !== undefined) return measured(numbers, by, table);
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

/** Sparse columns are too many to be described one by one. */
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
  { scaling, metric, path }: MeasuredBy,
  table: Prepared["table"],
): Prepared {
  const { names } = numbers;
  const absent = scaling.columns.filter((name) => !names.includes(name));
  if (absent.length > 0) {
    throw inputError(`${numbers.source} has no column "${absent[0]}", which the metric was learned on`, {
      column: absent[0],
    });
  }
  const dense = isSparse(numbers.X) ? toDense(numbers.X) : numbers.X;
  const ordered = takeColumns(
    dense,
    scaling.columns.map((name) => names.indexOf(name)),
  );
  const X = metric.transform(applyScaling(scaling, ordered, numbers.batch?.values)) as Matrix;
  const turned = Array.from({ length: X.cols }, (_, r) => `${metric.method}${r + 1}`);
  return {
    table,
    X,
    names: turned,
    sources: turned,
    space: {
      kind: "scaling",
      scaling,
      ...(numbers.batch !== undefined && { batch: numbers.batch.name }),
      metric: JSON.parse(JSON.stringify(metric)) as ReturnType<Mahalanobis["toJSON"]>,
    },
    aside: asideOf(numbers),
    columns: [],
    notes: [
      note(
        "metric",
        `distances by the ${metric.method} metric${path === undefined ? "" : ` of ${path}`} (rank ${metric.rank})`,
      ),
    ],
  };
}
