/**
 * The part of Protocol Buffers that Spark Connect needs (protobuf.dev, "Encoding"): a message is a sequence
 * of fields, each a tag (number << 3 | wire type) and a value; whole numbers are varints, and texts, bytes
 * and messages have a length prefix.
 */
export type FieldValue = string | number | boolean | Uint8Array | undefined;

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

const toBytes = new TextEncoder();
const toText = new TextDecoder();

/** A message; an undefined field is left out, an array gives a repeated field. */
export function encode(fields: readonly (readonly [number: number, value: FieldValue])[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const [number, value] of fields) {
    if (value === undefined) continue;
    if (typeof value === "number" || typeof value === "boolean") {
      parts.push(varint((number << 3) | VARINT), varint(Number(value)));
    } else {
      const bytes = typeof value === "string" ? toBytes.encode(value) : value;
      parts.push(varint((number << 3) | BYTES), varint(bytes.length), bytes);
    }
  }
  const message = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    message.set(part, at);
    at += part.length;
  }
  return message;
}

/** Nonnegative and at most 2^53, like every number here. */
function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

/** A decoded message; of a repeated field the last value counts, as in the format. */
export interface Message {
  has(field: number): boolean;
  text(field: number): string;
  number(field: number): number;
  bytes(field: number): Uint8Array;
  message(field: number): Message;
  messages(field: number): Message[];
}

export function decode(bytes: Uint8Array): Message {
  const fields = new Map<number, (number | Uint8Array)[]>();
  let at = 0;
  const next = (): number => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      if (at >= bytes.length || shift > 2 ** 63) throw malformed();
      const byte = bytes[at++];
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  const take = (length: number): Uint8Array => {
    if (length > bytes.length - at) throw malformed();
    return bytes.subarray(at, (at += length));
  };
  while (at < bytes.length) {
    const tag = next();
    const wire = tag % 8;
    const number = Math.floor(tag / 8);
    let value: number | Uint8Array;
    if (wire === VARINT) value = next();
    else if (wire === BYTES) value = take(next());
    else if (wire === FIXED64) value = take(8);
    else if (wire === FIXED32) value = take(4);
    else throw malformed();
    const values = fields.get(number);
    if (values === undefined) fields.set(number, [value]);
    else values.push(value);
  }
  const bytesOf = (field: number): Uint8Array => {
    const value = fields.get(field)?.at(-1);
    return value instanceof Uint8Array ? value : new Uint8Array(0);
  };
  return {
    has: (field) => fields.has(field),
    text: (field) => toText.decode(bytesOf(field)),
    number: (field) => {
      const value = fields.get(field)?.at(-1);
      return typeof value === "number" ? value : 0;
    },
    bytes: bytesOf,
    message: (field) => decode(bytesOf(field)),
    messages: (field) =>
      (fields.get(field) ?? []).flatMap((value) => (value instanceof Uint8Array ? [decode(value)] : [])),
  };
}

function malformed(): Error {
  return new Error("a message of the server cannot be read");
}
