import { NUMERIC } from "../files/roles.ts";
import { PART_VALUES, type TableBuilder } from "../files/tableBuilder.ts";

/** The values of one column of the source. */
export interface ColumnValues {
  readonly column: number;
  readonly values: ArrayLike<unknown>;
}

/**
 * Adds rows that come as columns, and yields the builder from time to time and at the end. Finite numbers go straight
 * to the row store; the builder judges everything else.
 *
 * @param place what the first row is called
 */
export function* addColumns(
  builder: TableBuilder,
  columns: readonly ColumnValues[],
  rows: number,
  place: number,
): Generator<TableBuilder, void, undefined> {
  const { store, roles } = builder;
  const slots = columns.map(({ column }) => (roles.kinds[column] === NUMERIC ? roles.slots[column] : -1));
  const partRows = Math.ceil(PART_VALUES / roles.columns.length);
  for (let i = 0; i < rows; i++) {
    builder.begin(place + i);
    const { block, used } = store;
    for (let k = 0; k < columns.length; k++) {
      const value = columns[k].values[i];
      if (typeof value === "number" && slots[k] >= 0 && value - value === 0) block[used + slots[k]] = value;
      else builder.value(columns[k].column, value);
    }
    builder.end();
    if ((i + 1) % partRows === 0) yield builder;
  }
  yield builder;
}
