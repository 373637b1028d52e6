/**
 * The messages of Arrow IPC one at a time (Arrow columnar format, "Encapsulated message format"): a marker,
 * the length of the metadata, the metadata (a FlatBuffer, which gives the length of the body) and the body.
 * The file form is the stream form between a magic word and a footer, so it is read in the same way, from
 * front to back.
 */
import { joinedBytes, partsOf, readHead, type ByteReader } from "../files/bytes.ts";
import { openMessage, type OpenMessage } from "./arrowCheck.ts";

export interface ArrowMessage extends Pick<OpenMessage, "kind" | "id" | "delta"> {
  /** Rows that a record batch declares. */
  readonly rows: number;
  /** The whole message, as the decoder of the stream form expects it. */
  readonly bytes: Uint8Array;
}

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
