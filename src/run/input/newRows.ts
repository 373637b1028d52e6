import type { Note, OnProgress } from "../../core/index.ts";
import { pathExists } from "../../core/internal.ts";
import type { TextColumn } from "../../data/index.ts";
import { numberTable } from "../../data/internal.ts";
import type { Matrix } from "../../matrix/index.ts";
import { placingIn, type TableSpace } from "../../model/index.ts";
import { keptTexts } from "./prepare.ts";
import { readInput } from "./readTable.ts";
import type { TableRequest } from "../request.ts";

/** Rows of another table, in the space of a model. */
export interface NewRows {
  readonly source: string;
  readonly Y: Matrix;
  /** The known classes, if the table has that column. */
  readonly label?: TextColumn;
  readonly ids?: TextColumn;
  readonly notes: readonly Note[];
}

/** Reads rows for a model: columns are read as in its training table. */
export async function newRows(
  sources: readonly string[],
  model: TableSpace,
  label: string | undefined,
  options: Omit<TableRequest, "use">,
  onProgress: OnProgress,
): Promise<NewRows> {
  const { id, ignore, header, delimiter, decimal, encoding, sheet, format, na, data } = options;
  const named = sources.length === 1 && sources[0] !== "-" && !pathExists(sources[0]);
  const plain = model.space.kind === "scaling";
  const reading = {
    ...(plain ? { id, ignore } : { encoding, sheet, na, ...(!named && { vector: "none" }) }),
    ...(plain && !named && { label }),
    header,
    delimiter,
    decimal,
    format,
    data,
  };
  const input = await readInput(sources, reading, onProgress, { space: model.space, labelIfThere: true });
  const table = input.numbers === undefined ? input.table : numberTable(input.numbers);
  const { X, rows, notes } = placingIn(model)(table);
  const known = keptTexts(table, rows, label, "classes");
  const ids = keptTexts(table, rows, id, "names");
  return {
    source: table.source,
    Y: X,
    ...(known !== undefined && { label: known }),
    ...(ids !== undefined && { ids }),
    notes,
  };
}
