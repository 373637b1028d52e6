import { NUMERIC } from "../files/roles.ts";
import { PART_VALUES, type TableBuilder } from "../files/tableBuilder.ts";

/** The values of one column of the source. */
export interface ColumnValues {
  readonly column: number;
  readonly values: ArrayLike<unknown>;
}

/**
 * Adds rows that arrive as columns, and yields the builder from time to time and at the end. Finite numbers
 * go straight to the row store; the builder handles everything else.
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
  const numbers = slots.every((slot) => slot >= 0) ? doublesOf(columns) : undefined;
  let one = 0; // rows before go one by one
  for (let i = 0; i < rows; i++) {
    builder.begin(place + i);
    const { block, used } = store;
    if (numbers !== undefined && i >= one) {
      const room = Math.floor((block.length - used) / store.width);
      const count = Math.min(TILE, room, rows - i, partRows - (i % partRows));
      if (putTile(numbers, i, count, block, used, store.width, slots)) {
        store.used += count * store.width;
        i += count - 1;
        if ((i + 1) % partRows === 0) yield builder;
        continue;
      }
      one = i + count;
    }
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

/** Rows converted from columns at a time: they and their part of the store fit into the first-level cache. */
const TILE = 128;

function doublesOf(columns: readonly ColumnValues[]): readonly Float64Array[] | undefined {
  const arrays = columns.map(({ values }) => values).filter((values) => values instanceof Float64Array);
  return arrays.length === columns.length ? arrays : undefined;
}

/** Writes rows `from` to `from + count` - 1 if all of their numbers are finite. */
function putTile(
  columns: readonly Float64Array[],
  from: number,
  count: number,
  block: Float64Array,
  used: number,
  width: number,
  slots: readonly number[],
): boolean {
  let finite = 0; // NaN once a number is not
  for (let k = 0; k < columns.length; k++) {
    const values = columns[k];
    for (let i = from, p = used + slots[k]; i < from + count; i++, p += width) {
      const value = values[i];
      finite += value - value;
      block[p] = value;
    }
  }
  return finite === 0;
}
