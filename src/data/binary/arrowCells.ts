import { Type, type Column as ArrowColumn, type Field } from "@uwdata/flechette";
import type { Note } from "../../core/index.ts";
import { inputError } from "../../core/internal.ts";
import { columnValues, damageTold, recordBatches } from "../binary/arrow.ts";
import { requireColumn } from "../binary/arrowCheck.ts";
import { someBeyondDoubles } from "../binary/wholeNumbers.ts";
import type { ByteReader } from "../files/bytes.ts";
import { uniqueNames, type CellOptions, type RawTable } from "../cells/rawColumn.ts";
import { guard, valueStore, type ValueStore } from "../json/rowGatherer.ts";
import { refuseTooLarge } from "../files/budget.ts";

/** Reads Arrow IPC one record batch at a time; yields a table whenever it has `most` rows or more. */
export async function* arrowCells(
  reader: ByteReader,
  source: string,
  options: CellOptions,
  most: number,
): AsyncGenerator<RawTable, void, undefined> {
  const notes: Note[] = [];
  let names: string[] | undefined;
  let headings: string[] = [];
  let ignore = options.ignore;
  let stores = new Map<string, ValueStore>();
  let rows = 0;
  let given = false;
  const finished = (): RawTable => ({
    source,
    rows,
    columns: [...stores.values()].map((store) => store.finish(rows)),
    notes,
    headings,
  });
  for await (const { table: part, rows: lengths } of recordBatches(reader, source, options.memory)) {
    const { fields } = part.schema;
    if (names === undefined) {
      headings = fields.map((field) => field.name ?? "");
      names = uniqueNames(headings, notes, source);
      ignore = options.numbers?.plan(names, headings).ignore ?? ignore;
      headings = headings.filter((_, j) => ignore?.has(names![j]) !== true);
    }
    const count = lengths.reduce((sum, more) => sum + more, 0);
    refuseTooLarge(source, (rows + count) * names.length * 8, options.memory, undefined);
    for (const [j, name] of names.entries()) {
      if (ignore?.has(name) === true) continue;
      let store = stores.get(name);
      const time = isTime(fields[j].type.typeId);
      if (store === undefined) {
        store = valueStore(name, options, time ? "date" : undefined);
        stores.set(name, store);
      }
      if (count === 0) continue;
      damageTold(source, () => {
        requireColumn(part.getChildAt(j), lengths);
        addColumn(store, part.getChildAt(j), fields[j], rows, count);
      });
      refuseTooLarge(source, store.bytes, options.memory, name);
    }
    rows += count;
    guard(source, stores, options, `row ${rows}`);
    if (rows < most) continue;
    yield finished();
    given = true;
    stores = new Map();
    rows = 0;
  }
  if (rows > 0) yield finished();
  else if (!given) throw inputError(`${source} has no rows of data`);
}

function isTime(type: number): boolean {
  return type === Type.Date || type === Type.Timestamp;
}

interface Batch {
  readonly length: number;
  readonly nullCount: number;
  readonly offsets?: ArrayLike<number | bigint>;
  readonly children: readonly Batch[];
  readonly values?: ArrayLike<number>;
  readonly stride?: number;
  isValid(index: number): boolean;
  value(index: number): unknown;
}

function addColumn(
  store: ValueStore,
  column: ArrowColumn<unknown>,
  field: Field,
  row: number,
  count: number,
): void {
  const { typeId } = column.type;
  const batches = column.data as unknown as readonly Batch[];
  const list = typeId === Type.List || typeId === Type.LargeList || typeId === Type.FixedSizeList;
  if (list && batches.length === 1) {
    const [batch] = batches;
    const [child] = batch.children;
    const { values } = child;
    if ((values instanceof Float64Array || values instanceof Float32Array) && child.nullCount === 0) {
      for (let i = 0; i < count; i++) {
        if (batch.nullCount > 0 && !batch.isValid(i)) continue;
        const from = batch.offsets === undefined ? i * batch.stride! : Number(batch.offsets[i]);
        const to = batch.offsets === undefined ? from + batch.stride! : Number(batch.offsets[i + 1]);
        if (!(from >= 0 && to >= from && to <= values.length))
          throw new Error("a list lies outside of the data");
        store.addVector(row + i, values.subarray(from, to));
      }
      return;
    }
  }
  const values = columnValues(column, field);
  if (values.length < count) throw new Error(`${values.length} values for ${count} rows`);
  if (isTime(typeId)) {
    for (let i = 0; i < count; i++) {
      const value = values[i] as number | bigint | null;
      if (value !== null) store.add(row + i, Number(value) / 86_400_000);
    }
    return;
  }
  if (values instanceof Float64Array || values instanceof Float32Array || values instanceof Int32Array) {
    store.addNumbers(row, Float64Array.from(values.subarray(0, count)));
    return;
  }
  const integers = values instanceof BigInt64Array || values instanceof BigUint64Array;
  if (integers && !someBeyondDoubles(values)) {
    store.addNumbers(row, Float64Array.from(values.subarray(0, count), Number));
    return;
  }
  for (let i = 0; i < count; i++) store.add(row + i, plainList(values[i]));
}

/** Lists of lists come as arrays of typed arrays. */
function plainList(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((inner) => (ArrayBuffer.isView(inner) ? Array.from(inner as Float64Array) : inner));
}
