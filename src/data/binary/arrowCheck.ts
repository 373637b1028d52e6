/**
 * Checks what Arrow data declare against what they contain. The decoder trusts the counts, lengths and
 * offsets in a message; a damaged or hostile message makes it allocate, loop or read from the wrong place.
 * `openMessage` checks the FlatBuffer of a message before it is decoded, `requireColumn` the buffers of a
 * column before its values are used.
 *
 * Format: Arrow columnar format, "Encapsulated message format" and "Physical memory layout".
 */
import { Type, type Batch, type Column, type DataType } from "@uwdata/flechette";
import { bytesText } from "../../core/internal.ts";

/** A message before decoding. */
export interface OpenMessage {
  readonly kind: "schema" | "dictionary" | "batch";
  readonly bodyLength: number;
  /** For a dictionary: the one that it replaces or, if `delta`, continues. */
  readonly id?: number;
  readonly delta?: boolean;
  /**
   * Throws an error that says what is wrong; returns the number of rows that a record batch declares.
   *
   * @param limit bytes that compressed buffers may be unpacked to
   */
  requireBody(body: Uint8Array, limit: number): number;
}

const KINDS = [undefined, "schema", "dictionary", "batch"] as const;

export function openMessage(metadata: DataView): OpenMessage {
  const view = guarded(metadata);
  const message = view.table(view.reference(0));
  const kind = KINDS[message.uint8(6)];
  if (kind === undefined) throw new Error("a message is neither schema, dictionary nor record batch");
  const bodyLength = message.int64(10);
  if (!(bodyLength >= 0)) throw new Error("the length of a message makes no sense");
  const header = message.table(8);
  if (header === undefined) throw new Error("a message has no header");
  if (kind === "schema") {
    requireSchema(header, view.byteLength);
    return { kind, bodyLength, requireBody: () => 0 };
  }
  const batch = kind === "batch" ? header : header.table(6);
  if (batch === undefined) throw new Error("a dictionary has no values");
  return {
    kind,
    bodyLength,
    ...(kind === "dictionary" && { id: header.int64(4), delta: header.uint8(8) !== 0 }),
    requireBody: (body, limit) => requireBatch(batch, message.int16(4), body, limit, kind === "dictionary"),
  };
}

function requireSchema(schema: FlatTable, byteLength: number): void {
  let fields = 0;
  const text = (table: FlatTable, slot: number): void => void table.vector(slot, 1);
  const pairs = (table: FlatTable, slot: number): void => {
    for (const pair of table.tables(slot)) {
      text(pair, 4);
      text(pair, 6);
    }
  };
  const visit = (field: FlatTable, depth: number): void => {
    // References only lead forward, but several may lead to one place: the total is bounded by the number of
    // bytes.
    if (++fields > byteLength) throw new Error("the schema refers to itself");
    if (depth > DEEPEST) throw new Error("the schema is nested too deeply");
    text(field, 4);
    pairs(field, 16);
    const type = field.table(10);
    if (field.uint8(8) === Type.Union) type?.vector(6, 4);
    if (field.uint8(8) === Type.Timestamp && type !== undefined) text(type, 6);
    field.table(12)?.table(6);
    for (const child of field.tables(14)) visit(child, depth + 1);
  };
  pairs(schema, 8);
  for (const field of schema.tables(6)) visit(field, 0);
}

const DEEPEST = 64;

/** @param filled every value takes at least one bit, as in dictionaries: they are decoded at once */
function requireBatch(
  batch: FlatTable,
  version: number,
  body: Uint8Array,
  limit: number,
  filled: boolean,
): number {
  const rows = batch.int64(4);
  if (!(rows >= 0 && rows <= 0x7fffffff)) throw new Error("the number of rows of a batch makes no sense");
  const nodes = batch.vector(6, 16);
  let longest = rows;
  for (let k = 0; k < nodes.count; k++) {
    const length = nodes.int64(16 * k);
    const nulls = nodes.int64(16 * k + 8);
    if (!(length >= 0 && length <= 0x7fffffff)) throw new Error("the length of a column makes no sense");
    longest = Math.max(longest, length);
    if (!(nulls >= 0 && nulls <= length)) throw new Error("a column has more nulls than rows");
  }
  const skipped = version < 3 ? 8 : 0; // before version 4 of the format a page stood in front
  const stride = 16 + skipped;
  const buffers = batch.vector(8, stride);
  const compressed = batch.table(10) !== undefined;
  const prefixes = new DataView(body.buffer, body.byteOffset, body.byteLength);
  let unpacked = 0;
  for (let k = 0; k < buffers.count; k++) {
    const offset = buffers.int64(stride * k + skipped);
    const length = buffers.int64(stride * k + skipped + 8);
    if (!(offset >= 0 && length >= 0 && offset + length <= body.length)) {
      throw new Error("a buffer lies outside of its message");
    }
    if (!compressed || length === 0) continue;
    if (length < 8) throw new Error("a compressed buffer is too short");
    const size = Number(prefixes.getBigInt64(offset, true));
    if (size < -1) throw new Error("the length of a compressed buffer makes no sense");
    unpacked += Math.max(0, size);
  }
  if (unpacked > limit) {
    throw new Error(
      `a batch would be unpacked to ${bytesText(unpacked)}, more than the ${bytesText(limit)} allowed`,
    );
  }
  if (filled && longest > 8 * (body.length + unpacked)) {
    throw new Error("a dictionary has more entries than bytes");
  }
  const variadic = batch.vector(12, 8);
  for (let k = 0; k < variadic.count; k++) {
    const count = variadic.int64(8 * k);
    if (!(count >= 0 && count <= buffers.count))
      throw new Error("a column has more buffers than its message");
  }
  return rows;
}

/** A table of a FlatBuffer, with bounds checks. */
interface FlatTable {
  uint8(slot: number): number;
  int16(slot: number): number;
  int64(slot: number): number;
  table(slot: number): FlatTable | undefined;
  vector(slot: number, stride: number): FlatVector;
  tables(slot: number): Generator<FlatTable>;
}

interface FlatVector {
  readonly count: number;
  int64(at: number): number;
}

function guarded(view: DataView): {
  readonly byteLength: number;
  reference(at: number): number;
  table(at: number): FlatTable;
} {
  const inside = (at: number, bytes: number): number => {
    if (!(at >= 0 && at + bytes <= view.byteLength)) throw new Error("a reference leads out of a message");
    return at;
  };
  const reference = (at: number): number => at + view.getUint32(inside(at, 4), true);
  const int64 = (at: number): number => Number(view.getBigInt64(inside(at, 8), true));
  const table = (start: number): FlatTable => {
    const vtable = inside(inside(start, 4) - view.getInt32(start, true), 4);
    const size = view.getUint16(vtable, true);
    inside(vtable, size);
    // The decoder would read half of a slot, and what follows.
    if (size % 2 !== 0) throw new Error("a table of a message has half a slot");
    const field = (slot: number): number => {
      if (slot + 2 > size) return 0;
      const offset = view.getUint16(vtable + slot, true);
      return offset === 0 ? 0 : start + offset;
    };
    const vector = (slot: number, stride: number): FlatVector => {
      const at = field(slot);
      if (at === 0) return { count: 0, int64 };
      const base = reference(at);
      const count = view.getUint32(inside(base, 4), true);
      if (count * stride > view.byteLength) throw new Error("a list is longer than its message");
      inside(base + 4, count * stride);
      return { count, int64: (k) => int64(base + 4 + k) };
    };
    return {
      uint8: (slot) => (field(slot) === 0 ? 0 : view.getUint8(inside(field(slot), 1))),
      int16: (slot) => (field(slot) === 0 ? 0 : view.getInt16(inside(field(slot), 2), true)),
      int64: (slot) => (field(slot) === 0 ? 0 : int64(field(slot))),
      table: (slot) => (field(slot) === 0 ? undefined : table(reference(field(slot)))),
      vector,
      *tables(slot) {
        const { count } = vector(slot, 4);
        const base = count === 0 ? 0 : reference(field(slot)) + 4;
        for (let k = 0; k < count; k++) yield table(reference(base + 4 * k));
      },
    };
  };
  return { byteLength: view.byteLength, reference, table };
}

/** Refuses types whose numbers would break the decoder; found in the schema, before any batch. */
export function requireType(type: DataType): void {
  const { typeId, scale, stride, children, dictionary } = type as DataType & {
    readonly scale?: number;
    readonly stride?: number;
    readonly children?: readonly { readonly type: DataType }[];
    readonly dictionary?: DataType;
  };
  if (typeId === Type.Decimal && !(scale! >= 0 && scale! <= 76)) {
    throw new Error(`a decimal type has the scale ${scale}`);
  }
  if (stride !== undefined && !(stride >= 0)) throw new Error(`a type has the width ${stride}`);
  for (const child of children ?? []) requireType(child.type);
  if (dictionary !== undefined) requireType(dictionary);
}

/** @param rows the declared number of rows of each batch */
export function requireColumn(column: Column<unknown>, rows: readonly number[]): void {
  if (column.data.length !== rows.length) throw new Error("a column has a different number of batches");
  column.data.forEach((batch, k) => {
    if (batch.length !== rows[k]) throw new Error("the columns of a batch have different lengths");
    requireBuffers(batch as Buffers);
  });
}

type Buffers = Batch<unknown> & {
  readonly values: ArrayLike<number | bigint> & { readonly byteLength: number };
  readonly data?: readonly Uint8Array[];
  readonly typeIds?: Int8Array;
  readonly typeMap?: Record<string, number>;
  readonly dictionary?: Column<unknown>;
};

function requireBuffers(batch: Buffers): void {
  const { length, nullCount, type, validity, values, offsets } = batch;
  const children = (batch.children ?? []) as unknown as readonly Buffers[];
  const enough = (have: number, need: number): void => {
    if (!(have >= need)) throw new Error("a buffer is shorter than its column");
  };
  if (type.typeId === Type.Null || length === 0) return;
  if (nullCount > 0 && validity !== undefined) enough(8 * validity.byteLength, length);
  switch (type.typeId) {
    case Type.List:
    case Type.LargeList:
    case Type.Map:
      enough(offsets!.length, length + 1);
      requireBuffers(children[0]);
      return requireAscending(offsets!, length, children[0].length);
    case Type.ListView:
    case Type.LargeListView:
      throw new Error("views of lists are not supported");
    case Type.FixedSizeList:
      enough(children[0].length, length * type.stride);
      return requireBuffers(children[0]);
    case Type.Struct:
      for (const child of children) {
        enough(child.length, length);
        requireBuffers(child);
      }
      return;
    case Type.Bool:
      return enough(8 * values.byteLength, length);
    case Type.Decimal:
      return enough(8 * values.byteLength, length * type.bitWidth);
    case Type.Interval:
      return enough(values.byteLength, length * [4, 8, 16][type.unit]);
    case Type.FixedSizeBinary:
      return enough(values.byteLength, length * type.stride);
    case Type.Utf8:
    case Type.LargeUtf8:
    case Type.Binary:
    case Type.LargeBinary:
      enough(offsets!.length, length + 1);
      return requireAscending(offsets!, length, values.byteLength);
    case Type.Utf8View:
    case Type.BinaryView:
      enough(values.byteLength, 16 * length);
      return requireViews(batch);
    case Type.Dictionary:
      enough(values.length, length);
      for (const part of batch.dictionary!.data) requireBuffers(part as Buffers);
      return requireKeys(batch, batch.dictionary!.length);
    case Type.RunEndEncoded: {
      const [runs, held] = children;
      requireBuffers(runs);
      requireBuffers(held);
      let before = 0;
      for (let k = 0; k < runs.length; k++) {
        const end = Number(runs.values[k]);
        if (!(end > before)) throw new Error("run ends do not ascend");
        before = end;
      }
      enough(before, length);
      return enough(held.length, runs.length);
    }
    case Type.Union: {
      const { typeIds, typeMap } = batch;
      enough(typeIds!.length, length);
      if (offsets) enough(offsets.length, length);
      for (const child of children) requireBuffers(child);
      for (let i = 0; i < length; i++) {
        const child = children[typeMap![typeIds![i]]];
        const at = offsets ? Number(offsets[i]) : i;
        if (!(at >= 0 && at < child?.length))
          throw new Error("a union refers to a value that it does not have");
      }
      return;
    }
    default:
      return enough(values.length, length);
  }
}

function requireAscending(offsets: ArrayLike<number | bigint>, length: number, end: number): void {
  let before = offsets[0];
  let ascending = before >= 0 && offsets[length] <= end;
  for (let i = 1; i <= length; i++) {
    ascending &&= offsets[i] >= before;
    before = offsets[i];
  }
  if (!ascending) throw new Error("the offsets of texts do not ascend within their buffer");
}

function requireViews({ length, values, data }: Buffers): void {
  const bytes = values as unknown as Uint8Array;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let i = 0; i < length; i++) {
    const size = view.getInt32(16 * i, true);
    if (size >= 0 && size <= 12) continue;
    const held = data?.[view.getInt32(16 * i + 8, true)];
    const start = view.getInt32(16 * i + 12, true);
    if (!(size >= 0 && start >= 0 && start + size <= (held?.length ?? -1))) {
      throw new Error("a text lies outside of its buffers");
    }
  }
}

function requireKeys(batch: Buffers, entries: number): void {
  const { length, nullCount, values, validity } = batch;
  for (let i = 0; i < length; i++) {
    if (values[i] >= 0 && values[i] < entries) continue;
    const isNull = nullCount > 0 && validity !== undefined && ((validity[i >> 3] >> (i & 7)) & 1) === 0;
    if (!isNull) throw new Error("a value refers to an entry that its dictionary does not have");
  }
}
