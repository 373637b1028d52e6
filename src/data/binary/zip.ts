import { inputError, nodeModule } from "../../core/internal.ts";
import { chunkReader, joinedBytes, PART, readHead } from "../files/bytes.ts";

/**
 * The entries of a zip archive, the container of spreadsheets and .npz files (PKWARE APPNOTE 6.3: the central
 * directory at the end gives the position of each entry). Sizes that the archive declares are limits, never
 * trusted for allocation.
 */
export interface ZipArchive {
  readonly names: readonly string[];
  /** The unpacked bytes; an error that names the entry if it is missing or larger than `limit`. */
  read(name: string, limit: number): Promise<Uint8Array>;
}

interface Entry {
  readonly at: number;
  readonly packed: number;
  readonly method: number;
}

export function zipArchive(bytes: Uint8Array, source: string): ZipArchive {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const damaged = (): never => {
    throw inputError(`${source} is a damaged zip archive: its directory cannot be read; save the file again`);
  };
  let end = bytes.length - 22;
  const stop = Math.max(0, end - 65_535);
  while (end >= stop && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < stop || end < 0) damaged();
  let count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  if (at === 0xffffffff || count === 0xffff) {
    // Zip64: the true numbers are in a record before this one.
    if (end < 20 || view.getUint32(end - 20, true) !== 0x07064b50) damaged();
    const record = Number(view.getBigUint64(end - 20 + 8, true));
    if (record + 56 > bytes.length || view.getUint32(record, true) !== 0x06064b50) damaged();
    count = Number(view.getBigUint64(record + 32, true));
    at = Number(view.getBigUint64(record + 48, true));
  }
  const entries = new Map<string, Entry>();
  const utf8 = new TextDecoder();
  for (let k = 0; k < count; k++) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== 0x02014b50) damaged();
    const method = view.getUint16(at + 10, true);
    let packed = view.getUint32(at + 20, true);
    const size = view.getUint32(at + 24, true);
    const nameLength = view.getUint16(at + 28, true);
    const extraLength = view.getUint16(at + 30, true);
    const commentLength = view.getUint16(at + 32, true);
    let local = view.getUint32(at + 42, true);
    const name = utf8.decode(bytes.subarray(at + 46, at + 46 + nameLength));
    if (packed === 0xffffffff || local === 0xffffffff) {
      let extra = at + 46 + nameLength;
      const extraEnd = Math.min(bytes.length, extra + extraLength);
      while (extra + 4 <= extraEnd) {
        const length = view.getUint16(extra + 2, true);
        if (view.getUint16(extra, true) === 1) {
          let field = extra + 4;
          if (size === 0xffffffff) field += 8;
          if (packed === 0xffffffff) {
            if (field + 8 > extraEnd) damaged();
            packed = Number(view.getBigUint64(field, true));
            field += 8;
          }
          if (local === 0xffffffff) {
            if (field + 8 > extraEnd) damaged();
            local = Number(view.getBigUint64(field, true));
          }
        }
        extra += 4 + length;
      }
    }
    entries.set(name, { at: local, packed, method });
    at += 46 + nameLength + extraLength + commentLength;
  }
  return {
    names: [...entries.keys()],
    async read(name, limit) {
      const entry = entries.get(name);
      if (entry === undefined)
        throw inputError(`${source} has no part "${name}"; it is damaged or another kind of file`);
      if (entry.at + 30 > bytes.length || view.getUint32(entry.at, true) !== 0x04034b50) damaged();
      const start = entry.at + 30 + view.getUint16(entry.at + 26, true) + view.getUint16(entry.at + 28, true);
      if (start + entry.packed > bytes.length) damaged();
      const packed = bytes.subarray(start, start + entry.packed);
      if (entry.method === 0) return packed;
      if (entry.method !== 8) {
        throw inputError(
          `${source}: the part "${name}" is packed by a method that cannot be read; save the file again`,
        );
      }
      return inflate(packed, limit, `${source}: the part "${name}"`);
    },
  };
}

/** Raw deflate, at most `limit` bytes of it. */
async function inflate(packed: Uint8Array, limit: number, what: string): Promise<Uint8Array> {
  const zlib = nodeModule<typeof import("node:zlib")>("zlib");
  const tooLarge = (): Error =>
    inputError(
      `${what} unpacks to more than ${Math.floor(limit / 2 ** 20)} MB, which is more than may be used`,
    );
  if (zlib !== undefined) {
    try {
      return zlib.inflateRawSync(packed, { maxOutputLength: Math.min(limit, 2 ** 31 - 1) });
    } catch (error) {
      if ((error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge();
      throw inputError(`${what} cannot be unpacked: the data is damaged or ends too early`);
    }
  }
  const parts: Uint8Array[] = [];
  let length = 0;
  const stream = new Blob([packed as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new DecompressionStream("deflate-raw"));
  const reader = chunkReader(stream, what);
  for (;;) {
    const part = await readHead(reader, PART).catch(() => {
      throw inputError(`${what} cannot be unpacked: the data is damaged or ends too early`);
    });
    if (part.length === 0) return joinedBytes(parts);
    parts.push(part);
    length += part.length;
    if (length > limit) throw tooLarge();
  }
}
