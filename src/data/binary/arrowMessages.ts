/**
 * The messages of Arrow IPC one at a time (Arrow columnar format, "Encapsulated message format"): a marker,
 * the length of the metadata, the metadata (a FlatBuffer, which gives the length of the body) and the body.
 * The file form is the stream form between a magic word and a footer, so it is read in the same way, from
 * front to back.
 */
import { requireMessage } from "./arrowCheck.ts";
import type { ByteReader } from "../files/bytes.ts";
import { readHead } from "../files/bytes.ts";

export interface ArrowMessage {
  readonly kind: "schema" | "dictionary" | "batch";
  /** Rows that a record batch declares. */
  readonly rows: number;
  /** The whole message, as the decoder of the stream form expects it. */
  readonly bytes: Uint8Array;
  /** For a dictionary: the one that it replaces or continues. */
  readonly id?: bigint;
  readonly delta?: boolean;
}

const KINDS = [undefined, "schema", "dictionary", "batch"] as const;
const MAGIC = "ARROW1";
const MARKER = -1;

/** @param limit maximum number of bytes of the unpacked buffers of a message */
export async function* arrowMessages(reader: ByteReader, limit: number): AsyncGenerator<ArrowMessage> {
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
    const metadata = await exactly(
      reader,
      marked ? length : length - 4,
      marked ? undefined : prefix.subarray(4),
    );
    const view = new DataView(metadata.buffer, metadata.byteOffset, metadata.length);
    const root = view.getInt32(0, true);
    const bodyAt = fieldOf(view, root, 10);
    const bodyLength = bodyAt === 0 ? 0 : Number(view.getBigInt64(bodyAt, true));
    if (!(bodyLength >= 0)) throw new Error("the length of a message makes no sense");
    const front = new Uint8Array(8 + metadata.length);
    const head = new DataView(front.buffer);
    head.setInt32(0, MARKER, true);
    head.setInt32(4, metadata.length, true);
    front.set(metadata, 8);
    const bytes = await exactly(reader, bodyLength, front);
    const kindAt = fieldOf(view, root, 6);
    const kind = KINDS[kindAt === 0 ? 0 : view.getUint8(kindAt)];
    if (kind === undefined) throw new Error("a message is neither schema, dictionary nor record batch");
    const rows = requireMessage({ kind, metadata: view, body: bytes.subarray(front.length) }, limit);
    yield { kind, rows, bytes, ...(kind === "dictionary" && dictionaryOf(view, root)) };
    prefix = await readHead(reader, 8);
  }
  if (file && !(await endsByMagic(reader))) throw new Error("the footer is missing");
}

const LONGEST_METADATA = 1 << 28;

/** The position of a field of a FlatBuffer table, or 0 if it has its default. */
function fieldOf(view: DataView, table: number, slot: number): number {
  const vtable = table - view.getInt32(table, true);
  if (slot >= view.getInt16(vtable, true)) return 0;
  const offset = view.getInt16(vtable + slot, true);
  return offset === 0 ? 0 : table + offset;
}

function dictionaryOf(view: DataView, root: number): { id: bigint; delta: boolean } {
  const at = fieldOf(view, root, 8);
  const table = at + view.getInt32(at, true);
  const id = fieldOf(view, table, 4);
  const delta = fieldOf(view, table, 8);
  return {
    id: id === 0 ? 0n : view.getBigInt64(id, true),
    delta: delta !== 0 && view.getUint8(delta) !== 0,
  };
}

/**
 * The bytes `before`, and then `count` bytes. The count is only declared: memory is allocated as the bytes
 * arrive.
 */
async function exactly(
  reader: ByteReader,
  count: number,
  before: Uint8Array = new Uint8Array(0),
): Promise<Uint8Array> {
  const length = before.length + count;
  let bytes = new Uint8Array(Math.min(length, before.length + PART));
  bytes.set(before);
  for (let at = before.length; at < length;) {
    if (at === bytes.length) {
      const larger = new Uint8Array(Math.min(length, 2 * at));
      larger.set(bytes);
      bytes = larger;
    }
    const got = await reader.read(bytes.subarray(at));
    if (got === 0) throw new Error("the data ends in the middle of a message");
    at += got;
  }
  return bytes;
}

/** Memory allocated for a message before its bytes arrive. */
const PART = 1 << 24;

function isMagic(bytes: Uint8Array): boolean {
  return bytes.length === MAGIC.length && String.fromCharCode(...bytes) === MAGIC;
}

/** In a truncated file, the last word is not the magic one. */
async function endsByMagic(reader: ByteReader): Promise<boolean> {
  let last = new Uint8Array(0);
  for (;;) {
    const part = await readHead(reader, 1 << 16);
    if (part.length === 0) return isMagic(last);
    const joined = new Uint8Array(last.length + part.length);
    joined.set(last);
    joined.set(part, last.length);
    last = joined.slice(-MAGIC.length);
  }
}
