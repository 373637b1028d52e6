import {
  CompressionType,
  setCompressionCodec,
  tableFromIPC,
  Type,
  type Column,
  type Field,
  type Table,
} from "@uwdata/flechette";
import { inputError } from "../../core/internal.ts";
import { openMessage, requireType, type OpenMessage } from "./arrowCheck.ts";
import { bytesCode, bytesText, uuidOf } from "./byteTexts.ts";
import { decimalNumber } from "./wholeNumbers.ts";
import { joinedBytes, partsOf, readHead, type ByteReader } from "../files/bytes.ts";
import { decompressLz4Frame, damage, unpackZstd } from "./unpack.ts";

const readOnly = (): never => {
  throw new Error("only reading is supported");
};

/**
 * The bytes of a buffer, with the length in the eight bytes before it; requireMessage has checked that there
 * is room.
 */
function unpacked(packed: Uint8Array, unpack: (room: Uint8Array) => Uint8Array): Uint8Array {
  const prefix = new DataView(packed.buffer, packed.byteOffset - 8, 8);
  const expected = Number(prefix.getBigInt64(0, true));
  const bytes = unpack(new Uint8Array(expected));
  if (bytes.length !== expected) throw new Error("a compressed buffer has another length than it declares");
  return bytes;
}
setCompressionCodec(CompressionType.LZ4_FRAME, {
  decode: (bytes) => unpacked(bytes, (room) => decompressLz4Frame(bytes, room)),
  encode: readOnly,
});
setCompressionCodec(CompressionType.ZSTD, {
  decode: (bytes) => unpacked(bytes, (room) => unpackZstd(bytes, room)),
  encode: readOnly,
});

/** The values of a checked column, null where there is none: decimals as numbers, bytes as text. */
export function columnValues(column: Column<unknown>, field: Field): ArrayLike<unknown> {
  const { type } = column;
  switch (type.typeId) {
    case Type.Decimal:
      return presentValues(column, (batch, i) => {
        const { decimal, values } = batch as unknown as DecimalBatch;
        return decimalNumber(decimal === undefined ? values[i] : decimal(values, i), type.scale);
      });
    case Type.Binary:
    case Type.LargeBinary:
    case Type.BinaryView:
    case Type.FixedSizeBinary: {
      const isUuid = field.metadata?.get("ARROW:extension:name") === "arrow.uuid";
      return presentValues(column, (batch, i) => {
        const bytes = batch.value(i) as Uint8Array;
        return isUuid
          ? uuidOf(bytes)
          : type.typeId === Type.FixedSizeBinary
            ? bytesCode(bytes)
            : bytesText(bytes);
      });
    }
  }
  return column.toArray() as ArrayLike<unknown>;
}

type Batch = Column<unknown>["data"][number];

/** A decimal of 32 bits is its value; wider ones are read by a function. */
interface DecimalBatch {
  readonly values: ArrayLike<number | bigint>;
  decimal?(values: ArrayLike<number | bigint>, index: number): bigint;
}

function presentValues(column: Column<unknown>, value: (batch: Batch, i: number) => unknown): unknown[] {
  return column.data.flatMap((batch) =>
    Array.from({ length: batch.length }, (_, i) =>
      batch.nullCount > 0 && !batch.isValid(i) ? null : value(batch, i),
    ),
  );
}

export function damageTold<T>(source: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw damage(source, "Arrow", error);
  }
}

/**
 * Record batches as a table; the first has no rows and gives the schema. The dictionaries are decoded with
 * every table, so small batches are joined until they are as long as the dictionaries.
 *
 * @param limit bytes that the buffers of a batch may be unpacked to
 */
export async function* recordBatches(
  reader: ByteReader,
  source: string,
  limit: number,
): AsyncGenerator<{ readonly table: Table; readonly rows: readonly number[] }> {
  let schema: ArrowMessage | undefined;
  let dictionaries: ArrowMessage[] = [];
  let waiting: ArrowMessage[] = [];
  const decoded = (parts: readonly ArrowMessage[]): Table =>
    tableFromIPC(
      parts.map(({ bytes }) => bytes),
      { useDate: false, useBigInt: true },
    );
  const taken = (): { table: Table; rows: number[] } => {
    const table = damageTold(source, () => decoded([schema!, ...dictionaries, ...waiting]));
    const rows = waiting.map((batch) => batch.rows);
    waiting = [];
    return { table, rows };
  };
  const messages = arrowMessages(reader, limit);
  try {
    for (;;) {
      const { done, value: message } = await messages.next().catch((error: unknown) => {
        throw damage(source, "Arrow", error);
      });
      if (done === true) break;
      if (message.kind === "schema") {
        if (schema !== undefined) continue;
        schema = message;
        const first = taken();
        damageTold(source, () => first.table.schema.fields.forEach(({ type }) => requireType(type)));
        yield first;
      } else if (schema === undefined) {
        throw inputError(`${source} cannot be read as Arrow: the schema is missing`);
      } else if (message.kind === "batch") {
        waiting.push(message);
        if (lengthOf(waiting) >= lengthOf(dictionaries)) yield taken();
      } else {
        if (waiting.length > 0) yield taken();
        // A repeated dictionary replaces the previous one; memory must not grow with the batches.
        if (message.delta !== true) dictionaries = dictionaries.filter(({ id }) => id !== message.id);
        dictionaries.push(message);
      }
    }
    if (waiting.length > 0) yield taken();
  } finally {
    await messages.return(undefined);
  }
  if (schema === undefined) throw inputError(`${source} cannot be read as Arrow: the schema is missing`);
}

function lengthOf(messages: readonly ArrowMessage[]): number {
  return messages.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

interface ArrowMessage extends Pick<OpenMessage, "kind" | "id" | "delta"> {
  /** Rows that a record batch declares. */
  readonly rows: number;
  /** The whole message, as the decoder of the stream form expects it. */
  readonly bytes: Uint8Array;
}

const MAGIC = "ARROW1";
const MARKER = -1;

/**
 * The messages of Arrow IPC one at a time (Arrow columnar format, "Encapsulated message format"): a marker,
 * the length of the metadata, the metadata (a FlatBuffer, which gives the length of the body) and the body.
 * The file form is the stream form between a magic word and a footer, so it is read in the same way, from
 * front to back.
 *
 * @param limit maximum number of bytes of the unpacked buffers of a message
 */
async function* arrowMessages(reader: ByteReader, limit: number): AsyncGenerator<ArrowMessage> {
  let prefix = await readHead(reader, 8);
  const file = isMagic(prefix.subarray(0, MAGIC.length));
  if (file) prefix = await readHead(reader, 8);
  for (;;) {
    if (prefix.length === 0 && !file) return; // a stream may just end
    if (prefix.length < 8) throw new Error("the data ends in the middle of a message");
    const words = new DataView(prefix.buffer, prefix.byteOffset, 8);
    const marked = words.getInt32(0, true) === MARKER;
    const length = words.getInt32(marked ? 4 : 0, true);
    if (length === 0) break;
    if (length < 0 || length > LONGEST_METADATA) throw new Error("the length of a message makes no sense");
    // Before version 0.15 there was no marker: four bytes of the metadata are already read.
    const known = marked ? [] : [prefix.subarray(4)];
    const metadata = await exactly(reader, marked ? length : length - 4, known);
    const message = openMessage(new DataView(metadata.buffer));
    const head = new Uint8Array(Int32Array.of(MARKER, metadata.length).buffer);
    const bytes = await exactly(reader, message.bodyLength, [head, metadata]);
    const rows = message.requireBody(bytes.subarray(head.length + metadata.length), limit);
    yield { ...message, rows, bytes };
    prefix = await readHead(reader, 8);
  }
  if (file && !(await endsByMagic(reader))) throw new Error("the footer is missing");
}

const LONGEST_METADATA = 1 << 28;

/**
 * The bytes `before`, and then `count` bytes. The count is only declared: memory is allocated as the bytes
 * arrive.
 */
async function exactly(
  reader: ByteReader,
  count: number,
  before: readonly Uint8Array[],
): Promise<Uint8Array<ArrayBuffer>> {
  const parts = [...before];
  for (let left = count; left > 0;) {
    const part = await readHead(reader, Math.min(left, MOST_AT_ONCE));
    if (part.length === 0) throw new Error("the data ends in the middle of a message");
    parts.push(part);
    left -= part.length;
  }
  return joinedBytes(parts);
}

/** Memory allocated for a message before its bytes arrive. */
const MOST_AT_ONCE = 1 << 24;

function isMagic(bytes: Uint8Array): boolean {
  return String.fromCharCode(...bytes) === MAGIC;
}

/** In a truncated file, the last word is not the magic one. */
async function endsByMagic(reader: ByteReader): Promise<boolean> {
  let last = new Uint8Array(0);
  for await (const part of partsOf(reader)) last = joinedBytes([last, part]).slice(-MAGIC.length);
  return isMagic(last);
}
