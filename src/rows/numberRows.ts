import { scale as scaleColumns, type NumberTable, type ScaleKind } from "../data/index.ts";
import { isSparse, toDense } from "../matrix/index.ts";
import { asNotes, type TableRows } from "./rowSource.ts";

/** Rows of a table of numbers on a common scale, without constant columns. */
export function numberRows(table: NumberTable, scale: ScaleKind): TableRows {
  const { X, names: columns, label, ids, batch, source, notes } = table;
  const scaled = scaleColumns(isSparse(X) ? toDense(X) : X, scale, {
    names: columns,
    batch: batch?.values,
  });
  return {
    kind: "table",
    source,
    X: scaled.X,
    names: scaled.names,
    sources: scaled.names,
    columns: [],
    space: {
      kind: "scaling",
      scaling: scaled.scaling,
      ...(batch !== undefined && { batch: batch.name }),
    },
    ...(label !== undefined && { label }),
    ...(ids !== undefined && { ids }),
    ...(batch !== undefined && { batch }),
    notes: asNotes([...notes, ...scaled.notes]),
  };
}
